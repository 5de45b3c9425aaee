/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll.h - polls: looks into queues without a wake-up, and what may be taken
 *
 * The last resort for messages whose wake-up was lost. Polls are bounded
 * where transports say so: at most `pollers` servers poll a queue each
 * poll_ns, and ndrxd nudges queues with that many. A polling server leaves
 * alone what a woken server is expected to take (ATTENDED), and what moved
 * between two polls that are unsure_ns apart.
 */
#ifndef OW_WAKING_POLL_H
#define OW_WAKING_POLL_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

/* Is a queue that has messages attended to? */
enum ow_queue_attendance {
	OW_QUEUE_ATTENDED,   /* yes: a woken server is on its way */
	OW_QUEUE_UNSURE,     /* messages were taken lately: poll again soon */
	OW_QUEUE_UNATTENDED, /* no, as far as can be told: take the messages */
};

static inline enum ow_queue_attendance
ow_waking_attendance(bool on_way, uint64_t taken, uint64_t taken_at_poll)
{
	if (on_way)
		return OW_QUEUE_ATTENDED;
	return taken == taken_at_poll ? OW_QUEUE_UNATTENDED : OW_QUEUE_UNSURE;
}

/* How many of `depth` messages may the polling server take? */
static inline uint32_t ow_waking_backlog(enum ow_queue_attendance a,
					 uint32_t depth)
{
	return a == OW_QUEUE_UNATTENDED ? depth : 0;
}

/* Is a second poll due after unsure_ns? The second poll decides: if the queue
 * moved again, it is left alone. unsure: of some queue in this poll. */
static inline bool ow_waking_polls_again(bool unsure, bool was_second)
{
	return unsure && !was_second;
}

/* The period at which a server polls. fewest: servers of the queue of its that
 * has the fewest. */
static inline uint64_t ow_waking_poll_period(const struct ow_waking *k,
					     bool bounded, uint32_t fewest)
{
	return (bounded ? 1 + fewest / k->pollers : 1) * k->poll_ns;
}

/* Does ndrxd nudge a queue with so many servers? */
static inline bool ow_waking_is_crowd(const struct ow_waking *k,
				      uint32_t servers)
{
	return servers >= k->pollers;
}

/* The earliest time of the next poll: ticks may be a little early. */
static inline uint64_t ow_waking_next_poll(const struct ow_waking *k,
					   uint64_t now_ns)
{
	return now_ns + k->poll_ns - k->poll_ns / 8;
}

#endif
