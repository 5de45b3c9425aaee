/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.c - a sample as a state, and a state as a sample
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/blackbox/shapes.h"
#include "libndrx/observe/snapshots.h"
#include "libubf/base/crc32.h"

/* How long a request was served is kept from here on: most are shorter, and
 * would make each record longer. */
#define YOUNG_NS OW_NS_PER_SEC

/* ---- a sample as a state ---- */

static bool from_domain(const struct ow_sample *s, struct ow_bb_state *to)
{
	struct ow_bb_domain *d = ow_bb_add(to, OW_BB_DOMAIN, 1);

	if (d == NULL)
		return false;
	d->domain = s->domain;
	d->ndrxd_stopped = s->ndrxd_stopped;
	d->ndrxd_expected = s->ndrxd_expected;
	d->ndrxd_pid = s->ndrxd_pid;
	d->nodeid = (uint64_t)s->nodeid;
	d->mq_bytes = s->mq_bytes;
	d->mq_limit = s->mq_limit;
	d->spins = s->spins;
	d->spin_hits = s->spin_hits;
	d->spin_ns = s->spin_ns;
	d->logs = s->logs;
	memcpy(d->why, s->why, sizeof(d->why));
	memcpy(d->prefix, s->prefix, sizeof(d->prefix));
	return true;
}

static bool from_services(const struct ow_sample *s, struct ow_bb_state *to)
{
	struct ow_bb_service *row;
	size_t i;

	for (i = 0; i < s->n_services; i++) {
		row = ow_bb_add(to, OW_BB_SERVICE, s->services[i].index);
		if (row == NULL)
			return false;
		row->v = s->services[i];
	}
	return true;
}

static bool from_servers(const struct ow_sample *s, struct ow_bb_state *to)
{
	struct ow_bb_server *row;
	size_t i;

	for (i = 0; i < s->n_servers; i++) {
		row = ow_bb_add(to, OW_BB_SERVER, s->servers[i].srvid);
		if (row == NULL)
			return false;
		row->v = s->servers[i];
		if (row->v.busy_svc == 0 ||
		    row->v.busy_since_ns + YOUNG_NS > s->now_ns)
			row->v.busy_since_ns = 0;
	}
	return true;
}

static bool from_offers(const struct ow_sample *s, struct ow_bb_state *to)
{
	const struct ow_seen_offer *o;
	struct ow_bb_offer *row;
	size_t i;

	for (i = 0; i < s->n_offers; i++) {
		o = &s->offers[i];
		row = ow_bb_add(to, OW_BB_OFFER,
				(uint64_t)o->srvid << 32 | o->row);
		if (row == NULL)
			return false;
		row->v = *o;
	}
	return true;
}

static bool from_clients(const struct ow_sample *s, struct ow_bb_state *to)
{
	struct ow_bb_client *row;
	size_t i;

	for (i = 0; i < s->n_clients; i++) {
		row = ow_bb_add(to, OW_BB_CLIENT, s->clients[i].slot);
		if (row == NULL)
			return false;
		row->v = s->clients[i];
	}
	return true;
}

static bool from_links(const struct ow_sample *s, struct ow_bb_state *to)
{
	const struct ow_seen_link *l;
	struct ow_bb_link *row;
	size_t i;

	for (i = 0; i < s->n_links; i++) {
		l = &s->links[i];
		row = ow_bb_add(to, OW_BB_LINK,
				(uint64_t)l->srvid << 40 |
				    (uint64_t)(l->link.node & 0xff) << 32 |
				    l->link.bridge);
		if (row == NULL)
			return false;
		row->v = *l;
	}
	return true;
}

static bool from_trans(const struct ow_sample *s, struct ow_bb_state *to)
{
	const struct ow_tm_snapshot *p;
	struct ow_bb_tran *tran;
	struct ow_bb_tm *tm;
	uint32_t k;
	size_t i;

	for (i = 0; i < s->n_trans; i++) {
		p = s->trans[i];
		tm = ow_bb_add(to, OW_BB_TM, p->head.srvid);
		if (tm == NULL)
			return false;
		tm->rmid = p->rmid;
		for (k = 0; k < OW_TM_COUNTS; k++)
			tm->count[k] = atomic_load(&p->count[k]);
		tm->active = p->active;
		tm->ending = p->ending;
		tm->heuristic = p->heuristic;
		tm->in_doubt = p->in_doubt;
		tm->late_ns = p->late_ns;
		tm->strays = p->strays;
		tm->stray_ns = p->stray_ns;
		tm->log_error = ow_snapshot_undecided(p) ? p->log_error : 0;
		tm->silent_s = p->silent_s;
		for (k = 0; k < p->n && k < OW_TM_SNAPSHOT_MAX; k++) {
			tran = ow_bb_add(to, OW_BB_TRAN, p->tran[k].id);
			if (tran == NULL)
				return false;
			tran->tm = p->head.srvid;
			tran->v = p->tran[k];
		}
	}
	return true;
}

