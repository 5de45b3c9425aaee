/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.h - simulated process, timer and connection of one server
 *
 * Time is a number. A test fails when the automaton calls for something
 * impossible: a second process, a signal without a process.
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
	enum ow_proc_state spawn_fails; /* result of spawn; 0: it starts */
	bool unlocked; /* its group is not locked here */
	bool timer_on;
	enum ow_auto_event timer_event;
	uint64_t timer_at;
	int sigs[64];
	uint32_t n_sigs;
	uint64_t grace; /* ms left for what it does */
	uint32_t stops, pings, changes, spawns;
	unsigned int seed;
};

void sim_init(struct sim *s, unsigned int seed);
/* START, HELLO, READY: RUNNING. */
void sim_run(struct sim *s);
/* The process ends: EXITED. */
void sim_exit(struct sim *s);
/* Let the timer fire. */
void sim_fire(struct sim *s);

#endif
