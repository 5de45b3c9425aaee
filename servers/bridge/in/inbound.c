/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbound.c - requests from other nodes are called here, replies go back
 *
 * One thread with a context of its own is the caller of all of them: towards
 * the domain it is an ordinary client. A request that finds its service's queue
 * full waits here, with those for the same service behind it; requests for
 * other services pass them. Its credit goes back to the sender only when it is
 * in the queue. So what waits here is bounded by the windows of the links.
 *
 * The thread sleeps at its mailbox. Whoever has requests for it, those of
 * one message, sends a notice there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/await.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/svcq.h"
#include "libatmi/log/log.h"
#include "libatmi/member/lost.h"
#include "libatmi/post/message.h"
#include "libatmi/unsol/remote.h"
#include "servers/bridge/in/inbound.h"
#include "servers/bridge/in/inside.h"
#include "servers/bridge/in/reply.h"
#include "servers/bridge/in/request.h"
#include "servers/bridge/out/refuse.h"
#include "servers/bridge/peers/lost.h"
#include "servers/bridge/peers/send.h"

#define IDLE_NS	 (100 * OW_NS_PER_MS) /* between looks at what may be late */
#define RETRY_NS OW_NS_PER_MS	      /* while some queue is full */
#define TRIES_NS (20 * OW_NS_PER_MS)  /* before it gets a usher */

/* ---- the thread: replies ---- */

/* Send back all replies that are here; how many. */
static int take_replies(struct ow_br_inbound *in)
{
	struct ow_ctx *c = in->c;
	int cd, n = 0;

	ow_await_take_in(c);
	while ((cd = c->kept_first) != 0) {
		ow_br_reply_send(in->peers, &in->origin[cd],
				 &c->calls[cd].reply);
		ow_call_drop(c, cd);
		n++;
	}
	return n;
}

/* ---- the thread: requests ---- */

/* The requests of one link that were taken give their credit back together. */
static void settle_credit(struct ow_br_inbound *in)
{
	struct ow_br_peer *p = in->settling.peer;

	if (in->credit == 0)
		return;
	pthread_mutex_lock(&in->peers->lock);
	if (ow_br_is_wanted(&in->settling))
		p->lane[OW_BR_REQUESTS].taken += in->credit;
	pthread_mutex_unlock(&in->peers->lock);
	in->credit = 0;
	ow_br_credit(in->peers, p);
}

static void give_credit(struct ow_br_inbound *in, struct ow_br_item *i)
{
	if (i->cost == 0)
		return;
	if (!ow_br_is_same_link(&in->settling, &i->from) ||
	    in->credit >= OW_BR_WINDOW / 4)
		settle_credit(in);
	in->settling = i->from;
	in->credit += i->cost;
	i->cost = 0;
}

/* Queue the request: 0; -EAGAIN: there is no room, try again; else a tperrno:
 * it was not delivered. */
static int start(struct ow_br_inbound *in, struct ow_br_item *i)
{
	struct ow_ctx *c = in->c;
	struct ow_request rq;
	int r;

	ow_br_request_fill(c, &i->frame, i->payload, i->from.deadline, &rq);
	if (i->from.id != 0) {
		rq.cd = ow_call_new(c, &rq.seq);
		if (rq.cd == 0)
			return -EAGAIN;
		in->origin[rq.cd] = i->from;
		ow_br_listing_note(&in->listing, rq.cd, rq.seq, &i->frame,
				   i->node);
	}
	ow_tp_clear();
	r = ow_br_request_send(c, &rq);
	ow_trace_leave(&c->trace);
	if (r == 0) {
		ow_ctx_count_call(c);
		return 0;
	}
	r = tperrno;
	ow_call_drop(c, rq.cd);
	return r == TPEBLOCK ? -EAGAIN : r;
}

/* As start(), if the rules let it. An unsolicited message is delivered; its
 * sender learns the result. */
static int pass(struct ow_br_inbound *in, struct ow_br_item *i)
{
	int r;

	ow_tp_clear(); /* a refusal says why, not that of an earlier one */
	if (i->refused != 0)
		return i->refused;
	if (i->frame.kind == OW_BR_QUESTION) /* tmsrv knows whom it believes */
		return start(in, i);
	if (ow_br_unsol_is(&i->frame)) {
		ow_br_reply_error(in->peers, &i->from, ow_unsol_arrive(
			in->c, i->payload, (long)i->frame.total), NULL);
		return 0;
	}
	if (i->frame.kind == OW_BR_POST)
		r = ow_br_authorize_post(in->dir, &in->door, i->payload,
				     (long)i->frame.total, i->node);
	else
		r = ow_br_authorize(in->dir, &in->door, &i->frame, i->node,
				    &i->caller);
	return r == 0 ? start(in, i) : r;
}

