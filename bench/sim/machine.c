/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - a machine that is only computed: its events and its scheduler
 */
#include "bench/sim/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BEGIN_NS UINT64_C(1000000000)

struct event {
	uint64_t at, order;
	struct sim_proc *sleeper; /* its sleep ends; NULL: something on a CPU */
	uint32_t sleeps;	  /* if it is still that sleep */
	uint32_t cpu;
};

struct cpu {
	struct sim_proc *running, *last;
	struct sim_proc *first, *tail; /* ready */
	uint32_t ready;
	uint64_t slice_end;
	uint64_t run_from; /* begin of what the next event ends */
};

struct sim_machine {
	struct sim_costs costs;
	uint64_t now, order, used, switches;
	uint32_t cpus, started;
	struct cpu *cpu;
	struct event *heap;
	size_t events, room;
};

static void *need(void *p)
{
	if (p == NULL) {
		fprintf(stderr, "sim: no memory\n");
		exit(1);
	}
	return p;
}

/* ---- events: a heap, the earliest first ---- */

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(struct sim_machine *m, struct event e)
{
	size_t i, up;

	if (m->events == m->room) {
		m->room = m->room > 0 ? 2 * m->room : 1024;
		m->heap = need(realloc(m->heap, m->room * sizeof(e)));
	}
	e.order = m->order++;
	for (i = m->events++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (is_before(&m->heap[up], &e))
			break;
		m->heap[i] = m->heap[up];
	}
	m->heap[i] = e;
}

static struct event pop(struct sim_machine *m)
{
	struct event first = m->heap[0], e = m->heap[--m->events];
	size_t i = 0, down;

	for (;;) {
		down = 2 * i + 1;
		if (down >= m->events)
			break;
		if (down + 1 < m->events &&
		    is_before(&m->heap[down + 1], &m->heap[down]))
			down++;
		if (!is_before(&m->heap[down], &e))
			break;
		m->heap[i] = m->heap[down];
		i = down;
	}
	m->heap[i] = e;
	return first;
}

/* ---- run queues ---- */

static void enqueue(struct cpu *c, struct sim_proc *p)
{
	p->next = NULL;
	p->state = SIM_READY;
	if (c->tail != NULL)
		c->tail->next = p;
	else
		c->first = p;
	c->tail = p;
	c->ready++;
}

static struct sim_proc *dequeue(struct cpu *c)
{
	struct sim_proc *p = c->first;

	if (p == NULL)
		return NULL;
	c->first = p->next;
	if (c->first == NULL)
		c->tail = NULL;
	c->ready--;
	return p;
}

/* The next process for this CPU: of its own queue, else of the longest. A
 * stopped one is put aside. */
static struct sim_proc *next_proc(struct sim_machine *m, struct cpu *c)
{
	struct sim_proc *p;
	struct cpu *from;
	uint32_t i;

	for (;;) {
		for (from = c, i = 0; c->ready == 0 && i < m->cpus; i++)
			if (m->cpu[i].ready > from->ready)
				from = &m->cpu[i];
		p = dequeue(from);
		if (p == NULL || !p->stopped)
			return p;
		p->parked = true;
	}
}

/* ---- running ---- */

/* The CPU computes until `at`. */
static void compute_until(struct sim_machine *m, struct cpu *c, uint64_t at)
{
	c->run_from = m->now;
	push(m, (struct event){ .at = at, .cpu = (uint32_t)(c - m->cpu) });
}

static void dispatch(struct sim_machine *m, struct cpu *c)
{
	struct sim_proc *p = next_proc(m, c);
	uint64_t begin = m->now;

	c->running = p;
	if (p == NULL)
		return;
	p->state = SIM_RUNNING;
	p->cpu = (uint32_t)(c - m->cpu);
	if (p->ready_ns > begin)
		begin = p->ready_ns;
	if (c->last != p) {
		begin += m->costs.switch_to;
		m->switches++;
	}
	c->last = p;
	c->slice_end = begin + m->costs.slice;
	m->used += begin - m->now;
	compute_until(m, c, begin);
	c->run_from = begin; /* what went before is no work of the process */
}

