/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.c - times: how long services take, by node
 *
 * What its own servers do is in the tables; how long calls to other nodes take,
 * the bridges show. So the slow node of a service stands beside the others.
 */
#include "clients/xadmin/list/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/clock.h"
#include "libndrx/model/window.h"
#include "libndrx/observe/bridges.h"
#include "libndrx/observe/format.h"

static const struct ow_column times_columns[] = {
	{ "SERVICE", 12, OW_COLUMN_GROWS },
	{ "NODE", 4, OW_COLUMN_RIGHT },
	{ "KIND", 6, 0 },
	{ "CALLS", 7, OW_COLUMN_RIGHT },
	{ "FAILED", 6, OW_COLUMN_RIGHT },
	{ "MEAN", 8, OW_COLUMN_RIGHT },
	{ "P50", 8, OW_COLUMN_RIGHT },
	{ "P99", 8, OW_COLUMN_RIGHT },
	{ "WAIT99", 8, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

/* A service at a node. Of another node without times in its queue. */
struct timed {
	char svc[OW_SVC_NAME];
	uint32_t node;
	bool remote;
	struct ow_counts c;
};

struct all {
	struct timed *t;
	size_t n, room;
	bool failed; /* no memory */
};

/* Its row, made if need be; NULL: no memory. */
static struct timed *need(struct all *all, const char *svc, uint32_t node,
			  bool remote)
{
	struct timed *t;
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->t[i].node == node && all->t[i].remote == remote &&
		    strcmp(all->t[i].svc, svc) == 0)
			return &all->t[i];
	if (all->n == all->room) {
		all->room = all->room * 2 + 64;
		t = realloc(all->t, all->room * sizeof(*t));
		if (t == NULL) {
			all->failed = true;
			return NULL;
		}
		all->t = t;
	}
	t = &all->t[all->n++];
	*t = (struct timed){ .node = node, .remote = remote };
	memcpy(t->svc, svc, strnlen(svc, sizeof(t->svc) - 1));
	return t;
}

static bool is_wanted(const char *svc, const char *only)
{
	return only != NULL ? strcmp(svc, only) == 0
			    : svc[0] != '@' && svc[0] != '.';
}

static void look_here(const struct ow_observer *v, const char *only,
		      struct all *all)
{
	const struct ow_tables *t = v->d.tables;
	char svc[OW_SVC_NAME];
	struct ow_counts c;
	struct timed *at;
	uint32_t id, row;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!ow_srv_alive(t, id) || ow_nodes_is_bridge(t->srv[id].bin))
			continue;
		for (row = 0; row < ow_observer_rows(v, id); row++) {
			if (ow_observer_row_service(v, id, row, svc) == NULL ||
			    !is_wanted(svc, only))
				continue;
			at = need(all, svc, (uint32_t)v->d.nodeid, false);
			if (at == NULL)
				return;
			ow_counts_copy(&ow_tables_adv(t, id)[row], &c);
			ow_counts_add(&at->c, &c);
		}
	}
}

static void look_through(const struct ow_nodes_snapshot *p, const char *only,
			 struct all *all)
{
	const struct ow_nodes_time *n;
	char svc[OW_SVC_NAME];
	struct ow_counts c = { { 0 } };
	struct timed *at;
	uint32_t i;

	for (i = 0; i < p->times; i++) {
		n = &p->time[i];
		ow_observer_text(svc, n->svc, sizeof(svc));
		if (!is_wanted(svc, only))
			continue;
		at = need(all, svc, n->node, true);
		if (at == NULL)
			return;
		c.n[OW_CNT_FAIL] = n->failed;
		c.n[OW_CNT_OK] = n->calls - n->failed;
		c.n[OW_CNT_SUM_US] = n->sum_us;
		memcpy(&c.n[OW_CNT_HIST], n->hist, sizeof(n->hist));
		ow_counts_add(&at->c, &c);
	}
}

static void look(const struct ow_observer *v, const char *only,
		 struct all *all)
{
	struct ow_bridges b;
	uint32_t i;

	look_here(v, only, all);
	ow_bridges_open(v, &b);
	for (i = 0; i < b.n; i++)
		look_through(b.p[i], only, all);
	ow_bridges_close(&b);
}

