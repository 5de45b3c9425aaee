/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_chain.c - why each request in flight is not finished
 *
 * A graph of two kinds of nodes. A request waits for a server: the one that has
 * it, or any of those that serve its queue. A server waits for requests if each
 * of its busy threads has a context that waits for a reply (ow_clt.wait_seq).
 *
 * Deadlock is the greatest set in which nobody can go on: at first all servers
 * that wait are in it; one leaves it when a request for which it waits can
 * finish, that is if a server outside the set has it or may take it. What stays
 * can only end by a time-out. In doubt a server is outside: a thread that cannot
 * be told apart, a request that was not seen, another node.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/observe/calls.h"

#define CHAIN_MAX 16 /* links that are told */
#define NONE	  SIZE_MAX

/* A server process. */
struct server {
	uint32_t srvid;
	uint32_t busy;	 /* threads that serve a request */
	uint32_t idle;	 /* threads that do not */
	uint32_t wait;	 /* contexts that wait for a reply */
	bool stuck;	 /* in the set */
	bool stopped;	 /* by a signal */
};

/* A service that a server offers. */
struct offer {
	uint32_t svc;
	uint32_t server; /* index */
};

/* A context of a server that waits. */
struct waiter {
	uint32_t server; /* index */
	uint32_t slot, gen;
	size_t row; /* the request whose reply it waits for; NONE: not seen */
};

struct ow_calls_chains {
	const struct ow_calls *c;
	struct server *servers; /* by id */
	struct offer *offers;	/* by service */
	struct waiter *waiters;
	size_t n_servers, n_offers, n_waiters;
};

/* ---- servers ---- */

static size_t find_server(const struct ow_calls_chains *w, uint32_t srvid)
{
	size_t low = 0, high = w->n_servers, at;

	while (low < high) {
		at = (low + high) / 2;
		if (w->servers[at].srvid < srvid)
			low = at + 1;
		else
			high = at;
	}
	return low < w->n_servers && w->servers[low].srvid == srvid ? low
								     : NONE;
}

static void *grow(void *p, size_t n, size_t size)
{
	if ((n & (n - 1)) != 0)
		return p;
	return realloc(p, (n != 0 ? 2 * n : 1) * size);
}

