/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd.h - servers of one service queue and its callers, on a computed machine
 *
 * The processes take the steps of the shm transport (shmq.h), and ask
 * libatmi/waking what the real ones ask. A step is whole here: what happens
 * between two instructions is the business of tests/model.
 */
#ifndef OW_SIM_CROWD_H
#define OW_SIM_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/hist.h"
#include "bench/sim/machine.h"
#include "libatmi/waking/constants.h"

enum sim_load {
	SIM_CLOSED, /* each caller calls again after `think_ns` */
	SIM_OPEN,   /* calls are due at times that nothing changes */
	SIM_BURST,  /* caller 1 sends `calls` one-way messages at once */
};

/* Times are means of exponential times, unless `exact`. */
struct sim_plan {
	uint32_t cpus, servers, callers;
	uint64_t calls; /* in all; SIM_OPEN, SIM_CLOSED 0: until `until_ns` */
	uint64_t until_ns; /* of simulated time, at most */
	enum sim_load load;
	bool oneway; /* nobody waits for a reply */
	bool exact;
	uint64_t service_ns; /* that it computes */
	uint64_t wait_ns;    /* that one of `wait_every` waits besides */
	uint32_t wait_every;
	uint64_t think_ns; /* OPEN: between two calls of all callers together */
	/* Each so often the server that was woken last is stopped for
	 * `stop_ns`; 0: never. */
	uint64_t stop_every_ns, stop_ns;
	bool even;
	uint64_t seed;
	uint32_t hogs; /* processes that compute all the time */
	struct ow_waking waking;
	struct sim_costs costs;
	/* What the steps of a call cost, ns: the caller's and the server's
	 * part, a futex call that wakes, going to sleep. */
	uint64_t caller_ns, server_ns, futex_ns, sleep_ns;
};

struct sim_result {
	uint64_t ns;	  /* simulated */
	uint64_t busy_ns; /* until the last call was over */
	uint64_t calls;	  /* sent and served */
	uint64_t woken;	  /* servers, by senders, servers and nudges */
	uint64_t in_vain; /* of these: found no message */
	uint64_t callers_woken;
	uint64_t looks, hits, looked_ns;
	uint64_t polls, nudges, switches;
	uint32_t used; /* servers that served */
	uint64_t stood_by, gave_way; /* servers, so often */
	uint64_t ready_sum, ready_samples; /* servers that are not asleep */
	double cpu;    /* share of all CPUs in use, 0 to 1 */
	struct ow_hist call; /* time of a call, or of a message until served */
	struct ow_hist wait; /* of a message until it is taken */
};

/* A machine and costs as measured where doc/performance.md was: 2 CPUs, BANK,
 * 250 servers, 10 callers. */
struct sim_plan sim_plan_usual(void);

void sim_crowd_run(const struct sim_plan *plan, struct sim_result *ret);

#endif
