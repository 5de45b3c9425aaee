/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other.c - <services> and <routing>: are names and values right?
 *
 * Names and values are checked, so that a slip is found when it is made;
 * values with variables are left alone, because some variables are known only
 * to the program that reads the section.
 */
#include "ndrxd/config/check.h"

#include <string.h>

#define OTHER(member) offsetof(struct other, member)
#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))

/* Where values go while they are checked. */
struct other {
	const char *text;
	uint64_t ms;
	int number;
	bool yes;
};

static const struct ow_field values[] = {
	{ .name = "svcnm", .kind = OW_FIELD_TEXT, .offset = OTHER(text),
	  .hi = 30 },
	{ .name = "prio", .kind = OW_FIELD_INT, .offset = OTHER(number),
	  .lo = 1, .hi = 100 },
	{ .name = "routing", .kind = OW_FIELD_TEXT, .offset = OTHER(text),
	  .hi = 15 },
	{ .name = "autotran", .kind = OW_FIELD_BOOL, .offset = OTHER(yes) },
	{ .name = "trantime", .kind = OW_FIELD_SECONDS,
	  .offset = OTHER(ms) },
	{ .name = "buftype", .kind = OW_FIELD_TEXT, .offset = OTHER(text),
	  .words = "UBF" },
	{ .name = "fieldtype", .kind = OW_FIELD_TEXT, .offset = OTHER(text),
	  .words = "SHORT CHAR LONG FLOAT DOUBLE STRING" },
};

static const struct ow_field_table value_table = {
	.fields = values, .n = COUNT(values)
};

struct shape {
	const char *parent; /* NULL: any */
	const char *name;
	const char *attrs;
	const char *children;
	const char *needed; /* attribute */
	bool text;
};

static const struct shape shapes[] = {
	{ .name = "services", .attrs = "", .children = "defaults service" },
	{ .parent = "services", .name = "defaults",
	  .attrs = "prio routing autotran trantime", .children = "" },
	{ .name = "service", .needed = "svcnm",
	  .attrs = "svcnm prio routing autotran trantime", .children = "" },
	{ .name = "routing", .attrs = "", .children = "route" },
	{ .name = "route", .needed = "routing", .attrs = "routing",
	  .children = "field ranges buftype fieldtype" },
	{ .name = "field", .attrs = "", .children = "", .text = true },
	{ .name = "ranges", .attrs = "", .children = "", .text = true },
	{ .name = "buftype", .attrs = "", .children = "", .text = true },
	{ .name = "fieldtype", .attrs = "", .children = "", .text = true },
};

static const struct shape *find_shape(const struct ow_config_node *node)
{
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const struct shape *s = &shapes[i];

		if (strcmp(s->name, node->name) == 0 &&
		    (s->parent == NULL || (node->parent != NULL &&
		     strcmp(s->parent, node->parent->name) == 0)))
			return s;
	}
	return NULL;
}

static const struct ow_field *checked(const char *name, const char *text)
{
	int i = ow_config_field_find(&value_table, name);

	return i < 0 || strstr(text, "${") != NULL ? NULL : &values[i];
}

static int check_values(struct ow_config_check *check,
			const struct ow_config_node *node,
			const struct shape *s)
{
	const struct ow_field *f;
	struct other scratch;
	int r = 0;

	if (s->needed != NULL && ow_config_node_attr(node, s->needed) == NULL)
		return ow_config_fail(check, node,
				      "attribute %s: missing; give a name",
				      s->needed);
	for (const struct ow_config_attr *a = node->attrs;
	     a != NULL && r == 0; a = a->next) {
		f = checked(a->name, a->value);
		if (f != NULL)
			r = ow_config_attr_set(check, f, node, a->value,
					       &scratch);
	}
	f = s->text && r == 0 ? checked(node->name, node->text) : NULL;
	return f == NULL ? r : ow_config_field_set(check, f, node, &scratch);
}

/* Recursion ends where the table does: four levels below the section. */
static int check_names(struct ow_config_check *check,
		       const struct ow_config_node *node)
{
	const struct shape *s = find_shape(node);
	int r = ow_config_check_attrs(check, node, s->attrs);

	if (r == 0 && !s->text)
		r = ow_config_check_no_text(check, node);
	if (r == 0)
		r = check_values(check, node, s);
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
	if (strcmp(node->name, "services") == 0)
		return ow_config_services(check, node);
	return ow_config_notice(check, node, "accepted, no effect yet");
}
