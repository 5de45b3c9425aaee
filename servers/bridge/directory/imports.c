/* SPDX-License-Identifier: Apache-2.0 */
/*
 * imports.c - what other nodes may offer here
 */
#include "servers/bridge/directory/imports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void list_free(struct ow_br_names **list)
{
	if (*list != NULL)
		ow_br_names_free(*list);
	free(*list);
	*list = NULL;
}

void ow_br_imports_free(struct ow_br_imports *im)
{
	uint32_t i;

	for (i = 0; i < OW_BR_IMPORTS; i++)
		list_free(&im->of[i]);
	list_free(&im->others);
}

/* The list that an entry is for, by its first word; *rest is behind it. */
static struct ow_br_names **place(struct ow_br_imports *im, const char *text,
				  const char **rest)
{
	unsigned long n;
	char *end;

	if (*text == '*') {
		*rest = text + 1;
		return &im->others;
	}
	n = strtoul(text, &end, 10);
	*rest = end;
	return n > 0 && n < OW_BR_IMPORTS ? &im->of[n] : NULL;
}

static int parse_entry(struct ow_br_imports *im, char *entry)
{
	const char *rest = NULL;
	struct ow_br_names **list = place(im, entry, &rest);

	if (list == NULL || *rest != ':' || *list != NULL)
		return -EINVAL;
	*list = calloc(1, sizeof(**list));
	return *list == NULL ? -ENOMEM : ow_br_names_parse(rest + 1, *list);
}

int ow_br_imports_parse(const char *text, struct ow_br_imports *ret)
{
	char *copy = strdup(text != NULL ? text : ""), *save = NULL, *entry;
	int r = copy == NULL ? -ENOMEM : 0;

	memset(ret, 0, sizeof(*ret));
	for (entry = copy != NULL ? strtok_r(copy, ";", &save) : NULL;
	     entry != NULL && r == 0; entry = strtok_r(NULL, ";", &save)) {
		entry += strspn(entry, " \t\n");
		if (*entry != '\0')
			r = parse_entry(ret, entry);
	}
	free(copy);
	if (r != 0)
		ow_br_imports_free(ret);
	return r;
}

void ow_br_imports_apply(const struct ow_br_imports *im, uint32_t node,
			 struct ow_br_names *names)
{
	const struct ow_br_names *may =
	    node < OW_BR_IMPORTS && im->of[node] != NULL ? im->of[node]
							 : im->others;
	uint32_t i, n = 0;

	if (may == NULL)
		return;
	for (i = 0; i < names->n; i++)
		if (ow_br_names_has(may, names->name[i]))
			memmove(names->name[n++], names->name[i], OW_BR_NAME);
	names->n = n;
}
