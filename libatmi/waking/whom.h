/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whom.h - a queue has a message: is a server woken, and which one
 *
 * For transports whose senders wake servers themselves (shm/shmq.h describes
 * the protocol, and what each rule is good for). The rules, in their order:
 *
 *	1 No server is idle: none is woken. A busy one checks the queue before
 *	  it sleeps.
 *	2 A woken server is on its way: no other one is woken. It counts as on
 *	  its way for pending_ns; one that stands by (standby.h) for twice
 *	  standby_ns.
 *	3 hot: the one that went idle last is woken, else the lowest rank.
 *	  even: the next in turn.
 *
 * The clock is read only when a rule needs it: then that is the answer, and the
 * question is asked again. Everything here is on the path of a call, and so
 * inline.
 */
#ifndef OW_WAKING_WHOM_H
#define OW_WAKING_WHOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/waking/constants.h"

/* What a sender has read of a queue with a message. All zero: nothing. */
struct ow_waking_view {
	bool idle;    /* an idle bit is set */
	bool pending; /* a wake-up is pending */
	bool standby; /* of a server that stands by (standby.h) */
	bool clock;   /* age_ns, and the time it is taken at, are read */
	int64_t age_ns; /* of the pending wake-up */
};

enum ow_waking_answer {
	OW_WAKING_NOBODY,
	OW_WAKING_ONE,	      /* rule 3 says which */
	OW_WAKING_READ_CLOCK, /* and ask again */
};

/* Rule 2: is the woken server still on its way? */
static inline bool ow_waking_on_way(const struct ow_waking *k,
				    const struct ow_waking_view *v)
{
	uint64_t most = v->standby ? 2 * k->standby_ns : k->pending_ns;

	return v->pending && v->age_ns <= (int64_t)most;
}

static inline enum ow_waking_answer
ow_waking_whom(const struct ow_waking *k, const struct ow_waking_view *v)
{
	if (!v->idle)
		return OW_WAKING_NOBODY;
	if (!v->clock)
		return OW_WAKING_READ_CLOCK;
	return ow_waking_on_way(k, v) ? OW_WAKING_NOBODY : OW_WAKING_ONE;
}

/* ---- which one ---- */

/* The servers of a queue, by rank. */
struct ow_waking_ranks {
	const _Atomic uint64_t *idle; /* a bit for each rank */
	uint32_t ranks;	    /* 1 + the highest in use */
	uint32_t last_idle; /* 1 + the rank that went idle last; 0: none */
	uint32_t cursor;    /* even: the rank that was woken last */
	bool even;
};

/* The first rank in [from, to) whose idle bit is set; -1: none. */
static inline int ow_waking_next_idle(const struct ow_waking_ranks *r,
				      uint32_t from, uint32_t to)
{
	uint64_t w;
	uint32_t i;

	while (from < to) {
		w = ow_load_relaxed(&r->idle[from / 64]) >> (from % 64);
		if (w != 0) {
			i = from + (uint32_t)__builtin_ctzll(w);
			return i < to ? (int)i : -1;
		}
		from = (from / 64 + 1) * 64;
	}
	return -1;
}

/* Rule 3: the rank of the idle server to wake; -1: none is idle. */
static inline int ow_waking_choose(const struct ow_waking_ranks *r)
{
	uint32_t n = r->ranks, at;
	int i;

	if (!r->even) {
		at = r->last_idle - 1;
		if (at < n &&
		    (ow_load_relaxed(&r->idle[at / 64]) >> (at % 64) & 1) != 0)
			return (int)at;
		return ow_waking_next_idle(r, 0, n);
	}
	at = r->cursor + 1;
	i = ow_waking_next_idle(r, at, n);
	return i >= 0 ? i : ow_waking_next_idle(r, 0, at < n ? at : n);
}

#endif