/* What has come since `before`. */
static void take_off(struct all *all, struct all *before)
{
	struct ow_counts now;
	struct timed *then;
	size_t i;

	for (i = 0; i < all->n; i++) {
		now = all->t[i].c;
		then = need(before, all->t[i].svc, all->t[i].node,
			    all->t[i].remote);
		if (then != NULL && !ow_counts_fell(&now, &then->c))
			ow_counts_sub(&now, &then->c, &all->t[i].c);
	}
}

static double p99(const struct timed *t)
{
	return ow_quantile(&t->c.n[OW_CNT_HIST], 990);
}

/* By service; of a service the slowest first, those without calls last. */
static int slowest_first(const void *x, const void *y)
{
	const struct timed *a = x, *b = y;
	double p = p99(a), q = p99(b);
	int r = strcmp(a->svc, b->svc);

	if (r != 0)
		return r;
	p = isnan(p) ? -1 : p;
	q = isnan(q) ? -1 : q;
	if (p != q)
		return p > q ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static void cell_time(struct ow_grid *g, double us)
{
	char text[OW_FORMAT_MAX];

	if (isnan(us))
		ow_grid_cell(g, "-");
	else
		ow_grid_cell(g, "%s", ow_format_us((uint64_t)us, text,
						   sizeof(text)));
}

static void cell_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static double mean(const struct timed *t)
{
	uint64_t calls = ow_counts_calls(&t->c);

	return calls != 0 ? (double)t->c.n[OW_CNT_SUM_US] / (double)calls : NAN;
}

static void show(struct ow_listing *l, const struct timed *t)
{
	const uint64_t *n = t->c.n;

	ow_grid_cell(l->grid, "%s", t->svc);
	ow_grid_cell(l->grid, "%u", t->node);
	ow_grid_cell(l->grid, "%s", t->remote ? "remote" : "here");
	cell_count(l->grid, ow_counts_calls(&t->c));
	cell_count(l->grid, n[OW_CNT_FAIL]);
	if (n[OW_CNT_FAIL] > 0)
		ow_grid_paint(l->grid, OW_COLOUR_WARN);
	cell_time(l->grid, mean(t));
	cell_time(l->grid, ow_quantile(&n[OW_CNT_HIST], 500));
	cell_time(l->grid, p99(t));
	cell_time(l->grid, t->remote ? NAN
				     : ow_quantile(&n[OW_CNT_WAIT_HIST], 990));
	ow_grid_end_row(l->grid);
}

/* Without a member, what is not known. */
static void json_time(struct ow_json *j, const char *name, double us)
{
	if (!isnan(us))
		ow_json_uint(j, name, (uint64_t)us);
}

static void json(struct ow_listing *l, const struct timed *t)
{
	const uint64_t *n = t->c.n;

	ow_json_row_begin(l->json);
	ow_json_str(l->json, "service", t->svc);
	ow_json_uint(l->json, "node", t->node);
	ow_json_str(l->json, "kind", t->remote ? "remote" : "here");
	ow_json_uint(l->json, "calls", ow_counts_calls(&t->c));
	ow_json_uint(l->json, "failed", n[OW_CNT_FAIL]);
	json_time(l->json, "mean_us", mean(t));
	json_time(l->json, "p50_us", ow_quantile(&n[OW_CNT_HIST], 500));
	json_time(l->json, "p99_us", p99(t));
	if (!t->remote)
		json_time(l->json, "wait_p99_us",
			  ow_quantile(&n[OW_CNT_WAIT_HIST], 990));
	ow_json_row_end(l->json);
}

int ow_list_times(struct ow_args *a)
{
	const char *only = ow_args_value(a, 's');
	struct all all = { 0 }, before = { 0 };
	const struct timespec second = { 1, 0 };
	struct ow_listing l;
	struct ow_observer v;
	size_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_args_has(a, 'r')) {
		look(&v, only, &before);
		nanosleep(&second, NULL);
	}
	look(&v, only, &all);
	if (before.n > 0)
		take_off(&all, &before);
	if (all.failed || before.failed ||
	    ow_listing_begin(&l, &a->form, times_columns) != 0) {
		r = ow_cmd_fail(a, "no memory");
	} else {
		if (all.n > 0)
			qsort(all.t, all.n, sizeof(*all.t), slowest_first);
		for (i = 0; i < all.n; i++)
			(l.json != NULL ? json : show)(&l, &all.t[i]);
		ow_listing_end(&l);
	}
	free(all.t);
	free(before.t);
	ow_observer_close(&v);
	return r;
}
