/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits.c - nodes tell each other for what requests of other nodes wait
 */
#include "servers/bridge/waits/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libndrx/observe/calls.h"
#include "servers/bridge/in/listing.h"
#include "servers/bridge/peers/send.h"

#define PAUSE_NS  (50 * OW_NS_PER_MS)
#define PERIOD_NS OW_NS_PER_SEC
#define FORGOTTEN_NS (60 * OW_NS_PER_SEC) /* of a bridge that tells no more */
#define SHARE	  100u /* of the time that the thread may look: 1/SHARE */
#define NODE_MOST (2 * OW_WAITS_CALLS) /* that is shown of one node */

struct ow_br_waits {
	struct ow_br_peers *peers;
	struct ow_br_calls *calls;
	struct ow_br_inbound *in;
	pthread_t thread;
	bool runs;
	pthread_mutex_t lock; /* of `shown`; the last one that a thread takes */
	struct ow_waits_snapshot *shown;
	/* of the thread */
	uint32_t n, slot, gen;
	struct ow_br_listed list[OW_WAITS_CALLS];
	struct ow_waits_call told[OW_WAITS_CALLS];
};

/* ---- what was told ---- */

/* What a bridge has told before goes, and what is old. Of other bridges of its
 * node as much stays as there is room for `n` more: a node that invents bridges
 * takes the room of nobody else. */
static void forget(struct ow_waits_snapshot *s, uint32_t node, uint32_t bridge,
		   uint32_t n, uint64_t now)
{
	uint32_t i, kept = 0, of_node = n;

	for (i = 0; i < s->told_n; i++) {
		const struct ow_waits_told *t = &s->told[i];

		if (now - t->told_ns >= FORGOTTEN_NS ||
		    (t->node == node &&
		     (t->bridge == bridge || of_node++ >= NODE_MOST)))
			continue;
		s->told[kept++] = *t;
	}
	s->told_n = kept;
}

/* Where the next one goes: if all is full, the oldest makes way. */
static struct ow_waits_told *place(struct ow_waits_snapshot *s)
{
	uint32_t i, oldest = 0;

	if (s->told_n < OW_WAITS_SHOWN)
		return &s->told[s->told_n++];
	for (i = 1; i < s->told_n; i++)
		if (s->told[i].told_ns < s->told[oldest].told_ns)
			oldest = i;
	return &s->told[oldest];
}

/* What this bridge has told before goes, what it tells now comes. */
static void show(struct ow_br_waits *w, uint32_t node, uint32_t bridge,
		 const struct ow_waits_call *calls, uint32_t n)
{
	struct ow_waits_snapshot *s = w->shown;
	uint64_t now = ow_clock_mono_ns();
	uint32_t i;

	pthread_mutex_lock(&w->lock);
	ow_waits_begin(s);
	forget(s, node, bridge, n, now);
	for (i = 0; i < n; i++)
		*place(s) = (struct ow_waits_told){ node, bridge, now,
						    calls[i] };
	ow_waits_end(s);
	pthread_mutex_unlock(&w->lock);
}

/* Only the node that has a request of ours is asked about it: what another one
 * says of it, or of one that we have not sent, is dropped. How many stay. */
static uint32_t drop_lies(struct ow_br_waits *w, uint32_t node,
			  struct ow_waits_call *calls, uint32_t n)
{
	uint32_t has[OW_WAITS_CALLS] = { 0 }; /* the node; 0: not ours */
	uint32_t i, kept = 0;
	const struct ow_br_call *c;

	pthread_mutex_lock(&w->peers->lock);
	for (c = w->calls->calls; c != NULL; c = c->hh.next)
		for (i = 0; i < n; i++)
			if (memcmp(c->span_id, calls[i].id,
				   sizeof(c->span_id)) == 0)
				has[i] = c->peer->node;
	pthread_mutex_unlock(&w->peers->lock);
	for (i = 0; i < n; i++)
		if (has[i] == (calls[i].from == w->peers->opt.node ? node : 0))
			calls[kept++] = calls[i];
	return kept;
}

