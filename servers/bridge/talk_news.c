/* SPDX-License-Identifier: Apache-2.0 */
/*
 * talk_news.c - what the delivery thread does with messages of conversations
 *
 * It puts payloads together and hands all of a message to the thread at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "servers/bridge/talk.h"
#include "servers/bridge/talk_own.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

void ow_br_said_free(struct ow_br_said *s)
{
	if (s == NULL)
		return;
	if (s->kept.head != NULL)
		ow_envelope_close(&s->kept);
	free(s->call);
	free(s);
}

static struct ow_br_said *add(struct ow_br_talks *t,
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

void ow_br_talks_begin(struct ow_bridge *b, struct ow_br_peer *p)
{
	struct ow_br_talks *t = b->talks;

	if (t == NULL)
		return;
	t->arriving.first = NULL;
	t->arriving.last = &t->arriving.first;
	t->arriving.from = (struct ow_br_origin){ .peer = p,
						  .epoch = p->epoch };
}

void ow_br_talk_request(struct ow_bridge *b, const struct ow_br_frame *f,
			const char *payload, uint64_t cost,
			const struct ow_br_caller *caller)
{
	struct ow_br_said *s = b->talks != NULL
				   ? add(b->talks, f, payload, cost,
					 OW_BR_REQUESTS)
				   : NULL;

	if (s == NULL)
		return;
	s->caller = *caller;
	if (f->left_ns != 0)
		s->from.deadline = ow_clock_mono_ns() + f->left_ns;
}

/* ---- the lane of replies ---- */

void ow_br_talk_refuse(struct ow_br_talks *t, const struct ow_br_said *s)
{
	struct ow_br_out *o = NULL;
	bool wanted;

	if (s->frame.kind == OW_BR_TALK &&
	    (s->frame.tperr == OW_TALK_ACCEPT || s->frame.tperr == OW_TALK_DATA))
		o = ow_br_out_new(0);
	if (o == NULL)
		return;
	o->frame.kind = OW_BR_TALK;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.id = s->from.id;
	o->frame.flags = OW_BR_OF_TALK |
			 (s->frame.flags & OW_BR_TALK_BACK ? 0
							   : OW_BR_TALK_BACK);
	o->frame.tperr = OW_TALK_END;
	pthread_mutex_lock(&t->b->lock);
	wanted = ow_br_is_wanted(&s->from);
	if (wanted)
		ow_br_queue(s->from.peer, OW_BR_REPLIES, o);
	pthread_mutex_unlock(&t->b->lock);
	if (!wanted)
		free(o);
}

/* A whole message, REPLY or another. */
static void take(struct ow_br_talks *t, const struct ow_br_frame *f,
		 const char *payload, uint64_t cost)
{
	struct ow_br_said *s = add(t, f, payload, cost, OW_BR_REPLIES);

	if (s == NULL || f->kind != OW_BR_TALK ||
	    f->tperr != OW_TALK_ACCEPT || !(f->flags & OW_BR_TALK_BACK))
		return;
	pthread_mutex_lock(&t->b->lock);
	s->call = ow_br_call_accepted(t->b, s->from.peer, f->id);
	pthread_mutex_unlock(&t->b->lock);
}

void ow_br_talk_frame(struct ow_bridge *b, const struct ow_br_frame *f,
		      const char *payload)
{
	struct ow_br_talks *t = b->talks;
	struct ow_br_partial *whole = NULL;
	struct ow_br_frame gone = *f;
	bool lost = false;

	if (t == NULL)
		return;
	if (f->kind != OW_BR_PART && f->len == f->total) {
		take(t, f, payload, f->len + OW_BR_COST);
		return;
	}
	pthread_mutex_lock(&b->lock);
	if (ow_br_is_wanted(&t->arriving.from)) {
		struct ow_br_peer *p = t->arriving.from.peer;

		/* Its bytes are bounded by what may be partial. */
		p->lane[OW_BR_REPLIES].taken += f->len + OW_BR_COST;
		whole = ow_br_collect(b, p, &p->saying, f, payload);
		lost = whole == NULL && f->offset == 0 &&
		       ow_br_partial_find(p->saying, f) == NULL;
	}
	if (whole != NULL)
		ow_br_partial_whole(b, whole);
	pthread_mutex_unlock(&b->lock);
	if (whole != NULL)
		take(t, &whole->frame, whole->payload, 0);
	free(whole);
	if (lost) { /* the conversation cannot go on without it */
		gone.kind = OW_BR_TALK;
		gone.tperr = OW_TALK_NONE;
		gone.total = gone.len = 0;
		take(t, &gone, NULL, 0);
	}
}

