/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.c - copy the state of a domain out of shared memory
 */
#include "libndrx/model/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/bridges.h"
#include "libndrx/observe/observer.h"
#include "libatmi/base/clock.h"
#include "libatmi/member/join.h"
#include "libubf/base/cleanup.h"

#define RETRY_NS (OW_NS_PER_SEC / 2) /* between two tries to attach */
#define DISK_NS	 OW_NS_PER_SEC	     /* between two looks at the disk */
#define TRIES	 3 /* to copy a server row that keeps changing */

struct ow_sampler {
	struct ow_sample now;
	struct ow_observer view;
	bool open;
	uint64_t retry_ns, disk_ns;
	struct ow_procs *procs;
	size_t alloc_services, alloc_servers, alloc_offers, alloc_clients;
	size_t alloc_trans, alloc_spaces, alloc_links;
	bool see_calls;
};

int ow_sampler_open(struct ow_sampler **ret, char *why, size_t size)
{
	OW_CLEANUP(ow_sampler_closep) struct ow_sampler *s = NULL;
	int r;

	s = calloc(1, sizeof(*s));
	if (s != NULL)
		s->procs = ow_procs_new();
	if (s == NULL || s->procs == NULL) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	r = ow_domain_read_env(&s->view.d, why, size);
	if (r != 0)
		return r;
	snprintf(s->now.prefix, sizeof(s->now.prefix), "/%s",
		 s->view.d.prefix);
	s->now.nodeid = s->view.d.nodeid;
	s->now.mq_limit = s->view.d.mq_limit;
	*ret = s;
	s = NULL;
	return 0;
}

static void let_go(struct ow_sampler *s)
{
	if (s->open)
		ow_observer_close(&s->view);
	s->open = false;
}

static void drop_shown(struct ow_sample *s)
{
	while (s->n_trans > 0)
		free(s->trans[--s->n_trans]);
	while (s->n_spaces > 0)
		free(s->spaces[--s->n_spaces]);
}

struct ow_sampler *ow_sampler_close(struct ow_sampler *s)
{
	if (s == NULL)
		return NULL;
	let_go(s);
	drop_shown(&s->now);
	free(s->now.calls);
	free(s->now.routes);
	free(s->now.trans);
	free(s->now.spaces);
	ow_procs_free(s->procs);
	free(s->now.services);
	free(s->now.servers);
	free(s->now.offers);
	free(s->now.clients);
	free(s->now.links);
	free(s);
	return NULL;
}

const struct ow_domain *ow_sampler_domain(const struct ow_sampler *s)
{
	return &s->view.d;
}

/* Append a zeroed element to a list. NULL: no memory. */
static void *append(void **list, size_t *n, size_t *allocated, size_t size)
{
	size_t want = *allocated > 0 ? *allocated * 2 : 64;
	void *p = *list;

	if (*n == *allocated) {
		p = realloc(p, want * size);
		if (p == NULL)
			return NULL;
		*list = p;
		*allocated = want;
	}
	p = (char *)p + *n * size;
	memset(p, 0, size);
	(*n)++;
	return p;
}

#define APPEND(s, what)                                                     \
	append((void **)&(s)->now.what, &(s)->now.n_##what, &(s)->alloc_##what, \
	       sizeof(*(s)->now.what))

/* ---- services ---- */

