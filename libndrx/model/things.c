/* SPDX-License-Identifier: Apache-2.0 */
/*
 * things.c - a list of rows that grows
 */
#include "libndrx/model/things.h"

#include <errno.h>
#include <stdlib.h>

int ow_list_add(struct ow_list *l, const struct ow_row *row)
{
	size_t want = l->allocated > 0 ? l->allocated * 2 : 64;
	const struct ow_row **p = l->rows;

	if (l->n == l->allocated) {
		p = realloc(p, want * sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		l->rows = p;
		l->allocated = want;
	}
	l->rows[l->n++] = row;
	return 0;
}
