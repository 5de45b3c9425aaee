/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - elements and attributes against the grammar
 */
#include "libndrx/config/shape.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "libndrx/config/grammar.h"
#include "libndrx/config/say.h"
#include "libndrx/config/value.h"

/* The names of the child elements, then those of the table; either may be
 * NULL. */
static void list_names(const struct ow_element *const *children,
		       const struct ow_field_table *table,
		       char words[OW_CONFIG_NAMES])
{
	size_t n = 0;

	words[0] = '\0';
	for (; children != NULL && *children != NULL; children++) {
		if (ow_config_field_find(table, (*children)->name) < 0)
			n += (size_t)snprintf(words + n, OW_CONFIG_NAMES - n,
					      "%s ", (*children)->name);
	}
	for (size_t i = 0; table != NULL && i < table->n; i++)
		n += (size_t)snprintf(words + n, OW_CONFIG_NAMES - n, "%s ",
				      table->fields[i].name);
	assert(n < OW_CONFIG_NAMES);
	if (n > 0)
		words[n - 1] = '\0';
}

static int fail_unknown_attr(struct ow_config_check *check,
			     const struct ow_config_node *node,
			     const struct ow_element *e, const char *name)
{
	char words[OW_CONFIG_NAMES];

	if (e != NULL && e->no_attr != NULL)
		return ow_config_fail(check, node, "attribute %.60s: %s", name,
				      e->no_attr);
	list_names(NULL, e != NULL ? e->attrs : NULL, words);
	return ow_config_fail_attr(check, node, name, words);
}

static int check_attrs(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_element *e)
{
	for (const struct ow_config_attr *a = node->attrs; a != NULL;
	     a = a->next) {
		int i = ow_config_field_find(e->attrs, a->name);

		if (i < 0)
			return fail_unknown_attr(check, node, e, a->name);
		if (e->defaults_of != NULL &&
		    (e->attrs->fields[i].flags & OW_FIELD_NO_DEFAULT) != 0)
			return ow_config_fail(check, node,
					      "attribute %s cannot have a "
					      "default; give it in each <%s>",
					      a->name, e->defaults_of);
	}
	if (e->attrs == NULL || e->defaults_of != NULL)
		return 0;
	for (size_t i = 0; i < e->attrs->n; i++) {
		const struct ow_field *f = &e->attrs->fields[i];

		if (f->missing != NULL &&
		    ow_config_node_attr(node, f->name) == NULL)
			return ow_config_fail(check, node,
					      "attribute %s: missing; %s",
					      f->name, f->missing);
	}
	return 0;
}

/* An element before `node` of its name, with attributes if it has some: <env>
 * with a name and <env> without are two things. NULL: there is none. */
static const struct ow_config_node *
earlier(const struct ow_config_node *node)
{
	const struct ow_config_node *n = node->parent->children;

	for (; n != node; n = n->next) {
		if (strcmp(n->name, node->name) == 0 &&
		    (n->attrs == NULL) == (node->attrs == NULL))
			return n;
	}
	return NULL;
}

/* Of several values the last one counts: a notice. */
static int note_twice(struct ow_config_check *check,
		      const struct ow_config_node *node)
{
	const struct ow_config_node *first = earlier(node);

	if (first == NULL)
		return 0;
	return ow_config_notice(check, node, "is given twice, first at %s:%u; "
				"the last one counts", first->file,
				first->line);
}

/* Of a section that is there again all values count: a notice. */
static int note_merged(struct ow_config_check *check,
		       const struct ow_config_node *node)
{
	const struct ow_config_node *first = earlier(node);

	if (first == NULL)
		return 0;
	return ow_config_notice(check, node, "is there twice, first at %s:%u; "
				"both count, and of a value that is in both the "
				"last one", first->file, first->line);
}

/* An element that holds one value. */
static int check_value(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_element *parent,
		       const struct ow_field *field)
{
	if (parent->defaults_of != NULL &&
	    (field->flags & OW_FIELD_NO_DEFAULT) != 0)
		return ow_config_fail(check, node,
				      "cannot have a default; give it in each "
				      "<%s>",
				      parent->defaults_of);
	if (node->attrs != NULL)
		return fail_unknown_attr(check, node, NULL, node->attrs->name);
	if (node->children != NULL)
		return ow_config_fail_element(check, node->children, "");
	return note_twice(check, node);
}

static int check_required(struct ow_config_check *check,
			  const struct ow_config_node *node,
			  const struct ow_element *e)
{
	const struct ow_config_node *n;

	if (e->values == NULL || e->defaults_of != NULL)
		return 0;
	for (size_t i = 0; i < e->values->n; i++) {
		const struct ow_field *f = &e->values->fields[i];

		if (f->missing == NULL)
			continue;
		for (n = node->children; n != NULL; n = n->next)
			if (strcmp(n->name, f->name) == 0)
				break;
		if (n == NULL)
			return ow_config_fail(check, node, "has no <%s>; %s",
					      f->name, f->missing);
	}
	return 0;
}

static int check_element(struct ow_config_check *check,
			 const struct ow_config_node *node,
			 const struct ow_element *e);

static int check_child(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_element *parent)
{
	const struct ow_element *e = ow_config_child(parent, node->name);
	int i = ow_config_field_find(parent->values, node->name);
	char words[OW_CONFIG_NAMES];
	int r;

	if (i >= 0 && (e == NULL || node->attrs == NULL))
		return check_value(check, node, parent,
				   &parent->values->fields[i]);
	if (e == NULL) {
		list_names(parent->children, parent->values, words);
		return ow_config_fail_element(check, node, words);
	}
	r = e->merged ? note_merged(check, node) : 0;
	return r != 0 ? r : check_element(check, node, e);
}

/* The recursion ends where the grammar does. */
static int check_element(struct ow_config_check *check,
			 const struct ow_config_node *node,
			 const struct ow_element *e)
{
	char shown[48];
	int r = check_attrs(check, node, e);

	if (r == 0 && !e->text && *node->text != '\0')
		r = ow_config_fail(check, node,
				   "has the text %s between its elements; "
				   "remove it, or put it into an element",
				   ow_value_quote(node->text, shown,
						  sizeof(shown)));
	for (const struct ow_config_node *n = node->children;
	     n != NULL && r == 0; n = n->next)
		r = check_child(check, n, e);
	return r != 0 ? r : check_required(check, node, e);
}

int ow_config_check_shape(struct ow_config_check *check,
			  const struct ow_config_node *root)
{
	if (strcmp(root->name, "endurox") != 0 &&
	    strcmp(root->name, "onewake") != 0)
		return ow_config_fail(check, root,
				      "is not the element expected; the whole "
				      "configuration stands in <endurox>");
	return check_element(check, root, &ow_config_root);
}
