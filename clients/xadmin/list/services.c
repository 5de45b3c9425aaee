/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - psc, psvc: services, from the shared tables
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

#include "clients/common/format.h"
#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/transport/transport.h"

#define NODES 32 /* of a cluster, as psvc shows it */

static const struct ow_column psc_columns[] = {
	{ "Nd", 2, OW_COLUMN_RIGHT },
	{ "Service Name", 12, OW_COLUMN_GROWS },
	{ "Routine Name", 12, OW_COLUMN_GROWS },
	{ "Prog Name", 9, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "#SUCC", 5, OW_COLUMN_RIGHT },
	{ "#FAIL", 5, OW_COLUMN_RIGHT },
	{ "MAX", 8, OW_COLUMN_RIGHT },
	{ "LAST", 8, OW_COLUMN_RIGHT },
	{ "STAT", 5, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column psc_s_columns[] = {
	{ "Nd", 2, OW_COLUMN_RIGHT },
	{ "Service Name", 30, OW_COLUMN_GROWS },
	{ "Prog", 4, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "#SUCC", 5, OW_COLUMN_RIGHT },
	{ "#FAIL", 5, OW_COLUMN_RIGHT },
	{ "MAX", 8, OW_COLUMN_RIGHT },
	{ "LAST", 8, OW_COLUMN_RIGHT },
	{ "STAT", 5, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column psvc_columns[] = {
	{ "SLOT", 6, OW_COLUMN_RIGHT },
	{ "SERVICE NAME", 12, OW_COLUMN_GROWS },
	{ "NSRV", 4, OW_COLUMN_RIGHT },
	{ "FLAGS", 5, OW_COLUMN_RIGHT },
	{ "CSRVS", 5, OW_COLUMN_RIGHT },
	{ "TCLST", 5, OW_COLUMN_RIGHT },
	{ "CMAX", 4, OW_COLUMN_RIGHT },
	{ "CNODES", NODES, 0 },
	{ NULL, 0, 0 },
};

/* A service of one server, copied out of the tables. */
struct offer {
	uint32_t srvid;
	char svc[OW_SVC_NAME];
	char func[OW_SVC_NAME];
	char bin[64];
	bool busy;
	const struct ow_adv *adv;
};

typedef void offer_fn(const struct ow_view *v, const struct offer *o,
		      struct ow_listing *l);

static void each_offer(const struct ow_view *v, offer_fn *fn,
		       struct ow_listing *l)
{
	const struct ow_tables *t = v->d.tables;
	struct offer o;
	uint32_t row, n;

	for (o.srvid = ow_srv_next(t, 1); o.srvid != 0;
	     o.srvid = ow_srv_next(t, o.srvid + 1)) {
		if (!ow_srv_alive(t, o.srvid))
			continue;
		n = ow_view_rows(v, o.srvid);
		ow_view_bin(v, o.srvid, o.bin);
		for (row = 0; row < n; row++) {
			if (ow_view_row_service(v, o.srvid, row, o.svc) == NULL)
				continue;
			o.adv = &ow_tables_adv(t, o.srvid)[row];
			ow_view_text(o.func, o.adv->func, sizeof(o.func));
			o.busy = atomic_load(&t->srv[o.srvid].cur_adv) ==
				 row + 1;
			fn(v, &o, l);
		}
	}
}

static const char *stat_word(const struct offer *o)
{
	return o->busy ? "BUSY" : "AVAIL";
}

/* The columns of both psc and psc -s. */
static void show_figures(const struct offer *o, struct ow_grid *g)
{
	char text[OW_FORMAT_MAX];
	uint64_t fail = atomic_load(&o->adv->fail);

	ow_grid_cell(g, "%u", o->srvid);
	ow_grid_cell(g, "%s", ow_format_count(atomic_load(&o->adv->ok), text,
					      sizeof(text)));
	ow_grid_cell(g, "%s", ow_format_count(fail, text, sizeof(text)));
	if (fail > 0)
		ow_grid_paint(g, OW_COLOUR_WARN);
	ow_grid_cell(g, "%s", ow_format_us(atomic_load(&o->adv->max_us), text,
					   sizeof(text)));
	ow_grid_cell(g, "%s", ow_format_us(atomic_load(&o->adv->last_us), text,
					   sizeof(text)));
	ow_grid_cell(g, "%s", stat_word(o));
	ow_grid_end_row(g);
}

static void show_offer(const struct ow_view *v, const struct offer *o,
		       struct ow_listing *l)
{
	ow_grid_cell(l->grid, "%ld", v->d.nodeid);
	ow_grid_cell(l->grid, "%s", o->svc);
	ow_grid_cell(l->grid, "%s", o->func);
	ow_grid_cell(l->grid, "%s", o->bin);
	show_figures(o, l->grid);
}

static void show_offer_short(const struct ow_view *v, const struct offer *o,
			     struct ow_listing *l)
{
	ow_grid_cell(l->grid, "%ld", v->d.nodeid);
	ow_grid_cell(l->grid, "%s", o->svc);
	ow_grid_cell(l->grid, "%s", o->bin);
	show_figures(o, l->grid);
}

static void json_offer(const struct ow_view *v, const struct offer *o,
		       struct ow_listing *l)
{
	struct ow_json *j = l->json;
	const struct ow_adv *adv = o->adv;
	int i;

	ow_json_row_begin(j);
	ow_json_int(j, "node", v->d.nodeid);
	ow_json_str(j, "service", o->svc);
	ow_json_str(j, "function", o->func);
	ow_json_str(j, "program", o->bin);
	ow_json_uint(j, "srvid", o->srvid);
	ow_json_uint(j, "succeeded", atomic_load(&adv->ok));
	ow_json_uint(j, "failed", atomic_load(&adv->fail));
	ow_json_uint(j, "min_us", atomic_load(&adv->min_us));
	ow_json_uint(j, "max_us", atomic_load(&adv->max_us));
	ow_json_uint(j, "last_us", atomic_load(&adv->last_us));
	ow_json_uint(j, "sum_us", atomic_load(&adv->sum_us));
	ow_json_uint(j, "wait_sum_us", atomic_load(&adv->wait_sum_us));
	ow_json_list_begin(j, "histogram_log2_us");
	for (i = 0; i < (int)OW_HIST_BUCKETS; i++)
		ow_json_uint(j, NULL, atomic_load(&adv->hist[i]));
	ow_json_list_end(j);
	ow_json_list_begin(j, "wait_histogram_log2_us");
	for (i = 0; i < (int)OW_HIST_BUCKETS; i++)
		ow_json_uint(j, NULL, atomic_load(&adv->wait_hist[i]));
	ow_json_list_end(j);
	ow_json_str(j, "status", stat_word(o));
	ow_json_row_end(j);
}

int ow_list_psc(struct ow_args *a)
{
	bool without_routine = ow_args_has(a, 's');
	struct ow_listing l;
	struct ow_view v;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form,
			     without_routine ? psc_s_columns : psc_columns))
		return ow_cmd_fail(a, "no memory");
	each_offer(&v, a->form.json	       ? json_offer
		       : without_routine ? show_offer_short
					 : show_offer, &l);
	ow_listing_end(&l);
	ow_view_close(&v);
	return OW_EXIT_OK;
}

/* ---- psvc ---- */

/* One character per node: its servers, '+' for ten and more. */
static void node_characters(const struct ow_view *v, uint32_t nsrv,
			    char nodes[NODES + 1])
{
	memset(nodes, '0', NODES);
	nodes[NODES] = '\0';
	if (v->d.nodeid >= 1 && v->d.nodeid <= NODES)
		nodes[v->d.nodeid - 1] = nsrv < 10 ? (char)('0' + nsrv) : '+';
}

static void show_service(struct ow_grid *g, const struct ow_view *v,
			 const struct ow_svc *s, const char *name)
{
	uint32_t nsrv = atomic_load(&s->nsrv);
	char nodes[NODES + 1], count[OW_FORMAT_MAX];

	node_characters(v, nsrv, nodes);
	ow_grid_cell(g, "%u", (uint32_t)(s - v->d.tables->svc));
	ow_grid_cell(g, "%s", name);
	ow_grid_cell(g, "%s", ow_format_count(nsrv, count, sizeof(count)));
	if (nsrv == 0)
		ow_grid_paint(g, OW_COLOUR_WARN); /* no server serves the queue */
	ow_grid_cell(g, "0");
	ow_grid_cell(g, "0"); /* servers on other nodes: none, see help */
	ow_grid_cell(g, "%s", ow_format_count(nsrv, count, sizeof(count)));
	ow_grid_cell(g, "%ld", nsrv > 0 ? v->d.nodeid : 0);
	ow_grid_cell(g, "%s", nodes);
	ow_grid_end_row(g);
}

static void json_service(struct ow_json *j, const struct ow_view *v,
			 const struct ow_svc *s, const char *name)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "slot", (uint64_t)(s - v->d.tables->svc));
	ow_json_str(j, "service", name);
	ow_json_uint(j, "servers", atomic_load(&s->nsrv));
	ow_json_str(j, "transport", v->d.transport->name);
	ow_json_int(j, "node", v->d.nodeid);
	ow_json_bool(j, "queue", ow_view_has_queue(s));
	ow_json_uint(j, "priority", atomic_load(&s->prio));
	ow_json_uint(j, "queue_messages_max", s->maxmsg);
	ow_json_uint(j, "queue_message_bytes", s->msgsize);
	ow_json_uint(j, "expired", atomic_load(&s->expired));
	ow_json_uint(j, "queue_full", atomic_load(&s->full));
	ow_json_uint(j, "failed_by_system", atomic_load(&s->failed));
	ow_json_row_end(j);
}

int ow_list_psvc(struct ow_args *a)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	struct ow_listing l;
	struct ow_view v;
	uint32_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	a->form.wide = a->form.wide || ow_args_has(a, 'r');
	if (ow_listing_begin(&l, &a->form, psvc_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	for (i = 0; i < ow_view_services(&v); i++) {
		s = ow_view_service(&v, i, name);
		if (s == NULL || (atomic_load(&s->nsrv) == 0 &&
				  !ow_view_has_queue(s)))
			continue;
		if (a->form.json)
			json_service(l.json, &v, s, name);
		else
			show_service(l.grid, &v, s, name);
	}
	ow_listing_end(&l);
	ow_view_close(&v);
	return OW_EXIT_OK;
}