/* Nobody there waits for it: what has come is passed on, link or no link. */
static bool is_one_way(const struct ow_br_frame *f)
{
	return f->id == 0 && f->kind == OW_BR_REQUEST;
}

/* It was refused: its caller hears why, or, if nobody waits, the log. */
static void refuse(struct ow_br_inbound *in, const struct ow_br_item *i, int r)
{
	const char *detail = tperrno == r ? ow_tp_detail() : "";
	char why[OW_LOST_WHY];

	snprintf(why, sizeof(why), "it was refused here: %s%s%.200s",
		 tpecodestr(r), detail[0] != '\0' ? ", " : "", detail);
	ow_br_lost(in->c->dom, &i->frame, why);
	ow_br_reply_error(in->peers, &i->from,
			  ow_br_error_of(i->frame.flags, r),
			  detail[0] != '\0' ? detail : NULL);
}

/* ---- ushers ---- */

/* On the thread of an usher: an errand is over. */
static void over(void *arg, struct ow_br_errand *e)
{
	struct ow_br_inbound *in = arg;

	pthread_mutex_lock(&in->lock);
	e->next = in->over;
	in->over = e;
	if (in->asleep && in->ready) {
		in->asleep = false;
		ow_br_wakeup_send(&in->wakeup);
	}
	pthread_mutex_unlock(&in->lock);
}

/* Who stands in the line for it is this thread, as far as the server knows. */
static struct ow_br_errand *make_errand(struct ow_br_inbound *in,
					struct ow_br_item *i)
{
	struct ow_br_errand *e = calloc(1, sizeof(*e));
	struct ow_ctx *c = in->c;

	if (e == NULL)
		return NULL;
	e->item = i;
	e->slot = c->slot;
	e->gen = c->gen;
	if (i->from.id == 0)
		return e;
	e->cd = ow_call_new(c, &e->seq);
	if (e->cd == 0 ||
	    ow_queue_expect(c->replyq, (uint32_t)c->outstanding) != 0) {
		ow_call_drop(c, e->cd);
		free(e);
		return NULL;
	}
	in->origin[e->cd] = i->from;
	ow_br_listing_note(&in->listing, e->cd, e->seq, &i->frame, i->node);
	return e;
}

/* It has found no room, and not for the first time: perhaps a usher stands in the
 * line for it. Those of durable services go to a tmqueue. */
static void try_usher(struct ow_br_inbound *in, struct ow_br_item *i)
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_svcq *sq = NULL;

	if (i->tried_ns == 0)
		i->tried_ns = now;
	if (now - i->tried_ns < TRIES_NS ||
	    (i->frame.kind != OW_BR_REQUEST && i->frame.kind != OW_BR_POST) ||
	    ow_svcq_find_despite(in->c, i->frame.svc, OW_SVC_CACHED, &sq) != 0)
		return;
	i->tried_ns = now;
	i->errand = make_errand(in, i);
	if (i->errand == NULL || ow_br_usher_send(&in->ushers, i->errand))
		return;
	ow_call_drop(in->c, i->errand->cd);
	free(i->errand);
	i->errand = NULL;
}

/* Try one: false, it stays. `waited`: its link may be lost by now. */
static bool serve(struct ow_br_inbound *in, struct ow_br_item *i, bool waited)
{
	bool wanted = true;
	int r = 0;

	if (i->errand != NULL)
		return false;
	if (waited && !is_one_way(&i->frame)) {
		pthread_mutex_lock(&in->peers->lock);
		wanted = ow_br_is_wanted(&i->from);
		pthread_mutex_unlock(&in->peers->lock);
	}
	if (wanted && !ow_deadline_passed(i->from.deadline, ow_clock_mono_ns()))
		r = pass(in, i);
	else
		ow_br_lost(in->c->dom, &i->frame, "it came too late");
	if (r == -EAGAIN) {
		try_usher(in, i);
		return false;
	}
	if (r != 0)
		refuse(in, i, r);
	give_credit(in, i);
	return true;
}

/* It has its place in a queue, or its error. */
static void item_free(struct ow_br_inbound *in, struct ow_br_item *i)
{
	ow_br_unplaced_remove(&in->peers->unplaced, i->half);
	if (i->backlog != NULL &&
	    ow_br_backlog_leave(&in->backlogs, i->backlog, &i->frame, i->kept))
		ow_br_credit(in->peers, i->from.peer);
	free(i);
}