static bool from_spaces(const struct ow_sample *s, struct ow_bb_state *to)
{
	const struct ow_mq_snapshot *p;
	struct ow_bb_space *space;
	struct ow_bb_queue *queue;
	uint32_t k, id;
	size_t i;

	for (i = 0; i < s->n_spaces; i++) {
		p = s->spaces[i];
		id = p->head.srvid;
		space = ow_bb_add(to, OW_BB_SPACE, id);
		if (space == NULL)
			return false;
		space->full = p->full;
		memcpy(space->space, p->space, sizeof(space->space));
		for (k = 0; k < p->n && k < OW_MQ_SNAPSHOT_MAX; k++) {
			const char *name = p->queue[k].name;

			queue = ow_bb_add(
			    to, OW_BB_QUEUE,
			    (uint64_t)id << 32 |
				ow_crc32(name, strnlen(name, 16)));
			if (queue == NULL)
				return false;
			queue->v = p->queue[k];
		}
	}
	return true;
}

static bool from_routes(const struct ow_sample *s, struct ow_bb_state *to)
{
	const struct ow_seen_route *r;
	struct ow_bb_route *row;
	char name[sizeof(r->method) + sizeof(r->path)];
	size_t i;
	int n;

	for (i = 0; i < s->n_routes; i++) {
		r = &s->routes[i];
		n = snprintf(name, sizeof(name), "%s %s", r->method, r->path);
		row = ow_bb_add(to, OW_BB_ROUTE,
				(uint64_t)r->srvid << 32 |
				    ow_crc32(name, (size_t)n));
		if (row == NULL)
			return false;
		row->v = *r;
		row->v.age_us = 0; /* it would be another one each second */
	}
	return true;
}

int ow_bb_from_sample(const struct ow_sample *from, struct ow_bb_state *ret)
{
	ow_bb_empty(ret);
	ret->now_ns = from->now_ns;
	ret->real_ns = from->real_ns;
	if (!from_domain(from, ret) || !from_services(from, ret) ||
	    !from_servers(from, ret) || !from_offers(from, ret) ||
	    !from_clients(from, ret) || !from_links(from, ret) ||
	    !from_trans(from, ret) || !from_spaces(from, ret) ||
	    !from_routes(from, ret))
		return -ENOMEM;
	ow_bb_sort(ret);
	return 0;
}

/* ---- a state as a sample ---- */

struct ow_bb_sample {
	struct ow_sample s;
	size_t alloc_trans, alloc_spaces;
};

struct ow_bb_sample *ow_bb_sample_new(void)
{
	return calloc(1, sizeof(struct ow_bb_sample));
}

static void drop(struct ow_sample *s)
{
	while (s->n_trans > 0)
		free(s->trans[--s->n_trans]);
	while (s->n_spaces > 0)
		free(s->spaces[--s->n_spaces]);
	free(s->trans);
	free(s->spaces);
	free(s->services);
	free(s->servers);
	free(s->offers);
	free(s->clients);
	free(s->links);
	free(s->routes);
	memset(s, 0, sizeof(*s));
}

struct ow_bb_sample *ow_bb_sample_free(struct ow_bb_sample *p)
{
	if (p != NULL)
		drop(&p->s);
	free(p);
	return NULL;
}

/* The part `v` of all rows of a kind, one behind the other. */
static bool gather(const struct ow_bb_state *s, enum ow_bb_kind k, size_t at,
		   size_t size, void *ret_list, size_t *ret_n)
{
	size_t i, n = s->table[k].n;
	char *list = calloc(n + 1, size);

	if (list == NULL)
		return false;
	for (i = 0; i < n; i++)
		memcpy(list + i * size, (char *)ow_bb_row(s, k, i) + at, size);
	memcpy(ret_list, &list, sizeof(list));
	*ret_n = n;
	return true;
}

