/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.c - the rows that a screen shows: filter, order, selection
 */
#include "clients/ndrxtop/console/grid.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ow_grid_start(struct ow_grid *g, enum ow_screen_id id)
{
	memset(g, 0, sizeof(*g));
	g->screen = ow_screen(id);
	g->sort = g->screen->sort;
	g->rising = g->screen->rising;
}

void ow_grid_clear(struct ow_grid *g)
{
	free(g->rows);
	g->rows = NULL;
	g->n = g->allocated = 0;
}

/* ---- filter ---- */

static bool in_scope(const struct ow_scope *s, const struct ow_row *row)
{
	return (s->svc == 0 || row->svc == s->svc) &&
	       (s->srvid == 0 || row->srvid == s->srvid);
}

/* ---- order ---- */

/* Unknown numbers come last in both directions. */
static int compare_numbers(double a, double b, bool rising)
{
	if (isnan(a) || isnan(b))
		return (int)isnan(a) - (int)isnan(b);
	if (a == b)
		return 0;
	return (a < b) == rising ? -1 : 1;
}

/* Of rows with the same number, as services without calls, one is found by its
 * name. */
static int compare_names(const struct ow_screen *s, const struct ow_row *x,
			 const struct ow_row *y)
{
	const struct ow_column *c = &s->columns[0];

	if (c->format != OW_FMT_TEXT || s->source == OW_FROM_EVENTS)
		return 0;
	return strcasecmp(ow_column_text(c, x), ow_column_text(c, y));
}

/* Rows in trouble come first, whatever the column. Events stay in the order
 * of time, which tells their story. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct ow_row *x = *(const struct ow_row *const *)a;
	const struct ow_row *y = *(const struct ow_row *const *)b;
	const struct ow_grid *g = arg;
	const struct ow_column *c = &g->screen->columns[g->sort];
	int r;

	if (x->grade != y->grade && g->screen->source != OW_FROM_EVENTS)
		return y->grade - x->grade;
	if (c->format == OW_FMT_TEXT) {
		r = strcasecmp(ow_column_text(c, x), ow_column_text(c, y));
		r = g->rising ? r : -r;
	} else {
		r = compare_numbers(ow_column_number(c, x),
				    ow_column_number(c, y), g->rising);
	}
	if (r == 0)
		r = compare_names(g->screen, x, y);
	if (r != 0)
		return r;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* The selection follows its row. */
static void find_selected(struct ow_grid *g)
{
	size_t i;

	for (i = 0; g->moved && i < g->n; i++) {
		if (g->rows[i]->key == g->key) {
			g->at = i;
			return;
		}
	}
	if (g->at >= g->n)
		g->at = g->n > 0 ? g->n - 1 : 0;
	if (g->n > 0 && g->moved)
		g->key = g->rows[g->at]->key;
}

static void reorder(struct ow_grid *g)
{
	if (g->n > 0)
		qsort_r(g->rows, g->n, sizeof(*g->rows), compare, g);
	find_selected(g);
}

