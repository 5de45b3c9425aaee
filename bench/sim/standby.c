/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.c - a server that stands by, and what it measures
 *
 * As in transport/standby.c and shm/standby.c.
 */
#include "bench/sim/steps.h"

static uint64_t since(uint64_t then, uint64_t now)
{
	return then == 0 ? UINT64_MAX : now - then;
}

static bool is_needless(const struct crowd *c, uint64_t late_ns)
{
	uint64_t now = sim_now(c->m);
	struct ow_standby_view v = {
		.computed_ns = since(c->computed_ns, now),
		.waited_ns = since(c->waited_ns, now),
		.moved_ns = since(c->moved_ns, now),
		.late_ns = late_ns,
		.share = now < c->used_from_ns + 8 * OW_STANDBY_USE_NS
			     ? c->share : 0,
	};

	return late_ns > 0 && ow_standby_is_enough(c->k, &v);
}

static void stand_by(struct server *s)
{
	uint64_t now = sim_now(s->c->m);

	s->standby.by = true;
	s->standby.due_ns = now + s->c->k->standby_ns;
	sim_queue_stand_by(&s->c->q, now);
}

static void add_use(struct crowd *c, uint64_t used, uint64_t now)
{
	c->used_ns += used;
	if (now < c->used_from_ns + OW_STANDBY_USE_NS)
		return;
	c->share = (uint32_t)((c->used_ns - c->used_before_ns) * 1000 /
			      ((now - c->used_from_ns) * c->plan->cpus));
	c->used_from_ns = now;
	c->used_before_ns = c->used_ns;
}

void sim_standby_serves(struct server *s)
{
	s->standby.began_ns = sim_now(s->c->m);
}

void sim_standby_served(struct server *s)
{
	struct sim_standby *b = &s->standby;
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m);
	struct ow_stretch st = { .took_ns = now - b->began_ns };
	bool first = b->at_ns == 0, others = c->moved_ns > b->began_ns;

	c->moved_ns = now;
	b->ready_ns += st.took_ns - b->waits_ns;
	if (c->k->standby_ns == 0 ||
	    !ow_standby_measures(c->k, st.took_ns, now - b->at_ns,
				 since(c->waited_ns, now) <
				     OW_STANDBY_KNOWN_NS / 2))
		return;
	st.cpu_ns = s->proc.used_ns - b->used_ns;
	st.delay_ns = b->ready_ns - b->ready_before_ns;
	st.delay_ns -= st.delay_ns < st.cpu_ns ? st.delay_ns : st.cpu_ns;
	b->used_ns = s->proc.used_ns;
	b->ready_before_ns = b->ready_ns;
	b->at_ns = now;
	add_use(c, st.cpu_ns, now);
	if (first || st.took_ns < c->k->standby_judge_ns)
		return;
	switch (ow_stretch_kind(&st)) {
	case OW_STRETCH_COMPUTED:
		c->computed_ns = now;
		break;
	case OW_STRETCH_WAITED:
		c->waited_ns = now;
		return;
	default:
		break;
	}
	b->held = others && st.delay_ns >= c->k->standby_held_ns &&
		  is_needless(c, st.delay_ns);
}

bool sim_stands_by(struct server *s, uint64_t late_ns)
{
	s->standby.by = false;
	if (!is_needless(s->c, late_ns))
		return false;
	s->c->r->stood_by++;
	stand_by(s);
	return true;
}

bool sim_gives_way(struct server *s)
{
	struct crowd *c = s->c;

	if (!s->standby.held)
		return false;
	s->standby.held = false;
	if (c->q.pending != SIM_STANDBY)
		return false;
	c->r->gave_way++;
	if (!sim_queue_on_way(&c->q, sim_now(c->m)))
		stand_by(s);
	return true;
}

bool sim_standby_over(struct server *s)
{
	struct sim_standby *b = &s->standby;
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m), due;

	if (!b->by || now < b->due_ns)
		return false;
	due = b->due_ns > b->slept_ns ? b->due_ns : b->slept_ns;
	b->by = false;
	if (c->q.pending != SIM_STANDBY)
		return false;
	if (c->q.n == 0) {
		sim_queue_was_empty(&c->q);
		return false;
	}
	if (is_needless(c, now - due)) {
		stand_by(s);
		return false;
	}
	c->q.pending = 0;
	return true;
}
