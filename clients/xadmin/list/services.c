/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - psc, psvc: services, from the shared tables
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

#include "libndrx/observe/bridges.h"
#include "libndrx/observe/format.h"
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
	uint32_t srvid;	 /* of its slot */
	uint32_t shown;	 /* of its server */
	uint32_t thread; /* 1: the main thread */
	char svc[OW_SVC_NAME];
	char func[OW_SVC_NAME];
	char bin[64];
	bool busy, suspended;
	const struct ow_adv *adv;
};

typedef void offer_fn(const struct ow_observer *v, const struct offer *o,
		      struct ow_listing *l);

/* A bridge also serves what has no queue of its own, without figures. */
static void each_remote(const struct ow_observer *v, struct offer *o,
			offer_fn *fn, struct ow_listing *l)
{
	static const struct ow_adv none;
	const struct ow_svc *s;
	bool remote;
	uint32_t i;

	o->adv = &none;
	o->busy = false;
	snprintf(o->func, sizeof(o->func), "ABROAD");
	for (i = 0; i < ow_observer_services(v); i++) {
		s = ow_observer_service(v, i, o->svc);
		if (s == NULL || ow_observer_servers(v, s, &remote) == 0 ||
		    !remote)
			continue;
		o->suspended = ow_observer_suspended(s);
		fn(v, o, l);
	}
}

static void each_offer(const struct ow_observer *v, offer_fn *fn,
		       struct ow_listing *l)
{
	const struct ow_tables *t = v->d.tables;
	const struct ow_svc *s;
	struct offer o;
	uint32_t row, n;

	for (o.srvid = ow_srv_next(t, 1); o.srvid != 0;
	     o.srvid = ow_srv_next(t, o.srvid + 1)) {
		if (!ow_srv_alive(t, o.srvid))
			continue;
		n = ow_observer_rows(v, o.srvid);
		ow_observer_bin(v, o.srvid, o.bin);
		o.shown = ow_observer_srvid(v, o.srvid);
		o.thread = atomic_load(&t->srv[o.srvid].thread);
		if (o.thread == 0)
			o.thread = 1;
		for (row = 0; row < n; row++) {
			s = ow_observer_row_service(v, o.srvid, row, o.svc);
			if (s == NULL)
				continue;
			o.suspended = ow_observer_suspended(s);
			o.adv = &ow_tables_adv(t, o.srvid)[row];
			ow_observer_text(o.func, o.adv->func, sizeof(o.func));
			o.busy = atomic_load(&t->srv[o.srvid].cur_adv) ==
				 row + 1;
			fn(v, &o, l);
			if (strcmp(o.svc, OW_SVC_OVERFLOW) == 0)
				each_remote(v, &o, fn, l);
		}
	}
}

static const char *stat_word(const struct offer *o)
{
	return o->busy ? "BUSY" : o->suspended ? "SUSP" : "AVAIL";
}

/* The columns of both psc and psc -s. */
static void show_figures(const struct offer *o, struct ow_grid *g)
{
	char text[OW_FORMAT_MAX];
	uint64_t fail = atomic_load(&o->adv->fail);

	ow_grid_cell(g, "%u", o->shown);
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
	if (o->suspended)
		ow_grid_paint(g, OW_COLOUR_WARN);
	ow_grid_end_row(g);
}

static void show_offer(const struct ow_observer *v, const struct offer *o,
		       struct ow_listing *l)
{
	ow_grid_cell(l->grid, "%ld", v->d.nodeid);
	ow_grid_cell(l->grid, "%s", o->svc);
	ow_grid_cell(l->grid, "%s", o->func);
	ow_grid_cell(l->grid, "%s", o->bin);
	show_figures(o, l->grid);
}

static void show_offer_short(const struct ow_observer *v, const struct offer *o,
			     struct ow_listing *l)
{
	ow_grid_cell(l->grid, "%ld", v->d.nodeid);
	ow_grid_cell(l->grid, "%s", o->svc);
	ow_grid_cell(l->grid, "%s", o->bin);
	show_figures(o, l->grid);
}

/* Calls of the service that got a kept reply, and calls that did not. Of all its
 * servers: they have no part in it. */
static void json_cache(struct ow_json *j, const struct ow_observer *v,
		       const char *svc)
{
	struct ow_cache_figures f;

	if (!ow_observer_cache(v, svc, &f))
		return;
	ow_json_uint(j, "cache_hits", f.hits);
	ow_json_uint(j, "cache_misses", f.misses);
}

static void json_offer(const struct ow_observer *v, const struct offer *o,
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
	ow_json_uint(j, "srvid", o->shown);
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
	json_cache(j, v, o->svc);
	ow_json_str(j, "status", stat_word(o));
	ow_json_bool(j, "suspended", o->suspended);
	ow_json_uint(j, "thread", o->thread);
	ow_json_row_end(j);
}

int ow_list_psc(struct ow_args *a)
{
	bool without_routine = ow_args_has(a, 's');
	struct ow_listing l;
	struct ow_observer v;
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
	ow_observer_close(&v);
	return OW_EXIT_OK;
}

/* ---- psvc ---- */

