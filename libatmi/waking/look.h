/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look.h - how long a process looks for a message before it sleeps
 *
 * A process that sleeps for a message costs the sender a system call, and
 * itself the way of a CPU out of idleness: 25 us. A process that looks at a
 * word in shared memory meanwhile has the message after 0.1 us, and takes a
 * CPU for it. So it looks only if that pays, and if no other process wants the
 * CPU. doc/design/waking.md has the reasons.
 *
 * How long. As with the kernel's halt polling each process learns from its own
 * waits, as a server and as a caller apart. A message that comes later than
 * the limit, but within look_max_ns, doubles the limit; one that comes later
 * than that halves it. Below look_min_ns the limit is 0: the process sleeps at
 * once, and only some waits are measured (look_sample).
 *
 * Who wants the CPU. A look begins with a yield, and yields again every
 * look_yield_ns. A yield that takes longer than look_alone_ns let other
 * processes run; a gap of look_gap_ns between two readings of the clock means
 * that the CPU was taken away. Then the process does not look in its next
 * look_pause_min waits, and in twice as many each time, up to
 * OW_WAKING_LOOK_PAUSE; up to yield_pause_max if a whole time slice was given
 * away.
 *
 * What all processes together may take is in looking.h.
 */
#ifndef OW_WAKING_LOOK_H
#define OW_WAKING_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

/* What a process has learned. All zero at first. */
struct ow_look {
	uint64_t limit_ns;
	uint32_t skip;	   /* waits still to come without a look */
	uint32_t pause;	   /* waits skipped after the last such finding */
	uint32_t measured; /* waits since one was measured */
};

enum ow_look_step {
	OW_LOOK_NOT,	 /* sleep */
	OW_LOOK_MEASURE, /* sleep, then ow_look_learn() */
	OW_LOOK,	 /* look; if in vain sleep, then ow_look_learn() */
};

/* What does this wait begin with? */
static inline enum ow_look_step ow_look_begin(struct ow_look *l,
					      const struct ow_waking *k)
{
	if (k->look_max_ns == 0)
		return OW_LOOK_NOT;
	if (l->skip > 0) {
		l->skip--;
		return OW_LOOK_NOT;
	}
	if (l->limit_ns > 0)
		return OW_LOOK;
	if (++l->measured < k->look_sample)
		return OW_LOOK_NOT;
	l->measured = 0;
	return OW_LOOK_MEASURE;
}

/* Another process wants this CPU, which was gone for `gap_ns`. */
static inline void ow_look_is_wanted(struct ow_look *l,
				     const struct ow_waking *k,
				     uint64_t gap_ns)
{
	uint64_t most = gap_ns > k->yield_costly_ns ? k->yield_pause_max
						    : OW_WAKING_LOOK_PAUSE;
	uint64_t pause = 2 * (uint64_t)l->pause;

	if (pause < k->look_pause_min)
		pause = k->look_pause_min;
	if (pause > most)
		pause = most;
	if (pause > l->pause)
		l->pause = (uint32_t)pause;
	l->skip = l->pause;
}

/* A yield took so long: was this process alone on its CPU? */
static inline bool ow_look_is_alone(struct ow_look *l,
				    const struct ow_waking *k,
				    uint64_t took_ns)
{
	if (took_ns > k->look_alone_ns) {
		ow_look_is_wanted(l, k, took_ns);
		return false;
	}
	l->pause /= 2;
	return true;
}

/* Between two looks at the word so much time went by: has the process lost its
 * CPU? */
static inline bool ow_look_lost_cpu(struct ow_look *l,
				    const struct ow_waking *k,
				    uint64_t gap_ns)
{
	if (gap_ns <= k->look_gap_ns)
		return false;
	ow_look_is_wanted(l, k, gap_ns);
	return true;
}

/* What the process waited for came after `took_ns`. */
static inline void ow_look_learn(struct ow_look *l, const struct ow_waking *k,
				 uint64_t took_ns)
{
	if (took_ns <= l->limit_ns)
		return;
	if (took_ns > k->look_max_ns) {
		l->limit_ns /= 2;
		if (l->limit_ns < k->look_min_ns)
			l->limit_ns = 0;
		return;
	}
	l->limit_ns = l->limit_ns == 0 ? k->look_min_ns : 2 * l->limit_ns;
	if (l->limit_ns > k->look_max_ns)
		l->limit_ns = k->look_max_ns;
}

/* ---- what all processes of a domain together may take ---- */

/*
 * What a look adds to the account of the domain, ns. share: per cent of one
 * CPU that looks may take beyond what sleeps would have taken (<spin>). A look
 * that found something is charged only what it took beyond the price of a
 * sleep.
 */
static inline uint64_t ow_look_charge(const struct ow_waking *k,
				      uint32_t share, bool found,
				      uint64_t took_ns)
{
	if (found)
		took_ns -= took_ns < OW_WAKING_SLEEP_COST_NS
			       ? took_ns
			       : OW_WAKING_SLEEP_COST_NS;
	return share == 0 ? 0 : took_ns * 100 / share;
}

/* May a process look, when looks are paid for until `paid_ns`? */
static inline bool ow_look_is_paid(const struct ow_waking *k, uint64_t paid_ns,
				   uint64_t now_ns)
{
	return paid_ns <= now_ns + k->look_credit_ns;
}

/* Processes of one kind (servers, callers) that may look at the same time. */
static inline uint32_t ow_look_seats(uint32_t cpus)
{
	return cpus / 2;
}

#endif