/* ---- to the thread ---- */

void ow_br_talks_refuse_all(struct ow_br_talks *t, struct ow_br_said *list)
{
	struct ow_br_said *s;
	struct ow_br_out *o;

	while ((s = list) != NULL) {
		list = s->next;
		if (s->call != NULL)
			ow_br_talk_answer(s->call->number, TPEOS, NULL);
		o = s->frame.kind == OW_BR_CONNECT ? ow_br_out_new(0) : NULL;
		if (o != NULL) {
			o->frame.kind = OW_BR_REPLY;
			o->frame.id = s->from.id;
			o->frame.buftype = OW_BUF_NULL;
			o->frame.tperr = TPEOS;
			ow_br_talk_send(t, &s->from, o);
		}
		ow_br_talk_refuse(t, s);
		ow_br_said_free(s);
	}
}

/* The thread begins with the first conversation. False: it cannot. Lock held. */
static bool start(struct ow_br_talks *t)
{
	if (t->started)
		return true;
	if (t->joinable)
		pthread_join(t->thread, NULL); /* it has given up */
	t->joinable = t->started = pthread_create(&t->thread, NULL,
						  ow_br_talks_run, t) == 0;
	return t->started;
}

void ow_br_talks_end(struct ow_bridge *b)
{
	struct ow_br_talks *t = b->talks;
	struct ow_br_said *refused = NULL;

	if (t == NULL || t->arriving.first == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	if (!b->ended && start(t)) {
		*t->last = t->arriving.first;
		t->last = t->arriving.last;
		if (t->asleep && t->ready) {
			t->asleep = false;
			ow_br_bell_ring(&t->bell);
		}
	} else {
		refused = t->arriving.first;
	}
	pthread_mutex_unlock(&b->lock);
	ow_br_talks_refuse_all(t, refused);
}

void ow_br_talks_check(struct ow_bridge *b)
{
	struct ow_br_talks *t = b->talks;

	if (t == NULL || !t->started)
		return;
	t->check = true;
	if (t->asleep && t->ready) {
		t->asleep = false;
		ow_br_bell_ring(&t->bell);
	}
}

/* ---- the main thread ---- */

struct ow_br_peer *ow_br_talk_peer(struct ow_bridge *b, const char *svc,
				   struct ow_br_peer *p)
{
	struct ow_br_peer *q, *best = NULL;
	uint32_t i;

	if (p == NULL || (p->knows & OW_BR_KNOWS_TALKS) != 0)
		return p;
	for (i = 0; i < b->npeers; i++) {
		q = b->peer[i];
		if (q->up && (q->knows & OW_BR_KNOWS_TALKS) != 0 &&
		    ow_br_names_has(&q->offers, svc) &&
		    (best == NULL || q->outstanding < best->outstanding))
			best = q;
	}
	return best != NULL ? best : p;
}

/* ---- begin, end ---- */

int ow_br_talks_make(struct ow_bridge *b)
{
	struct ow_br_talks *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	t->b = b;
	t->last = &t->news;
	t->hungry = -1;
	b->talks = t;
	return 0;
}

void ow_br_talks_stop(struct ow_bridge *b)
{
	struct ow_br_talks *t = b->talks;

	if (t != NULL && t->joinable)
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

void ow_br_talks_free(struct ow_bridge *b)
{
	struct ow_br_talks *t = b->talks;

	if (t == NULL)
		return;
	free_list(t->news);
	free_list(t->pending);
	ow_br_bell_close(&t->bell);
	ow_door_close(&t->door.door);
	free(t);
	b->talks = NULL;
}
