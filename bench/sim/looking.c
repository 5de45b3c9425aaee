/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looking.c - looks of servers and callers before they sleep
 *
 * The rule is in look.h; here are the seats, and the time that looks take.
 */
#include "bench/sim/steps.h"

static bool yields(const struct look *l)
{
	return l->steps % LOOK_STEPS == 0;
}

/* Two CPUs have a seat for a server that looks, and one for a caller. */
static bool take_seat(struct crowd *c, enum seat kind)
{
	uint32_t seats = c->plan->cpus / 2;

	if (c->plan->look_ns == 0 || c->seats[kind] >= seats)
		return false;
	c->seats[kind]++;
	return true;
}

bool sim_looking_begin(struct crowd *c, struct look *l, enum seat kind)
{
	uint64_t now = sim_now(c->m);

	l->wait_from = now;
	l->from = 0;
	if (!take_seat(c, kind))
		return false;
	if (!sim_look_begin(&l->learned)) {
		c->seats[kind]--;
		return false;
	}
	c->r->looks++;
	l->steps = 0;
	l->from = l->last = now;
	return true;
}

void sim_looking_end(struct crowd *c, struct look *l, enum seat kind,
		     bool found)
{
	c->seats[kind]--;
	c->r->hits += found;
	c->r->looked_ns += sim_now(c->m) - l->from;
}

bool sim_looking_on(struct crowd *c, struct look *l)
{
	uint64_t now = sim_now(c->m), gap = now - l->last;

	l->last = now;
	if (yields(l) && !sim_look_alone(&l->learned, gap))
		return false;
	l->steps++;
	if (gap > LOOK_GAP_NS) {
		sim_look_wanted(&l->learned);
		return false;
	}
	return now - l->from < l->learned.limit_ns;
}

struct sim_act sim_looking_again(const struct look *l)
{
	return yields(l) ? (struct sim_act){ .what = SIM_YIELD }
			 : (struct sim_act){ SIM_RUN, LOOK_STEP_NS };
}

void sim_looking_over(struct crowd *c, struct look *l)
{
	if (c->plan->look_ns > 0)
		sim_look_end(&l->learned, sim_now(c->m) - l->wait_from,
			     c->plan->look_ns);
}
