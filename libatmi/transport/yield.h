/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.h - let others run before going to sleep for a reply
 *
 * A caller that sleeps costs its server a wake-up, and itself two switches. On
 * a busy CPU it need not: those it waits for are ready to run. So it steps
 * aside first (sched_yield()), and often finds its reply then. Measured with
 * 10 callers on 2 CPUs: twice the calls on shm, a third more on posix
 * (doc/performance.md).
 *
 * Where only this caller is ready, stepping aside returns at once, for a
 * fraction of a microsecond; when that does not pay, few are tried. Where
 * others compute without end in the same session or control group it gives a
 * whole slice away, milliseconds: then the caller sleeps for its next 64 calls,
 * and for twice as many each time that it costs as much again.
 *
 * Of one queue object, so of one thread.
 */
#ifndef OW_YIELD_H
#define OW_YIELD_H

#include <stdbool.h>
#include <stdint.h>

struct ow_yield {
	uint32_t skip;	   /* so many more waits without */
	uint32_t pause;	   /* how many there were after it last cost a lot */
	uint32_t tried, cheap, in_vain; /* the latter two: in a row */
	uint64_t begin_ns; /* of the one going on; 0: not measured */
};

#pragma GCC visibility push(default)

/* Shall this wait step aside? Then end follows; good: the reply had come. */
bool ow_yield_begin(struct ow_yield *p);
void ow_yield_end(struct ow_yield *p, bool good);

#pragma GCC visibility pop
#endif