/* Its call may have expired meanwhile, and the number be another one's. */
static void drop_call_of(struct ow_br_inbound *in, const struct ow_br_errand *e)
{
	const struct ow_call *call = ow_call_find(in->c, e->cd);

	if (call != NULL && call->seq == e->seq)
		ow_call_drop(in->c, e->cd);
}

/* What ushers have done, `list`: how many requests went. */
static int take_errands(struct ow_br_inbound *in, struct ow_br_errand *list)
{
	struct ow_br_errand *e;
	struct ow_br_item *i;
	int n = 0;

	while ((e = list) != NULL) {
		list = e->next;
		i = e->item;
		i->errand = NULL;
		if (e->result != 0)
			drop_call_of(in, e);
		else if (e->cd != 0)
			ow_ctx_count_call(in->c);
		if (e->result > 0) {
			ow_tp_fail(e->result, "%s", e->why);
			refuse(in, i, e->result);
		}
		if (e->result != -EAGAIN) {
			give_credit(in, i);
			item_free(in, ow_br_items_take(ow_br_items_find(
					      &in->pending, i->frame.svc)));
			n++;
		}
		free(e);
	}
	return n;
}

/* Try those that wait, of each service in their order; how many went. */
static int take_pending(struct ow_br_inbound *in)
{
	struct ow_br_item **at = &in->pending;
	int n = 0;

	while (*at != NULL) {
		if (!serve(in, *at, true)) {
			at = &(*at)->next;
			continue;
		}
		item_free(in, ow_br_items_take(at));
		n++;
	}
	return n;
}

static void give_back(struct ow_br_inbound *in, struct ow_br_item *i)
{
	if (i->kept || !ow_br_backlog_keep(&in->backlogs, i->backlog, &i->frame))
		return;
	i->kept = true;
	give_credit(in, i);
}

/* It waits, with `first` and those behind that one. */
static void wait_in_backlog(struct ow_br_inbound *in, struct ow_br_item *first,
			    struct ow_br_item *i)
{
	bool told;

	i->backlog = ow_br_backlog_join(&in->backlogs, &i->from, &i->frame,
					&told);
	if (i->backlog == NULL)
		return;
	if (!told) {
		give_back(in, i);
		return;
	}
	for (; first != NULL; first = first->behind)
		if (first->backlog == i->backlog)
			give_back(in, first);
}

/* A request has come: 1, it went; 0, it waits, behind others of its service if
 * there are any. */
static int take_new(struct ow_br_inbound *in, struct ow_br_item *i)
{
	struct ow_br_item **at = &in->pending;

	ow_br_backlog_came(&in->backlogs, &i->from, &i->frame);
	at = ow_br_items_find(at, i->frame.svc);
	i->next = NULL;
	if (*at != NULL) {
		ow_br_item_stand_behind(*at, i);
		wait_in_backlog(in, *at, i);
		return 0;
	}
	if (serve(in, i, i->held)) {
		item_free(in, i);
		return 1;
	}
	*at = i;
	wait_in_backlog(in, i, i);
	return 0;
}

/* Try all that waits, then what has come; how many went. */
static int take_requests(struct ow_br_inbound *in)
{
	int n = take_pending(in);
	struct ow_br_item *arrived, *i;
	struct ow_br_errand *done;

	pthread_mutex_lock(&in->lock);
	arrived = in->arrived;
	in->arrived = NULL;
	in->last = &in->arrived;
	done = in->over;
	in->over = NULL;
	pthread_mutex_unlock(&in->lock);
	n += take_errands(in, done);
	while ((i = arrived) != NULL) {
		arrived = i->next;
		n += take_new(in, i);
	}
	settle_credit(in);
	if (in->backlogs.table != NULL &&
	    ow_br_backlogs_look(&in->backlogs, ow_clock_mono_ns()))
		n++;
	return n;
}

/* Forget calls whose deadline has passed: their callers know. */
static void expire(struct ow_br_inbound *in, uint64_t now)
{
	struct ow_ctx *c = in->c;
	int cd;

	for (cd = 1; cd < c->ncalls && c->outstanding > 0; cd++)
		if (c->calls[cd].state == OW_CALL_WAITING &&
		    ow_deadline_passed(in->origin[cd].deadline, now))
			ow_call_drop(c, cd);
}

/* ---- the thread ---- */

/* A request has found its queue full: wait until there is room, or a message
 * for us, or it is time to try the others that wait. */
static int wait_for_room(struct ow_br_inbound *in, const struct ow_br_item *i,
			 uint64_t until)
{
	struct ow_svcq *sq = NULL;

	if (ow_br_request_queue(in->c, &i->frame, &sq) != 0)
		return 0; /* no longer offered: it is refused now */
	return ow_queue_wait_either(sq->queue, in->c->replyq, until);
}

