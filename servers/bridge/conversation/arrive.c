/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrive.c - what the delivery thread does with messages of conversations
 *
 * It puts payloads together and hands all of a message to the thread at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "servers/bridge/conversation/conversation.h"
#include "servers/bridge/conversation/said.h"
#include "servers/bridge/conversation/thread.h"
#include "servers/bridge/peers/parts.h"
#include "servers/bridge/peers/send.h"

static struct ow_br_said *add(struct ow_br_convs *t,
			      const struct ow_br_frame *f, const char *payload,
			      uint64_t cost, enum ow_br_lane lane)
{
	struct ow_br_said *s = malloc(sizeof(*s) + f->total);

	if (s == NULL) {
		log_error("no memory for a message of a conversation of node "
			  "%u", t->arriving.from.peer->node);
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	s->from = t->arriving.from;
	s->from.id = f->id;
	s->cost = cost;
	s->lane = lane;
	s->frame = *f;
	if (f->total > 0)
		memcpy(s->payload, payload, f->total);
	*t->arriving.last = s;
	t->arriving.last = &s->next;
	return s;
}

void ow_br_convs_begin(struct ow_br_convs *t, struct ow_br_peer *p)
{
	if (t == NULL)
		return;
	t->arriving.first = NULL;
	t->arriving.last = &t->arriving.first;
	t->arriving.from = (struct ow_br_origin){ .peer = p,
						  .epoch = p->epoch };
}

void ow_br_conv_request(struct ow_br_convs *t, const struct ow_br_frame *f,
			const char *payload, uint64_t cost,
			const struct ow_br_caller *caller)
{
	struct ow_br_said *s = t != NULL ? add(t, f, payload, cost,
					       OW_BR_REQUESTS)
					 : NULL;

	if (s == NULL)
		return;
	s->caller = *caller;
	s->unplaced = &t->peers->unplaced;
	s->half = ow_br_unplaced_add(s->unplaced);
	if (f->left_ns != 0)
		s->from.deadline = ow_clock_mono_ns() + f->left_ns;
}

/* ---- the lane of replies ---- */

/* A whole message, REPLY or another. */
static void take(struct ow_br_convs *t, const struct ow_br_frame *f,
		 const char *payload, uint64_t cost)
{
	struct ow_br_said *s = add(t, f, payload, cost, OW_BR_REPLIES);

	if (s == NULL || f->kind != OW_BR_CONV || f->tperr != OW_CONV_ACCEPT ||
	    !(f->flags & OW_BR_CONV_BACK))
		return;
	pthread_mutex_lock(&t->peers->lock);
	s->call = ow_br_call_accepted(t->calls, s->from.peer, f->id);
	pthread_mutex_unlock(&t->peers->lock);
}

void ow_br_conv_frame(struct ow_br_convs *t, const struct ow_br_frame *f,
		      const char *payload)
{
	struct ow_br_partial *whole = NULL;
	struct ow_br_frame gone = *f;
	bool lost = false;

	if (t == NULL)
		return;
	if (f->kind != OW_BR_PART && f->len == f->total) {
		take(t, f, payload, f->len + OW_BR_COST);
		return;
	}
	pthread_mutex_lock(&t->peers->lock);
	if (ow_br_is_wanted(&t->arriving.from)) {
		struct ow_br_peer *p = t->arriving.from.peer;

		/* Its bytes are bounded by what may be partial. */
		p->lane[OW_BR_REPLIES].taken += f->len + OW_BR_COST;
		whole = ow_br_collect(t->peers, p, &p->saying, f, payload);
		lost = whole == NULL && f->offset == 0 &&
		       ow_br_partial_find(p->saying, f) == NULL;
	}
	if (whole != NULL)
		ow_br_partial_whole(t->peers, whole);
	pthread_mutex_unlock(&t->peers->lock);
	if (whole != NULL)
		take(t, &whole->frame, whole->payload, 0);
	free(whole);
	if (lost) { /* the conversation cannot go on without it */
		gone.kind = OW_BR_CONV;
		gone.tperr = OW_CONV_NONE;
		gone.total = gone.len = 0;
		take(t, &gone, NULL, 0);
	}
}

/* ---- to the thread ---- */

/* The thread begins with the first conversation. False: it cannot. Lock of the
 * layer held. */
static bool start(struct ow_br_convs *t)
{
	if (!t->started)
		t->joinable = t->started =
			pthread_create(&t->thread, NULL, ow_br_convs_run, t) ==
			0;
	return t->started;
}

/* One that has given up is joined without the lock: it may still answer. */
static void join_the_last(struct ow_br_convs *t)
{
	bool gave_up;

	pthread_mutex_lock(&t->lock);
	gave_up = t->joinable && !t->started;
	if (gave_up)
		t->joinable = false;
	pthread_mutex_unlock(&t->lock);
	if (gave_up)
		pthread_join(t->thread, NULL);
}

/* Lock of the layer held. */
static void wake(struct ow_br_convs *t)
{
	if (!t->asleep || !t->ready)
		return;
	t->asleep = false;
	ow_br_wakeup_send(&t->wakeup);
}

void ow_br_convs_end(struct ow_br_convs *t)
{
	struct ow_br_said *refused = NULL;

	if (t == NULL || t->arriving.first == NULL)
		return;
	join_the_last(t);
	pthread_mutex_lock(&t->lock);
	if (!t->peers->ended && start(t)) {
		*t->last = t->arriving.first;
		t->last = t->arriving.last;
		wake(t);
	} else {
		refused = t->arriving.first;
	}
	pthread_mutex_unlock(&t->lock);
	ow_br_convs_refuse_all(t, refused);
}

void ow_br_convs_check(struct ow_br_convs *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	if (t->started) {
		t->check = true;
		wake(t);
	}
	pthread_mutex_unlock(&t->lock);
}

bool ow_br_convs_is_idle(struct ow_br_convs *t)
{
	bool idle;

	if (t == NULL)
		return true;
	pthread_mutex_lock(&t->lock);
	idle = t->arrived == NULL &&
	       (!t->started || (t->asleep && !t->busy));
	pthread_mutex_unlock(&t->lock);
	return idle;
}

/* ---- begin, end ---- */

int ow_br_convs_make(struct ow_br_peers *ps, struct ow_br_directory *dir,
		     struct ow_br_calls *calls, struct ow_br_convs **ret)
{
	struct ow_br_convs *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	t->peers = ps;
	t->dir = dir;
	t->calls = calls;
	t->last = &t->arrived;
	t->hungry = -1;
	pthread_mutex_init(&t->lock, NULL);
	*ret = t;
	return 0;
}

void ow_br_convs_stop(struct ow_br_convs *t)
{
	bool runs;

	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock); /* nobody starts it from now on */
	runs = t->joinable;
	pthread_mutex_unlock(&t->lock);
	if (runs)
		pthread_join(t->thread, NULL);
}

static void free_list(struct ow_br_said *list)
{
	struct ow_br_said *s;

	while ((s = list) != NULL) {
		list = s->next;
		ow_br_said_free(s);
	}
}

void ow_br_convs_free(struct ow_br_convs *t)
{
	if (t == NULL)
		return;
	free_list(t->arrived);
	free_list(t->pending);
	ow_br_wakeup_close(&t->wakeup);
	ow_door_close(&t->door.door);
	free(t);
}
