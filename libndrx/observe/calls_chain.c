/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_chain.c - why each request in flight is not finished
 *
 * A graph of two kinds of nodes. A request waits for a server: the one that has
 * it, or any of those that serve its queue. A server waits for requests if each
 * of its busy threads waits for a reply (wait_note.h).
 *
 * Deadlock is the greatest set in which nobody can go on: at first all servers
 * that wait are in it; one leaves it when a request for which it waits can
 * finish, that is if a server outside the set has it or may take it. What stays
 * can only end by a time-out. In doubt a server is outside: a thread that cannot
 * be told apart, a request that was not seen, another node. Contexts that wait
 * are in the set as well: a server may wait for a message of a conversation with
 * a client, which waits for something itself.
 */
#include "libndrx/observe/calls_chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/nodes.h"
#include "libatmi/domain/wait_note.h"

/* ---- servers ---- */

size_t ow_calls_find_server(const struct ow_calls_chains *w, uint32_t srvid)
{
	size_t low = 0, high = w->n_servers, at;

	while (low < high) {
		at = (low + high) / 2;
		if (w->servers[at].srvid < srvid)
			low = at + 1;
		else
			high = at;
	}
	return low < w->n_servers && w->servers[low].srvid == srvid
		       ? low
		       : OW_CALLS_NONE;
}

static void *grow(void *p, size_t n, size_t size)
{
	if ((n & (n - 1)) != 0)
		return p;
	return realloc(p, (n != 0 ? 2 * n : 1) * size);
}

