/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover.c - the connection to NATS, and the one that takes its place
 *
 * Both connections hear the same subjects. How the session goes from one to the
 * other:
 *
 *   1 The second one is connected, and its subscriptions are at the server. What
 *     it hears is held.
 *   2 Requests and replies are not sent any more. A PING goes to each bridge on
 *     the first connection. Behind it nothing of ours is under way there.
 *   3 The answer comes on both. When it was heard on the second one, all
 *     that this bridge says later comes there, too; when it was heard on the
 *     first one, all that it said before has been taken.
 *   4 All have answered: what was held is taken. What has come twice has a
 *     number that was seen. From now on the second connection sends.
 *
 * If a bridge does not answer in time, the first connection stays and the second
 * one is closed. `hearing` makes one sequence of what the library's threads bring.
 */
#include "servers/bridge/wire/handover.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message that came too early. */
struct held {
	struct held *next;
	char *subject;
	size_t len;
	char data[];
};

struct connection {
	struct ow_br_handover *both;
	struct ow_nats *nats;
	bool lost; /* since it was made */
	struct held *first, **last;
};

struct ow_br_handover {
	const struct ow_br_handover_user *user;
	bool connected; /* to NATS; under `hearing` */
	pthread_mutex_t hearing;
	pthread_rwlock_t sending; /* readers send; guards `now` */
	struct connection connection[2];
	int now; /* the one that counts; under `hearing`, too */
	char mine[128], all[128], undelivered[128];
	const char *subjects[4];
};

static bool counts(const struct connection *y)
{
	return y == &y->both->connection[y->both->now];
}

/* ---- what is heard ---- */

/* Without memory a message is missing, and its number shows it. */
static void hold(struct connection *y, const char *subject, const void *data,
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

static void release(struct connection *y, bool take)
{
	const struct ow_br_handover_user *u = y->both->user;
	struct held *h;

	while ((h = y->first) != NULL) {
		y->first = h->next;
		if (take)
			u->message(u->arg, h->subject, h->data, h->len);
		free(h);
	}
}

static void on_message(void *arg, const char *subject, const void *data,
		       size_t len)
{
	struct connection *y = arg;
	struct ow_br_handover *w = y->both;

	pthread_mutex_lock(&w->hearing);
	if (counts(y)) {
		w->user->message(w->user->arg, subject, data, len);
	} else {
		w->user->heard_there(w->user->arg, subject, data, len);
		hold(y, subject, data, len);
	}
	pthread_mutex_unlock(&w->hearing);
}

static void on_undelivered(void *arg, const char *subject)
{
	const struct connection *y = arg;

	y->both->user->undelivered(y->both->user->arg, subject);
}

/* Under `hearing`. */
static void set_connected(struct ow_br_handover *w, bool is)
{
	w->connected = is;
	if (is)
		w->user->up(w->user->arg);
	else
		w->user->down(w->user->arg);
}

static void on_change(struct connection *y, bool connected)
{
	pthread_mutex_lock(&y->both->hearing);
	if (counts(y))
		set_connected(y->both, connected);
	else
		y->lost = true;
	pthread_mutex_unlock(&y->both->hearing);
}

static void on_up(void *arg)
{
	on_change(arg, true);
}

static void on_down(void *arg)
{
	on_change(arg, false);
}

/* ---- what is sent ---- */

int ow_br_handover_send(void *handover, const char *subject, const char *reply,
		    const void *data, size_t len)
{
	struct ow_br_handover *w = handover;
	int r;

	pthread_rwlock_rdlock(&w->sending);
	r = ow_nats_send(w->connection[w->now].nats, subject, reply, data, len);
	pthread_rwlock_unlock(&w->sending);
	return r;
}

size_t ow_br_handover_largest(void *handover)
{
	struct ow_br_handover *w = handover;

	return ow_nats_largest(w->connection[w->now].nats);
}

bool ow_br_handover_is_closed(struct ow_br_handover *w)
{
	bool is;

	pthread_rwlock_rdlock(&w->sending);
	is = ow_nats_is_closed(w->connection[w->now].nats);
	pthread_rwlock_unlock(&w->sending);
	return is;
}

/* ---- from one to the other ---- */

/* The other connection counts from now on: what it has heard is taken. If the
 * first one has no connection, a session begins. -1: the other one was lost. */
static int go_over(struct ow_br_handover *w)
{
	struct connection *y = &w->connection[1 - w->now];
	int r = -1;

	pthread_mutex_lock(&w->hearing);
	if (!y->lost) {
		release(y, w->connected);
		pthread_rwlock_wrlock(&w->sending);
		w->now = 1 - w->now;
		pthread_rwlock_unlock(&w->sending);
		if (!w->connected)
			set_connected(w, true);
		w->user->moved(w->user->arg);
		r = 0;
	}
	pthread_mutex_unlock(&w->hearing);
	return r;
}

static int change(struct ow_br_handover *w, char *why, size_t size)
{
	const struct ow_br_handover_user *u = w->user;
	int r;

	u->pause(u->arg);
	r = u->wait_for_answers(u->arg, why, size);
	if (r == 0)
		r = go_over(w);
	u->resume(u->arg);
	if (r != 0 && why[0] == '\0')
		snprintf(why, size, "the new connection was lost");
	return r;
}

static struct ow_nats_events events_of(struct connection *y)
{
	return (struct ow_nats_events){ y, on_message, on_undelivered, on_up,
					on_down };
}

int ow_br_handover_change(struct ow_br_handover *w,
			  const struct ow_nats_options *o, char *why,
			  size_t size)
{
	struct connection *old = &w->connection[w->now];
	struct connection *y = &w->connection[1 - w->now];
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
	release(&w->connection[1 - w->now], false);
	pthread_mutex_unlock(&w->hearing);
	return r;
}

/* ---- the first one, and the end ---- */

static void name_subjects(struct ow_br_handover *w,
			  const struct ow_br_options *o, uint32_t id)
{
	snprintf(w->mine, sizeof(w->mine), "%s.*.%u.%u", o->root, o->node, id);
	snprintf(w->all, sizeof(w->all), "%s.*.all", o->root);
	snprintf(w->undelivered, sizeof(w->undelivered), "%s.%u.%u.%u.nr.>",
		 o->root, o->node, o->node, id);
	w->subjects[0] = w->mine;
	w->subjects[1] = w->all;
	w->subjects[2] = w->undelivered;
}

int ow_br_handover_make(const struct ow_br_handover_user *u,
			struct ow_br_handover **ret)
{
	struct ow_br_handover *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return -ENOMEM;
	w->user = u;
	w->connection[0].both = w->connection[1].both = w;
	pthread_mutex_init(&w->hearing, NULL);
	pthread_rwlock_init(&w->sending, NULL);
	*ret = w;
	return 0;
}

int ow_br_handover_open(struct ow_br_handover *w, const struct ow_br_options *o,
		    uint32_t id, char *why, size_t size)
{
	const struct ow_nats_events ev = events_of(&w->connection[0]);

	name_subjects(w, o, id);
	return ow_nats_open(&o->nats, &ev, w->subjects,
			    &w->connection[0].nats, why, size);
}

void ow_br_handover_close(struct ow_br_handover *w)
{
	if (w == NULL)
		return;
	ow_nats_close(w->connection[w->now].nats);
	release(&w->connection[0], false);
	release(&w->connection[1], false);
	free(w);
}
