/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_other.c - sections that other programs read, or that have no effect
 *
 * Names of elements and attributes are checked, so that a slip is found when
 * it is made; values are left alone, variables in them too, because some are
 * known only to the program that reads the section.
 */
#include "ndrxd/config_check.h"

#include <string.h>

struct shape {
	const char *parent; /* NULL: any */
	const char *name;
	const char *attrs;
	const char *children;
	bool text;
};

static const struct shape shapes[] = {
	{ .name = "services", .attrs = "", .children = "defaults service" },
	{ .parent = "services", .name = "defaults",
	  .attrs = "prio routing autotran trantime", .children = "" },
	{ .name = "service",
	  .attrs = "svcnm prio routing autotran trantime", .children = "" },
	{ .name = "routing", .attrs = "", .children = "route" },
	{ .name = "route", .attrs = "routing",
	  .children = "field ranges buftype fieldtype" },
	{ .name = "field", .attrs = "", .children = "", .text = true },
	{ .name = "ranges", .attrs = "", .children = "", .text = true },
	{ .name = "buftype", .attrs = "", .children = "", .text = true },
	{ .name = "fieldtype", .attrs = "", .children = "", .text = true },
};

static const struct shape *find_shape(const struct ow_config_node *node)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];

		if (strcmp(s->name, node->name) == 0 &&
		    (s->parent == NULL || (node->parent != NULL &&
		     strcmp(s->parent, node->parent->name) == 0)))
			return s;
	}
	return NULL;
}

/* Recursion ends where the table does: four levels below the section. */
static int check_names(struct ow_config_check *check,
		       const struct ow_config_node *node)
{
	const struct shape *s = find_shape(node);
	int r = ow_config_check_attrs(check, node, s->attrs);

	if (r == 0 && !s->text)
		r = ow_config_check_no_text(check, node);
	for (const struct ow_config_node *n = node->children;
	     n != NULL && r == 0; n = n->next) {
		if (!ow_config_word_in(s->children, n->name))
			r = ow_config_fail_element(check, n, s->children);
		else
			r = check_names(check, n);
	}
	return r;
}

int ow_config_other(struct ow_config_check *check,
		    const struct ow_config_node *node)
{
	int r = check_names(check, node);

	if (r != 0)
		return r;
	return ow_config_notice(check, node, "accepted, no effect yet");
}