static int see_service(struct ow_sampler *s, uint32_t i)
{
	const struct ow_tables *t = s->view.d.tables;
	char name[OW_SVC_NAME];
	const struct ow_svc *svc = ow_observer_service(&s->view, i, name);
	struct ow_cache_figures cache;
	struct ow_seen_service *e;
	bool remote;

	if (svc == NULL)
		return 0;
	e = APPEND(s, services);
	if (e == NULL)
		return -ENOMEM;
	e->index = (uint32_t)(svc - t->svc);
	memcpy(e->name, name, sizeof(e->name));
	e->nsrv = ow_observer_servers(&s->view, svc, &remote);
	e->suspended = ow_observer_suspended(svc);
	e->queue = ow_observer_has_queue(svc);
	e->maxmsg = svc->maxmsg;
	e->msgsize = svc->msgsize;
	e->expired = atomic_load(&svc->expired);
	e->full = atomic_load(&svc->full);
	e->failed = atomic_load(&svc->failed);
	e->cached = ow_observer_cache(&s->view, name, &cache);
	e->cache_hits = e->cached ? cache.hits : 0;
	e->cache_misses = e->cached ? cache.misses : 0;
	if (e->queue)
		ow_observer_depth(&s->view, name, &e->depth);
	return 0;
}

/* ---- servers ---- */

static void copy_server(const struct ow_observer *v, uint32_t id,
			struct ow_seen_server *e)
{
	const struct ow_srv *srv = &v->d.tables->srv[id];
	uint32_t row = atomic_load(&srv->cur_adv);

	e->srvid = id;
	e->start = atomic_load(&srv->start);
	e->state = atomic_load(&srv->state);
	if (row >= 1 && row <= OW_ADV_MAX) {
		e->busy_svc = atomic_load(
		    &ow_tables_adv(v->d.tables, id)[row - 1].svc);
		e->busy_since_ns = atomic_load(&srv->cur_since);
	}
	e->requests = atomic_load(&srv->requests);
	e->wakeups = atomic_load(&srv->wakeups);
	e->garbage = atomic_load(&srv->garbage);
	e->lost = atomic_load(&srv->lost_replies);
	e->ctl_state = atomic_load(&srv->ctl_state);
	e->ctl_restarts = atomic_load(&srv->ctl_restarts);
	e->ctl_failures = atomic_load(&srv->ctl_failures);
	e->ctl_exit = atomic_load(&srv->ctl_exit);
	e->ctl_changed_ns = atomic_load(&srv->ctl_changed);
	e->of = atomic_load(&srv->of);
	ow_observer_bin(v, id, e->bin);
	ow_observer_text(e->group, srv->ctl_group, sizeof(e->group));
}

/* Is it still the request whose service and start time were read? */
static bool same_request(const struct ow_srv *srv,
			 const struct ow_seen_server *e)
{
	return e->busy_svc == 0 ||
	       (atomic_load(&srv->cur_since) == e->busy_since_ns &&
		atomic_load(&srv->cur_adv) != 0);
}

/* False: the slot kept changing owners, or was never used. */
static bool read_server(const struct ow_observer *v, uint32_t id,
			struct ow_seen_server *e)
{
	const struct ow_srv *srv = &v->d.tables->srv[id];
	int i;

	for (i = 0; i < TRIES; i++) {
		memset(e, 0, sizeof(*e));
		e->pid = atomic_load(&srv->pid);
		copy_server(v, id, e);
		if (!same_request(srv, e))
			e->busy_svc = 0;
		atomic_thread_fence(memory_order_acquire);
		/* A server that leaves clears its start time first. */
		if (atomic_load(&srv->pid) == e->pid &&
		    atomic_load(&srv->start) == e->start &&
		    (e->pid == 0 || e->start != 0))
			return e->pid != 0 || e->ctl_changed_ns != 0;
	}
	return false;
}

static uint64_t get(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static int see_offer(struct ow_sampler *s, uint32_t id, uint32_t row)
{
	const struct ow_adv *a = &ow_tables_adv(s->view.d.tables, id)[row];
	uint32_t svc = atomic_load(&a->svc);
	struct ow_seen_offer *e;

	if (svc < 1 || svc > OW_SVC_MAX)
		return 0;
	e = APPEND(s, offers);
	if (e == NULL)
		return -ENOMEM;
	e->srvid = id;
	e->of = atomic_load(&s->view.d.tables->srv[id].of);
	e->row = row;
	e->svc = svc - 1;
	ow_observer_text(e->func, a->func, sizeof(e->func));
	e->depth_peak = atomic_load(&a->depth_peak);
	e->max_us = get(&a->max_us);
	e->wait_max_us = get(&a->wait_max_us);
	e->front_ns = get(&a->front_ns);
	ow_counts_copy(a, &e->counts);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load(&a->svc) != svc)
		s->now.n_offers--; /* withdrawn while we copied */
	return 0;
}

