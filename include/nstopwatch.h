/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nstopwatch.h - measure durations
 *
 * A stopwatch holds a moment of CLOCK_MONOTONIC; what it shows is the time
 * since then, negative while that moment lies ahead. It needs no cleaning up.
 * One thread at a time may use it. (ours; names of Enduro/X)
 */
#ifndef NSTOPWATCH_H
#define NSTOPWATCH_H

#include <sched.h> /* struct timespec, also in strict ISO C */
#include <time.h>
#include <ndebug.h>

typedef struct {
	struct timespec t;
} ndrx_stopwatch_t;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Set it to now; to `timeout_ms` milliseconds from now. */
extern void ndrx_stopwatch_reset(ndrx_stopwatch_t *timer);
extern void ndrx_stopwatch_timer_set(ndrx_stopwatch_t *timer, int timeout_ms);

/* The time since, in milliseconds; in whole seconds. */
extern long ndrx_stopwatch_get_delta(ndrx_stopwatch_t *timer);
extern long ndrx_stopwatch_get_delta_sec(ndrx_stopwatch_t *timer);

/* t1 - t2, in milliseconds. */
extern long long ndrx_stopwatch_diff(ndrx_stopwatch_t *t1,
				     ndrx_stopwatch_t *t2);

/* Move the moment to later, to earlier. */
extern void ndrx_stopwatch_plus(ndrx_stopwatch_t *t1, long long msec);
extern void ndrx_stopwatch_minus(ndrx_stopwatch_t *t1, long long msec);

/*
 * The time since as text with its two greatest units, such as "2m 5s" or
 * "120ms". The text is in memory of the thread, `slot` 0 to 9 (any other is
 * 0), until the next call with that slot.
 */
extern char *ndrx_stopwatch_decode(ndrx_stopwatch_t *timer, int slot);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
