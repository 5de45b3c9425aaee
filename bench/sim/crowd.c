/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd.c - servers of one service queue and its callers: their steps
 *
 * Servers: find, serve, idle, check, woken as in shm/waitset.c; polls as in
 * libatmisrv/poll.c. Callers: yield, sleep, nudge as in shm/receive.c and
 * call/await.c. notify() is ow_shmq_notify().
 */
#include "bench/sim/crowd.h"

#include <stdlib.h>
#include <string.h>

#include "bench/sim/look.h"
#include "bench/sim/queue.h"
#include "libatmi/waking/poll.h"
#include "libatmi/waking/service.h"
#include "libatmi/waking/yield.h"

enum server_at { FIND, SERVED, CHECK, LOOKS, LOOKING, WOKEN };
enum caller_at { THINK, SEND, PUT, WAIT, YIELDED, LOOK, SEE, SLEEP, AWAKE };

/* A look before a sleep. */
struct look {
	struct sim_look learned;
	uint64_t wait_from, from, last;
	uint32_t steps;
};

static bool yields(const struct look *l)
{
	return l->steps % LOOK_STEPS == 0;
}

struct server {
	struct sim_proc proc;
	struct crowd *c;
	enum server_at at;
	uint32_t rank;
	bool woken, poll_only, unsure, served;
	uint32_t in_a_row;
	uint64_t tick_ns, taken_at_poll, backlog, took_from;
	struct look look;
	struct sim_message serving;
};

struct caller {
	struct sim_proc proc;
	struct crowd *c;
	enum caller_at at;
	struct ow_yield yield;
	bool replied, asleep, timed;
	struct look look;
	uint64_t yields_left, yield_from;
	uint64_t due_ns, sent_ns, gap_ns, nudge_ns, left;
};

struct crowd {
	const struct sim_plan *plan;
	const struct ow_waking *k;
	struct sim_machine *m;
	struct sim_queue q;
	struct server *server;
	struct caller *caller;
	struct sim_proc stopper, ndrxd, *hog;
	uint32_t seats[2]; /* taken by servers, callers that look */
	uint32_t stopped; /* 1 + rank */
	uint64_t seed, last_ns; /* of the last call */
	struct sim_result *r;
};

static struct sim_act run_for(uint64_t ns)
{
	return (struct sim_act){ SIM_RUN, ns };
}

static struct sim_act sleep_until(uint64_t ns)
{
	return (struct sim_act){ SIM_SLEEP, ns };
}

static uint64_t about(struct crowd *c, uint64_t mean)
{
	return c->plan->exact ? mean : sim_random_ns(&c->seed, mean);
}

static void note_call(struct crowd *c, uint64_t ns)
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

static uint64_t notify(struct crowd *c)
{
	return wake_server(c, sim_queue_notify(&c->q, sim_now(c->m)));
}

static uint64_t nudge(struct crowd *c)
{
	c->r->nudges++;
	return wake_server(c, sim_queue_nudge(&c->q, sim_now(c->m)));
}

/* ---- looking before sleeping ---- */

enum seat { SERVERS, CALLERS };

/* Two CPUs have a seat for a server that looks, and one for a caller. */
static bool take_seat(struct crowd *c, enum seat kind)
{
	uint32_t seats = c->plan->cpus / 2;

	if (c->plan->look_ns == 0 || c->seats[kind] >= seats)
		return false;
	c->seats[kind]++;
	return true;
}

/* A wait begins: does it look? If so it has a seat. */
static bool begin_look(struct crowd *c, struct look *l, enum seat kind)
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

static void end_look(struct crowd *c, struct look *l, enum seat kind,
		     bool found)
{
	c->seats[kind]--;
	c->r->hits += found;
	c->r->looked_ns += sim_now(c->m) - l->from;
}

/* Another look at the word: false when the time is over, or the CPU is wanted
 * by others. */
static bool looks_on(struct crowd *c, struct look *l)
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

static struct sim_act look_again(const struct look *l)
{
	return yields(l) ? (struct sim_act){ .what = SIM_YIELD }
			 : (struct sim_act){ SIM_RUN, LOOK_STEP_NS };
}

/* The wait is over. */
static void learn(struct crowd *c, struct look *l)
{
	if (c->plan->look_ns > 0)
		sim_look_end(&l->learned, sim_now(c->m) - l->wait_from,
			     c->plan->look_ns);
}

/* ---- a server ---- */