#define GATHER(p, state, KIND, name, what)                                \
	gather(state, KIND, offsetof(struct name, v), sizeof(*(p)->what), \
	       &(p)->what, &(p)->n_##what)

static void to_keys(const struct ow_bb_state *s, struct ow_sample *p)
{
	size_t i;

	for (i = 0; i < p->n_services; i++)
		p->services[i].index =
		    (uint32_t)ow_bb_key(ow_bb_row(s, OW_BB_SERVICE, i));
	for (i = 0; i < p->n_servers; i++) {
		struct ow_seen_server *v = &p->servers[i];

		v->srvid = (uint32_t)ow_bb_key(ow_bb_row(s, OW_BB_SERVER, i));
		if (v->busy_svc != 0 && v->busy_since_ns == 0)
			v->busy_since_ns = s->now_ns;
	}
	for (i = 0; i < p->n_offers; i++) {
		uint64_t key = ow_bb_key(ow_bb_row(s, OW_BB_OFFER, i));

		p->offers[i].srvid = (uint32_t)(key >> 32);
		p->offers[i].row = (uint32_t)key;
	}
	for (i = 0; i < p->n_clients; i++)
		p->clients[i].slot =
		    (uint32_t)ow_bb_key(ow_bb_row(s, OW_BB_CLIENT, i));
	for (i = 0; i < p->n_routes; i++)
		p->routes[i].srvid =
		    (uint32_t)(ow_bb_key(ow_bb_row(s, OW_BB_ROUTE, i)) >> 32);
	for (i = 0; i < p->n_links; i++)
		p->links[i].srvid =
		    (uint32_t)(ow_bb_key(ow_bb_row(s, OW_BB_LINK, i)) >> 40);
}

static struct ow_tm_snapshot *to_tm(const struct ow_bb_state *s,
				    const struct ow_bb_tm *tm)
{
	struct ow_tm_snapshot *p = calloc(1, sizeof(*p));
	const struct ow_bb_tran *t;
	size_t i;

	if (p == NULL)
		return NULL;
	p->head.srvid = (uint32_t)tm->key;
	p->rmid = tm->rmid;
	for (i = 0; i < OW_TM_COUNTS; i++)
		atomic_store(&p->count[i], tm->count[i]);
	p->active = tm->active;
	p->ending = tm->ending;
	p->heuristic = tm->heuristic;
	p->in_doubt = tm->in_doubt;
	p->late_ns = tm->late_ns;
	p->strays = tm->strays;
	p->stray_ns = tm->stray_ns;
	p->log_error = tm->log_error;
	p->silent_s = tm->silent_s;
	for (i = 0; i < s->table[OW_BB_TRAN].n; i++) {
		t = ow_bb_row(s, OW_BB_TRAN, i);
		if (t->tm != tm->key || p->n == OW_TM_SNAPSHOT_MAX)
			continue;
		p->tran[p->n] = t->v;
		p->tran[p->n++].id = t->key;
	}
	return p;
}

static struct ow_mq_snapshot *to_space(const struct ow_bb_state *s,
				       const struct ow_bb_space *from)
{
	struct ow_mq_snapshot *p = calloc(1, sizeof(*p));
	const struct ow_bb_queue *q;
	size_t i;

	if (p == NULL)
		return NULL;
	p->head.srvid = (uint32_t)from->key;
	p->full = from->full;
	memcpy(p->space, from->space, sizeof(p->space));
	for (i = 0; i < s->table[OW_BB_QUEUE].n; i++) {
		q = ow_bb_row(s, OW_BB_QUEUE, i);
		if (q->key >> 32 == from->key && p->n < OW_MQ_SNAPSHOT_MAX)
			p->queue[p->n++] = q->v;
	}
	return p;
}

static bool to_snapshots(const struct ow_bb_state *s, struct ow_sample *p)
{
	size_t i, n = s->table[OW_BB_TM].n, m = s->table[OW_BB_SPACE].n;

	p->trans = calloc(n + 1, sizeof(*p->trans));
	p->spaces = calloc(m + 1, sizeof(*p->spaces));
	if (p->trans == NULL || p->spaces == NULL)
		return false;
	for (i = 0; i < n; i++) {
		p->trans[i] = to_tm(s, ow_bb_row(s, OW_BB_TM, i));
		if (p->trans[i] == NULL)
			return false;
		p->n_trans++;
	}
	for (i = 0; i < m; i++) {
		p->spaces[i] = to_space(s, ow_bb_row(s, OW_BB_SPACE, i));
		if (p->spaces[i] == NULL)
			return false;
		p->n_spaces++;
	}
	return true;
}

static void to_domain(const struct ow_bb_state *s, struct ow_sample *p)
{
	const struct ow_bb_domain *d;

	p->now_ns = s->now_ns;
	p->real_ns = s->real_ns;
	if (s->table[OW_BB_DOMAIN].n == 0)
		return;
	d = ow_bb_row(s, OW_BB_DOMAIN, 0);
	p->domain = d->domain != 0;
	p->ndrxd_stopped = d->ndrxd_stopped != 0;
	p->ndrxd_expected = d->ndrxd_expected != 0;
	p->ndrxd_pid = d->ndrxd_pid;
	p->nodeid = (long)d->nodeid;
	p->mq_bytes = d->mq_bytes;
	p->mq_limit = d->mq_limit;
	p->spins = d->spins;
	p->spin_hits = d->spin_hits;
	p->spin_ns = d->spin_ns;
	p->logs = d->logs;
	memcpy(p->why, d->why, sizeof(p->why));
	memcpy(p->prefix, d->prefix, sizeof(p->prefix));
}

const struct ow_sample *ow_bb_to_sample(struct ow_bb_sample *b,
					const struct ow_bb_state *s)
{
	struct ow_sample *p = &b->s;

	drop(p);
	to_domain(s, p);
	if (!GATHER(p, s, OW_BB_SERVICE, ow_bb_service, services) ||
	    !GATHER(p, s, OW_BB_SERVER, ow_bb_server, servers) ||
	    !GATHER(p, s, OW_BB_OFFER, ow_bb_offer, offers) ||
	    !GATHER(p, s, OW_BB_CLIENT, ow_bb_client, clients) ||
	    !GATHER(p, s, OW_BB_LINK, ow_bb_link, links) ||
	    !GATHER(p, s, OW_BB_ROUTE, ow_bb_route, routes) ||
	    !to_snapshots(s, p))
		return NULL;
	to_keys(s, p);
	return p;
}
