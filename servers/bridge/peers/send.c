/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.c - requests and replies wait for credit, and leave in batches
 *
 * Whoever has put something into a queue flushes. If another thread is flushing
 * already, that one sends it too: what comes while a message is being written
 * goes together into the next one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/log/log.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/lane.h"
#include "servers/bridge/peers/lost.h"
#include "servers/bridge/peers/send.h"

void ow_br_queue(struct ow_br_peer *p, enum ow_br_lane lane,
		 struct ow_br_out *o)
{
	if (lane != OW_BR_REQUESTS || !ow_br_allowance_keep(p, o))
		ow_br_lane_join(&p->lane[lane], o);
}

/* The first one is not sent, or not whole. Of a one-way request nobody else
 * hears. */
static void give_up(struct ow_br_peers *ps, struct ow_br_lane_state *l,
		    const char *why)
{
	ow_br_lost(ps->dom, &l->first->frame, why);
	ow_br_lane_drop(l);
}

void ow_br_lane_clear(struct ow_br_peers *ps, struct ow_br_lane_state *l)
{
	while (l->first != NULL)
		give_up(ps, l, "the link to the other node was lost");
	memset(l, 0, sizeof(*l));
}

bool ow_br_is_held(const struct ow_br_peer *p, enum ow_br_lane lane)
{
	const struct ow_br_lane_state *l = &p->lane[lane];

	return l->sent - l->acked >= OW_BR_WINDOW;
}

bool ow_br_is_full(const struct ow_br_peer *p)
{
	return p->lane[OW_BR_REQUESTS].waiting >= OW_BR_HOLD ||
	       p->lane[OW_BR_REQUESTS].waiting_bytes >= OW_BR_HOLD_BYTES;
}

/* ---- a batch ---- */

/* Before the first part of a request. */
#define CALLER_SIZE (sizeof(struct ow_br_frame) + sizeof(struct ow_br_caller))

int ow_br_batch_make(struct ow_br_peers *ps)
{
	ps->batch_size = sizeof(struct ow_br_batch) + OW_BR_BATCH +
			ow_br_frame_size(OW_BR_PIECE) + CALLER_SIZE;
	ps->limit = ps->batch_size;
	ps->largest = OW_BR_USUAL;
	ps->batch = malloc(ps->batch_size);
	return ps->batch != NULL ? 0 : -ENOMEM;
}

void ow_br_limit_look(struct ow_br_peers *ps)
{
	size_t most = ps->carrier.largest != NULL
			  ? ps->carrier.largest(ps->carrier.arg)
			  : 0;

	ps->largest = most >= OW_BR_LEAST ? most : OW_BR_USUAL;
	ps->limit = most > 0 && most < ps->batch_size ? most : ps->batch_size;
	if (ps->limit >= OW_BR_LEAST)
		return;
	log_error("nats-server takes messages of %zu bytes: max_payload must "
		  "be %zu or more", most, OW_BR_LEAST);
	ps->limit = OW_BR_LEAST;
}

static void head_fill(const struct ow_br_peers *ps, const struct ow_br_peer *p,
		      enum ow_br_lane lane, struct ow_br_batch *h)
{
	memset(h, 0, sizeof(*h));
	h->magic = OW_BR_MAGIC;
	h->version = OW_BR_VERSION;
	h->lane = (uint8_t)lane;
	h->node = ps->opt.node;
	h->bridge = ps->id;
	h->session = ps->session;
	if (p == NULL)
		return;
	h->to_session = p->session;
	h->link = p->link;
	h->to_link = p->their_link;
	h->taken[0] = p->lane[0].taken;
	h->taken[1] = p->lane[1].taken;
}

static bool is_late(const struct ow_br_out *o, uint64_t now)
{
	return o->frame.offset == 0 && ow_deadline_passed(o->deadline, now);
}

/* Its last part is in batch number `number`. */
static void sent_whole(struct ow_br_peers *ps, const struct ow_br_frame *f,
		       uint64_t number)
{
	if (f->kind != OW_BR_REPLY && f->kind != OW_BR_CONV && f->id != 0)
		ps->above->sent(ps->above->arg, f->id, number);
}