static int add_seat(struct ow_calls_chains *w, uint32_t id)
{
	uint32_t tid = atomic_load(&w->c->view->d.tables->srv[id].tid);
	struct ow_calls_seat *p;

	if (tid == 0)
		return 0;
	p = grow(w->seats, w->n_seats, sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	w->seats = p;
	p[w->n_seats++] = (struct ow_calls_seat){ tid, id };
	return 0;
}

static int by_tid(const void *a, const void *b)
{
	const struct ow_calls_seat *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* The slot of the thread, if it serves and is busy; 0. */
static uint32_t seat_of(const struct ow_calls_chains *w, uint32_t tid)
{
	struct ow_calls_seat want = { .tid = tid }, *p = NULL;

	if (w->n_seats > 0 && tid != 0)
		p = bsearch(&want, w->seats, w->n_seats, sizeof(want), by_tid);
	return p != NULL ? p->slot : 0;
}

/* Slots of threads are at the end of the table: servers come first, by id. */
static int add_slot(struct ow_calls_chains *w, uint32_t id)
{
	const struct ow_observer *v = w->c->view;
	const struct ow_tables *t = v->d.tables;
	uint32_t srvid = ow_observer_srvid(v, id);
	size_t at = ow_calls_find_server(w, srvid);
	struct ow_calls_server *p;
	char bin[64];

	if (at == OW_CALLS_NONE) {
		if (srvid != id)
			return 0; /* a thread whose server has gone */
		p = grow(w->servers, w->n_servers, sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->servers = p;
		at = w->n_servers++;
		ow_observer_text(bin, t->srv[srvid].bin, sizeof(bin));
		w->servers[at] = (struct ow_calls_server){
			.srvid = srvid,
			.stopped = ow_proc_stopped(
			    atomic_load(&t->srv[srvid].pid)),
			.bridge = ow_nodes_is_bridge(bin),
		};
	}
	if (atomic_load(&t->srv[id].state) != OW_SRV_BUSY) {
		w->servers[at].idle++;
		return 0;
	}
	w->servers[at].busy++;
	return add_seat(w, id);
}

static int add_offers(struct ow_calls_chains *w, uint32_t id)
{
	const struct ow_observer *v = w->c->view;
	size_t at = ow_calls_find_server(w, ow_observer_srvid(v, id));
	uint32_t row, svc;
	struct ow_calls_offer *p;

	for (row = 0; at != OW_CALLS_NONE && row < ow_observer_rows(v, id); row++) {
		svc = ow_tables_row_svc(v->d.tables, id, row);
		if (svc == 0)
			continue;
		p = grow(w->offers, w->n_offers, sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->offers = p;
		p[w->n_offers++] = (struct ow_calls_offer){ svc - 1, (uint32_t)at };
	}
	return 0;
}

static int by_service(const void *a, const void *b)
{
	const struct ow_calls_offer *x = a, *y = b;

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
	if (w->n_seats > 0)
		qsort(w->seats, w->n_seats, sizeof(*w->seats), by_tid);
	return r;
}

/* The first offer of a service, or the end. */
size_t ow_calls_first_offer(const struct ow_calls_chains *w, uint32_t svc)
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

/* ---- contexts that wait ---- */

size_t ow_calls_find_waiter(const struct ow_calls_chains *w, uint32_t slot,
			    uint32_t gen)
{
	size_t low = 0, high = w->n_waiters, at;

	while (low < high) {
		at = (low + high) / 2;
		if (w->waiters[at].slot < slot)
			low = at + 1;
		else
			high = at;
	}
	return low < w->n_waiters && w->waiters[low].slot == slot &&
			       w->waiters[low].gen == gen
		       ? low
		       : OW_CALLS_NONE;
}

/* The requests of waiters, found in one pass over the rows. */
static void find_rows(struct ow_calls_chains *w)
{
	const struct ow_calls *c = w->c;
	size_t i, at;

	for (i = 0; i < c->n; i++) {
		if (c->row[i].caller.gen == 0 || c->row[i].one_way)
			continue;
		at = ow_calls_find_waiter(w, c->row[i].caller.slot,
					  c->row[i].caller.gen);
		if (at == OW_CALLS_NONE || w->waiters[at].peer_gen != 0)
			continue;
		if (w->waiters[at].seq == c->row[i].seq)
			w->waiters[at].row = i;
	}
}

/* What context `slot` waits for: false, it does not. */
static bool read_waiter(const struct ow_calls_chains *w, uint32_t slot,
			struct ow_calls_waiter *ret)
{
	const struct ow_clt *c = &w->c->view->d.tables->clt[slot];
	struct ow_wait_note n;

	if (!ow_wait_note_read(c, &n))
		return false;
	*ret = (struct ow_calls_waiter){
		.server = c->srvid != 0 ? ow_calls_find_server(w, c->srvid)
					: OW_CALLS_NONE,
		.seat = seat_of(w, n.tid), .slot = slot, .gen = n.gen,
		.seq = n.reply.seq, .row = OW_CALLS_NONE,
		.any = n.reply.any, .stuck = true,
	};
	if (n.for_message) {
		ret->peer_slot = n.message.slot;
		ret->peer_gen = n.message.gen;
		ret->since_ns = n.message.since_ns;
		ret->looked_ns = n.message.looked_ns;
	} else {
		ret->since_ns = n.reply.since_ns;
	}
	/* A server that has just left is none that waits. */
	return c->srvid == 0 || ret->server != OW_CALLS_NONE;
}

static int list_held(struct ow_calls_chains *w)
{
	struct ow_calls_waiter *a;
	size_t i, at;

	w->held = calloc(w->n_waiters + 1, sizeof(*w->held));
	if (w->held == NULL)
		return -ENOMEM;
	for (i = 0; i < w->n_waiters; i++) {
		a = &w->waiters[i];
		if (a->server != OW_CALLS_NONE) {
			a->matters = true;
			w->held[w->n_held++] = i;
		}
		if (a->peer_gen == 0)
			continue;
		at = ow_calls_find_waiter(w, a->peer_slot, a->peer_gen);
		if (at != OW_CALLS_NONE)
			w->waiters[at].matters = true;
	}
	return 0;
}

static int take_waiters(struct ow_calls_chains *w)
{
	const struct ow_observer *v = w->c->view;
	struct ow_calls_waiter found, *p;
	uint32_t i;

	for (i = 0; i < ow_observer_clients(v); i++) {
		if (!read_waiter(w, i, &found))
			continue;
		p = grow(w->waiters, w->n_waiters, sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->waiters = p;
		p[w->n_waiters++] = found;
		if (found.server != OW_CALLS_NONE && found.seat != 0)
			w->servers[found.server].wait++;
	}
	find_rows(w);
	return list_held(w);
}

/* ---- the set of those that cannot go on ---- */

uint32_t ow_calls_queue_of(const struct ow_calls_chains *w,
			 const struct ow_calls_row *row)
{
	int at = row->queue[0] != '\0'
			 ? ow_svc_find(w->c->view->d.tables, row->queue)
			 : (int)row->svc;

	return at < 0 ? OW_SVC_MAX : (uint32_t)at;
}

bool ow_calls_was_sent(const struct ow_calls_chains *w,
		       const struct ow_calls_row *row)
{
	size_t at;

	if ((row->state != OW_CALLS_SERVED &&
	     row->state != OW_CALLS_CONTINUED) ||
	    !row->known || row->srvid == 0)
		return false;
	at = ow_calls_find_server(w, row->srvid);
	return at != OW_CALLS_NONE && w->servers[at].bridge;
}

bool ow_calls_is_stuck(const struct ow_calls_chains *w,
		     const struct ow_calls_row *row)
{
	const struct ow_calls_told *told;
	uint32_t svc;
	size_t at;

	if (ow_calls_was_sent(w, row)) {
		told = ow_calls_nodes_find(&w->nodes,
					   (uint32_t)w->c->view->d.nodeid,
					   row->span_id);
		return told != NULL && told->stuck;
	}
	if (row->state == OW_CALLS_SERVED) {
		at = row->srvid != 0 ? ow_calls_find_server(w, row->srvid)
				     : OW_CALLS_NONE;
		return at != OW_CALLS_NONE && w->servers[at].stuck;
	}
	if (row->state != OW_CALLS_WAITS)
		return false;
	svc = ow_calls_queue_of(w, row);
	at = ow_calls_first_offer(w, svc);
	if (!ow_calls_is_offer(w, at, svc))
		return false; /* one may be started */
	for (; ow_calls_is_offer(w, at, svc); at++)
		if (!w->servers[w->offers[at].server].stuck)
			return false;
	return true;
}

/* Can what it waits for not come? */
static bool is_held(const struct ow_calls_chains *w,
		    const struct ow_calls_waiter *a)
{
	const struct ow_calls_waiter *p;
	size_t at;

	if (a->row != OW_CALLS_NONE)
		return !a->any && !ow_calls_is_accepted(&w->c->row[a->row]) &&
		       ow_calls_is_stuck(w, &w->c->row[a->row]);
	if (a->peer_gen == 0)
		return false;
	at = ow_calls_find_waiter(w, a->peer_slot, a->peer_gen);
	if (at == OW_CALLS_NONE)
		return false; /* it may send */
	p = &w->waiters[at];
	/* What it had sent before would have been seen. */
	return p->stuck && p->since_ns < a->looked_ns;
}

static void find_stuck(struct ow_calls_chains *w)
{
	struct ow_calls_waiter *a;
	bool changed = true;
	size_t i;

	for (i = 0; i < w->n_servers; i++)
		w->servers[i].stuck = ow_calls_server_waits(&w->servers[i]);
	while (changed) {
		changed = false;
		for (i = 0; i < w->n_waiters; i++) {
			a = &w->waiters[i];
			if (!a->matters || !a->stuck || is_held(w, a))
				continue;
			a->stuck = false;
			if (a->server != OW_CALLS_NONE && a->seat != 0)
				w->servers[a->server].stuck = false;
			changed = true;
		}
	}
}

int ow_calls_chains_here(const struct ow_calls *c, struct ow_calls_chains **ret)
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
	*ret = w;
	return 0;
}

int ow_calls_chains_new(const struct ow_calls *c, struct ow_calls_chains **ret)
{
	struct ow_calls_chains *w = NULL;
	int r = ow_calls_chains_here(c, &w);

	if (r == 0)
		r = ow_calls_nodes_read(c->view, &w->nodes);
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
	ow_calls_nodes_free(&w->nodes);
	free(w->servers);
	free(w->offers);
	free(w->seats);
	free(w->waiters);
	free(w->held);
	free(w);
	return NULL;
}
