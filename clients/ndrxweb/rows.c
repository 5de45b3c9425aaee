/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - which rows of a screen a page shows
 */
#include "clients/ndrxweb/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/model.h"

struct key {
	int grade; /* in trouble: first, as in ndrxtop */
	double number;
	const char *text;
	size_t at; /* equal ones stay as they were */
	const struct ow_row *row;
};

static double deepest(const struct ow_row *row)
{
	const struct ow_service_row *v = (const struct ow_service_row *)row;
	uint32_t i, most = 0;

	for (i = 0; i < OW_SPARK; i++)
		if (v->depths[i] > most)
			most = v->depths[i];
	return most;
}

/* Events stay in the order of time, which tells their story. */
static void set_key(struct key *k, const struct ow_screen *s,
		    const struct ow_column *c)
{
	k->grade = s->source == OW_FROM_EVENTS ? 0 : k->row->grade;
	k->text = c->format == OW_FMT_TEXT ? ow_column_text(c, k->row) : "";
	k->number = c->format == OW_FMT_TEXT	? 0
		    : c->format == OW_FMT_SPARK ? deepest(k->row)
						: ow_column_number(c, k->row);
	if (isnan(k->number))
		k->number = -1;
}

static int compare(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int r = strcmp(x->text, y->text);

	return r != 0 ? r : (x->number > y->number) - (x->number < y->number);
}

static int rising(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int r = x->grade != y->grade ? y->grade - x->grade : compare(a, b);

	return r != 0 ? r : (x->at > y->at) - (x->at < y->at);
}

static int falling(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int r = x->grade != y->grade ? y->grade - x->grade : compare(b, a);

	return r != 0 ? r : (x->at > y->at) - (x->at < y->at);
}

static int sort(const struct ow_screen *s, const struct ow_web_order *o,
		const struct ow_row **rows, size_t n)
{
	bool usual = o->column == 0 || o->column > s->n_columns;
	const struct ow_column *c =
		&s->columns[usual ? s->sort : o->column - 1];
	struct key *keys = calloc(n, sizeof(*keys));
	size_t i;

	if (keys == NULL)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		keys[i].row = rows[i];
		keys[i].at = i;
		set_key(&keys[i], s, c);
	}
	qsort(keys, n, sizeof(*keys),
	      (usual ? s->rising : o->rising) ? rising : falling);
	for (i = 0; i < n; i++)
		rows[i] = keys[i].row;
	free(keys);
	return 0;
}

int ow_web_rows(const struct ow_screen *s, const struct ow_web_order *o,
		const struct ow_row **rows, size_t n, size_t *ret_all)
{
	size_t i, all = 0;
	int r = 0;

	for (i = 0; i < n; i++)
		if (n <= OW_WEB_ROWS || ow_row_has_words(s, rows[i], o->words))
			rows[all++] = rows[i];
	if (all > OW_WEB_ROWS)
		r = sort(s, o, rows, all);
	if (r != 0)
		return r;
	*ret_all = all;
	return (int)(all < OW_WEB_ROWS ? all : OW_WEB_ROWS);
}
