/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - the loop of a server: wait, receive, have the request served
 *
 * Station 4 of a call: after the caller's transport, before dispatch.c. One
 * wait set holds the queues of all services and ndrxd's control socket. A
 * message is received into the in-flight record (tables.h says why).
 */
#include "libatmisrv/loop.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/probe.h"
#include "libatmi/call/await.h"
#include "libatmi/lcf/follow/follow.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/waking/poll.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/control.h"
#include "libatmisrv/dispatch.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/options.h"
#include "libatmisrv/output.h"
#include "libatmisrv/poll.h"
#include "libatmisrv/server.h"
#include "libatmisrv/spans.h"
#include "libatmisrv/tpext.h"
#include "libatmisrv/init_queue.h"

/* Take one message of row `row` and serve it: 0, or OW_QUEUE_EMPTY. */
static int take(struct ow_server *s, uint32_t row)
{
	struct ow_queue *q = s->offers[row].queue;
	int r;

	if (q == NULL || s->offers[row].paused)
		return OW_QUEUE_EMPTY; /* withdrawn, or left alone */
	r = ow_queue_recv(q, &s->rq.envelope, OW_DEADLINE_NOW);
	if (r == 0) {
		OW_PROBE3(request_taken, s->offers[row].name,
			  s->rq.envelope.head->span_id, s->id);
		ow_dispatch(s, row);
		if (s->rq.took_ns != 0 && s->offers[row].queue == q)
			ow_queue_served(q, s->rq.since_ns,
					s->rq.took_ns);
		return 0;
	}
	if (r == OW_QUEUE_GARBAGE) {
		atomic_fetch_add(&s->slot->garbage, 1);
		log_warn("queue of %s: a malformed message: dropped",
			 s->offers[row].name);
		return 0;
	}
	if (r < 0)
		log_error("queue of %s: receive: %s", s->offers[row].name,
			  strerror(-r));
	return OW_QUEUE_EMPTY;
}

/* Serve one message of each queue with a backlog. Between two rounds the loop
 * handles ndrxd's packets and signals, however long the queues are. */
static void serve_backlog(struct ow_server *s)
{
	uint32_t row, left = 0;

	for (row = 0; row < s->noffers && !s->stop; row++) {
		if (s->offers[row].backlog == 0)
			continue;
		s->offers[row].backlog--;
		if (take(s, row) != 0)
			s->offers[row].backlog = 0;
		left += s->offers[row].backlog;
	}
	s->backlog = left > 0;
}

static uint64_t tick_period(const struct ow_server *s)
{
	if (s->unsure)
		return s->dom->waking.unsure_ns;
	if (s->ctl_fd < 0 && s->main == NULL)
		return OW_CONTROL_RETRY_NS;
	return s->seconds != 0 ? s->dom->waking.poll_ns : s->poll_period_ns;
}

static int adjust_tick(struct ow_server *s)
{
	uint64_t period = tick_period(s);

	if (period == s->tick_period_ns)
		return 0;
	s->tick_period_ns = period;
	return ow_waitset_tick(s->waitset, period);
}

static void tick(struct ow_server *s)
{
	uint64_t now = ow_clock_mono_ns();

	if (s->main == NULL)
		ow_lcf_tick(s->dom, now);
	ow_traced_tick(s, now);
	if (now >= s->poll_ns || s->unsure) {
		s->poll_ns = ow_waking_next_poll(&s->dom->waking, now);
		s->poll_period_ns = ow_poll_period(s);
		if (s->main == NULL)
			ow_output_follow(s->opt);
		ow_poll_queues(s);
		if (s->ctx->replyq != NULL)
			ow_await_take_in(s->ctx); /* what came too late */
		ow_blocks_return_idle(s->dom->blocks, now);
	}
	if (s->hooks != NULL)
		s->hooks->tick(s, now);
	if (s->main != NULL)
		return;
	ow_control_tick(s);
	ow_offer_end_waits(s);
	ow_ext_tick(s, now);
	ow_continued_tick(s, now);
	if (s->init_queue != NULL)
		ow_init_queue_send(s);
}

/* Another thread, or a signal handler, has something to say. */
static void kicked(struct ow_server *s)
{
	if (s->hooks == NULL || s->hooks->kicked(s))
		s->stop = true;
}

/* May something else that the server waits for be there? It would wait for a whole
 * run of calls. */
static bool others_wait(const struct ow_server *s, uint32_t row)
{
	uint32_t i;

	if (s->ext.npollers > 0 || s->ext.b4poll != NULL)
		return true;
	for (i = 0; i < s->noffers; i++)
		if (i != row && s->offers[i].queue != NULL &&
		    ow_queue_calls(s->offers[i].queue))
			return true;
	return false;
}

/* The server was woken for the queue of row `row`: take one message, and more
 * while its transport says so: one-way requests, which come in bursts; calls while
 * nothing else waits. Not after a long service, since ndrxd may have something to
 * say by then. */
static void serve_queue(struct ow_server *s, uint32_t row)
{
	struct ow_queue *q = s->offers[row].queue;

	ow_figures_woken(&s->adv[row], take(s, row) != 0);
	while (q != NULL && s->offers[row].queue == q && !s->stop &&
	       !s->signalled && s->rq.took_ns <= s->dom->waking.run_ns &&
	       ow_queue_runs(q) && !s->offers[row].paused &&
	       (q->runs || !others_wait(s, row)))
		take(s, row);
}

static void handle(struct ow_server *s, uint32_t tag, uint32_t events)
{
	if (tag < OW_ADV_MAX)
		serve_queue(s, tag);
	else if (tag == OW_WAITSET_TICK)
		tick(s);
	else if (tag == OW_TAG_CONTROL)
		ow_control_input(s);
	else if (tag == OW_WAITSET_KICK)
		kicked(s);
	else
		ow_ext_ready(s, tag - OW_TAG_USER, events);
}

/* It is to stop: does it serve on, for what it has under way itself? Then it asks
 * again after whatever comes. */
static bool goes_on(struct ow_server *s)
{
	if (s->may_end == NULL || s->may_end())
		return false;
	s->stop = false;
	s->ending = true;
	return true;
}

int ow_loop_run(struct ow_server *s)
{
	uint32_t tag = 0, events = 0;
	int r;

	s->poll_period_ns = ow_poll_period(s);
	r = adjust_tick(s);
	if (r < 0)
		return r;
	ow_traced_tick(s, ow_clock_mono_ns());
	atomic_store(&s->slot->state, OW_SRV_IDLE);
	while (!s->stop || goes_on(s)) {
		ow_ext_before_wait(s);
		if (s->stop)
			break;
		r = ow_waitset_wait(s->waitset, !s->backlog, &tag, &events);
		ow_count_own(&s->slot->wakeups, 1);
		if (r == 0)
			handle(s, tag, events);
		else if (r < 0)
			return r;
		if (s->backlog && !s->stop)
			serve_backlog(s);
		if (s->pausing)
			ow_offers_pause(s);
		adjust_tick(s);
		s->stop |= s->ending;
	}
	return 0;
}
