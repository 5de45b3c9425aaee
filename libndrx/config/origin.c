/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c - file, line and variables of each value
 *
 * Copied, because the tree of elements is freed after the load.
 */
#include "libndrx/config/origin.h"

#include <stdio.h>
#include <string.h>

#include "libndrx/config/say.h"

enum { NAMES_LEN = 256 };

/* The values of a file share one copy of its name. */
static const char *file_of(struct ow_config_check *check,
			   const struct ow_config_node *node)
{
	if (check->file != node->file) {
		check->file_copy =
		    ow_arena_strdup(check->config->arena, node->file);
		check->file = node->file;
	}
	if (check->file_copy == NULL)
		check->file = NULL;
	return check->file_copy;
}

/* "A B" from "x${A}/${B}"; false: the text has no variables. */
static bool variables_of(const char *text, char names[NAMES_LEN])
{
	const char *p = text, *end;
	size_t n = 0;

	for (; (p = strstr(p, "${")) != NULL; p = end) {
		end = p + 2 + strcspn(p + 2, "}");
		if (p > text && p[-1] == '\\')
			continue;
		if (n < NAMES_LEN)
			n += (size_t)snprintf(names + n, NAMES_LEN - n,
					      "%s%.*s", n > 0 ? " " : "",
					      (int)(end - p - 2), p + 2);
	}
	return n > 0;
}

int ow_config_origin(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     struct ow_config_origin *ret_origin)
{
	struct ow_config_origin o = { .file = file_of(check, node),
				      .line = node->line };
	char names[NAMES_LEN];

	if (o.file == NULL)
		return ow_config_no_memory(check);
	if (variables_of(node->text, names)) {
		o.variables = ow_arena_strdup(check->config->arena, names);
		if (o.variables == NULL)
			return ow_config_no_memory(check);
	}
	*ret_origin = o;
	return 0;
}

int ow_config_origins(struct ow_config_check *check,
		      const struct ow_field_table *table,
		      const struct ow_config_node *const *set,
		      const struct ow_config_origin **ret_origins)
{
	struct ow_config_origin *all;
	int r = 0;

	all = ow_arena_alloc(check->config->arena, table->n * sizeof(*all));
	if (all == NULL)
		return ow_config_no_memory(check);
	for (size_t i = 0; i < table->n && r == 0; i++) {
		if (set[i] != NULL)
			r = ow_config_origin(check, set[i], &all[i]);
	}
	if (r == 0)
		*ret_origins = all;
	return r;
}