void ow_br_waits_take(struct ow_br_waits *w, const struct ow_br_peer *p,
		      const struct ow_br_frame *f, const char *payload)
{
	struct ow_waits_call *calls = malloc(f->len + 1);

	if (w == NULL || calls == NULL) {
		free(calls);
		return;
	}
	if (f->len > 0)
		memcpy(calls, payload, f->len);
	show(w, p->node, p->bridge, calls,
	     drop_lies(w, p->node, calls,
		       (uint32_t)(f->len / sizeof(*calls))));
	free(calls);
}

/* ---- who wants to know ---- */

bool ow_br_waits_wanted(struct ow_br_waits *w)
{
	const struct ow_br_call *oldest;
	bool wanted;

	if (w == NULL)
		return false;
	pthread_mutex_lock(&w->peers->lock);
	oldest = w->calls->calls; /* they are in the order in which they came */
	wanted = oldest != NULL &&
		 ow_clock_mono_ns() - oldest->begun_ns >=
		     OW_WAITS_OLD_MS * OW_NS_PER_MS;
	pthread_mutex_unlock(&w->peers->lock);
	return wanted;
}

/* The next one, from number *i on; NULL: no more. */
static struct ow_br_peer *next_that_wants(struct ow_br_peers *ps, uint32_t *i)
{
	struct ow_br_peer *p = NULL;

	pthread_mutex_lock(&ps->lock);
	while (*i < ps->npeers && p == NULL) {
		p = ps->peer[(*i)++];
		if (!p->up || !p->wants_waits)
			p = NULL;
	}
	pthread_mutex_unlock(&ps->lock);
	return p;
}

static void tell(struct ow_br_waits *w)
{
	struct ow_br_frame f = { .kind = OW_BR_WAITS };
	struct ow_br_peer *p;
	size_t room;
	uint32_t i = 0, n = w->n;

	pthread_mutex_lock(&w->peers->lock);
	room = (w->peers->limit - sizeof(struct ow_br_batch) - sizeof(f)) /
	       sizeof(w->told[0]);
	pthread_mutex_unlock(&w->peers->lock);
	if (n > room)
		n = (uint32_t)room;
	f.len = n * sizeof(w->told[0]);
	while ((p = next_that_wants(w->peers, &i)) != NULL)
		ow_br_say(w->peers, p, &f, w->told, false);
}

/* ---- a look ---- */

/* The requests of other nodes that are here: w->list. False: the thread that
 * knows them is busy, or the bridge ends. */
static bool ask(struct ow_br_waits *w, struct ow_br_listed *list,
		uint32_t *ret_n)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct ow_br_listing *l = ow_br_inbound_listing(w->in);
	int i;

	ow_br_listing_want(l);
	for (i = 0; i < 100 && !ow_br_listing_ready(l); i++) {
		if (w->peers->ended)
			return false;
		nanosleep(&pause, NULL);
	}
	if (!ow_br_listing_ready(l))
		return false;
	*ret_n = l->n;
	memcpy(list, l->list, l->n * sizeof(*list));
	w->slot = l->slot;
	w->gen = l->gen;
	return true;
}

static const struct ow_calls_row *find_row(const struct ow_br_waits *w,
					   const struct ow_calls *c,
					   uint64_t seq)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->row[i].caller.slot == w->slot &&
		    c->row[i].caller.gen == w->gen && c->row[i].seq == seq &&
		    !c->row[i].one_way)
			return &c->row[i];
	return NULL;
}