/* The server was woken for the queue, and has checked it. */
static uint64_t finish_wake(struct server *s)
{
	if (!s->woken)
		return 0;
	s->woken = false;
	sim_queue_finish_wake(&s->c->q, s->rank);
	return s->c->q.n > 0 ? notify(s->c) : 0;
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
	c->q.busy[s->rank].serving = c->q.busy[s->rank].here = true;
	c->q.busy[s->rank].since_ns = s->took_from = now;
	s->at = SERVED;
	return run_for(cost + c->plan->server_ns +
		       about(c, c->plan->service_ns));
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
	if (!s->poll_only && c->q.n > 0) {
		s->backlog -= s->backlog > 0;
		return serve(s);
	}
	s->backlog = 0;
	if (s->woken)
		c->r->in_vain++;
	cost = finish_wake(s);
	c->q.busy[s->rank].awake = false;
	sim_queue_set_idle(&c->q, s->rank, !s->poll_only);
	if (begin_look(c, &s->look, SERVERS)) {
		c->q.word[s->rank] = SIM_LOOKING;
		s->at = LOOKS;
		return run_for(cost);
	}
	s->at = CHECK;
	return run_for(cost + c->plan->sleep_ns);
}

/* After LOOKING is stored: the last check of the queue, as before a sleep. */
static struct sim_act begins_to_look(struct server *s)
{
	s->at = LOOKING;
	if (s->c->q.n > 0 && !s->poll_only &&
	    s->c->q.word[s->rank] == SIM_LOOKING) {
		end_look(s->c, &s->look, SERVERS, true);
		s->at = WOKEN;
		return run_for(0);
	}
	return look_again(&s->look);
}

static struct sim_act looking(struct server *s)
{
	struct crowd *c = s->c;

	if (c->q.word[s->rank] != SIM_LOOKING) {
		end_look(c, &s->look, SERVERS, true);
		s->at = WOKEN;
		return run_for(0);
	}
	if (looks_on(c, &s->look))
		return look_again(&s->look);
	end_look(c, &s->look, SERVERS, false);
	c->q.word[s->rank] = SIM_IDLE;
	s->at = CHECK;
	return run_for(c->plan->sleep_ns);
}

static struct sim_act served(struct server *s)
{
	struct crowd *c = s->c;
	uint64_t now = sim_now(c->m), cost = 0;
	struct caller *to = &c->caller[s->serving.caller];
	enum ow_waking_services are;

	are = ow_waking_served(c->k, &s->in_a_row, now - s->took_from, false);
	if (are != OW_WAKING_UNCLEAR)
		sim_queue_set_short(&c->q, are == OW_WAKING_SHORT, now);
	c->q.busy[s->rank].serving = c->q.busy[s->rank].here = false;
	if (c->plan->oneway) {
		note_call(c, now - s->serving.sent_ns);
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
	return run_for(cost);
}

/* After the idle bit is set: sleep, unless there is a message after all. A
 * server that polls wakes a server instead. */
static struct sim_act check(struct server *s)
{
	struct crowd *c = s->c;

	s->at = WOKEN;
	if (c->q.n > 0 && !s->poll_only)
		return run_for(0);
	if (c->q.n > 0)
		notify(c); /* perhaps this server: the sleep is short then */
	if (c->q.word[s->rank] != SIM_IDLE)
		return run_for(0);
	s->poll_only = true;
	return sleep_until(s->tick_ns);
}

static struct sim_act woken(struct server *s)
{
	struct crowd *c = s->c;

	if (c->q.word[s->rank] == SIM_WOKEN) {
		s->poll_only = false;
		s->woken = true;
	}
	c->q.word[s->rank] = SIM_AWAKE;
	c->q.busy[s->rank].awake = true;
	learn(c, &s->look);
	s->at = FIND;
	return run_for(0);
}

static struct sim_act server_step(struct sim_machine *m, void *self)
{
	struct server *s = self;

	(void)m;
	switch (s->at) {
	case FIND:
		return find(s);
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

/* ---- a caller ---- */

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
	return run_for(notify(c));
}

/* The reply has come. */
static struct sim_act got(struct caller *a)
{
	struct crowd *c = a->c;
	uint64_t now = sim_now(c->m);

	learn(c, &a->look);
	note_call(c, now - (c->plan->load == SIM_OPEN ? a->due_ns
						      : a->sent_ns));
	a->at = THINK;
	return run_for(0);
}

static struct sim_act think(struct caller *a)
{
	const struct sim_plan *plan = a->c->plan;
	uint64_t now = sim_now(a->c->m);

