/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.h - what stands for process, timer and connection of one server
 *
 * Time is a number. The automaton must never ask for what cannot be: a second
 * process, a signal to none.
 */
#ifndef OW_TEST_SIM_H
#define OW_TEST_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "ndrxd/model/automaton.h"

struct sim {
	struct ow_auto au; /* first */
	uint64_t now;
	int processes;
	enum ow_proc_state spawn_fails; /* 0: it works */
	bool unlocked; /* its group must not run here */
	bool timer_on;
	enum ow_auto_event timer_event;
	uint64_t timer_at;
	int sigs[64];
	uint32_t n_sigs;
	uint32_t stops, pings, changes, spawns;
	unsigned int seed;
};

void sim_init(struct sim *s, unsigned int seed);
/* Start it, and it gets ready. */
void sim_run(struct sim *s);
/* The process goes, as the kernel would tell it. */
void sim_exit(struct sim *s);
/* Let the timer fire. */
void sim_fire(struct sim *s);

#endif
