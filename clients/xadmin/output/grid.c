/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.c - a listing as columns of text
 */
#include "clients/xadmin/output/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/printable.h"
#include "libubf/base/text_width.h"

#define COLUMNS_MAX 20

struct cell {
	char *text; /* NULL: empty */
	enum ow_colour colour;
};

struct ow_grid {
	const struct ow_column *columns;
	int n_columns;
	struct ow_term term;
	bool wide;
	struct cell *cells; /* row after row */
	size_t n_cells, cap;
};

struct ow_grid *ow_grid_new(const struct ow_column *columns,
			    const struct ow_term *term, bool wide)
{
	struct ow_grid *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->columns = columns;
	g->term = *term;
	g->wide = wide;
	while (g->n_columns < COLUMNS_MAX && columns[g->n_columns].head != NULL)
		g->n_columns++;
	return g;
}

struct ow_grid *ow_grid_free(struct ow_grid *g)
{
	size_t i;

	if (g == NULL)
		return NULL;
	for (i = 0; i < g->n_cells; i++)
		free(g->cells[i].text);
	free(g->cells);
	free(g);
	return NULL;
}

static struct cell *add_cell(struct ow_grid *g)
{
	size_t cap;
	void *p;

	if (g->n_cells == g->cap) {
		cap = g->cap == 0 ? 256 : g->cap * 2;
		p = realloc(g->cells, cap * sizeof(*g->cells));
		if (p == NULL)
			return NULL;
		g->cells = p;
		g->cap = cap;
	}
	memset(&g->cells[g->n_cells], 0, sizeof(*g->cells));
	return &g->cells[g->n_cells++];
}

void ow_grid_cell(struct ow_grid *g, const char *fmt, ...)
{
	struct cell *c = add_cell(g);
	va_list ap;

	if (c == NULL)
		return;
	va_start(ap, fmt);
	if (vasprintf(&c->text, fmt, ap) < 0)
		c->text = NULL;
	va_end(ap);
	if (c->text != NULL)
		ow_printable(c->text);
}

void ow_grid_paint(struct ow_grid *g, enum ow_colour colour)
{
	if (g->n_cells > 0)
		g->cells[g->n_cells - 1].colour = colour;
}

void ow_grid_end_row(struct ow_grid *g)
{
	while (g->n_cells % (size_t)g->n_columns != 0)
		if (add_cell(g) == NULL)
			return;
}

/* ---- widths ---- */

static const char *text_of(const struct cell *c)
{
	return c->text != NULL ? c->text : "";
}

/* Make each column wide enough for its values. The width of a line, with the
 * blanks between columns. */
static int natural_widths(const struct ow_grid *g, int *widths)
{
	size_t i;
	int k, len, sum = g->n_columns - 1;

	for (k = 0; k < g->n_columns; k++)
		widths[k] = g->columns[k].width;
	for (i = 0; i < g->n_cells; i++) {
		k = (int)(i % (size_t)g->n_columns);
		len = ow_text_columns(text_of(&g->cells[i]));
		if ((g->columns[k].flags & OW_COLUMN_GROWS) && len > widths[k])
			widths[k] = len;
	}
	for (k = 0; k < g->n_columns; k++)
		sum += widths[k];
	return sum;
}

/* Take `excess` characters from the columns that grew, the widest first. */
static void narrow(const struct ow_grid *g, int *widths, int excess)
{
	int k, widest;

	for (; excess > 0; excess--) {
		widest = -1;
		for (k = 0; k < g->n_columns; k++)
			if (widths[k] > g->columns[k].width &&
			    (widest < 0 || widths[k] > widths[widest]))
				widest = k;
		if (widest < 0)
			return; /* no column is left to narrow: the terminal wraps */
		widths[widest]--;
	}
}

/* ---- output ---- */

/* Print one cell; the last cell of a line is not padded on the right. */
static void print_cell(FILE *out, const struct ow_column *col, int width,
		       const char *text, bool last)
{
	int len = ow_text_columns(text), pad = len < width ? width - len : 0;
	bool cut = (col->flags & OW_COLUMN_GROWS) && len > width;

	if (cut)
		fprintf(out, "%.*s+", (int)ow_text_fit(text, width - 1), text);
	else if (col->flags & OW_COLUMN_RIGHT)
		fprintf(out, "%*s%s", pad, "", text);
	else
		fprintf(out, "%s%*s", text, last ? 0 : pad, "");
}

static void print_header(const struct ow_grid *g, const int *widths)
{
	int k, i;

	fflush(stdout);
	fputs(ow_term_colour(&g->term, OW_COLOUR_HEAD), stderr);
	for (k = 0; k < g->n_columns; k++) {
		if (k > 0)
			putc(' ', stderr);
		print_cell(stderr, &g->columns[k], widths[k],
			   g->columns[k].head, k + 1 == g->n_columns);
	}
	fprintf(stderr, "%s\n", ow_term_colour(&g->term, OW_COLOUR_NONE));
	for (k = 0; k < g->n_columns; k++) {
		if (k > 0)
			putc(' ', stderr);
		for (i = 0; i < widths[k]; i++)
			putc('-', stderr);
	}
	putc('\n', stderr);
}

static void print_row(const struct ow_grid *g, const struct cell *cells,
		      const int *widths)
{
	int k;

	for (k = 0; k < g->n_columns; k++) {
		const struct cell *c = &cells[k];

		if (k > 0)
			putchar(' ');
		if (c->colour != OW_COLOUR_NONE)
			fputs(ow_term_colour(&g->term, c->colour), stdout);
		print_cell(stdout, &g->columns[k], widths[k], text_of(c),
			   k + 1 == g->n_columns);
		if (c->colour != OW_COLOUR_NONE)
			fputs(ow_term_colour(&g->term, OW_COLOUR_NONE),
			      stdout);
	}
	putchar('\n');
}

void ow_grid_print(const struct ow_grid *g)
{
	int widths[COLUMNS_MAX];
	int sum = natural_widths(g, widths);
	size_t i, n = (size_t)g->n_columns;

	if (!g->wide && g->term.columns > 0 && sum > g->term.columns)
		narrow(g, widths, sum - g->term.columns);
	print_header(g, widths);
	for (i = 0; i + n <= g->n_cells; i += n)
		print_row(g, &g->cells[i], widths);
}
