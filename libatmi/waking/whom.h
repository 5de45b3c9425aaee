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
 *	  its way for pending_ns.
 *	3 While services are short only preferred servers are woken, those of
 *	  the lowest ranks. If none of them is idle, but one will check the
 *	  queue soon, no server is woken; else any.
 *	4 hot: of these the one that went idle last, else the lowest rank.
 *	  even: the next in turn, of all.
 *
 * What costs a cache line or a reading of the clock is read only when a rule
 * needs it: then the answer is what to read, and the question is asked again.
 * Everything here is on the path of a call, and so inline.
 */
#ifndef OW_WAKING_WHOM_H
#define OW_WAKING_WHOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/waking/constants.h"

/* What is known of a question. */
enum ow_waking_fact { OW_WAKING_UNREAD = 0, OW_WAKING_NO, OW_WAKING_YES };

static inline enum ow_waking_fact ow_waking_fact(bool is_so)
{
	return is_so ? OW_WAKING_YES : OW_WAKING_NO;
}

/* What a sender has read of a queue with a message. All zero: nothing. */
struct ow_waking_view {
	bool idle;    /* an idle bit is set */
	bool pending; /* a wake-up is pending */
	bool any;     /* an earlier answer was ANY: preferred are held up */
	bool clock;   /* age_ns, and the time it is taken at, are read */
	int64_t age_ns; /* of the pending wake-up */
	enum ow_waking_fact candidate; /* one that may be woken is idle */
	enum ow_waking_fact soon; /* a preferred one will check the queue */
};

enum ow_waking_answer {
	OW_WAKING_NOBODY,
	OW_WAKING_CANDIDATE, /* one of those that may be woken: rule 3 */
	OW_WAKING_ANY,	     /* one of all */
	/* Read this, and ask again. */
	OW_WAKING_READ_CLOCK,
	OW_WAKING_READ_CANDIDATE,
	OW_WAKING_READ_SOON,
};

/* Rule 2: is the woken server still on its way? */
static inline bool ow_waking_on_way(const struct ow_waking *k,
				    const struct ow_waking_view *v)
{
	return v->pending && v->age_ns <= (int64_t)k->pending_ns;
}

static inline enum ow_waking_answer
ow_waking_whom(const struct ow_waking *k, const struct ow_waking_view *v)
{
	if (!v->idle)
		return OW_WAKING_NOBODY;
	if (!v->clock)
		return OW_WAKING_READ_CLOCK;
	if (ow_waking_on_way(k, v))
		return OW_WAKING_NOBODY;
	if (v->any)
		return OW_WAKING_ANY;
	if (v->candidate == OW_WAKING_UNREAD)
		return OW_WAKING_READ_CANDIDATE;
	if (v->candidate == OW_WAKING_YES)
		return OW_WAKING_CANDIDATE;
	if (v->soon == OW_WAKING_UNREAD)
		return OW_WAKING_READ_SOON;
	return v->soon == OW_WAKING_YES ? OW_WAKING_NOBODY : OW_WAKING_ANY;
}

/* A busy server, as others see it. */
struct ow_waking_busy {
	bool awake;   /* its wake word says so */
	bool serving; /* a request */
	bool here;    /* and of this queue */
	uint64_t since_ns; /* if so */
};

/* Rule 3: will it check the queue soon? Not if it was woken and does not run
 * yet, if it is held up in its service, or serves a request of another queue:
 * that one may wait for a message in this queue. */
static inline bool ow_waking_soon(const struct ow_waking *k,
				  const struct ow_waking_busy *s,
				  uint64_t now_ns)
{
	return s->awake && (!s->serving ||
			    (s->here && now_ns < s->since_ns + k->held_ns));
}

/* How many servers are preferred, on a machine with so many CPUs. */
static inline uint32_t ow_waking_preferred(const struct ow_waking *k,
					   long cpus)
{
	uint64_t n = cpus > 0 ? k->preferred_per_cpu * (uint64_t)cpus : 0;

	return (uint32_t)(n > k->preferred_min ? n : k->preferred_min);
}

/* ---- which one ---- */

/* The servers of a queue, by rank. */
struct ow_waking_ranks {
	const _Atomic uint64_t *idle; /* a bit for each rank */
	uint32_t ranks;	    /* 1 + the highest in use */
	uint32_t preferred; /* those below are preferred */
	uint32_t last_idle; /* 1 + the rank that went idle last; 0: none */
	uint32_t cursor;    /* even: the rank that was woken last */
	bool even, are_short;
};

/* Servers below this rank may be woken; all: not only the preferred ones. */
static inline uint32_t ow_waking_candidates(const struct ow_waking_ranks *r,
					    bool all)
{
	return !all && r->are_short && r->preferred < r->ranks ? r->preferred
							       : r->ranks;
}

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

/* Rule 4: the rank of the idle server to wake; -1: none of them is idle. */
static inline int ow_waking_choose(const struct ow_waking_ranks *r, bool all)
{
	uint32_t n = ow_waking_candidates(r, r->even || all), at;
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
