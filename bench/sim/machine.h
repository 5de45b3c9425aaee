/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - a machine that is only computed: CPUs, run queues, sleeps
 *
 * Time is a number. A process is a function that is called when the process
 * has a CPU, and says how long it needs the CPU until the next call, or that
 * it sleeps or yields. Whatever it does to memory happens at that moment. The
 * order of events depends on nothing else, so each run with the same numbers
 * is the same.
 *
 * The scheduler is a plain one: a run queue for each CPU, a slice, then the
 * next; a woken process goes to the CPU that it had, if that is idle, else to
 * an idle one, else to the queue of its own; a CPU without work takes a
 * process from the longest queue. Nobody is preempted by a woken process.
 */
#ifndef OW_SIM_MACHINE_H
#define OW_SIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NEVER UINT64_MAX

/* What the machine costs, ns. */
struct sim_costs {
	uint64_t idle_wake; /* until an idle CPU runs a process woken on it */
	uint64_t switch_to; /* from one process to another */
	uint64_t yield;	    /* sched_yield() */
	uint64_t slice;
};

struct sim_machine;
struct sim_proc;

enum sim_what { SIM_RUN, SIM_YIELD, SIM_SLEEP };

struct sim_act {
	enum sim_what what;
	uint64_t ns; /* RUN: how long; SLEEP: until (SIM_NEVER) */
};

typedef struct sim_act sim_step_fn(struct sim_machine *m, void *self);

enum sim_state { SIM_ASLEEP, SIM_READY, SIM_RUNNING };

/* Fields are the machine's. */
struct sim_proc {
	sim_step_fn *step;
	void *self;
	enum sim_state state;
	bool stopped, parked; /* SIGSTOP; it would be ready */
	uint32_t cpu, sleeps;
	uint64_t left_ns;     /* of the current RUN */
	uint64_t used_ns;     /* CPU time, ever */
	uint64_t ready_ns;    /* a woken one cannot run before */
	struct sim_proc *next;
};

/* `cpus` CPUs; time begins at 1 s. Ends the process without memory. */
struct sim_machine *sim_machine_new(uint32_t cpus, struct sim_costs costs);
void sim_machine_free(struct sim_machine *m);

uint64_t sim_now(const struct sim_machine *m);
/* CPU time of all processes, and of CPUs that come out of idleness. */
uint64_t sim_used(const struct sim_machine *m);
uint64_t sim_switches(const struct sim_machine *m);

/* A process that is ready to run, on any CPU. */
void sim_start(struct sim_machine *m, struct sim_proc *p, sim_step_fn *step,
	       void *self);
/* End a sleep; nothing if it does not sleep. */
void sim_wake(struct sim_machine *m, struct sim_proc *p);
/* Like SIGSTOP and SIGCONT. A process that runs stops at its next step or at
 * the end of its slice. */
void sim_stop(struct sim_machine *m, struct sim_proc *p);
void sim_continue(struct sim_machine *m, struct sim_proc *p);

/* Go on until the time, or until there is nothing to do. */
void sim_run(struct sim_machine *m, uint64_t until_ns);

/* ---- numbers that look random ---- */

static inline uint64_t sim_random(uint64_t *seed)
{
	uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* A time with this mean, as of independent events: exponential. */
uint64_t sim_random_ns(uint64_t *seed, uint64_t mean_ns);

#endif
