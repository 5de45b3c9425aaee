/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.h - a crowd from inside: its processes, and what their steps share
 *
 * Each step is a function of the process's state; it says what the process
 * does next (machine.h).
 */
#ifndef OW_SIM_STEPS_H
#define OW_SIM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/sim/crowd.h"
#include "bench/sim/queue.h"
#include "libatmi/waking/look.h"
#include "libatmi/waking/standby.h"
#include "libatmi/waking/yield.h"

enum server_at { FIND, COMPUTED, SERVED, CHECK, LOOKS, LOOKING, WOKEN };
enum caller_at { THINK, SEND, PUT, WAIT, YIELDED, LOOK, SEE, SLEEP, AWAKE };

/* A look before a sleep. */
struct look {
	struct ow_look learned;
	enum ow_look_step step;
	uint64_t wait_from, from, last, yielded;
	bool yields; /* the step before was a yield */
};

/* A server that stands by, and what it has measured (transport/standby.h). */
struct sim_standby {
	bool by, held;
	uint64_t due_ns, slept_ns;     /* until then; since when */
	uint64_t began_ns, waits_ns;   /* its service */
	uint64_t at_ns, used_ns; /* when it was measured last, and its CPU time
				    then */
	uint64_t ready_ns, ready_before_ns; /* in services, not waiting: so
					       far, and then */
};

struct server {
	struct sim_proc proc;
	struct crowd *c;
	enum server_at at;
	uint32_t rank;
	bool woken, poll_only, unsure, served;
	uint64_t tick_ns, taken_at_poll, backlog;
	struct look look;
	struct sim_message serving;
	struct sim_standby standby;
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
	/* Of the service; 0: never. */
	uint64_t moved_ns, computed_ns, waited_ns;
	uint64_t used_ns, used_from_ns, used_before_ns; /* CPU time */
	uint32_t share;
	uint32_t stopped; /* 1 + rank */
	uint64_t seed, last_ns; /* of the last call */
	struct sim_result *r;
};

enum seat { SERVERS, CALLERS };

static inline struct sim_act sim_run_for(uint64_t ns)
{
	return (struct sim_act){ SIM_RUN, ns };
}

static inline struct sim_act sim_sleep_until(uint64_t ns)
{
	return (struct sim_act){ SIM_SLEEP, ns };
}

/* server.c, caller.c */
struct sim_act sim_server_step(struct sim_machine *m, void *self);
struct sim_act sim_caller_step(struct sim_machine *m, void *self);

/* ---- crowd.c ---- */

/* A random time with this mean; the mean itself if the plan is exact. */
uint64_t sim_about(struct crowd *c, uint64_t mean);
/* A call has ended. */
void sim_note_call(struct crowd *c, uint64_t ns);
/* Wake a server as a sender, or as a caller that nudges: what that costs the
 * process that does it. */
uint64_t sim_notify(struct crowd *c);
uint64_t sim_nudge(struct crowd *c);

/* ---- standby.c ---- */

/* A service begins, ends. */
void sim_standby_serves(struct server *s);
void sim_standby_served(struct server *s);
/* The server comes so late: does it stand by? */
bool sim_stands_by(struct server *s, uint64_t late_ns);
/* It is to give way: does it go to sleep? */
bool sim_gives_way(struct server *s);
/* It has slept: is its standby over, and does it receive? */
bool sim_standby_over(struct server *s);

/* ---- looking.c ---- */

/* A wait begins: does it look? If so it has a seat. */
bool sim_looking_begin(struct crowd *c, struct look *l, enum seat kind);
void sim_looking_end(struct crowd *c, struct look *l, enum seat kind,
		     bool found);
/* Another look at the word: false when the time is over, or the CPU is wanted
 * by others. */
bool sim_looking_on(struct crowd *c, struct look *l);
struct sim_act sim_looking_again(struct crowd *c, struct look *l);
/* The wait is over. */
void sim_looking_over(struct crowd *c, struct look *l);

#endif