	if (a->left == 0)
		return sleep_until(SIM_NEVER);
	a->left--;
	a->at = SEND;
	if (plan->load == SIM_BURST)
		return run_for(0);
	if (plan->load == SIM_OPEN)
		a->due_ns += about(a->c, plan->think_ns * plan->callers);
	else
		a->due_ns = now + about(a->c, plan->think_ns);
	return a->due_ns > now ? sleep_until(a->due_ns) : run_for(0);
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
		return run_for(0);
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
	ow_yield_end(&a->yield, a->c->k, a->replied,
		     a->timed ? sim_now(a->c->m) - a->yield_from
			      : OW_YIELD_UNTIMED);
	if (a->replied)
		return got(a);
	a->at = LOOK;
	return run_for(0);
}

static struct sim_act look(struct caller *a)
{
	uint64_t from = a->look.wait_from;
	bool looks = begin_look(a->c, &a->look, CALLERS);

	a->look.wait_from = from;
	a->at = looks ? SEE : SLEEP;
	return looks ? look_again(&a->look) : run_for(a->c->plan->sleep_ns);
}

static struct sim_act see(struct caller *a)
{
	if (a->replied) {
		end_look(a->c, &a->look, CALLERS, true);
		return got(a);
	}
	if (looks_on(a->c, &a->look))
		return look_again(&a->look);
	end_look(a->c, &a->look, CALLERS, false);
	a->at = SLEEP;
	return run_for(a->c->plan->sleep_ns);
}

static struct sim_act awake(struct caller *a)
{
	uint64_t now = sim_now(a->c->m);

	a->asleep = false;
	if (a->replied)
		return got(a);
	a->at = WAIT;
	if (now < a->nudge_ns)
		return run_for(0);
	a->gap_ns = ow_waking_nudge_gap(a->c->k, a->gap_ns);
	a->nudge_ns = now + a->gap_ns;
	return run_for(nudge(a->c));
}

static struct sim_act caller_step(struct sim_machine *m, void *self)
{
	struct caller *a = self;

	(void)m;
	switch (a->at) {
	case THINK:
		return think(a);
	case SEND:
		a->at = PUT;
		return run_for(a->c->plan->caller_ns);
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
		return sleep_until(a->nudge_ns);
	default:
		return awake(a);
	}
}

/* ---- who stops servers, ndrxd ---- */

static struct sim_act stopper_step(struct sim_machine *m, void *self)
{
	struct crowd *c = self;

	if (c->stopped != 0) {
		sim_continue(m, &c->server[c->stopped - 1].proc);
		c->stopped = 0;
		return sleep_until(sim_now(m) + c->plan->stop_every_ns);
	}
	c->stopped = c->q.last_woken;
	if (c->stopped == 0)
		return sleep_until(sim_now(m) + c->plan->stop_every_ns);
	sim_stop(m, &c->server[c->stopped - 1].proc);
	return sleep_until(sim_now(m) + c->plan->stop_ns);
}

static struct sim_act hog_step(struct sim_machine *m, void *self)
{
	(void)m;
	(void)self;
	return run_for(100000);
}

/* A tick of ndrxd: ow_reap_nudge_crowds(). */
static struct sim_act ndrxd_step(struct sim_machine *m, void *self)
{
	struct crowd *c = self;

	if (c->q.n > 0 && ow_waking_is_crowd(c->k, c->plan->servers))
		nudge(c);
	return sleep_until(sim_now(m) + UINT64_C(1000000000));
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
		sim_start(c->m, &s->proc, server_step, s);
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
		a->left = plan->calls > 0 ? plan->calls / plan->callers
					  : UINT64_MAX;
		sim_start(c->m, &a->proc, caller_step, a);
	}
	for (i = 0; i < plan->hogs; i++)
		sim_start(c->m, &c->hog[i], hog_step, c);
	if (plan->stop_every_ns > 0)
		sim_start(c->m, &c->stopper, stopper_step, c);
	sim_start(c->m, &c->ndrxd, ndrxd_step, c);
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
	sim_queue_open(&c.q, plan->servers, plan->cpus, plan->even, c.k);
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
	while (!is_done(&c) && sim_now(c.m) < end)
		sim_run(c.m, sim_now(c.m) + UINT64_C(1000000));
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
		.service_ns = 1000, .seed = 1, .waking = ow_waking_defaults,
		.costs = { .idle_wake = 20000, .switch_to = 1000,
			   .yield = 300, .slice = 3000000 },
		.caller_ns = 800, .server_ns = 500, .futex_ns = 2000,
		.sleep_ns = 1000,
	};
}
