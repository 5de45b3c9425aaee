/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looking.c - looks of servers and callers before they sleep
 *
 * The steps of libatmi/transport/looking.c, without the account of the domain.
 */
#include "bench/sim/steps.h"

#define STEP_NS 200 /* between two readings of the clock */

static bool take_seat(struct crowd *c, enum seat kind)
{
	if (c->seats[kind] >= ow_look_seats(c->plan->cpus))
		return false;
	c->seats[kind]++;
	return true;
}

bool sim_looking_begin(struct crowd *c, struct look *l, enum seat kind)
{
	uint64_t now = sim_now(c->m);

	l->wait_from = now;
	l->step = ow_look_begin(&l->learned, c->k);
	if (l->step != OW_LOOK)
		return false;
	if (!take_seat(c, kind)) {
		l->learned.skip = (uint32_t)c->k->look_pause_min;
		l->step = OW_LOOK_NOT;
		return false;
	}
	c->r->looks++;
	l->from = l->last = now;
	l->yielded = 0;
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
	if (l->yields) {
		l->yielded = now;
		if (!ow_look_is_alone(&l->learned, c->k, gap))
			return false;
	} else if (ow_look_lost_cpu(&l->learned, c->k, gap)) {
		return false;
	}
	return now - l->from < l->learned.limit_ns;
}

struct sim_act sim_looking_again(struct crowd *c, struct look *l)
{
	l->yields = sim_now(c->m) >= l->yielded + c->k->look_yield_ns ||
		    l->yielded == 0;
	return l->yields ? (struct sim_act){ .what = SIM_YIELD }
			 : (struct sim_act){ SIM_RUN, STEP_NS };
}

void sim_looking_over(struct crowd *c, struct look *l)
{
	if (l->step != OW_LOOK_NOT)
		ow_look_learn(&l->learned, c->k, sim_now(c->m) - l->wait_from);
	l->step = OW_LOOK_NOT;
}