static int see_server(struct ow_sampler *s, uint32_t id)
{
	const struct ow_srv *srv = &s->view.d.tables->srv[id];
	struct ow_seen_server seen, *e;
	size_t before = s->now.n_offers;
	uint32_t row, rows;
	int r = 0;

	if (!read_server(&s->view, id, &seen))
		return 0;
	seen.alive = seen.pid != 0 &&
		     ow_procs_look(s->procs, id, seen.pid, seen.start,
				   seen.requests, &seen.proc);
	rows = seen.alive ? ow_observer_rows(&s->view, id) : 0;
	for (row = 0; row < rows && r == 0; row++)
		r = see_offer(s, id, row);
	if (atomic_load(&srv->pid) != seen.pid)
		s->now.n_offers = before; /* of another process already */
	e = r == 0 ? APPEND(s, servers) : NULL;
	if (e == NULL)
		return -ENOMEM;
	*e = seen;
	return 0;
}

/* ---- clients ---- */

static int see_client(struct ow_sampler *s, uint32_t slot)
{
	const struct ow_clt *c = &s->view.d.tables->clt[slot];
	uint32_t gen = atomic_load(&c->gen);
	struct ow_seen_client *e;

	if ((gen & 1) == 0)
		return 0;
	e = APPEND(s, clients);
	if (e == NULL)
		return -ENOMEM;
	e->slot = slot;
	e->gen = gen;
	e->pid = ow_proc_id_pid(atomic_load(&c->owner));
	e->ctx = c->ctx;
	e->srvid = c->srvid;
	e->outstanding = atomic_load(&c->outstanding);
	e->calls = atomic_load(&c->calls);
	e->timeouts = atomic_load(&c->timeouts);
	e->late = atomic_load(&c->late);
	ow_observer_text(e->cltid, c->cltid, sizeof(e->cltid));
	e->alive = ow_pid_exists(e->pid);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load(&c->gen) != gen)
		s->now.n_clients--; /* left while we copied */
	return 0;
}

/* ---- transactions and durable queues ---- */

static int see_trans(struct ow_sampler *s)
{
	struct ow_tm_snapshot *p, **e;
	uint32_t id = 0;

	while ((p = ow_snapshot_trans(&s->view, &id)) != NULL) {
		e = APPEND(s, trans);
		if (e == NULL) {
			free(p);
			return -ENOMEM;
		}
		*e = p;
	}
	return 0;
}

static int see_spaces(struct ow_sampler *s)
{
	struct ow_mq_snapshot *p, **e;
	uint32_t id = 0;

	while ((p = ow_snapshot_space(&s->view, &id)) != NULL) {
		e = APPEND(s, spaces);
		if (e == NULL) {
			free(p);
			return -ENOMEM;
		}
		*e = p;
	}
	return 0;
}

/* ---- links ---- */

static int see_links(struct ow_sampler *s)
{
	struct ow_seen_link *e;
	struct ow_bridges b;
	uint32_t i, k;
	int r = 0;

	ow_bridges_open(&s->view, &b);
	for (i = 0; i < b.n; i++) {
		if (!b.p[i]->connected)
			s->now.unconnected = b.p[i]->head.srvid;
		for (k = 0; k < b.p[i]->links && r == 0; k++) {
			e = APPEND(s, links);
			r = e != NULL ? 0 : -ENOMEM;
			if (e == NULL)
				break;
			e->srvid = b.p[i]->head.srvid;
			e->connected = b.p[i]->connected != 0;
			ow_observer_text(e->cluster, b.p[i]->cluster,
					 sizeof(e->cluster));
			e->link = b.p[i]->link[k];
		}
	}
	ow_bridges_close(&b);
	return r;
}