/* Payload bytes of the next part of `o`, of which a message has one at least:
 * as many as the message allows, up to a piece. */
static size_t next_part(const struct ow_br_peers *ps, const struct ow_br_out *o)
{
	size_t most = (ps->limit - sizeof(struct ow_br_batch) -
		       sizeof(struct ow_br_frame) - CALLER_SIZE) & ~(size_t)7;
	uint64_t rest = o->frame.total - o->frame.offset;

	if (most > OW_BR_PIECE)
		most = OW_BR_PIECE;
	return rest < most ? (size_t)rest : most;
}

/* Is a frame CALLER due before the next part of `o`? */
static bool is_caller_due(const struct ow_br_peer *p, const struct ow_br_out *o)
{
	return (o->frame.kind == OW_BR_REQUEST ||
		o->frame.kind == OW_BR_CONNECT) && o->frame.offset == 0 &&
	       p->wants_callers && o->caller.login[0] != '\0';
}

/* What the next part of `o` takes in a message. */
static size_t part_size(const struct ow_br_peer *p, const struct ow_br_out *o,
			size_t part)
{
	return ow_br_frame_size(part) +
	       (is_caller_due(p, o)
		    ? ow_br_frame_size(sizeof(struct ow_br_caller))
		    : 0);
}

static size_t put_caller(const struct ow_br_out *o, char *to)
{
	struct ow_br_frame f = { .kind = OW_BR_CALLER,
				 .id = o->frame.id,
				 .total = sizeof(o->caller),
				 .len = sizeof(o->caller) };

	return ow_br_frame_put(to, &f, &o->caller);
}

/* Put the next `part` bytes of `o` at `to`; returns the frame's size. */
static size_t put_part(struct ow_br_lane_state *l, struct ow_br_out *o,
		       char *to, size_t part, uint64_t now)
{
	struct ow_br_frame f = o->frame;
	size_t n;

	f.len = part;
	if (f.offset != 0)
		f.kind = OW_BR_PART;
	else if (o->deadline != OW_DEADLINE_NEVER)
		f.left_ns = o->deadline > now ? o->deadline - now : 1;
	n = ow_br_frame_put(to, &f, o->payload + f.offset);
	o->frame.offset += f.len;
	l->sent += f.len + OW_BR_COST;
	return n;
}

/* Compose the next batch of a lane. Lock held. Returns its length, 0: nothing
 * waits that may be sent. */
static size_t compose(struct ow_br_peers *ps, struct ow_br_peer *p,
		      enum ow_br_lane lane, uint64_t now)
{
	struct ow_br_lane_state *l = &p->lane[lane];
	struct ow_br_batch *h = (struct ow_br_batch *)ps->batch;
	size_t len = sizeof(*h);
	struct ow_br_out *o;
	size_t part;

	while ((o = l->first) != NULL && len < OW_BR_BATCH &&
	       !ow_br_is_held(p, lane)) {
		if (is_late(o, now)) {
			give_up(ps, l, "its time-out passed before it was "
				       "sent to another node");
			continue;
		}
		part = next_part(ps, o);
		if (len + part_size(p, o, part) > ps->limit && len > sizeof(*h))
			break;
		if (is_caller_due(p, o))
			len += put_caller(o, ps->batch + len);
		len += put_part(l, o, ps->batch + len, part, now);
		if (o->frame.offset == o->frame.total) {
			sent_whole(ps, &o->frame, l->sent_number + 1);
			ow_br_lane_drop(l);
		}
	}
	if (len == sizeof(*h))
		return 0;
	head_fill(ps, p, lane, h);
	h->number = ++l->sent_number;
	p->lane[0].told = h->taken[0];
	p->lane[1].told = h->taken[1];
	return len;
}

static void answers_to(const struct ow_br_peers *ps, const struct ow_br_peer *p,
		       uint64_t number, char *buf, size_t size)
{
	snprintf(buf, size, "%s.%u.%u.%u.nr.%u.%u.%llu.%llu", ps->opt.root,
		 ps->opt.node, ps->opt.node, ps->id, p->node, p->bridge,
		 (unsigned long long)number, (unsigned long long)ps->session);
}

