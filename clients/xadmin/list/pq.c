/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pq.c - pq: requests waiting for each service, with the last samples
 *
 * The depth now comes from the queue. The samples are those that ndrxd wrote
 * to the shared tables (<gather_pq_stats>).
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/reach.h"

#define HISTORY_LEN (OW_PQ_SAMPLES * 6 + 1)

static const struct ow_column pq_columns[] = {
	{ "SERVICE NAME", 12, OW_COLUMN_GROWS },
	{ "QUEUE LAST", 10, OW_COLUMN_RIGHT },
	{ "AVERAGE", 7, OW_COLUMN_RIGHT },
	{ "HISTORICAL (10 SANITY CYCLES)", 29, 0 },
	{ NULL, 0, 0 },
};

struct history {
	uint32_t depth[OW_PQ_SAMPLES]; /* newest first; 0: no sample */
	uint32_t n;
	uint32_t average;
};

static void read_history(const struct ow_svc *s, struct history *h)
{
	uint32_t count = atomic_load(&s->pq_count), i, sum = 0;

	memset(h, 0, sizeof(*h));
	h->n = count < OW_PQ_SAMPLES ? count : OW_PQ_SAMPLES;
	for (i = 0; i < h->n; i++) {
		h->depth[i] =
		    atomic_load(&s->pq[(count - 1 - i) % OW_PQ_SAMPLES]);
		sum += h->depth[i];
	}
	if (h->n > 0)
		h->average = (sum + h->n / 2) / h->n;
}

static void show_depth(struct ow_grid *g, const struct ow_svc *s,
		       const char *name, uint32_t depth)
{
	char text[HISTORY_LEN] = "";
	struct history h;
	size_t at = 0;
	uint32_t i;

	read_history(s, &h);
	for (i = 0; i < OW_PQ_SAMPLES && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u",
				       i > 0 ? " " : "", h.depth[i]);
	ow_grid_cell(g, "%s", name);
	ow_grid_cell(g, "%u", depth);
	if (depth >= s->maxmsg)
		ow_grid_paint(g, OW_COLOUR_BAD); /* full: callers wait */
	ow_grid_cell(g, "%u", h.average);
	ow_grid_cell(g, "%s", text);
	ow_grid_end_row(g);
}

static void json_depth(struct ow_json *j, const struct ow_svc *s,
		       const char *name, uint32_t depth)
{
	uint32_t count = atomic_load(&s->pq_count), i;
	struct history h;

	read_history(s, &h);
	ow_json_row_begin(j);
	ow_json_str(j, "service", name);
	ow_json_uint(j, "queued", depth);
	ow_json_uint(j, "queue_messages_max", s->maxmsg);
	ow_json_uint(j, "servers", ow_svc_servers(s));
	ow_json_uint(j, "samples", count);
	ow_json_uint(j, "average", h.average);
	ow_json_uint(j, "average_of_all",
		     count > 0 ? atomic_load(&s->pq_sum) / count : 0);
	ow_json_uint(j, "peak", atomic_load(&s->pq_peak));
	ow_json_list_begin(j, "history");
	for (i = 0; i < h.n; i++)
		ow_json_uint(j, NULL, h.depth[i]);
	ow_json_list_end(j);
	ow_json_row_end(j);
}

int ow_list_pq(struct ow_args *a)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	struct ow_listing l;
	struct ow_observer v;
	uint32_t i, depth;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, pq_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	for (i = 0; i < ow_observer_services(&v); i++) {
		s = ow_observer_service(&v, i, name);
		if (s == NULL || !ow_observer_has_queue(s) ||
		    !ow_observer_depth(&v, name, &depth))
			continue;
		if (a->form.json)
			json_depth(l.json, s, name, depth);
		else
			show_depth(l.grid, s, name, depth);
	}
	ow_listing_end(&l);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
