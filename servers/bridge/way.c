/* SPDX-License-Identifier: Apache-2.0 */
/*
 * way.c - the connection to NATS of a bridge, and the one that takes its place
 *
 * Both ways hear the same subjects. How the session goes from one to the other:
 *
 *   1 The second way is connected, and its subscriptions are at the server.
 *     What it hears is held.
 *   2 Requests and replies are not sent any more. A PING goes to each bridge on
 *     the first way. Behind it nothing of ours is under way there.
 *   3 The answer comes on both ways. When it was heard on the second one, all
 *     that this bridge says later comes there, too; when it was heard on the
 *     first one, all that it said before has been taken.
 *   4 All have answered: what was held is taken. What has come twice has a
 *     number that was seen. From now on the second way sends.
 *
 * If a bridge does not answer in time, the first way stays and the second one
 * is closed. `hearing` makes one sequence of what the library's threads bring.
 */
#include "servers/bridge/way.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "servers/bridge/bridge.h"
#include "libatmi/base/clock.h"

#define PATIENCE_NS (1500 * OW_NS_PER_MS) /* half of the beats of silence */
#define AGAIN_NS    (50 * OW_NS_PER_MS)   /* a PING was lost: the next one */

/* A message that came too early. */
struct held {
	struct held *next;
	char *subject;
	size_t len;
	char data[];
};

struct way {
	struct ow_br_ways *both;
	struct ow_nats *nats;
	bool lost; /* since it was made */
	struct held *first, **last;
};

struct ow_br_ways {
	struct ow_bridge *b;
	pthread_mutex_t hearing;
	pthread_rwlock_t sending; /* readers send; guards `now` */
	struct way way[2];
	int now; /* the way that counts; under `hearing`, too */
	char mine[128], all[128], undelivered[128];
	const char *subjects[4];
};

static bool counts(const struct way *y)
{
	return y == &y->both->way[y->both->now];
}

/* ---- what is heard ---- */

/* Which PING has its sender answered at the second way? */
static void note_answers(struct ow_bridge *b, const char *subject,
			 const void *data, size_t len)
{
	struct ow_br_batch h;
	struct ow_br_frame f;
	struct ow_br_peer *p;
	size_t at = 0;

	if (ow_br_batch_check(data, len, &h) != 0 ||
	    h.lane != OW_BR_CONTROL || h.node == b->opt.node ||
	    h.node != ow_br_node_of(b, subject))
		return;
	pthread_mutex_lock(&b->lock);
	p = ow_br_peer_need(b, h.node, h.bridge);
	while (p != NULL && ow_br_frame_next(data, len, &at, &f) != NULL)
		if (f.kind == OW_BR_PONG && f.total > p->answered_there_ns)
			p->answered_there_ns = f.total;
	pthread_mutex_unlock(&b->lock);
}

/* Without memory a message is missing, and its number shows it. */
static void hold(struct way *y, const char *subject, const void *data,
		 size_t len)
{
	struct held *h = malloc(sizeof(*h) + len + strlen(subject) + 1);

	if (h == NULL)
		return;
	h->next = NULL;
	h->len = len;
	memcpy(h->data, data, len);
	h->subject = h->data + len;
	strcpy(h->subject, subject);
	if (y->first == NULL)
		y->last = &y->first;
	*y->last = h;
	y->last = &h->next;
}

static void release(struct way *y, bool take)
{
	struct held *h;

	while ((h = y->first) != NULL) {
		y->first = h->next;
		if (take)
			ow_br_message(y->both->b, h->subject, h->data, h->len);
		free(h);
	}
}

static void on_message(void *arg, const char *subject, const void *data,
		       size_t len)
{
	struct way *y = arg;
	struct ow_br_ways *w = y->both;

	pthread_mutex_lock(&w->hearing);
	if (counts(y)) {
		ow_br_message(w->b, subject, data, len);
	} else {
		note_answers(w->b, subject, data, len);
		hold(y, subject, data, len);
	}
	pthread_mutex_unlock(&w->hearing);
}

static void on_undelivered(void *arg, const char *subject)
{
	const struct way *y = arg;

	ow_br_undelivered(y->both->b, subject);
}

static void on_change(struct way *y, void (*happens)(void *))
{
	pthread_mutex_lock(&y->both->hearing);
	if (counts(y))
		happens(y->both->b);
	else
		y->lost = true;
	pthread_mutex_unlock(&y->both->hearing);
}

static void on_up(void *arg)
{
	on_change(arg, ow_br_up);
}

static void on_down(void *arg)
{
	on_change(arg, ow_br_down);
}

/* ---- what is sent ---- */

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	struct ow_br_ways *w = arg;
	int r;

	pthread_rwlock_rdlock(&w->sending);
	r = ow_nats_send(w->way[w->now].nats, subject, reply, data, len);
	pthread_rwlock_unlock(&w->sending);
	return r;
}

/* For ow_br_room_look(), which is called under `hearing`. */
static size_t largest(void *arg)
{
	struct ow_br_ways *w = arg;

	return ow_nats_largest(w->way[w->now].nats);
}

/* ---- from one way to the other ---- */

/* Has every bridge answered a PING that was sent after `since`, on both ways?
 * Those that have not are in *ret_node. */
static bool have_answered(struct ow_bridge *b, uint64_t since,
			  uint32_t *ret_node)
{
	const struct ow_br_peer *p;
	uint32_t i;
	bool all = true;

	pthread_mutex_lock(&b->lock);
	for (i = 0; i < b->npeers && all; i++) {
		p = b->peer[i];
		all = !p->up || (p->answered_ns >= since &&
				 p->answered_there_ns >= since);
		if (!all)
			*ret_node = p->node;
	}
	pthread_mutex_unlock(&b->lock);
	return all;
}

