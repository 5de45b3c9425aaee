/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - a set of queue names
 *
 * A plain array: a domain has a few hundred queues at most.
 */
#include "clients/xadmin/domain/names.h"

#include <stdlib.h>
#include <string.h>

bool ow_names_add(struct ow_names *s, const char *name)
{
	size_t i, cap;
	void *p;

	if (strlen(name) >= OW_NAMES_LEN)
		return false;
	for (i = 0; i < s->n; i++)
		if (strcmp(s->list[i], name) == 0)
			return false;
	if (s->n == s->cap) {
		cap = s->cap == 0 ? 64 : s->cap * 2;
		p = realloc(s->list, cap * sizeof(s->list[0]));
		if (p == NULL)
			return false;
		s->list = p;
		s->cap = cap;
	}
	memcpy(s->list[s->n++], name, strlen(name) + 1);
	return true;
}

void ow_names_clear(struct ow_names *s)
{
	free(s->list);
	memset(s, 0, sizeof(*s));
}
