/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - wait for a request, have it served, wait again
 *
 * Station 4 of a call: after the client's queue.c, before dispatch.c. One
 * wait set holds the queues of all services and ndrxd's control socket. A
 * message is received straight into the receive slot (tables.h says why).
 *
 * Once a second an idle server looks into its queues without having been
 * woken: a message whose wake-up went to a server that died or was stopped
 * before it received is found this way at the latest. What others care for
 * is left to them; in doubt it looks again a moment later. Of thousands not
 * all do so each second: it would help nobody, and cost those that work their
 * caches.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/base/probe.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/options.h"
#include "libatmisrv/server.h"

#define SWEEP_NS OW_NS_PER_SEC
#define HURRY_NS (5 * OW_NS_PER_MS) /* between tries to send parked replies */
#define DOUBT_NS (20 * OW_NS_PER_MS) /* between two looks at a queue */

/* Take one message of row `row` and serve it: 0, or OW_QUEUE_EMPTY. */
static int take(struct ow_server *s, uint32_t row)
{
	struct ow_queue *q = s->offers[row].queue;
	uint64_t calls = s->ctx->next_seq;
	int r;

	if (q == NULL)
		return OW_QUEUE_EMPTY; /* withdrawn meanwhile */
	r = ow_queue_recv(q, &s->rq.envelope, OW_DEADLINE_NOW);
	if (r == 0) {
		OW_PROBE3(request_taken, s->offers[row].name,
			  s->rq.envelope.head->span_id, s->opt->srvid);
		ow_dispatch(s, row);
		if (s->rq.took_ns != 0 && s->offers[row].queue == q)
			ow_queue_served(q, s->rq.took_ns,
					s->ctx->next_seq != calls);
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

/* Messages in a queue for which this server was not woken: how many of them
 * are its own to take? */
static uint32_t claim(struct ow_offer *o, uint32_t depth, bool *doubt)
{
	if (depth == 0)
		return 0;
	switch (ow_queue_attendance(o->queue)) {
	case OW_QUEUE_UNATTENDED:
		return depth;
	case OW_QUEUE_UNSURE:
		*doubt = true;
		return 0;
	default:
		return 0;
	}
}

/* Note what lies in any queue, as if just woken for it. What comes later
 * wakes somebody by itself. */
void ow_loop_sweep(struct ow_server *s)
{
	bool doubt = false;
	struct ow_offer *o;
	uint32_t depth;
	uint64_t now;

	for (o = s->offers; o < s->offers + s->noffers; o++) {
		o->backlog = 0;
		now = ow_clock_mono_ns();
		if (o->queue == NULL || ow_queue_depth(o->queue, &depth) != 0)
			continue;
		ow_figures_depth(&s->adv[o - s->offers], depth, now);
		o->backlog = claim(o, depth, &doubt);
		if (o->backlog > 0)
			s->backlog = true;
	}
	/* The second look decides: what still moves is cared for. */
	s->doubt = doubt && !s->doubt;
}

/* Serve one message of each queue that the sweep found filled: between two
 * rounds the loop hears ndrxd and signals, however long the queues are. */
static void catch_up(struct ow_server *s)
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

/* Of the queue with the fewest servers: how many there are. */
static uint32_t company(const struct ow_server *s)
{
	uint32_t n, fewest = UINT32_MAX;
	const struct ow_offer *o;

	for (o = s->offers; o < s->offers + s->noffers; o++) {
		if (o->queue == NULL)
			continue;
		n = atomic_load_explicit(&s->dom->tables->svc[o->svc].nsrv,
					 memory_order_relaxed);
		if (n < fewest)
			fewest = n;
	}
	return fewest == UINT32_MAX ? 1 : fewest;
}

/* Of many servers each polls less often, where the transport allows it. */
static uint64_t sweep_period(const struct ow_server *s)
{
	uint32_t pollers = s->dom->transport->pollers;

	return pollers == 0 ? SWEEP_NS
			    : (1 + company(s) / pollers) * SWEEP_NS;
}

static uint64_t tick_period(const struct ow_server *s)
{
	if (ow_replier_parked(s->replier) > 0)
		return HURRY_NS;
	if (s->doubt)
		return DOUBT_NS;
	if (s->ctl_fd < 0)
		return OW_CONTROL_RETRY_NS;
	/* A program's own callbacks come to the second. */
	return s->ext.period != NULL ? SWEEP_NS : s->period_ns;
}

static int adjust_tick(struct ow_server *s)
{
	uint64_t period = tick_period(s);

	if (period == s->tick_ns)
		return 0;
	s->tick_ns = period;
	return ow_waitset_tick(s->waitset, period);
}

static void send_parked(struct ow_server *s)
{
	uint32_t lost = 0;

	if (ow_replier_parked(s->replier) > 0)
		ow_replier_retry(s->replier, &lost);
	atomic_fetch_add(&s->slot->lost_replies, lost);
}

static void tick(struct ow_server *s)
{
	uint64_t now = ow_clock_mono_ns();

	ow_log_tick(now);
	send_parked(s);
	if (now >= s->sweep_ns || s->doubt) {
		s->sweep_ns = now + SWEEP_NS - SWEEP_NS / 8;
		s->period_ns = sweep_period(s);
		ow_output_follow(s->opt);
		ow_loop_sweep(s);
		ow_replier_sweep(s->replier);
		ow_blocks_return_idle(s->dom->blocks, now);
	}
	ow_control_tick(s);
	ow_ext_tick(s, now);
}

static void handle(struct ow_server *s, uint32_t tag, uint32_t events)
{
	if (tag < OW_ADV_MAX)
		ow_figures_woken(&s->adv[tag], take(s, tag) != 0);
	else if (tag == OW_WAITSET_TICK)
		tick(s);
	else if (tag == OW_TAG_CONTROL)
		ow_control_input(s);
	else if (tag == OW_WAITSET_KICK)
		s->stop = true;
	else
		ow_ext_ready(s, tag - OW_TAG_USER, events);
}

/* Before the server ends: its parked replies, for a little while. */
static void deliver_last(struct ow_server *s)
{
	uint64_t until = ow_clock_mono_ns() + OW_NS_PER_SEC;
	struct timespec nap = { .tv_nsec = HURRY_NS };

	send_parked(s);
	while (ow_replier_parked(s->replier) > 0 &&
	       ow_clock_mono_ns() < until) {
		nanosleep(&nap, NULL);
		send_parked(s);
	}
}

int ow_loop_run(struct ow_server *s)
{
	uint32_t tag = 0, events = 0;
	int r;

	s->period_ns = sweep_period(s);
	r = adjust_tick(s);
	if (r < 0)
		return r;
	atomic_store(&s->slot->state, OW_SRV_IDLE);
	while (!s->stop) {
		ow_ext_before_wait(s);
		if (s->stop)
			break;
		r = ow_waitset_wait(s->waitset, !s->backlog, &tag, &events);
		atomic_store_explicit(&s->slot->wakeups,
				      s->slot->wakeups + 1,
				      memory_order_relaxed);
		if (r == 0)
			handle(s, tag, events);
		else if (r < 0)
			return r;
		if (s->backlog && !s->stop)
			catch_up(s);
		adjust_tick(s);
	}
	deliver_last(s);
	return 0;
}
