/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mib.c - mibget: objects of a class of the MIB, as tpadmcall() returns them
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

#include "clients/xadmin/domain/reach.h"
#include "libatmi/mib/object.h"

static bool is_number(const struct ow_mib_class *class, int i)
{
	return Bfldtype(class->fields[i].id) == BFLD_LONG;
}

/* Fields of a class as columns; `ret` has one place more, which stays empty. */
static void make_columns(const struct ow_mib_class *class,
			 struct ow_column *ret)
{
	int i;

	for (i = 0; class->fields[i].name != NULL && i < OW_MIB_VALUES; i++) {
		ret[i].head = class->fields[i].name;
		ret[i].width = (int)strlen(class->fields[i].name);
		ret[i].flags = is_number(class, i) ? OW_COLUMN_RIGHT
						   : OW_COLUMN_GROWS;
	}
}

static void show(struct ow_listing *l, const struct ow_mib_class *class,
		 const struct ow_mib_object *o)
{
	int i;

	for (i = 0; i < o->n; i++)
		if (is_number(class, i))
			ow_grid_cell(l->grid, "%ld", o->v[i].number);
		else
			ow_grid_cell(l->grid, "%s", o->v[i].text);
	ow_grid_end_row(l->grid);
}

static void show_json(struct ow_listing *l, const struct ow_mib_class *class,
		      const struct ow_mib_object *o)
{
	int i;

	ow_json_row_begin(l->json);
	for (i = 0; i < o->n; i++)
		if (is_number(class, i))
			ow_json_int(l->json, class->fields[i].name,
				    o->v[i].number);
		else
			ow_json_str(l->json, class->fields[i].name,
				    o->v[i].text);
	ow_json_row_end(l->json);
}

/* -m: a line for each object, FIELD=VALUE separated by bars. */
static void show_line(const struct ow_mib_class *class,
		      const struct ow_mib_object *o)
{
	int i;

	for (i = 0; i < o->n; i++) {
		printf("%s%s=", i > 0 ? "|" : "", class->fields[i].name);
		if (is_number(class, i))
			printf("%ld", o->v[i].number);
		else
			printf("%s", o->v[i].text);
	}
	putchar('\n');
}

static void list(const struct ow_args *a, struct ow_listing *l,
		 const struct ow_observer *v, const struct ow_mib_class *class)
{
	struct ow_mib_object o;
	uint64_t at;

	for (at = class->next(&v->d, 0); at != OW_MIB_NOWHERE;
	     at = class->next(&v->d, at + 1)) {
		o.n = 0;
		if (!class->read(&v->d, at, &o))
			continue;
		if (l == NULL)
			show_line(class, &o);
		else if (a->form.json)
			show_json(l, class, &o);
		else
			show(l, class, &o);
	}
}

static int fail_class(const struct ow_args *a, const char *name)
{
	char known[200] = "";
	size_t len;
	int i;

	for (i = 0; ow_mib_classes[i] != NULL; i++) {
		len = strlen(known);
		snprintf(known + len, sizeof(known) - len, " %s",
			 ow_mib_classes[i]->name);
	}
	return ow_cmd_misused(a, "%s%sclasses are%s", name != NULL ? name : "",
			      name != NULL ? " is none: " : "-c CLASS: ",
			      known);
}

int ow_list_mib(struct ow_args *a)
{
	const char *name = ow_args_value(a, 'c');
	const struct ow_mib_class *class =
	    name != NULL ? ow_mib_class_find(name) : NULL;
	struct ow_column columns[OW_MIB_VALUES + 1] = { 0 };
	struct ow_listing l;
	struct ow_observer v;
	int r;

	if (class == NULL)
		return fail_class(a, name);
	r = ow_reach_tables(a, &v);
	if (r != OW_EXIT_OK)
		return r;
	make_columns(class, columns);
	if (ow_args_has(a, 'm') && !a->form.json) {
		list(a, NULL, &v, class);
	} else if (ow_listing_begin(&l, &a->form, columns) != 0) {
		r = ow_cmd_fail(a, "no memory");
	} else {
		list(a, &l, &v, class);
		ow_listing_end(&l);
	}
	ow_observer_close(&v);
	return r;
}
