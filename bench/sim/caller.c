/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.c - the steps of a caller
 *
 * Yield, sleep, nudge as in shm/receive.c and call/await.c.
 */
#include "bench/sim/steps.h"

static struct sim_act put(struct caller *a)
{
	struct crowd *c = a->c;
	uint64_t now = sim_now(c->m);

	a->replied = false;
	a->sent_ns = now;
	a->gap_ns = c->k->nudge_ns;
	a->nudge_ns = now + a->gap_ns;
	sim_queue_put(&c->q, (struct sim_message){
				 .caller = (uint32_t)(a - c->caller),
				 .sent_ns = now });
	a->at = c->plan->oneway ? THINK : WAIT;
	return sim_run_for(sim_notify(c));
}

/* The reply has come. */
static struct sim_act got(struct caller *a)
{
	struct crowd *c = a->c;
	uint64_t now = sim_now(c->m);

	ow_yield_replied(&a->yield, ow_yield_is_long(c->k, c->plan->service_ns));
	sim_looking_over(c, &a->look);
	sim_note_call(c, now - (c->plan->load == SIM_OPEN ? a->due_ns
						      : a->sent_ns));
	a->at = THINK;
	return sim_run_for(0);
}

static struct sim_act think(struct caller *a)
{
	const struct sim_plan *plan = a->c->plan;
	uint64_t now = sim_now(a->c->m);

	if (a->left == 0)
		return sim_sleep_until(SIM_NEVER);
	a->left--;
	a->at = SEND;
	if (plan->load == SIM_BURST)
		return sim_run_for(0);
	if (plan->load == SIM_OPEN)
		a->due_ns += sim_about(a->c, plan->think_ns * plan->callers);
	else
		a->due_ns = now + sim_about(a->c, plan->think_ns);
	return a->due_ns > now ? sim_sleep_until(a->due_ns) : sim_run_for(0);
}

static struct sim_act wait_for_reply(struct caller *a)
{
	enum ow_yield_step step;

	if (a->replied)
		return got(a);
	step = ow_yield_begin(&a->yield, a->c->k);
	a->look.wait_from = sim_now(a->c->m);
	a->at = LOOK;
	if (step == OW_YIELD_NOT || a->c->k->yields == 0)
		return sim_run_for(0);
	a->timed = step == OW_YIELD_TIMED;
	a->yield_from = sim_now(a->c->m);
	a->yields_left = a->c->k->yields;
	a->at = YIELDED;
	return (struct sim_act){ .what = SIM_YIELD };
}

static struct sim_act yielded(struct caller *a)
{
	a->yields_left--;
	if (!a->replied && a->yields_left > 0)
		return (struct sim_act){ .what = SIM_YIELD };
	if (a->timed)
		ow_yield_end(&a->yield, a->c->k,
			     sim_now(a->c->m) - a->yield_from);
	ow_yield_found(&a->yield, a->c->k, a->replied);
	if (a->replied)
		return got(a);
	a->at = LOOK;
	return sim_run_for(0);
}

static struct sim_act look(struct caller *a)
{
	uint64_t from = a->look.wait_from;
	bool looks = sim_looking_begin(a->c, &a->look, CALLERS);

	a->look.wait_from = from;
	a->at = looks ? SEE : SLEEP;
	return looks ? sim_looking_again(a->c, &a->look) : sim_run_for(a->c->plan->sleep_ns);
}

static struct sim_act see(struct caller *a)
{
	if (a->replied) {
		sim_looking_end(a->c, &a->look, CALLERS, true);
		return got(a);
	}
	if (sim_looking_on(a->c, &a->look))
		return sim_looking_again(a->c, &a->look);
	sim_looking_end(a->c, &a->look, CALLERS, false);
	a->at = SLEEP;
	return sim_run_for(a->c->plan->sleep_ns);
}

static struct sim_act awake(struct caller *a)
{
	uint64_t now = sim_now(a->c->m);

	a->asleep = false;
	if (a->replied)
		return got(a);
	a->at = WAIT;
	if (now < a->nudge_ns)
		return sim_run_for(0);
	a->gap_ns = ow_waking_nudge_gap(a->gap_ns);
	a->nudge_ns = now + a->gap_ns;
	return sim_run_for(sim_nudge(a->c));
}

struct sim_act sim_caller_step(struct sim_machine *m, void *self)
{
	struct caller *a = self;

	(void)m;
	switch (a->at) {
	case THINK:
		return think(a);
	case SEND:
		a->at = PUT;
		return sim_run_for(a->c->plan->caller_ns);
	case PUT:
		return put(a);
	case WAIT:
		return wait_for_reply(a);
	case YIELDED:
		return yielded(a);
	case LOOK:
		return look(a);
	case SEE:
		return see(a);
	case SLEEP:
		if (a->replied)
			return got(a);
		a->asleep = true;
		a->at = AWAKE;
		return sim_sleep_until(a->nudge_ns);
	default:
		return awake(a);
	}
}
