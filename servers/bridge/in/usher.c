/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usher.c - threads that stand in the line of a full queue
 */
#include "servers/bridge/in/usher.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/domain/tables.h"
#include "libatmi/wire/msg.h"
#include "servers/bridge/in/request.h"

#define IDLE_S	1 /* after which a usher ends */
#define LOOK_NS OW_NS_PER_SEC /* while it stands: is it wanted yet? */

/* ---- one errand ---- */

/* The link of a call may be lost by now: its caller was told so. */
static bool is_wanted(struct ow_br_ushers *us, const struct ow_br_item *i)
{
	bool wanted;

	pthread_mutex_lock(&us->peers->lock);
	wanted = i->frame.id == 0 || ow_br_is_wanted(&i->from);
	pthread_mutex_unlock(&us->peers->lock);
	return wanted;
}

/* What the inbound thread would have sent. */
static void fill_origin(const struct ow_ctx *c, const struct ow_br_errand *e,
			const struct ow_request *rq, struct ow_msg *m)
{
	*m = (struct ow_msg){
		.flags = ((uint32_t)rq->flags & ~OW_MSG_PRIVATE) |
			 (rq->how & OW_MSG_PRIVATE),
		.clt_slot = e->slot,
		.clt_gen = e->gen,
		.cd = e->cd,
		.seq = e->seq,
		.deadline_ns = e->item->from.deadline,
		.tran = rq->tran,
		.tran_log = rq->tran_log,
	};
	ow_trace_stamp(&c->trace, m);
}

/* Stand in the line for a while: 0; -EAGAIN, or a tperrno. */
static int stand(struct ow_ctx *c, struct ow_br_errand *e)
{
	struct ow_br_item *i = e->item;
	struct ow_request rq;
	struct ow_msg origin;
	int r;

	ow_br_request_fill(c, &i->frame, i->payload,
			   ow_deadline_clamp(i->from.deadline,
					     ow_clock_mono_ns() + LOOK_NS),
			   &rq);
	rq.how &= ~OW_REQUEST_STORABLE;
	fill_origin(c, e, &rq, &origin);
	rq.flags &= ~(long)TPNOBLOCK;
	rq.cd = e->cd;
	rq.seq = e->seq;
	rq.origin = &origin;
	ow_tp_clear();
	r = ow_request_send(c, &rq);
	ow_trace_leave(&c->trace);
	if (r >= 0)
		return r == 0 ? 0 : -EAGAIN; /* the service has changed */
	return tperrno;
}

static void carry_out(struct ow_br_ushers *us, struct ow_ctx *c,
		      struct ow_br_errand *e)
{
	uint64_t deadline = e->item->from.deadline;

	e->result = c != NULL && ow_ctx_need_domain(c) == 0 ? TPETIME : TPEOS;
	while (e->result == TPETIME && !us->peers->ended &&
	       is_wanted(us, e->item) &&
	       !ow_deadline_passed(deadline, ow_clock_mono_ns()))
		e->result = stand(c, e);
	if (e->result == TPETIME && us->peers->ended)
		e->result = -EAGAIN;
	snprintf(e->why, sizeof(e->why), "%s",
		 e->result > 0 ? ow_tp_detail() : "");
}

/* ---- the threads ---- */

/* The next one; NULL: this usher ends. With the lock. */
static struct ow_br_errand *take(struct ow_br_ushers *us)
{
	struct ow_br_errand *e;
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_S;
	us->idle++;
	while (us->first == NULL && !us->ended && r == 0)
		r = pthread_cond_timedwait(&us->more, &us->lock, &until);
	us->idle--;
	e = us->first;
	if (e == NULL)
		return NULL;
	us->waiting--;
	us->first = e->next;
	if (us->first == NULL)
		us->last = &us->first;
	return e;
}

static void *run(void *arg)
{
	struct ow_br_ushers *us = arg;
	struct ow_ctx *c = ow_ctx_get();
	struct ow_br_errand *e;

	if (c != NULL) {
		c->may_enter = true; /* as the inbound thread */
		c->despite = OW_SVC_DRAINED;
	}
	pthread_mutex_lock(&us->lock);
	while ((e = take(us)) != NULL) {
		pthread_mutex_unlock(&us->lock);
		carry_out(us, c, e);
		us->over(us->arg, e);
		pthread_mutex_lock(&us->lock);
	}
	pthread_mutex_unlock(&us->lock);
	ow_ctx_leave();
	pthread_mutex_lock(&us->lock);
	us->threads--;
	pthread_cond_broadcast(&us->more);
	pthread_mutex_unlock(&us->lock);
	return NULL;
}

/* With the lock. */
static bool start(struct ow_br_ushers *us)
{
	pthread_t thread;

	if (us->threads >= OW_BR_USHERS ||
	    pthread_create(&thread, NULL, run, us) != 0)
		return false;
	pthread_detach(thread);
	us->threads++;
	return true;
}

void ow_br_ushers_begin(struct ow_br_ushers *us)
{
	pthread_condattr_t monotonic;

	us->last = &us->first;
	pthread_mutex_init(&us->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&us->more, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

bool ow_br_usher_send(struct ow_br_ushers *us, struct ow_br_errand *e)
{
	bool taken;

	e->next = NULL;
	pthread_mutex_lock(&us->lock);
	taken = !us->ended && (us->idle > us->waiting || start(us));
	if (taken) {
		*us->last = e;
		us->last = &e->next;
		us->waiting++;
		pthread_cond_signal(&us->more);
	}
	pthread_mutex_unlock(&us->lock);
	return taken;
}

void ow_br_ushers_end(struct ow_br_ushers *us)
{
	pthread_mutex_lock(&us->lock);
	us->ended = true;
	pthread_cond_broadcast(&us->more);
	while (us->threads > 0)
		pthread_cond_wait(&us->more, &us->lock);
	pthread_mutex_unlock(&us->lock);
}
