/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - actors that take turns by a seed, and a clock of their own
 *
 * A test runs clients and servers as actors: threads of one process, of which
 * exactly one runs at a time. Each operation of the local transport is a point
 * at which the turn may go to another actor; the seed decides which one. Time
 * stands still while any actor can run; when all wait, the clock jumps to the
 * next deadline. The same seed gives the same run.
 *
 * These tests are linked with --wrap=clock_gettime, so that ow_clock_mono_ns()
 * is the clock of the world.
 */
#ifndef OW_TEST_WORLD_H
#define OW_TEST_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define WORLD_FOREVER UINT64_MAX

/* Begin anew with a seed: no actors, time at one second. */
void world_begin(uint64_t seed);
/* A new actor, numbered from 0 in the order of creation. It runs from the next
 * world_run() on. */
int world_add(void (*fn)(void *), void *arg);
/* Let the actors run until all have ended or were killed. Fails the program
 * when all wait without a deadline. */
void world_run(void);

/* ---- for actors ---- */

/* Another actor may run now. */
void world_yield(void);
/* Wait until ready(arg) or until the time: is it ready? */
bool world_wait(bool (*ready)(void *), void *arg, uint64_t until_ns);
/* Let time pass. */
void world_sleep(uint64_t ns);
/* A number below `n`, by the seed. */
uint32_t world_random(uint32_t n);
/* The number of the actor that runs. */
int world_self(void);

/* Actor `who` never runs again: killed at the point at which it waits. */
void world_kill(int who);
bool world_was_killed(int who);
/* Turns given since world_begin(): the same for the same seed. */
uint64_t world_turns(void);
uint64_t world_now(void);

#endif