/* Which nodes offer a service, as the bridges know. */
struct remote {
	const char *svc;
	uint32_t count;	  /* bridges of other nodes that offer it */
	uint32_t highest; /* number of the last such node */
	uint32_t of[NODES];
};

/* The bridges of the domain. */
static void count_offers(const struct ow_nodes_snapshot *p, struct remote *ab)
{
	uint32_t i, node;

	for (i = 0; i < p->offers; i++) {
		if (strncmp(p->offer[i].name, ab->svc,
			    sizeof(p->offer[i].name)) != 0)
			continue;
		node = p->offer[i].node;
		ab->count++;
		if (node > ab->highest)
			ab->highest = node;
		if (node >= 1 && node <= NODES)
			ab->of[node - 1]++;
	}
}

/* One character per node: its servers here, its bridges elsewhere; '+' for ten
 * and more. */
static void node_characters(const struct remote *ab, char nodes[NODES + 1])
{
	int i;

	for (i = 0; i < NODES; i++)
		nodes[i] = ab->of[i] < 10 ? (char)('0' + ab->of[i]) : '+';
	nodes[NODES] = '\0';
}

static void look_at_remote(const struct ow_observer *v,
			   const struct ow_bridges *b, const struct ow_svc *s,
			   struct remote *ab)
{
	bool remote;
	uint32_t i, nsrv = ow_observer_servers(v, s, &remote);
	long own = v->d.nodeid;

	for (i = 0; i < b->n; i++)
		count_offers(b->p[i], ab);
	if (own >= 1 && own <= NODES)
		ab->of[own - 1] = nsrv;
	if (nsrv > 0 && own > (long)ab->highest)
		ab->highest = (uint32_t)own;
}

/* Bridges here are servers of what others offer: NSRV counts both. */
static void show_service(struct ow_grid *g, const struct ow_observer *v,
			 const struct ow_bridges *b, const struct ow_svc *s,
			 const char *name)
{
	bool remote;
	uint32_t nsrv = ow_observer_servers(v, s, &remote);
	struct remote ab = { .svc = name };
	char nodes[NODES + 1], count[OW_FORMAT_MAX];

	look_at_remote(v, b, s, &ab);
	node_characters(&ab, nodes);
	ow_grid_cell(g, "%u", (uint32_t)(s - v->d.tables->svc));
	ow_grid_cell(g, "%s", name);
	ow_grid_cell(g, "%s", ow_format_count(nsrv, count, sizeof(count)));
	if (nsrv == 0)
		ow_grid_paint(g, OW_COLOUR_WARN); /* no server serves the queue */
	ow_grid_cell(g, "%d", ow_observer_suspended(s));
	ow_grid_cell(g, "%u", ab.count);
	ow_grid_cell(g, "%s", ow_format_count(nsrv + ab.count, count,
					      sizeof(count)));
	ow_grid_cell(g, "%u", ab.highest);
	ow_grid_cell(g, "%s", nodes);
	ow_grid_end_row(g);
}

static void json_service(struct ow_json *j, const struct ow_observer *v,
			 const struct ow_bridges *b, const struct ow_svc *s,
			 const char *name)
{
	struct remote ab = { .svc = name };
	char nodes[NODES + 1];
	bool remote;

	look_at_remote(v, b, s, &ab);
	node_characters(&ab, nodes);
	ow_json_row_begin(j);
	ow_json_uint(j, "slot", (uint64_t)(s - v->d.tables->svc));
	ow_json_str(j, "service", name);
	ow_json_uint(j, "servers", ow_observer_servers(v, s, &remote));
	ow_json_bool(j, "suspended", ow_observer_suspended(s));
	ow_json_str(j, "transport", v->d.transport->name);
	ow_json_int(j, "node", v->d.nodeid);
	ow_json_uint(j, "abroad", ab.count);
	ow_json_str(j, "nodes", nodes);
	ow_json_bool(j, "queue", ow_observer_has_queue(s));
	ow_json_uint(j, "priority", atomic_load(&s->prio));
	ow_json_uint(j, "queue_messages_max", s->maxmsg);
	ow_json_uint(j, "queue_message_bytes", s->msgsize);
	ow_json_uint(j, "expired", atomic_load(&s->expired));
	ow_json_uint(j, "queue_full", atomic_load(&s->full));
	ow_json_uint(j, "failed_by_system", atomic_load(&s->failed));
	json_cache(j, v, name);
	ow_json_row_end(j);
}

int ow_list_psvc(struct ow_args *a)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	struct ow_listing l;
	struct ow_bridges b;
	struct ow_observer v;
	bool remote;
	uint32_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	a->form.wide = a->form.wide || ow_args_has(a, 'r');
	if (ow_listing_begin(&l, &a->form, psvc_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	ow_bridges_open(&v, &b);
	for (i = 0; i < ow_observer_services(&v); i++) {
		s = ow_observer_service(&v, i, name);
		if (s == NULL ||
		    (ow_observer_servers(&v, s, &remote) == 0 &&
		     !ow_observer_has_queue(s) && !ow_observer_suspended(s)))
			continue;
		if (a->form.json)
			json_service(l.json, &v, &b, s, name);
		else
			show_service(l.grid, &v, &b, s, name);
	}
	ow_bridges_close(&b);
	ow_listing_end(&l);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
