/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - the thread that has all ends of conversations of a bridge
 *
 * It hears what other bridges say, takes in what has come to its mailbox,
 * passes on what can be, and sleeps. It waits for no single conversation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/await.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/svcq.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/log/log.h"
#include "servers/bridge/conversation/begin.h"
#include "servers/bridge/conversation/end.h"
#include "servers/bridge/conversation/relay.h"
#include "servers/bridge/conversation/said.h"
#include "servers/bridge/conversation/thread.h"
#include "servers/bridge/peers/send.h"

/* No round number, as in converse/converse.c. */
#define LOOK_NS	 (43 * OW_NS_PER_MS)
#define LOOKS	 64 /* of programs, each of that time */
#define IDLE_NS	 (100 * OW_NS_PER_MS)
#define RETRY_NS OW_NS_PER_MS /* while something has found no room */

/* ---- what other bridges say ---- */

/* It was heard: its sender may send more. */
static void give_credit(struct ow_br_convs *t, const struct ow_br_said *s)
{
	struct ow_br_peer *p = s->from.peer;

	if (s->cost == 0)
		return;
	if (t->settling != NULL && t->settling != p)
		ow_br_credit(t->peers, t->settling);
	t->settling = p;
	pthread_mutex_lock(&t->peers->lock);
	if (ow_br_is_wanted(&s->from))
		p->lane[s->lane].taken += s->cost;
	pthread_mutex_unlock(&t->peers->lock);
}

static void settle_credit(struct ow_br_convs *t)
{
	if (t->settling != NULL)
		ow_br_credit(t->peers, t->settling);
	t->settling = NULL;
}

static struct ow_br_conv *find(struct ow_br_convs *t,
			       const struct ow_br_said *s)
{
	struct ow_br_conv_key key;
	struct ow_br_conv *k = NULL;

	memset(&key, 0, sizeof(key));
	key.peer = s->from.peer;
	key.id = s->from.id;
	key.own = s->frame.flags & OW_BR_CONV_BACK ? 1 : 0;
	HASH_FIND(hh, t->table, &key, sizeof(key), k);
	return k != NULL && k->link.epoch == s->from.epoch ? k : NULL;
}

/* A CONNECT waits: behind those that do. */
static void put_off(struct ow_br_convs *t, struct ow_br_said *s)
{
	struct ow_br_said **at = &t->pending;

	while (*at != NULL)
		at = &(*at)->next;
	s->next = NULL;
	*at = s;
}

/* True: `s` is kept. */
static bool hear(struct ow_br_convs *t, struct ow_br_said *s)
{
	struct ow_br_conv *k;

	if (s->frame.kind == OW_BR_CONNECT) {
		if (ow_br_conv_connect(t, s) == 0)
			return false;
		put_off(t, s);
		return true;
	}
	give_credit(t, s);
	if (s->call != NULL) {
		ow_br_conv_open(t, s);
		return false;
	}
	k = find(t, s);
	if (k != NULL)
		return ow_br_conv_hear(t, k, s);
	ow_br_conv_refuse(t, s);
	t->flush = true;
	return false;
}

/* All links are looked at if one was lost. */
static void end_lost(struct ow_br_convs *t)
{
	struct ow_br_conv *k, *next;

	pthread_mutex_lock(&t->peers->lock);
	HASH_ITER(hh, t->table, k, next)
	{
		if (!ow_br_is_wanted(&k->link) &&
		    k->over == OW_BR_CONV_GOES_ON)
			k->over = OW_BR_CONV_LOST;
	}
	pthread_mutex_unlock(&t->peers->lock);
}

static bool take_arrived(struct ow_br_convs *t)
{
	struct ow_br_said *arrived, *s;
	bool check, some;

	pthread_mutex_lock(&t->lock);
	arrived = t->arrived;
	t->arrived = NULL;
	t->last = &t->arrived;
	check = t->check;
	t->check = false;
	pthread_mutex_unlock(&t->lock);
	some = arrived != NULL;
	while ((s = arrived) != NULL) {
		arrived = s->next;
		s->next = NULL;
		if (s->frame.kind == OW_BR_CONNECT)
			t->flush = true;
		if (!hear(t, s)) {
			if (s->frame.kind == OW_BR_CONNECT)
				give_credit(t, s);
			ow_br_said_free(s);
		}
	}
	settle_credit(t);
	if (check)
		end_lost(t);
	return some;
}

/* ---- CONNECTs that wait ---- */

/* Is it too late for it, or its link lost? */
static bool is_vain(struct ow_br_convs *t, const struct ow_br_said *s,
		    uint64_t now)
{
	bool wanted;

	pthread_mutex_lock(&t->peers->lock);
	wanted = ow_br_is_wanted(&s->from);
	pthread_mutex_unlock(&t->peers->lock);
	return !wanted || ow_deadline_passed(s->from.deadline, now);
}

