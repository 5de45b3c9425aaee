/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.c - a screen as plain text, for scripts and tickets
 */
#include "clients/ndrxtop/console/batch.h"

#include <string.h>
#include <time.h>

#include "clients/ndrxtop/console/cell.h"
#include "clients/ndrxtop/console/console.h"
#include "libatmi/base/clock.h"

static void print_titles(const struct ow_grid *g, const struct ow_place *p,
			 int n, FILE *out)
{
	int i;

	for (i = 0; i < n; i++) {
		const struct ow_column *c = &g->screen->columns[p[i].column];
		bool left = c->format == OW_FMT_TEXT ||
			    c->format == OW_FMT_SPARK;

		fprintf(out, left ? "%s%-*.*s" : "%s%*.*s", i > 0 ? " " : "",
			p[i].width, p[i].width, c->title);
	}
	putc('\n', out);
}

static void print_domain(const struct ow_console *c, FILE *out)
{
	const struct ow_overview *t = ow_model_overview(c->model);
	time_t now = (time_t)(t->real_ns / OW_NS_PER_SEC);
	char when[32];
	struct tm tm;
	size_t i;

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out, "%s %s node %ld: %.0f calls/s, %.1f errors/s, %.0f "
		"waiting, %u of %u servers busy, %u clients\n", when,
		t->prefix, t->nodeid, t->calls, t->errors, t->waiting,
		t->busy, t->alive, t->clients);
	for (i = 0; i < c->n_alarms; i++)
		fprintf(out, "! %s\n", c->alarms[i].text);
}

void ow_batch_print(struct ow_console *c, int width, FILE *out)
{
	struct ow_grid *g = &c->grid[c->now];
	struct ow_place places[OW_GRID_COLUMNS];
	char text[OW_CELL_MAX];
	int i, n = ow_grid_layout(g, width, places);
	size_t row;

	print_domain(c, out);
	print_titles(g, places, n, out);
	for (row = 0; row < g->n; row++) {
		for (i = 0; i < n; i++) {
			ow_cell_write(&g->screen->columns[places[i].column],
				      g->rows[row], places[i].width, c->utf8,
				      text, sizeof(text));
			fprintf(out, "%s%s", i > 0 ? " " : "", text);
		}
		putc('\n', out);
	}
	fflush(out);
}