static void tell_one(const struct ow_br_waits *w, const struct ow_calls *c,
		     const struct ow_calls_chains *chains, uint32_t i,
		     struct ow_waits_call *ret)
{
	const struct ow_br_listed *p = &w->list[i];
	/* In a kernel queue it is not seen. */
	const struct ow_calls_row hidden = { .state = OW_CALLS_WAITS,
					     .svc = p->svc - 1 };
	const struct ow_calls_row *row = find_row(w, c, p->seq);

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->id, p->id, sizeof(ret->id));
	ret->from = p->node;
	if (row == NULL && !c->queues_seen && p->svc != 0)
		row = &hidden;
	if (row != NULL)
		ow_calls_tell(chains, row, ret);
	else
		strcpy(ret->why, "it is on its way");
}

static int look(struct ow_br_waits *w)
{
	struct ow_calls_chains *chains = NULL;
	struct ow_observer v;
	struct ow_calls c;
	char why[256];
	uint32_t i;
	int r = ow_observer_open(&v, why, sizeof(why));

	if (r != 0)
		return r;
	r = ow_calls_look(&v, &c);
	if (r == 0) {
		r = ow_calls_chains_here(&c, &chains);
		for (i = 0; r == 0 && i < w->n; i++)
			tell_one(w, &c, chains, i, &w->told[i]);
		ow_calls_chains_free(chains);
		ow_calls_free(&c);
	}
	ow_observer_close(&v);
	return r;
}

/* What has ended during the look was not seen as it is: it is not told. */
static void keep(struct ow_br_waits *w, const struct ow_br_listed *now,
		 uint32_t n)
{
	uint32_t i, j, kept = 0;

	for (i = 0; i < w->n; i++) {
		for (j = 0; j < n && now[j].seq != w->list[i].seq; j++)
			;
		if (j < n)
			w->told[kept++] = w->told[i];
	}
	w->n = kept;
}

static void look_and_tell(struct ow_br_waits *w)
{
	struct ow_br_listed now[OW_WAITS_CALLS];
	uint32_t n = 0;

	if (!ask(w, w->list, &w->n) || (w->n > 0 && look(w) != 0) ||
	    (w->n > 0 && !ask(w, now, &n)))
		return;
	keep(w, now, n);
	show(w, w->peers->opt.node, w->peers->id, w->told, w->n);
	tell(w);
}

/* ---- the thread ---- */

static void *run(void *arg)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct ow_br_waits *w = arg;
	uint64_t spent, next = 0;
	uint32_t i;

	while (!w->peers->ended) {
		nanosleep(&pause, NULL);
		i = 0;
		if (ow_clock_mono_ns() < next ||
		    next_that_wants(w->peers, &i) == NULL)
			continue;
		spent = ow_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		look_and_tell(w);
		spent = ow_clock_ns(CLOCK_THREAD_CPUTIME_ID) - spent;
		next = ow_clock_mono_ns() +
		       (SHARE * spent > PERIOD_NS ? SHARE * spent : PERIOD_NS);
	}
	return NULL;
}

int ow_br_waits_make(struct ow_br_peers *ps, struct ow_br_calls *calls,
		     struct ow_br_waits **ret)
{
	struct ow_br_waits *w = calloc(1, sizeof(*w));
	int r;

	if (w == NULL)
		return -ENOMEM;
	w->peers = ps;
	w->calls = calls;
	pthread_mutex_init(&w->lock, NULL);
	r = ow_waits_open(ps->dom, ps->id, &w->shown);
	if (r != 0) {
		free(w);
		return r;
	}
	ow_waits_begin(w->shown);
	w->shown->told_n = 0; /* what the last process has shown */
	ow_waits_end(w->shown);
	*ret = w;
	return 0;
}

int ow_br_waits_start(struct ow_br_waits *w, struct ow_br_inbound *in)
{
	int r;

	if (w == NULL)
		return 0;
	w->in = in;
	r = pthread_create(&w->thread, NULL, run, w);
	w->runs = r == 0;
	return -r;
}

void ow_br_waits_stop(struct ow_br_waits *w)
{
	if (w != NULL && w->runs)
		pthread_join(w->thread, NULL);
}

void ow_br_waits_free(struct ow_br_waits *w)
{
	if (w == NULL)
		return;
	ow_waits_close(w->shown);
	free(w);
}