/* The first one that has no usher; NULL: none waits without. */
static const struct ow_br_item *find_waiting(const struct ow_br_inbound *in)
{
	const struct ow_br_item *i = in->pending;

	while (i != NULL && i->errand != NULL)
		i = i->next;
	return i;
}

/* Sleep until a reply or a request comes. False: the bridge ends. */
static bool rest(struct ow_br_inbound *in)
{
	const struct ow_br_item *first = find_waiting(in);
	uint64_t now = ow_clock_mono_ns();
	bool direct, sleeps;
	int r;

	if (in->peers->ended)
		return false;
	atomic_store(&in->busy, (uint32_t)in->c->outstanding +
					(in->pending != NULL));
	pthread_mutex_lock(&in->lock);
	sleeps = in->asleep = in->arrived == NULL && in->over == NULL;
	pthread_mutex_unlock(&in->lock);
	if (!sleeps)
		return true;
	if (first != NULL)
		r = wait_for_room(in, first, now + RETRY_NS);
	else
		r = ow_await_message(in->c, now + IDLE_NS, NULL, &direct);
	pthread_mutex_lock(&in->lock);
	in->asleep = false;
	pthread_mutex_unlock(&in->lock);
	if (r == OW_QUEUE_TIMEOUT && first == NULL &&
	    in->c->outstanding > 0)
		ow_svcq_nudge(in->c);
	return true;
}

bool ow_br_inbound_is_idle(struct ow_br_inbound *in)
{
	bool asleep;

	pthread_mutex_lock(&in->lock);
	asleep = in->asleep && in->arrived == NULL;
	pthread_mutex_unlock(&in->lock);
	return asleep && atomic_load(&in->busy) == 0;
}

struct ow_br_listing *ow_br_inbound_listing(struct ow_br_inbound *in)
{
	return &in->listing;
}

static bool join_domain(struct ow_br_inbound *in)
{
	if (ow_br_wakeup_make(&in->wakeup, &in->c) != 0) {
		log_error("requests of other nodes: %s", ow_tp_detail());
		return false;
	}
	/* Their node does not know yet that a service is drained. */
	in->c->despite = OW_SVC_DRAINED;
	pthread_mutex_lock(&in->lock);
	in->ready = true;
	pthread_mutex_unlock(&in->lock);
	return true;
}

static void *run(void *arg)
{
	struct ow_br_inbound *in = arg;
	uint64_t now, swept_ns = 0;
	int n;

	while (join_domain(in)) {
		do {
			n = take_replies(in);
			n += take_requests(in);
			if (n > 0)
				ow_br_flush(in->peers);
			ow_br_listing_fill(&in->listing, in->c);
			now = ow_clock_mono_ns();
			if (now - swept_ns > OW_NS_PER_SEC) {
				expire(in, now);
				swept_ns = now;
			}
		} while (n > 0 || rest(in));
		ow_br_ushers_end(&in->ushers);
		(void)take_errands(in, in->over); /* nobody adds any more */
		break;
	}
	ow_ctx_leave();
	return NULL;
}

int ow_br_inbound_start(struct ow_br_directory *dir,
			const struct ow_br_inbound_above *above,
			struct ow_br_inbound **ret)
{
	struct ow_br_inbound *in = calloc(1, sizeof(*in));

	if (in == NULL)
		return -ENOMEM;
	in->dir = dir;
	in->peers = dir->peers;
	in->above = above;
	in->last = &in->arrived;
	in->backlogs.peers = in->ushers.peers = in->peers;
	in->ushers.over = over;
	in->ushers.arg = in;
	ow_br_ushers_begin(&in->ushers);
	pthread_mutex_init(&in->lock, NULL);
	*ret = in;
	return -pthread_create(&in->thread, NULL, run, in);
}

void ow_br_inbound_stop(struct ow_br_inbound *in)
{
	if (in != NULL)
		pthread_join(in->thread, NULL);
}

void ow_br_inbound_free(struct ow_br_inbound *in)
{
	struct ow_br_item *i;

	if (in == NULL)
		return;
	while ((i = in->arrived) != NULL) {
		in->arrived = i->next;
		ow_br_lost(in->peers->dom, &i->frame, "the bridge ended");
		item_free(in, i);
	}
	while ((i = in->pending) != NULL) {
		ow_br_lost(in->peers->dom, &i->frame, "the bridge ended");
		item_free(in, ow_br_items_take(&in->pending));
	}
	ow_br_backlogs_free(&in->backlogs);
	ow_br_wakeup_close(&in->wakeup);
	ow_door_close(&in->door.door);
	free(in);
}
