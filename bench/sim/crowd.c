/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd.c - start a crowd, stop its servers now and then, wake them, sum up
 */
#include "bench/sim/crowd.h"

#include <stdlib.h>
#include <string.h>

#include "bench/sim/steps.h"
#include "libatmi/waking/poll.h"

uint64_t sim_about(struct crowd *c, uint64_t mean)
{
	return c->plan->exact ? mean : sim_random_ns(&c->seed, mean);
}

void sim_note_call(struct crowd *c, uint64_t ns)
{
	ow_hist_add(&c->r->call, ns);
	c->r->calls++;
	c->last_ns = sim_now(c->m);
}

/* ---- waking ---- */

/* Wake the server with this rank: what that costs the process that does it. */
static uint64_t wake_server(struct crowd *c, int rank)
{
	if (rank < 0)
		return 0;
	c->r->woken++;
	if (c->q.was_looking)
		return 0;
	sim_wake(c->m, &c->server[rank].proc);
	return c->plan->futex_ns;
}

uint64_t sim_notify(struct crowd *c)
{
	return wake_server(c, sim_queue_notify(&c->q, sim_now(c->m)));
}

uint64_t sim_nudge(struct crowd *c)
{
	c->r->nudges++;
	return wake_server(c, sim_queue_nudge(&c->q, sim_now(c->m)));
}

/* ---- who stops servers, ndrxd ---- */

static struct sim_act stopper_step(struct sim_machine *m, void *self)
{
	struct crowd *c = self;

	if (c->stopped != 0) {
		sim_continue(m, &c->server[c->stopped - 1].proc);
		c->stopped = 0;
		return sim_sleep_until(sim_now(m) + c->plan->stop_every_ns);
	}
	c->stopped = c->q.last_woken;
	if (c->stopped == 0)
		return sim_sleep_until(sim_now(m) + c->plan->stop_every_ns);
	sim_stop(m, &c->server[c->stopped - 1].proc);
	return sim_sleep_until(sim_now(m) + c->plan->stop_ns);
}

static struct sim_act hog_step(struct sim_machine *m, void *self)
{
	(void)m;
	(void)self;
	return sim_run_for(100000);
}

/* A tick of ndrxd: ow_reap_nudge_crowds(). */
static struct sim_act ndrxd_step(struct sim_machine *m, void *self)
{
	struct crowd *c = self;

	if (c->q.n > 0 && ow_waking_is_crowd(c->k, c->plan->servers))
		sim_nudge(c);
	return sim_sleep_until(sim_now(m) + UINT64_C(1000000000));
}

/* ---- all of it ---- */

static void start_servers(struct crowd *c)
{
	uint64_t period = ow_waking_poll_period(c->k, true, c->plan->servers);
	struct server *s;
	uint32_t i;

	for (i = 0; i < c->plan->servers; i++) {
		s = &c->server[i];
		*s = (struct server){ .c = c, .rank = i, .at = WOKEN };
		s->tick_ns = sim_now(c->m) + 1 + sim_random(&c->seed) % period;
		c->q.word[i] = SIM_AWAKE;
		sim_start(c->m, &s->proc, sim_server_step, s);
	}
	/* All have come and gone to sleep; the figures begin now. */
	sim_run(c->m, sim_now(c->m) + UINT64_C(100000000));
}

static void start_callers(struct crowd *c)
{
	const struct sim_plan *plan = c->plan;
	struct caller *a;
	uint32_t i;

	for (i = 0; i < plan->callers; i++) {
		a = &c->caller[i];
		*a = (struct caller){ .c = c, .due_ns = sim_now(c->m) };
		ow_yield_init(&a->yield);
		a->left = plan->calls > 0 ? plan->calls / plan->callers
					  : UINT64_MAX;
		sim_start(c->m, &a->proc, sim_caller_step, a);
	}
	for (i = 0; i < plan->hogs; i++)
		sim_start(c->m, &c->hog[i], hog_step, c);
	if (plan->stop_every_ns > 0)
		sim_start(c->m, &c->stopper, stopper_step, c);
	sim_start(c->m, &c->ndrxd, ndrxd_step, c);
}

/* Servers that run, or wait for a CPU. */
static void count_ready(struct crowd *c)
{
	uint32_t i;

	for (i = 0; i < c->plan->servers; i++)
		c->r->ready_sum += c->server[i].proc.state != SIM_ASLEEP;
	c->r->ready_samples++;
}

static bool is_done(const struct crowd *c)
{
	return c->plan->calls > 0 &&
	       c->r->calls >= c->plan->calls / c->plan->callers *
				  c->plan->callers;
}

void sim_crowd_run(const struct sim_plan *plan, struct sim_result *ret)
{
	struct crowd c = { .plan = plan, .k = &plan->waking, .r = ret,
			   .seed = plan->seed };
	uint64_t begin, end, used, switches;

	memset(ret, 0, sizeof(*ret));
	c.m = sim_machine_new(plan->cpus, plan->costs);
	sim_queue_open(&c.q, plan->servers, plan->even, c.k);
	c.server = calloc(plan->servers, sizeof(*c.server));
	c.caller = calloc(plan->callers + 1, sizeof(*c.caller));
	c.hog = calloc(plan->hogs + 1, sizeof(*c.hog));
	if (c.server == NULL || c.caller == NULL || c.hog == NULL)
		abort();
	start_servers(&c);
	ret->polls = 0;
	begin = sim_now(c.m);
	used = sim_used(c.m);
	switches = sim_switches(c.m);
	start_callers(&c);
	end = begin + plan->until_ns;
	while (!is_done(&c) && sim_now(c.m) < end) {
		sim_run(c.m, sim_now(c.m) + UINT64_C(1000000));
		count_ready(&c);
	}
	ret->ns = sim_now(c.m) - begin;
	ret->busy_ns = c.last_ns > begin ? c.last_ns - begin : ret->ns;
	ret->switches = sim_switches(c.m) - switches;
	ret->cpu = (double)(sim_used(c.m) - used) /
		   ((double)ret->ns * plan->cpus);
	sim_queue_close(&c.q);
	sim_machine_free(c.m);
	free(c.server);
	free(c.caller);
	free(c.hog);
}

struct sim_plan sim_plan_usual(void)
{
	return (struct sim_plan){
		.cpus = 2, .servers = 250, .callers = 10, .calls = 100000,
		.until_ns = UINT64_C(60000000000), .load = SIM_CLOSED,
		.service_ns = 1000, .wait_every = 1, .seed = 1, .waking = ow_waking_defaults,
		.costs = { .idle_wake = 20000, .switch_to = 1000,
			   .yield = 300, .slice = 3000000 },
		.caller_ns = 800, .server_ns = 500, .futex_ns = 2000,
		.sleep_ns = 1000,
	};
}
