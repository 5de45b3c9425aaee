/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.h - decide whether a caller yields the CPU before it sleeps
 *
 * A caller that sleeps for its reply costs its server a wake-up and itself two
 * context switches. On a busy CPU the caller need not sleep: the server is
 * ready to run. So the caller yields first (sched_yield()), and often finds
 * its reply afterwards. Measured with 10 callers on 2 CPUs: twice the calls on
 * shm, a third more on posix (doc/performance.md).
 *
 * If only this caller is ready to run, a yield returns after a fraction of a
 * microsecond; while yields are in vain, few are tried. If other processes of
 * the same session or control group compute without end, a yield gives away a
 * whole time slice, milliseconds: then the caller sleeps without a yield in
 * its next 64 calls, and in twice as many each time a yield is that costly
 * again.
 *
 * A struct ow_yield belongs to one queue object, so to one thread.
 */
#ifndef OW_YIELD_H
#define OW_YIELD_H

#include <stdbool.h>
#include <stdint.h>

struct ow_yield {
	uint32_t skip;	/* waits still to come without a yield */
	uint32_t pause; /* waits skipped after the last costly yield */
	uint32_t tried;
	uint32_t cheap, in_vain; /* yields in a row */
	uint64_t begin_ns; /* of the current yield; 0: not measured */
};

#pragma GCC visibility push(default)

/* Should the caller yield before this sleep? If so, ow_yield_end() follows. */
bool ow_yield_begin(struct ow_yield *p);
/* came: the reply was there after the yield. */
void ow_yield_end(struct ow_yield *p, bool came);

#pragma GCC visibility pop
#endif