/* Slots of threads are at the end of the table: servers come first, by id. */
static int add_slot(struct ow_calls_chains *w, uint32_t id)
{
	const struct ow_observer *v = w->c->view;
	const struct ow_tables *t = v->d.tables;
	uint32_t srvid = ow_observer_srvid(v, id);
	size_t at = find_server(w, srvid);
	struct server *p;

	if (at == NONE) {
		if (srvid != id)
			return 0; /* a thread whose server has gone */
		p = grow(w->servers, w->n_servers, sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->servers = p;
		at = w->n_servers++;
		w->servers[at] = (struct server){
			.srvid = srvid,
			.stopped = ow_proc_stopped(
			    atomic_load(&t->srv[srvid].pid)),
		};
	}
	if (atomic_load(&t->srv[id].state) == OW_SRV_BUSY)
		w->servers[at].busy++;
	else
		w->servers[at].idle++;
	return 0;
}

static int add_offers(struct ow_calls_chains *w, uint32_t id)
{
	const struct ow_observer *v = w->c->view;
	size_t at = find_server(w, ow_observer_srvid(v, id));
	uint32_t row, svc;
	struct offer *p;

	for (row = 0; at != NONE && row < ow_observer_rows(v, id); row++) {
		svc = ow_tables_row_svc(v->d.tables, id, row);
		if (svc == 0)
			continue;
		p = grow(w->offers, w->n_offers, sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->offers = p;
		p[w->n_offers++] = (struct offer){ svc - 1, (uint32_t)at };
	}
	return 0;
}

static int by_service(const void *a, const void *b)
{
	const struct offer *x = a, *y = b;

	if (x->svc != y->svc)
		return x->svc < y->svc ? -1 : 1;
	return x->server < y->server ? -1 : x->server > y->server;
}

static int take_servers(struct ow_calls_chains *w)
{
	const struct ow_tables *t = w->c->view->d.tables;
	uint32_t id;
	int r = 0;

	for (id = ow_srv_next(t, 1); id != 0 && r == 0;
	     id = ow_srv_next(t, id + 1)) {
		if (!ow_srv_alive(t, id))
			continue;
		r = add_slot(w, id);
		if (r == 0)
			r = add_offers(w, id);
	}
	if (w->n_offers > 0)
		qsort(w->offers, w->n_offers, sizeof(*w->offers), by_service);
	return r;
}

/* The first offer of a service, or the end. */
static size_t first_offer(const struct ow_calls_chains *w, uint32_t svc)
{
	size_t low = 0, high = w->n_offers, at;

	while (low < high) {
		at = (low + high) / 2;
		if (w->offers[at].svc < svc)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

static bool is_offer(const struct ow_calls_chains *w, size_t at, uint32_t svc)
{
	return at < w->n_offers && w->offers[at].svc == svc;
}

/* ---- contexts that wait ---- */

/* The requests of waiters, found in one pass over the rows. */
static void find_rows(struct ow_calls_chains *w)
{
	const struct ow_calls *c = w->c;
	const struct ow_clt *clt;
	size_t i, j;

	for (i = 0; i < c->n; i++) {
		if (c->row[i].caller.srvid == 0 || c->row[i].one_way)
			continue;
		for (j = 0; j < w->n_waiters; j++) {
			clt = &c->view->d.tables->clt[w->waiters[j].slot];
			if (c->row[i].caller.slot == w->waiters[j].slot &&
			    c->row[i].caller.gen == w->waiters[j].gen &&
			    atomic_load(&clt->wait_seq) == c->row[i].seq)
				w->waiters[j].row = i;
		}
	}
}

static int take_waiters(struct ow_calls_chains *w)
{
	const struct ow_observer *v = w->c->view;
	const struct ow_clt *clt;
	struct waiter *p;
	uint32_t i;
	size_t at;

	for (i = 0; i < ow_observer_clients(v); i++) {
		clt = &v->d.tables->clt[i];
		if (!ow_observer_client(v, i) || clt->srvid == 0 ||
		    atomic_load(&clt->wait_seq) == 0)
			continue;
		at = find_server(w, clt->srvid);
		if (at == NONE)
			continue;
		p = grow(w->waiters, w->n_waiters, sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->waiters = p;
		p[w->n_waiters++] = (struct waiter){
			(uint32_t)at, i, atomic_load(&clt->gen), NONE };
		w->servers[at].wait++;
	}
	find_rows(w);
	return 0;
}

/* ---- the set of those that cannot go on ---- */

static uint32_t queue_of(const struct ow_calls_chains *w,
			 const struct ow_calls_row *row)
{
	int at = row->queue[0] != '\0'
			 ? ow_svc_find(w->c->view->d.tables, row->queue)
			 : (int)row->svc;

	return at < 0 ? OW_SVC_MAX : (uint32_t)at;
}

/* Can no server that is there finish it? */
static bool is_stuck(const struct ow_calls_chains *w,
		     const struct ow_calls_row *row)
{
	uint32_t svc;
	size_t at;

	if (row->state == OW_CALLS_SERVED) {
		at = row->srvid != 0 ? find_server(w, row->srvid) : NONE;
		return at != NONE && w->servers[at].stuck;
	}
	if (row->state != OW_CALLS_WAITS)
		return false;
	svc = queue_of(w, row);
	at = first_offer(w, svc);
	if (!is_offer(w, at, svc))
		return false; /* one may be started */
	for (; is_offer(w, at, svc); at++)
		if (!w->servers[w->offers[at].server].stuck)
			return false;
	return true;
}

static void find_stuck(struct ow_calls_chains *w)
{
	struct server *s;
	bool changed = true;
	size_t i;

	for (i = 0; i < w->n_servers; i++) {
		s = &w->servers[i];
		s->stuck = s->busy > 0 && s->idle == 0 && s->wait >= s->busy;
	}
	while (changed) {
		changed = false;
		for (i = 0; i < w->n_waiters; i++) {
			s = &w->servers[w->waiters[i].server];
			if (!s->stuck || (w->waiters[i].row != NONE &&
					  is_stuck(w, &w->c->row[w->waiters[i].row])))
				continue;
			s->stuck = false;
			changed = true;
		}
	}
}

int ow_calls_chains_new(const struct ow_calls *c, struct ow_calls_chains **ret)
{
	struct ow_calls_chains *w = calloc(1, sizeof(*w));
	int r = w != NULL ? 0 : -ENOMEM;

	if (r == 0) {
		w->c = c;
		r = take_servers(w);
	}
	if (r == 0)
		r = take_waiters(w);
	if (r != 0) {
		ow_calls_chains_free(w);
		return r;
	}
	find_stuck(w);
	*ret = w;
	return 0;
}

struct ow_calls_chains *ow_calls_chains_free(struct ow_calls_chains *w)
{
	if (w == NULL)
		return NULL;
	free(w->servers);
	free(w->offers);
	free(w->waiters);
	free(w);
	return NULL;
}

/* ---- in words ---- */

struct words {
	const struct ow_calls_chains *w;
	char *at;
	size_t left;
	uint32_t told[CHAIN_MAX]; /* servers of the chain */
	unsigned int n_told;
};

__attribute__((format(printf, 2, 3))) static void
say(struct words *k, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(k->at, k->left, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= k->left)
		n = k->left > 0 ? (int)k->left - 1 : 0;
	k->at += n;
	k->left -= (size_t)n;
}

/* The request for which server `at` waits; NONE. */
static size_t awaited(const struct ow_calls_chains *w, size_t at)
{
	size_t i;

	for (i = 0; i < w->n_waiters; i++)
		if (w->waiters[i].server == at && w->waiters[i].row != NONE)
			return w->waiters[i].row;
	return NONE;
}

static bool was_told(struct words *k, uint32_t srvid)
{
	unsigned int i;

	for (i = 0; i < k->n_told; i++)
		if (k->told[i] == srvid)
			return true;
	if (k->n_told < CHAIN_MAX)
		k->told[k->n_told++] = srvid;
	return false;
}

/* What server `at` waits for itself. *ret: the next request of the chain. */
static bool tell_server(struct words *k, size_t at, size_t *ret)
{
	const struct ow_calls_chains *w = k->w;
	const struct server *s = &w->servers[at];
	const struct ow_srv *slot = &w->c->view->d.tables->srv[s->srvid];
	char bin[64];

	ow_observer_text(bin, slot->bin, sizeof(bin));
	say(k, "server %u %s", s->srvid, bin);
	if (was_told(k, s->srvid)) {
		say(k, s->stuck ? " again: a deadlock" : " again");
		return false;
	}
	if (s->stopped) {
		say(k, ", which is stopped by a signal");
		return false;
	}
	*ret = awaited(w, at);
	if (*ret == NONE) {
		say(k, s->wait > 0 ? ", which waits for a reply"
		       : strcmp(bin, "ndrxbridge") == 0
			       ? ", which has sent it to another node"
			       : ", which works");
		return false;
	}
	say(k, ", which waits for %s: ", w->c->row[*ret].service);
	return k->n_told < CHAIN_MAX;
}

/* Of the servers of a queue: one that is stuck, if all are, else the first that
 * is busy. *ret_n: how many there are. NONE: there is none. */
static size_t one_of(const struct ow_calls_chains *w, uint32_t svc,
		     size_t *ret_n, bool *ret_idle)
{
	size_t at = first_offer(w, svc), one = NONE, last = NONE;

	*ret_n = 0;
	*ret_idle = false;
	for (; is_offer(w, at, svc); at++) {
		if (w->offers[at].server == last)
			continue; /* another thread of it */
		last = w->offers[at].server;
		(*ret_n)++;
		*ret_idle |= w->servers[last].busy == 0 &&
			     !w->servers[last].stopped;
		if (one == NONE || (w->servers[one].busy == 0 &&
				    w->servers[last].busy != 0))
			one = last;
	}
	return one;
}

static bool tell_queue(struct words *k, const struct ow_calls_row *row,
		       size_t *ret)
{
	const struct ow_calls_chains *w = k->w;
	uint32_t svc = queue_of(w, row);
	size_t n, at;
	bool idle;

	at = one_of(w, svc, &n, &idle);
	if (row->position != 0)
		say(k, "number %u in the queue, ", row->position);
	else
		say(k, "in the queue, ");
	if (at == NONE) {
		say(k, "no server of it runs");
		return false;
	}
	if (idle) {
		say(k, "a server is idle and will take it");
		return false;
	}
	if (n > 1)
		say(k, "none of its %zu servers is free: ", n);
	else
		say(k, w->servers[at].stopped ? "its server does not take it: "
					      : "its server is busy: ");
	return tell_server(k, at, ret);
}

static bool tell_row(struct words *k, const struct ow_calls_row *row,
		     size_t *ret)
{
	size_t at;

	switch (row->state) {
	case OW_CALLS_SERVED:
		at = find_server(k->w, row->srvid);
		if (at != NONE) {
			say(k, "with ");
			return tell_server(k, at, ret);
		}
		say(k, "process %d has it in hand", (int)row->server_pid);
		return false;
	case OW_CALLS_CONTINUED:
		say(k, "server %u %s answers it later", row->srvid,
		    row->server);
		return false;
	case OW_CALLS_ELSEWHERE:
		say(k, "it is with another node, or on its way");
		return false;
	case OW_CALLS_UNSEEN:
	case OW_CALLS_WAITS:
		return tell_queue(k, row, ret);
	}
	return false;
}

void ow_calls_why(const struct ow_calls_chains *w, size_t i, char *buf,
		  size_t size, bool *ret_deadlock)
{
	struct words k = { .w = w, .at = buf, .left = size };

	buf[0] = '\0';
	*ret_deadlock = is_stuck(w, &w->c->row[i]);
	while (tell_row(&k, &w->c->row[i], &i))
		;
}