/* Ask those that have not. */
static void ask(struct ow_bridge *b, uint64_t since)
{
	struct ow_br_frame ping = { .kind = OW_BR_PING };
	struct ow_br_peer *p;
	uint32_t i, n;
	bool due;

	pthread_mutex_lock(&b->lock);
	n = b->npeers;
	pthread_mutex_unlock(&b->lock);
	for (i = 0; i < n; i++) {
		pthread_mutex_lock(&b->lock);
		p = b->peer[i];
		due = p->up && (p->answered_ns < since ||
				p->answered_there_ns < since);
		pthread_mutex_unlock(&b->lock);
		ping.total = ow_clock_mono_ns();
		if (due)
			ow_br_say(b, p, &ping, NULL, true);
	}
}

static bool is_connected(struct ow_bridge *b)
{
	bool is;

	pthread_mutex_lock(&b->lock);
	is = b->connected;
	pthread_mutex_unlock(&b->lock);
	return is;
}

/* Until all have answered: 0; -1 with the reason. */
static int wait_for_answers(struct ow_bridge *b, char *why, size_t size)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t since = ow_clock_mono_ns(), now = since, asked = 0;
	uint32_t node = 0;

	while (!have_answered(b, since, &node)) {
		if (now - since > PATIENCE_NS) {
			snprintf(why, size, "node %u does not answer", node);
			return -1;
		}
		if (now - asked >= AGAIN_NS) {
			asked = now;
			ask(b, since);
		}
		nanosleep(&moment, NULL);
		now = ow_clock_mono_ns();
	}
	return 0;
}

/* The other way counts from now on: what it has heard is taken. If the first
 * one has no connection, a session begins. -1: the other way was lost. */
static int go_over(struct ow_br_ways *w)
{
	struct way *y = &w->way[1 - w->now];
	struct ow_bridge *b = w->b;
	bool connected;
	int r = -1;

	pthread_mutex_lock(&w->hearing);
	if (!y->lost) {
		connected = is_connected(b); /* changes under `hearing` */
		release(y, connected);
		pthread_rwlock_wrlock(&w->sending);
		w->now = 1 - w->now;
		pthread_rwlock_unlock(&w->sending);
		if (!connected)
			ow_br_up(b);
		pthread_mutex_lock(&b->lock);
		ow_br_room_look(b);
		pthread_mutex_unlock(&b->lock);
		r = 0;
	}
	pthread_mutex_unlock(&w->hearing);
	return r;
}

static int change(struct ow_br_ways *w, char *why, size_t size)
{
	struct ow_bridge *b = w->b;
	int r;

	ow_br_pause(b);
	r = wait_for_answers(b, why, size);
	if (r == 0)
		r = go_over(w);
	ow_br_resume(b);
	if (r != 0 && why[0] == '\0')
		snprintf(why, size, "the new connection was lost");
	return r;
}

static struct ow_nats_events events_of(struct way *y)
{
	return (struct ow_nats_events){ y, on_message, on_undelivered, on_up,
					on_down };
}

int ow_br_ways_change(struct ow_br_ways *w, const struct ow_nats_options *o,
		      char *why, size_t size)
{
	struct way *old = &w->way[w->now], *y = &w->way[1 - w->now];
	const struct ow_nats_events ev = events_of(y);
	struct ow_nats *n = old->nats;
	int r;

	y->lost = false;
	why[0] = '\0';
	r = ow_nats_follow(o, &ev, w->subjects, &n, why, size);
	if (r == 0) {
		y->nats = n;
		r = change(w, why, size);
		if (r == 0)
			ow_nats_retire(old->nats, y->nats);
		else
			ow_nats_retire(y->nats, old->nats);
	}
	pthread_mutex_lock(&w->hearing);
	release(&w->way[1 - w->now], false);
	pthread_mutex_unlock(&w->hearing);
	return r;
}

/* ---- the first one, and the end ---- */

int ow_br_ways_open(struct ow_bridge *b, struct ow_br_ways **ret, char *why,
		    size_t size)
{
	struct ow_br_ways *w = calloc(1, sizeof(*w));
	struct ow_nats_events ev;

	if (w == NULL) {
		snprintf(why, size, "no memory");
		return -1;
	}
	w->b = b;
	w->way[0].both = w->way[1].both = w;
	pthread_mutex_init(&w->hearing, NULL);
	pthread_rwlock_init(&w->sending, NULL);
	snprintf(w->mine, sizeof(w->mine), "%s.*.%u.%u", b->opt.root,
		 b->opt.node, b->id);
	snprintf(w->all, sizeof(w->all), "%s.*.all", b->opt.root);
	snprintf(w->undelivered, sizeof(w->undelivered), "%s.%u.%u.%u.nr.>",
		 b->opt.root, b->opt.node, b->opt.node, b->id);
	w->subjects[0] = w->mine;
	w->subjects[1] = w->all;
	w->subjects[2] = w->undelivered;
	b->carrier = (struct ow_br_carrier){ w, carry, largest };
	ev = events_of(&w->way[0]);
	*ret = w;
	if (ow_nats_open(&b->opt.nats, &ev, w->subjects, &w->way[0].nats, why,
			 size) == 0)
		return 0;
	*ret = NULL;
	free(w);
	return -1;
}

void ow_br_ways_close(struct ow_br_ways *w)
{
	if (w == NULL)
		return;
	ow_nats_close(w->way[w->now].nats);
	release(&w->way[0], false);
	release(&w->way[1], false);
	free(w);
}