/* The process on this CPU has done what it needed the CPU for. */
static void step(struct sim_machine *m, struct cpu *c)
{
	struct sim_proc *p = c->running;
	struct sim_act act = p->step(m, p->self);

	switch (act.what) {
	case SIM_RUN:
		p->left_ns = act.ns;
		return;
	case SIM_YIELD:
		p->ready_ns = m->now + m->costs.yield;
		enqueue(c, p);
		break;
	default:
		p->state = SIM_ASLEEP;
		p->sleeps++;
		if (act.ns != SIM_NEVER)
			push(m, (struct event){
				    .at = act.ns > m->now ? act.ns : m->now,
				    .sleeper = p, .sleeps = p->sleeps });
		break;
	}
	c->running = NULL;
}

/* What the CPU did is over: the rest of a RUN, a slice, a switch. */
static void go_on(struct sim_machine *m, struct cpu *c)
{
	struct sim_proc *p = c->running;
	uint64_t done = m->now - c->run_from, until;

	m->used += done;
	p->used_ns += done;
	p->left_ns -= done < p->left_ns ? done : p->left_ns;
	while (c->running != NULL && p->left_ns == 0 && !p->stopped)
		step(m, c);
	if (c->running != NULL && (p->stopped || m->now >= c->slice_end)) {
		if (p->stopped || c->ready > 0) {
			enqueue(c, p);
			c->running = NULL;
		} else {
			c->slice_end = m->now + m->costs.slice;
		}
	}
	if (c->running == NULL) {
		dispatch(m, c);
		return;
	}
	until = m->now + p->left_ns;
	compute_until(m, c, until < c->slice_end ? until : c->slice_end);
}

/* The CPU that a woken process goes to. */
static struct cpu *place(struct sim_machine *m, const struct sim_proc *p)
{
	uint32_t i;

	for (i = 0; i < m->cpus; i++)
		if (m->cpu[(p->cpu + i) % m->cpus].running == NULL)
			return &m->cpu[(p->cpu + i) % m->cpus];
	return &m->cpu[p->cpu];
}

static void make_ready(struct sim_machine *m, struct sim_proc *p)
{
	struct cpu *c = place(m, p);

	p->ready_ns = m->now;
	enqueue(c, p);
	if (c->running != NULL)
		return;
	p->ready_ns += m->costs.idle_wake;
	dispatch(m, c);
}

void sim_start(struct sim_machine *m, struct sim_proc *p, sim_step_fn *fn,
	       void *self)
{
	*p = (struct sim_proc){ .step = fn, .self = self,
				.cpu = m->started++ % m->cpus };
	make_ready(m, p);
}

void sim_wake(struct sim_machine *m, struct sim_proc *p)
{
	if (p->state != SIM_ASLEEP)
		return;
	p->sleeps++;
	make_ready(m, p);
}

void sim_stop(struct sim_machine *m, struct sim_proc *p)
{
	(void)m;
	p->stopped = true;
}

void sim_continue(struct sim_machine *m, struct sim_proc *p)
{
	p->stopped = false;
	if (!p->parked)
		return;
	p->parked = false;
	make_ready(m, p);
}

void sim_run(struct sim_machine *m, uint64_t until_ns)
{
	struct event e;

	while (m->events > 0 && m->heap[0].at <= until_ns) {
		e = pop(m);
		m->now = e.at;
		if (e.sleeper == NULL)
			go_on(m, &m->cpu[e.cpu]);
		else if (e.sleeper->state == SIM_ASLEEP &&
			 e.sleeper->sleeps == e.sleeps)
			sim_wake(m, e.sleeper);
	}
	if (m->now < until_ns)
		m->now = until_ns;
}

/* ---- the machine ---- */

struct sim_machine *sim_machine_new(uint32_t cpus, struct sim_costs costs)
{
	struct sim_machine *m = need(calloc(1, sizeof(*m)));

	m->cpu = need(calloc(cpus, sizeof(*m->cpu)));
	m->cpus = cpus;
	m->costs = costs;
	m->now = BEGIN_NS;
	return m;
}

void sim_machine_free(struct sim_machine *m)
{
	free(m->heap);
	free(m->cpu);
	free(m);
}

uint64_t sim_now(const struct sim_machine *m)
{
	return m->now;
}

uint64_t sim_used(const struct sim_machine *m)
{
	return m->used;
}

uint64_t sim_switches(const struct sim_machine *m)
{
	return m->switches;
}

uint64_t sim_random_ns(uint64_t *seed, uint64_t mean_ns)
{
	double u = (double)(sim_random(seed) >> 11) * 0x1p-53;

	return (uint64_t)(-log(1.0 - u) * (double)mean_ns);
}
