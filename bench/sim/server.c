/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the steps of a server
 *
 * Find, serve, idle, check, woken as in shm/waitset.c; polls as in
 * libatmisrv/poll.c.
 */
#include "bench/sim/steps.h"
#include "libatmi/waking/poll.h"

/* The server was woken for the queue, and has checked it. */
static uint64_t finish_wake(struct server *s)
{
	if (!s->woken)
		return 0;
	s->woken = false;
	sim_queue_finish_wake(&s->c->q, s->rank);
	return s->c->q.n > 0 ? sim_notify(s->c) : 0;
}

static struct sim_act serve(struct server *s)
{
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m), cost;

	s->serving = sim_queue_take(&c->q);
	ow_hist_add(&c->r->wait, now - s->serving.sent_ns);
	if (!s->served)
		c->r->used++;
	s->served = true;
	cost = finish_wake(s);
	s->at = COMPUTED;
	sim_standby_serves(s);
	return sim_run_for(cost + c->plan->server_ns +
		       sim_about(c, c->plan->service_ns));
}

/* The service has computed; it may wait, too. */
static struct sim_act computed(struct server *s)
{
	const struct sim_plan *plan = s->c->plan;
	bool waits = plan->wait_ns > 0 &&
		     sim_random(&s->c->seed) % plan->wait_every == 0;

	s->standby.waits_ns = waits ? sim_about(s->c, plan->wait_ns) : 0;
	s->at = SERVED;
	return waits ? sim_sleep_until(sim_now(s->c->m) + s->standby.waits_ns)
		     : sim_run_for(0);
}

/* ow_poll_queues(): how many messages this server takes without a wake-up. */
static void poll_queue(struct server *s)
{
	struct crowd *c = s->c;
	enum ow_queue_attendance a = OW_QUEUE_ATTENDED;
	uint64_t now = sim_now(c->m);

	c->r->polls++;
	if (c->q.n > 0)
		a = ow_waking_attendance(sim_queue_on_way(&c->q, now),
					 c->q.taken, s->taken_at_poll);
	if (a == OW_QUEUE_UNSURE)
		s->taken_at_poll = c->q.taken;
	s->backlog = ow_waking_backlog(a, c->q.n);
	if (s->backlog > 0)
		s->poll_only = false;
	s->unsure = ow_waking_polls_again(a == OW_QUEUE_UNSURE, s->unsure);
	s->tick_ns = now + (s->unsure ? c->k->unsure_ns
				      : ow_waking_poll_period(
					    c->k, true, c->plan->servers));
}

static struct sim_act find(struct server *s)
{
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m), cost;

	if (now >= s->tick_ns)
		poll_queue(s);
	if (sim_gives_way(s))
		s->poll_only = true;
	if (!s->poll_only && c->q.n > 0) {
		s->backlog -= s->backlog > 0;
		return serve(s);
	}
	s->backlog = 0;
	if (s->woken)
		c->r->in_vain++;
	cost = finish_wake(s);
	if (!s->poll_only)
		sim_queue_was_empty(&c->q);
	sim_queue_set_idle(&c->q, s->rank, !s->poll_only);
	if (!s->standby.by && sim_looking_begin(c, &s->look, SERVERS)) {
		c->q.word[s->rank] = SIM_LOOKING;
		s->at = LOOKS;
		return sim_run_for(cost);
	}
	s->at = CHECK;
	return sim_run_for(cost + c->plan->sleep_ns);
}

/* After LOOKING is stored: the last check of the queue, as before a sleep. */
static struct sim_act begins_to_look(struct server *s)
{
	s->at = LOOKING;
	if (s->c->q.n > 0 && !s->poll_only &&
	    s->c->q.word[s->rank] == SIM_LOOKING) {
		sim_looking_end(s->c, &s->look, SERVERS, true);
		s->at = WOKEN;
		return sim_run_for(0);
	}
	return sim_looking_again(s->c, &s->look);
}

static struct sim_act looking(struct server *s)
{
	struct crowd *c = s->c;

	if (c->q.word[s->rank] != SIM_LOOKING) {
		sim_looking_end(c, &s->look, SERVERS, true);
		s->at = WOKEN;
		return sim_run_for(0);
	}
	if (sim_looking_on(c, &s->look))
		return sim_looking_again(s->c, &s->look);
	sim_looking_end(c, &s->look, SERVERS, false);
	c->q.word[s->rank] = SIM_IDLE;
	s->at = CHECK;
	return sim_run_for(c->plan->sleep_ns);
}

static struct sim_act served(struct server *s)
{
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m), cost = 0;
	struct caller *to = &c->caller[s->serving.caller];

	sim_standby_served(s);
	if (c->plan->oneway) {
		sim_note_call(c, now - s->serving.sent_ns);
	} else {
		to->replied = true;
		if (to->asleep) {
			to->asleep = false;
			c->r->callers_woken++;
			sim_wake(c->m, &to->proc);
			cost = c->plan->futex_ns;
		}
	}
	s->at = FIND;
	return sim_run_for(cost);
}

/* After the idle bit is set: sleep, unless there is a message after all. A
 * server that polls wakes a server instead. */
static struct sim_act check(struct server *s)
{
	struct crowd *c = s->c;

	s->at = WOKEN;
	if (c->q.n > 0 && !s->poll_only)
		return sim_run_for(0);
	if (c->q.n > 0)
		sim_notify(c); /* perhaps this server: the sleep is short then */
	if (c->q.word[s->rank] != SIM_IDLE)
		return sim_run_for(0);
	s->poll_only = true;
	s->standby.slept_ns = sim_now(c->m);
	return sim_sleep_until(s->standby.by && s->standby.due_ns < s->tick_ns
				       ? s->standby.due_ns
				       : s->tick_ns);
}

static struct sim_act woken(struct server *s)
{
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m);

	if (c->q.word[s->rank] == SIM_WOKEN) {
		s->poll_only = sim_stands_by(
			s, sim_queue_late(&c->q, s->rank, now));
		s->woken = !s->poll_only;
	} else if (sim_standby_over(s)) {
		s->poll_only = false;
		s->woken = true;
	}
	c->q.word[s->rank] = SIM_AWAKE;
	sim_looking_over(c, &s->look);
	s->at = FIND;
	return sim_run_for(0);
}

struct sim_act sim_server_step(struct sim_machine *m, void *self)
{
	struct server *s = self;

	(void)m;
	switch (s->at) {
	case FIND:
		return find(s);
	case COMPUTED:
		return computed(s);
	case SERVED:
		return served(s);
	case CHECK:
		return check(s);
	case LOOKS:
		return begins_to_look(s);
	case LOOKING:
		return looking(s);
	default:
		return woken(s);
	}
}