/* Try the first one of each service, and those behind it while they go. */
static void take_pending(struct ow_br_convs *t, uint64_t now)
{
	struct ow_br_said **at = &t->pending, *s;
	char full[OW_BR_NAME] = "";

	if (t->pending == NULL || now < t->retry_ns)
		return;
	t->retry_ns = now + RETRY_NS;
	while ((s = *at) != NULL) {
		if (!is_vain(t, s, now) &&
		    (strcmp(full, s->frame.svc) == 0 ||
		     ow_br_conv_connect(t, s) != 0)) {
			memcpy(full, s->frame.svc, sizeof(full));
			at = &s->next;
			continue;
		}
		*at = s->next;
		give_credit(t, s);
		ow_br_said_free(s);
		t->flush = true;
	}
	settle_credit(t);
}

/* ---- all conversations ---- */

/* Each in turn is the first. */
static void step_all(struct ow_br_convs *t)
{
	struct ow_convs *ts = t->c->convs;
	int i, n = ts != NULL ? ts->n : 0;

	t->hungry = -1;
	t->held = false;
	if (n == 0 || ts->open == 0)
		return;
	t->turn = (t->turn + 1) % n;
	for (i = 0; i < n; i++)
		if (t->at[(t->turn + i) % n] != NULL)
			ow_br_conv_step(t, t->at[(t->turn + i) % n]);
}

/* Do the programs live that are the other ends? Some of them, each time. */
static void look(struct ow_br_convs *t, uint64_t now)
{
	struct ow_convs *ts = t->c->convs;
	int i, n = ts != NULL ? ts->n : 0, left = LOOKS;
	struct ow_conv *e;
	bool calling = false;

	if (n == 0 || ts->open == 0 || now < t->look_ns)
		return;
	t->look_ns = now + LOOK_NS;
	for (i = 0; i < n && left > 0; i++) {
		t->looked = (t->looked + 1) % n;
		if (t->at[t->looked] == NULL)
			continue;
		e = t->at[t->looked]->end;
		calling |= e->state == OW_CONV_CALLING;
		left--;
		if (e->state != OW_CONV_OPEN || ow_conv_lives(ts, e))
			continue;
		/* What it has sent comes first. */
		ow_await_take_in(t->c);
		ow_conv_over(e, e->began ? TPEV_SVCERR : TPEV_DISCONIMM);
	}
	if (calling)
		ow_svcq_nudge(t->c); /* a wake-up may be lost; await.c */
}

/* Sleep until something comes. False: the bridge ends. */
static bool rest(struct ow_br_convs *t, uint64_t now)
{
	bool waits = t->held || t->hungry >= 0 || t->pending != NULL;
	bool some = t->c->convs != NULL && t->c->convs->open > 0, direct;
	uint64_t until = now + (waits ? RETRY_NS : some ? LOOK_NS : IDLE_NS);
	struct ow_queue *full = NULL;
	bool sleeps;

	if (t->hungry >= 0 && t->at[t->hungry] != NULL)
		full = t->at[t->hungry]->end->queue;
	if (t->peers->ended)
		return false;
	pthread_mutex_lock(&t->lock);
	sleeps = t->asleep = t->arrived == NULL && !t->check;
	t->busy = HASH_COUNT(t->table) > 0 || t->pending != NULL;
	pthread_mutex_unlock(&t->lock);
	if (!sleeps)
		return true;
	if (full != NULL)
		ow_queue_wait_either(full, t->c->replyq, until);
	else
		ow_await_message(t->c, until, NULL, &direct);
	pthread_mutex_lock(&t->lock);
	t->asleep = false;
	pthread_mutex_unlock(&t->lock);
	return true;
}

/* ---- begin, end ---- */

static bool begin(struct ow_br_convs *t)
{
	struct ow_br_wakeup wakeup = { .queue = NULL };
	struct ow_br_said *arrived = NULL;
	bool ok = ow_br_wakeup_make(&wakeup, &t->c) == 0;

	if (!ok)
		log_error("conversations with other nodes: %s", ow_tp_detail());
	pthread_mutex_lock(&t->lock);
	t->ready = ok;
	if (ok) {
		ow_br_wakeup_close(&t->wakeup);
		t->wakeup = wakeup;
	} else {
		t->started = false;
		arrived = t->arrived;
		t->arrived = NULL;
		t->last = &t->arrived;
	}
	pthread_mutex_unlock(&t->lock);
	ow_br_convs_refuse_all(t, arrived);
	if (arrived != NULL)
		ow_br_flush(t->peers);
	return ok;
}

/* The bridge ends: so does each conversation. */
static void end_all(struct ow_br_convs *t)
{
	struct ow_br_conv *k, *next;

	HASH_ITER(hh, t->table, k, next)
	{
		k->over = OW_BR_CONV_LOST;
		ow_br_conv_close(t, k);
	}
}

void *ow_br_convs_run(void *convs)
{
	struct ow_br_convs *t = convs;
	uint64_t now;

	if (!begin(t)) {
		ow_ctx_leave();
		return NULL;
	}
	do {
		t->flush = false;
		take_arrived(t);
		ow_await_take_in(t->c);
		now = ow_clock_mono_ns();
		take_pending(t, now);
		look(t, now);
		step_all(t);
		if (t->flush)
			ow_br_flush(t->peers);
	} while (rest(t, now));
	end_all(t);
	ow_ctx_leave();
	return NULL;
}