/* ---- the whole domain ---- */

static void sample_spins(struct ow_sampler *s, const struct ow_looks *l)
{
	int i;

	s->now.spins = s->now.spin_hits = s->now.spin_ns = 0;
	for (i = 0; i < OW_LOOK_KINDS; i++) {
		s->now.spins += get(&l->kind[i].figures.looks);
		s->now.spin_hits += get(&l->kind[i].figures.hits);
		s->now.spin_ns += get(&l->kind[i].figures.ns);
	}
}

static int see_all(struct ow_sampler *s)
{
	const struct ow_tables *t = s->view.d.tables;
	uint32_t i, n = ow_observer_services(&s->view);
	int r = 0;

	s->now.ndrxd_pid = ow_observer_ndrxd(&s->view);
	s->now.ndrxd_stopped = ow_proc_stopped(s->now.ndrxd_pid);
	s->now.ndrxd_expected = atomic_load(&t->head->ndrxd_pid) != 0;
	s->now.mq_bytes = get(&t->head->mq_bytes);
	sample_spins(s, &t->head->looks);
	for (i = 0; i < n && r == 0; i++)
		r = see_service(s, i);
	for (i = ow_srv_next(t, 1); i != 0 && r == 0;
	     i = ow_srv_next(t, i + 1))
		r = see_server(s, i);
	n = ow_observer_clients(&s->view);
	for (i = 0; i < n && r == 0; i++)
		r = see_client(s, i);
	if (r == 0)
		r = see_trans(s);
	if (r == 0)
		r = see_spaces(s);
	if (r == 0)
		r = see_links(s);
	if (r == 0)
		r = ow_routes_sample(&s->view.d, &s->now.routes,
				     &s->now.n_routes);
	return r == 0 && s->see_calls
		       ? ow_calls_sample(&s->view, &s->now.calls,
					 &s->now.n_calls)
		       : r;
}

void ow_sampler_see_calls(struct ow_sampler *s, bool see)
{
	s->see_calls = see;
}

/* Attach if a try is due. */
static void attach(struct ow_sampler *s)
{
	if (s->open && atomic_load(&s->view.d.tables->head->gone) != 0)
		let_go(s);
	if (s->open || s->now.now_ns < s->retry_ns)
		return;
	s->retry_ns = s->now.now_ns + RETRY_NS;
	if (ow_observer_open(&s->view, s->now.why, sizeof(s->now.why)) != 0)
		return;
	s->now.why[0] = '\0';
	ow_tables_protect(s->view.d.tables);
	s->open = true;
}

int ow_sampler_look(struct ow_sampler *s, bool switches,
		    const struct ow_sample **ret)
{
	uint32_t servers = (uint32_t)s->now.n_servers;
	int r = 0;

	s->now.n_services = s->now.n_servers = 0;
	s->now.n_offers = s->now.n_clients = s->now.n_links = 0;
	s->now.unconnected = 0;
	drop_shown(&s->now);
	free(s->now.calls);
	s->now.calls = NULL;
	s->now.n_calls = 0;
	free(s->now.routes);
	s->now.routes = NULL;
	s->now.n_routes = 0;
	s->now.now_ns = ow_clock_mono_ns();
	s->now.real_ns = ow_clock_real_ns();
	attach(s);
	s->now.domain = s->open;
	if (s->now.now_ns >= s->disk_ns) {
		ow_disk_logs(&s->now.logs);
		s->disk_ns = s->now.now_ns + DISK_NS;
	}
	ow_procs_begin(s->procs, servers, switches);
	if (s->open)
		r = see_all(s);
	*ret = &s->now;
	return r;
}