int ow_grid_fill(struct ow_grid *g, const struct ow_row *const *rows,
		 size_t n)
{
	const struct ow_row **more;
	size_t i;

	g->n = g->all = 0;
	if (n > g->allocated) {
		more = realloc(g->rows, n * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		g->rows = more;
		g->allocated = n;
	}
	for (i = 0; i < n; i++) {
		if (!in_scope(&g->scope, rows[i]))
			continue;
		g->all++;
		if (ow_row_has_words(g->screen, rows[i], g->filter))
			g->rows[g->n++] = rows[i];
	}
	reorder(g);
	return 0;
}

/* A new column starts with its largest number, or with A. */
void ow_grid_sort(struct ow_grid *g, int column)
{
	if (column < 0 || column >= g->screen->n_columns)
		return;
	if (column == g->sort)
		g->rising = !g->rising;
	else
		g->rising = g->screen->columns[column].format == OW_FMT_TEXT ||
			    g->screen->columns[column].format == OW_FMT_ID;
	g->sort = column;
	reorder(g);
}

/* ---- selection ---- */

void ow_grid_select(struct ow_grid *g, size_t to)
{
	if (g->n == 0)
		return;
	g->at = to < g->n ? to : g->n - 1;
	g->moved = true;
	g->key = g->rows[g->at]->key;
}

void ow_grid_move(struct ow_grid *g, long by)
{
	if (by < 0 && (size_t)-by > g->at)
		ow_grid_select(g, 0);
	else
		ow_grid_select(g, g->at + (size_t)by);
}

void ow_grid_scroll(struct ow_grid *g, size_t lines)
{
	if (lines == 0)
		return;
	if (g->top + lines > g->n)
		g->top = g->n > lines ? g->n - lines : 0;
	if (g->at < g->top)
		g->top = g->at;
	if (g->at >= g->top + lines)
		g->top = g->at - lines + 1;
}

const struct ow_row *ow_grid_selected(const struct ow_grid *g)
{
	return g->at < g->n ? g->rows[g->at] : NULL;
}

/* ---- columns ---- */

static int sum_widths(const struct ow_screen *s, const bool *shown)
{
	int i, sum = 0;

	for (i = 0; i < s->n_columns; i++)
		if (shown[i])
			sum += s->columns[i].width + (sum > 0);
	return sum;
}

/* The hidden column with the lowest `drop` that fits beside those shown, or
 * -1. */
static int find_fitting(const struct ow_screen *s, const bool *shown, int width)
{
	int i, best = -1, left = width - sum_widths(s, shown);

	for (i = 0; i < s->n_columns; i++)
		if (!shown[i] && s->columns[i].drop != OW_DROP_ROW &&
		    s->columns[i].width < left &&
		    (best < 0 || s->columns[i].drop < s->columns[best].drop))
			best = i;
	return best;
}

/* Leave out the columns with the highest `drop` until the rest fits; then take
 * back what fits into the room of the wide ones among them. */
static void choose(const struct ow_grid *g, int width, bool *shown)
{
	const struct ow_screen *s = g->screen;
	int i, worst;

	for (i = 0; i < s->n_columns; i++)
		shown[i] = s->columns[i].drop != OW_DROP_ROW || i == g->sort;
	while (sum_widths(s, shown) > width) {
		worst = -1;
		for (i = 0; i < s->n_columns; i++)
			if (shown[i] && s->columns[i].drop > 0 &&
			    i != g->sort &&
			    (worst < 0 ||
			     s->columns[i].drop > s->columns[worst].drop))
				worst = i;
		if (worst < 0)
			return;
		shown[worst] = false;
	}
	while ((i = find_fitting(s, shown, width)) >= 0)
		shown[i] = true;
}

/* The width of a growing column with `left` characters to spare. Names need no
 * more than 30 characters; the last column takes all. */
static int grown(const struct ow_screen *s, int column, int left)
{
	const struct ow_column *c = &s->columns[column];
	int most = c->format == OW_FMT_SPARK	? OW_SPARK - 4
		   : column + 1 < s->n_columns ? 30
					       : INT_MAX;

	return c->width + left < most ? c->width + left : most;
}

int ow_grid_layout(const struct ow_grid *g, int width,
		   struct ow_place places[OW_GRID_COLUMNS])
{
	const struct ow_screen *s = g->screen;
	bool shown[OW_GRID_COLUMNS];
	int i, n = 0, x = 0, growing = 0, left;

	choose(g, width, shown);
	left = width - sum_widths(s, shown);
	for (i = 0; i < s->n_columns; i++)
		growing += shown[i] && s->columns[i].grows;
	for (i = 0; i < s->n_columns; i++) {
		int w = s->columns[i].width;

		if (!shown[i])
			continue;
		if (s->columns[i].grows && left > 0) {
			w = grown(s, i, left / growing--);
			left -= w - s->columns[i].width;
		}
		if (x + w > width)
			w = width - x;
		if (w <= 0)
			break;
		places[n++] = (struct ow_place){ i, x, w };
		x += w + 1;
	}
	return n;
}
