/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_said.c - why a request in flight is not finished, in words
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/observe/calls_chain.h"

#define CHAIN_MAX 16 /* links that are told */

struct words {
	const struct ow_calls_chains *w;
	char *at;
	size_t left;
	uint32_t told[CHAIN_MAX]; /* servers of the chain */
	unsigned int n_told;
	const struct ow_calls_row *sent; /* where it ends at a bridge; NULL */
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

/* Does server `at` wait? `seat`: the slot of the thread that matters; 0: any, if
 * all wait. The index of what it does; OW_CALLS_NONE: no. */
static size_t wait_of(const struct ow_calls_chains *w, size_t at, uint32_t seat)
{
	const struct ow_calls_waiter *a;
	size_t i, found = OW_CALLS_NONE;

	if (seat == 0 && !ow_calls_server_waits(&w->servers[at]))
		return OW_CALLS_NONE;
	for (i = 0; i < w->n_held; i++) {
		a = &w->waiters[w->held[i]];
		if (a->server != at || a->seat == 0 ||
		    (seat != 0 && a->seat != seat))
			continue;
		found = w->held[i];
		if (a->row != OW_CALLS_NONE)
			break;
	}
	return found;
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

/* The context with which one converses that waits. False: the chain ends. */
static bool tell_peer(struct words *k, const struct ow_calls_waiter *a)
{
	const struct ow_tables *t = k->w->c->view->d.tables;
	const struct ow_clt *c = &t->clt[a->peer_slot];
	char id[sizeof(c->cltid)], *program = id, *rest;
	int32_t pid;

	say(k, ", which waits for a message of its conversation with ");
	if (!ow_clt_lives(t, a->peer_slot, a->peer_gen)) {
		say(k, "a program that has left");
		return false;
	}
	ow_observer_text(id, c->cltid, sizeof(id));
	rest = id; /* clt,PROGRAM,... */
	(void)strsep(&rest, ",");
	program = rest != NULL ? strsep(&rest, ",") : id;
	pid = ow_proc_id_pid(atomic_load(&c->owner));
	if (c->srvid != 0)
		say(k, "server %u %s", c->srvid, program);
	else
		say(k, "%s %d", program, (int)pid);
	if (!ow_proc_stopped(pid))
		return true;
	say(k, ", which is stopped by a signal");
	return false;
}

/* What `at` waits for. *ret: the next request of the chain, if there is one. */
static bool tell_wait(struct words *k, size_t at, size_t *ret)
{
	const struct ow_calls_chains *w = k->w;
	const struct ow_calls_waiter *a;
	unsigned int n;

	for (n = 0; n < CHAIN_MAX; n++) {
		a = &w->waiters[at];
		*ret = a->row;
		if (*ret != OW_CALLS_NONE) {
			say(k, ", which waits for %s: ",
			    w->c->row[*ret].service);
			return k->n_told < CHAIN_MAX;
		}
		if (a->peer_gen == 0) {
			say(k, ", which waits for a reply");
			return false;
		}
		if (!tell_peer(k, a))
			return false;
		at = ow_calls_find_waiter(w, a->peer_slot, a->peer_gen);
		if (at == OW_CALLS_NONE) {
			say(k, ", which sends none");
			return false;
		}
		if (w->waiters[at].peer_slot == a->slot &&
		    w->waiters[at].peer_gen == a->gen) {
			say(k, w->waiters[at].stuck && a->stuck
				   ? ", which waits for one, too: a deadlock"
				   : ", which waits for one, too");
			return false;
		}
	}
	return false;
}

/* What server `at` waits for itself, in its thread `seat` (0: in all). *ret: the
 * next request of the chain. */
static bool tell_server(struct words *k, size_t at, uint32_t seat, size_t *ret)
{
	const struct ow_calls_chains *w = k->w;
	const struct ow_calls_server *s = &w->servers[at];
	const struct ow_srv *slot = &w->c->view->d.tables->srv[s->srvid];
	char bin[64];
	size_t wait;

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
	wait = wait_of(w, at, seat);
	if (wait == OW_CALLS_NONE) {
		say(k, s->bridge ? ", which has sent it to another node"
				 : ", which works");
		return false;
	}
	return tell_wait(k, wait, ret);
}

/* Of the servers of a queue: one that is stuck, if all are, else the first that
 * is busy. *ret_n: how many there are. OW_CALLS_NONE: there is none. */
static size_t one_of(const struct ow_calls_chains *w, uint32_t svc,
		     size_t *ret_n, bool *ret_idle)
{
	size_t at = ow_calls_first_offer(w, svc);
	size_t one = OW_CALLS_NONE, last = OW_CALLS_NONE;

	*ret_n = 0;
	*ret_idle = false;
	for (; ow_calls_is_offer(w, at, svc); at++) {
		if (w->offers[at].server == last)
			continue; /* another thread of it */
		last = w->offers[at].server;
		(*ret_n)++;
		*ret_idle |= w->servers[last].busy == 0 &&
			     !w->servers[last].stopped;
		if (one == OW_CALLS_NONE || (w->servers[one].busy == 0 &&
					     w->servers[last].busy != 0))
			one = last;
	}
	return one;
}

static bool tell_queue(struct words *k, const struct ow_calls_row *row,
		       size_t *ret)
{
	const struct ow_calls_chains *w = k->w;
	uint32_t svc = ow_calls_queue_of(w, row);
	size_t n, at;
	bool idle;

	at = one_of(w, svc, &n, &idle);
	if (row->position != 0)
		say(k, "number %u in the queue, ", row->position);
	else
		say(k, "in the queue, ");
	if (at == OW_CALLS_NONE) {
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
	return tell_server(k, at, 0, ret);
}

static bool tell_row(struct words *k, const struct ow_calls_row *row,
		     size_t *ret)
{
	size_t at;

	if (ow_calls_was_sent(k->w, row)) {
		k->sent = row;
		say(k, "with server %u %s, which has sent it to another node",
		    row->srvid, row->server);
		return false;
	}
	switch (row->state) {
	case OW_CALLS_SERVED:
		at = ow_calls_find_server(k->w, row->srvid);
		if (at != OW_CALLS_NONE) {
			say(k, "with ");
			return tell_server(k, at, row->slot, ret);
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

/* The chain within this domain. */
static void tell_chain(struct words *k, const struct ow_calls_row *row)
{
	size_t i = OW_CALLS_NONE;

	while (tell_row(k, row, &i))
		row = &k->w->c->row[i];
}

/* ---- over nodes ---- */

static bool has_id(const uint8_t id[8])
{
	static const uint8_t none[8];

	return memcmp(id, none, sizeof(none)) != 0;
}

/* From the request `id` on, which a bridge here has sent to another node. */
static void tell_nodes(struct words *k, const uint8_t *id)
{
	const struct ow_calls_told *seen[CHAIN_MAX], *p;
	uint32_t from = (uint32_t)k->w->c->view->d.nodeid;
	unsigned int n, i;

	for (n = 0; n < CHAIN_MAX && has_id(id); n++) {
		p = ow_calls_nodes_find(&k->w->nodes, from, id);
		if (p == NULL)
			return; /* that node has told nothing */
		for (i = 0; i < n; i++) {
			if (seen[i] != p)
				continue;
			say(k, "; again that at node %u%s", p->t.node,
			    p->stuck ? ": a deadlock" : "");
			return;
		}
		seen[n] = p;
		say(k, "; node %u", p->t.node);
		if (p->age_ns > OW_WAITS_BELIEVED_MS * OW_NS_PER_MS)
			say(k, ", told %" PRIu64 " s ago",
			    p->age_ns / OW_NS_PER_SEC);
		say(k, ": %s", p->t.call.why);
		id = p->t.call.next;
		from = p->t.node;
	}
}

/* Of a request whose deadline has passed: what that means for it. */
static void tell_time(struct words *k, const struct ow_calls_row *row)
{
	int64_t left = ow_calls_left_us(k->w->c, row);

	if (left == OW_CALLS_NO_DEADLINE || left > 0)
		return;
	if (row->state == OW_CALLS_WAITS || row->state == OW_CALLS_UNSEEN)
		say(k, "its time is over, and it is dropped when a server "
		    "comes to it: ");
	else if (row->one_way)
		say(k, "its time is over: ");
	else
		say(k, "its time is over, and its caller waits no more: ");
}

void ow_calls_why(const struct ow_calls_chains *w, size_t i, char *buf,
		  size_t size, bool *ret_deadlock)
{
	struct words k = { .w = w, .at = buf, .left = size };

	buf[0] = '\0';
	*ret_deadlock = ow_calls_is_stuck(w, &w->c->row[i]);
	tell_time(&k, &w->c->row[i]);
	tell_chain(&k, &w->c->row[i]);
	if (k.sent != NULL)
		tell_nodes(&k, k.sent->span_id);
}

void ow_calls_tell(const struct ow_calls_chains *w,
		   const struct ow_calls_row *row, struct ow_waits_call *ret)
{
	struct words k = { .w = w, .at = ret->why, .left = sizeof(ret->why) };

	memset(ret->why, 0, sizeof(ret->why));
	tell_chain(&k, row);
	if (k.sent != NULL)
		memcpy(ret->next, k.sent->span_id, sizeof(ret->next));
	ow_calls_reach(w, row, ret);
}
