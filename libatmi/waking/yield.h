/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.h - what a caller does before it sleeps for a reply, and how long it
 * sleeps
 *
 * A caller that sleeps for its reply costs its server a wake-up and itself two
 * context switches. On a busy CPU the caller need not sleep: the server is
 * ready to run. So the caller yields first (sched_yield()), and often finds
 * its reply afterwards. Measured with 10 callers on 2 CPUs: twice the calls on
 * shm, a third more on posix (doc/lab).
 *
 * If only this caller is ready to run, a yield returns after a fraction of a
 * microsecond. If other processes of
 * the same session or control group compute without end, most yields give away
 * a whole time slice, milliseconds: then the caller sleeps without a yield in
 * its next 64 calls, and in twice as many each time a yield is that costly
 * again. Most, not one: beside busy processes of the domain alone one yield of
 * a thousand takes as long.
 *
 * A service that takes longer than a switch of two processes is not over when
 * the yields are, unless many callers take turns: then these are many switches
 * for one reply, and the kernel takes a yield for a whole slice used up, so that
 * the caller waits the longer when it is woken. Servers say in a reply whether
 * the service was that long (`yield_service_ns`); while most were, the caller
 * does not yield.
 *
 * A service that waits (for a database, a network) answers long after a yield:
 * two system calls and a switch for nothing. So the caller keeps how often its
 * yields find the reply; if they seldom do, it sleeps without them in its next
 * 64 waits, then tries again, and in twice as many each time they still do not.
 * (In a session of their own, apart from the servers', callers yield to each
 * other only, for less time than is costly: so the time does not tell.)
 *
 * A struct ow_yield belongs to one queue object, so to one thread.
 */
#ifndef OW_WAKING_YIELD_H
#define OW_WAKING_YIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

/* What a caller has learned. */
struct ow_yield {
	uint32_t skip;	  /* waits still to come without a yield */
	uint32_t pause;	  /* waits skipped after the last costly yield */
	uint32_t untimed; /* yields since the last timed one */
	uint32_t cheap;	  /* yields in a row */
	uint64_t mean_ns; /* what a timed yield takes, of late */
	uint32_t misses; /* of late, waits whose yields found no reply: of
			    OW_YIELD_ALL */
	uint32_t miss_pause; /* waits skipped after the last too many */
	uint32_t longs; /* replies of long services, of late: 0 to
			   OW_YIELD_LONGS */
};

#define OW_YIELD_LONGS 4u

#define OW_YIELD_ALL 65536u

enum ow_yield_step {
	OW_YIELD_NOT,	/* sleep */
	OW_YIELD_PLAIN, /* yield */
	OW_YIELD_TIMED, /* yield, then ow_yield_end() with the time it took */
};

/* A new caller. It begins to yield once a short service has answered it: of
 * many that come at once each would yield for its first calls, and wait for a CPU
 * the longer afterwards. */
static inline void ow_yield_init(struct ow_yield *p)
{
	*p = (struct ow_yield){ .longs = OW_YIELD_LONGS / 2 + 1 };
}

/* Should the caller yield before this sleep? */
enum ow_yield_step ow_yield_begin(struct ow_yield *p,
				  const struct ow_waking *k);
void ow_yield_end(struct ow_yield *p, const struct ow_waking *k,
		  uint64_t took_ns);
/* After the yields of one wait: did the reply come meanwhile? */
void ow_yield_found(struct ow_yield *p, const struct ow_waking *k, bool came);

static inline bool ow_yield_is_long(const struct ow_waking *k, uint64_t took_ns)
{
	return took_ns >= k->yield_service_ns;
}

/* A reply has come: did its service take long? */
static inline void ow_yield_replied(struct ow_yield *p, bool is_long)
{
	if (!is_long)
		p->longs -= p->longs > 0;
	else if (p->longs < OW_YIELD_LONGS)
		p->longs++;
}

/* The time to the nudge after the next, given the time to the next. */
static inline uint64_t ow_waking_nudge_gap(uint64_t gap_ns)
{
	return gap_ns < OW_WAKING_NUDGE_DOUBLES_NS ? 2 * gap_ns : gap_ns;
}

/* Is there so much room in a queue that senders are woken which wait for
 * it? */
static inline bool ow_waking_has_room(const struct ow_waking *k,
				      uint32_t limit, uint32_t depth)
{
	uint32_t part = (uint32_t)(limit / k->room_part);

	return depth <= limit - (part > 0 ? part : 1);
}

#endif
