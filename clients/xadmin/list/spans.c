/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - spans: who reads the spans of the domain, and what was dropped of
 * them and of its metrics
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <stdlib.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/clock.h"
#include "libatmi/span/snapshot.h"
#include "libndrx/observe/format.h"

static const struct ow_column columns[] = {
	{ "PID", 7, OW_COLUMN_RIGHT },
	{ "WHAT", 7, 0 },
	{ "RINGS", 5, OW_COLUMN_RIGHT },
	{ "READ", 8, OW_COLUMN_RIGHT },
	{ "LEFT OUT", 8, OW_COLUMN_RIGHT },
	{ "WAITING", 7, OW_COLUMN_RIGHT },
	{ "SENT", 8, OW_COLUMN_RIGHT },
	{ "DROPPED", 7, OW_COLUMN_RIGHT },
	{ "FAILURES", 8, OW_COLUMN_RIGHT },
	{ "TO", 24, OW_COLUMN_GROWS },
	{ "LAST ERROR", 12, OW_COLUMN_GROWS },
	{ NULL, 0, 0 },
};

static void put_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static void show_row(struct ow_grid *g, const struct ow_span_snapshot *p)
{
	uint64_t dropped = p->dropped + p->torn + p->overflow + p->refused;

	ow_grid_cell(g, "%d", (int)p->head.pid);
	ow_grid_cell(g, "spans");
	ow_grid_cell(g, "%u", p->rings);
	put_count(g, p->read);
	put_count(g, p->left_out);
	put_count(g, (uint64_t)p->held + p->waiting);
	put_count(g, p->sent);
	put_count(g, dropped);
	if (dropped > 0)
		ow_grid_paint(g, OW_COLOUR_BAD);
	put_count(g, p->failures);
	ow_grid_cell(g, "%s", p->to);
	ow_grid_cell(g, "%s", p->error[0] != '\0' ? p->error : "-");
	ow_grid_end_row(g);
}

/* In data points: rings and a choice they have not. */
static void show_metrics(struct ow_grid *g, const struct ow_span_snapshot *p)
{
	int i;

	ow_grid_cell(g, "%d", (int)p->head.pid);
	ow_grid_cell(g, "metrics");
	for (i = 0; i < 3; i++)
		ow_grid_cell(g, "-");
	put_count(g, p->metrics_waiting);
	put_count(g, p->metrics_sent);
	put_count(g, p->metrics_dropped);
	if (p->metrics_dropped > 0)
		ow_grid_paint(g, OW_COLOUR_BAD);
	put_count(g, p->metrics_failures);
	ow_grid_cell(g, "%s", p->metrics_to);
	ow_grid_cell(g, "%s", p->metrics_error[0] != '\0' ? p->metrics_error
							  : "-");
	ow_grid_end_row(g);
}

static void json_row(struct ow_json *j, const struct ow_span_snapshot *p)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "pid", (uint64_t)p->head.pid);
	ow_json_str(j, "to", p->to);
	ow_json_uint(j, "rings", p->rings);
	ow_json_uint(j, "read", p->read);
	ow_json_uint(j, "left_out", p->left_out);
	ow_json_uint(j, "held", p->held);
	ow_json_uint(j, "waiting", p->waiting);
	ow_json_uint(j, "sent", p->sent);
	ow_json_uint(j, "dropped_by_processes", p->dropped);
	ow_json_uint(j, "torn", p->torn);
	ow_json_uint(j, "dropped_by_reader", p->overflow);
	ow_json_uint(j, "refused", p->refused);
	ow_json_uint(j, "failures", p->failures);
	ow_json_str(j, "error", p->error);
	ow_json_str(j, "metrics_to", p->metrics_to);
	ow_json_uint(j, "metrics_waiting", p->metrics_waiting);
	ow_json_uint(j, "metrics_sent", p->metrics_sent);
	ow_json_uint(j, "metrics_dropped", p->metrics_dropped);
	ow_json_uint(j, "metrics_failures", p->metrics_failures);
	ow_json_str(j, "metrics_error", p->metrics_error);
	ow_json_row_end(j);
}

int ow_list_spans(struct ow_args *a)
{
	struct ow_span_snapshot *p = NULL;
	struct ow_listing l;
	struct ow_observer v;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	r = ow_listing_begin(&l, &a->form, columns);
	if (r == 0) {
		p = ow_span_snapshot_get(&v.d);
		if (p != NULL && l.json != NULL)
			json_row(l.json, p);
		else if (p != NULL)
			show_row(l.grid, p);
		if (p != NULL && l.json == NULL && p->metrics_to[0] != '\0')
			show_metrics(l.grid, p);
		ow_listing_end(&l);
	}
	free(p);
	ow_observer_close(&v);
	return r == 0 ? OW_EXIT_OK : ow_cmd_fail(a, "no memory");
}