/* Send the batches of one lane. Lock held, but not while it sends. */
static void flush_lane(struct ow_br_peers *ps, struct ow_br_peer *p,
		       enum ow_br_lane lane)
{
	uint64_t now = ow_clock_mono_ns();
	char reply[160];
	size_t len;

	while (p->up && ps->connected && !ps->paused &&
	       (len = compose(ps, p, lane, now)) > 0) {
		answers_to(ps, p, p->lane[lane].sent_number, reply,
			   sizeof(reply));
		pthread_mutex_unlock(&ps->lock);
		if (ps->carrier.send(ps->carrier.arg, p->subject,
				    lane == OW_BR_REQUESTS ? reply : NULL,
				    ps->batch, len) != 0)
			log_warn("node %u: a message could not be sent",
				 p->node);
		pthread_mutex_lock(&ps->lock);
	}
}

void ow_br_flush(struct ow_br_peers *ps)
{
	uint32_t i;

	pthread_mutex_lock(&ps->lock);
	ps->again = true;
	if (ps->flushing) {
		pthread_mutex_unlock(&ps->lock);
		return;
	}
	ps->flushing = true;
	while (ps->again) {
		ps->again = false;
		for (i = 0; i < ps->npeers; i++) {
			flush_lane(ps, ps->peer[i], OW_BR_REPLIES);
			flush_lane(ps, ps->peer[i], OW_BR_REQUESTS);
		}
	}
	ps->flushing = false;
	pthread_mutex_unlock(&ps->lock);
}

void ow_br_pause(struct ow_br_peers *ps)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	pthread_mutex_lock(&ps->lock);
	ps->paused = true;
	while (ps->flushing) {
		pthread_mutex_unlock(&ps->lock);
		nanosleep(&moment, NULL);
		pthread_mutex_lock(&ps->lock);
	}
	pthread_mutex_unlock(&ps->lock);
}

void ow_br_resume(struct ow_br_peers *ps)
{
	pthread_mutex_lock(&ps->lock);
	ps->paused = false;
	pthread_mutex_unlock(&ps->lock);
	ow_br_flush(ps);
}

void ow_br_say(struct ow_br_peers *ps, const struct ow_br_peer *p,
	       struct ow_br_frame *f, const void *payload, bool reply)
{
	size_t size = sizeof(struct ow_br_batch) + ow_br_frame_size(f->len);
	char to[160], back[160] = "", *data = malloc(size);
	bool connected;

	if (data == NULL)
		return;
	pthread_mutex_lock(&ps->lock);
	connected = ps->connected;
	head_fill(ps, p, OW_BR_CONTROL, (struct ow_br_batch *)data);
	if (p != NULL)
		snprintf(to, sizeof(to), "%s", p->subject);
	else
		snprintf(to, sizeof(to), "%s.%u.all", ps->opt.root,
			 ps->opt.node);
	if (reply && p != NULL)
		answers_to(ps, p, 0, back, sizeof(back));
	pthread_mutex_unlock(&ps->lock);
	f->total = f->kind == OW_BR_PING || f->kind == OW_BR_PONG ? f->total
								  : f->len;
	ow_br_frame_put(data + sizeof(struct ow_br_batch), f, payload);
	if (connected)
		ps->carrier.send(ps->carrier.arg, to,
				back[0] != '\0' ? back : NULL, data, size);
	free(data);
}

void ow_br_credit(struct ow_br_peers *ps, struct ow_br_peer *p)
{
	struct ow_br_frame f = { .kind = OW_BR_PONG };
	bool due = false;
	int i;

	pthread_mutex_lock(&ps->lock);
	for (i = 0; i < 2 && p->up; i++) {
		if (p->lane[i].taken - p->lane[i].told < OW_BR_WINDOW / 4)
			continue;
		p->lane[i].told = p->lane[i].taken;
		due = true;
	}
	pthread_mutex_unlock(&ps->lock);
	if (due)
		ow_br_say(ps, p, &f, NULL, false);
}
