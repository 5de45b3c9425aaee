/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.c - wake an idle server of a queue for a message
 *
 * shmq.h describes the protocol. Whether a server is woken, and which, is
 * decided in libatmi/waking/whom.h; this file reads the words for it and does
 * what it answers.
 */
#include <errno.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/shm/attention.h"
#include "libatmi/transport/shm/pending.h"
#include "libatmi/transport/shm/segment.h"
#include "libatmi/waking/whom.h"

static const struct ow_waking *waking_of(const struct ow_shmq *q)
{
	return &q->dom->waking;
}

/* ---- members ---- */

static uint32_t member_srvid(uint32_t m)
{
	return m >> 8 & 0xffff;
}

int ow_shmq_join(struct ow_shmq *q, uint32_t srvid, uint32_t row,
		 uint32_t *ret_rank)
{
	struct shmq_head *h = q->head;
	uint32_t i, ranks = atomic_load(&h->ranks);
	int r;

	for (i = 0; i < ranks && i < OW_SHMQ_RANKS; i++)
		if (atomic_load(&h->member[i]) == 0)
			break;
	if (i >= OW_SHMQ_RANKS)
		return -ENOSPC;
	r = ow_segment_reserve(q->fd, offsetof(struct shmq_head, member) +
			       i * sizeof(h->member[0]), sizeof(h->member[0]));
	if (r != 0)
		return r == -ENOSPC ? OW_SHMQ_NOSPACE : r;
	OW_FAULT("shmq.join");
	atomic_store(&h->member[i], UINT32_C(1) << 31 | srvid << 8 | row);
	OW_FAULT("shmq.ranks");
	if (i >= ranks)
		atomic_store(&h->ranks, i + 1);
	*ret_rank = i;
	return 0;
}

void ow_shmq_leave(struct ow_shmq *q, uint32_t srvid)
{
	struct shmq_head *h = q->head;
	uint32_t i, ranks = atomic_load(&h->ranks);

	for (i = 0; i < ranks && i < OW_SHMQ_RANKS; i++) {
		uint32_t m = atomic_load(&h->member[i]);

		if (m == 0 || member_srvid(m) != srvid)
			continue;
		OW_FAULT("shmq.leave");
		atomic_fetch_and(&h->idle[i / 64], ~(UINT64_C(1) << (i % 64)));
		atomic_store(&h->member[i], 0);
		ow_pending_end(h, i);
	}
	/* The message it was woken for may still be there. */
	ow_shmq_notify(q, 0);
}

/* ---- reading for a decision ---- */

static inline struct ow_waking_ranks ranks_of(const struct shmq_head *h)
{
	uint32_t ranks = ow_load_relaxed(&h->ranks);

	return (struct ow_waking_ranks){
		.idle = h->idle,
		.ranks = ranks < OW_SHMQ_RANKS ? ranks : OW_SHMQ_RANKS,
		.last_idle = ow_load_relaxed(&h->last_idle),
		.cursor = ow_load_relaxed(&h->cursor),
		.even = h->even != 0,
	};
}

/* The rank of an idle server, the one to wake next; -1: none. */
static int choose(const struct shmq_head *h)
{
	struct ow_waking_ranks r = ranks_of(h);

	return ow_waking_choose(&r);
}

/* Is a server to be woken? `pending` is the pending wake-up. *now 0: not read
 * yet. */
static bool is_one_woken(const struct ow_shmq *q, uint64_t pending,
			 uint64_t *now)
{
	struct ow_waking_view v = { .idle = choose(q->head) >= 0,
				    .pending = pending != 0,
				    .standby = ow_pending_is_of(
					pending, OW_SHMQ_STANDBY),
				    .clock = *now != 0,
				    .age_ns = ow_pending_age(pending, *now) };
	enum ow_waking_answer a = ow_waking_whom(waking_of(q), &v);

	if (a == OW_WAKING_READ_CLOCK) {
		*now = ow_clock_mono_ns();
		v.clock = true;
		v.age_ns = ow_pending_age(pending, *now);
		a = ow_waking_whom(waking_of(q), &v);
	}
	return a == OW_WAKING_ONE;
}

/* ---- waking ---- */

/* Wake the server with this rank, if its wake word is IDLE or
 * LOOKING. */
static bool wake_rank(struct ow_shmq *q, uint32_t rank)
{
	uint32_t m = atomic_load(&q->head->member[rank]);

	if (m == 0 || member_srvid(m) == 0 ||
	    member_srvid(m) >= atomic_load(&q->dom->tables->head->srv_high))
		return false;
	return ow_word_wake(&q->dom->tables->srv[member_srvid(m)],
			    OW_WORD_WOKEN + (m & 0xff));
}

/* Wake one idle server and name it in `pending_wake`, which this process has
 * claimed. False: no server is idle. */
static bool wake_one(struct ow_shmq *q, uint64_t now)
{
	struct shmq_head *h = q->head;
	uint64_t bit, tries;
	int i;

	for (tries = OW_WAKING_TRIES; tries > 0; tries--) {
		i = choose(h);
		if (i < 0)
			return false;
		bit = UINT64_C(1) << (i % 64);
		if ((atomic_fetch_and(&h->idle[i / 64], ~bit) & bit) == 0)
			continue; /* another sender has chosen it */
		OW_FAULT("shmq.chosen");
		atomic_store(&h->pending_wake, ow_pending_make((uint32_t)i, now));
		OW_FAULT("shmq.pending");
		if (h->even)
			atomic_store(&h->cursor, (uint32_t)i);
		if (wake_rank(q, (uint32_t)i))
			return true;
	}
	return false;
}

/* Claim `pending_wake`, whose value was `seen`, and wake a server: 1 woken, 0
 * no server is idle, -1 another process has changed the word. */
static int claim_and_wake(struct ow_shmq *q, uint64_t seen, uint64_t now)
{
	uint64_t claimed = ow_pending_make(OW_SHMQ_RANKS, now);

	if (!atomic_compare_exchange_strong(&q->head->pending_wake, &seen,
					    claimed))
		return -1;
	OW_FAULT("shmq.claimed");
	if (wake_one(q, now))
		return 1;
	atomic_store(&q->head->pending_wake, 0);
	return 0;
}

void ow_shmq_notify(struct ow_shmq *q, uint64_t now)
{
	uint64_t pending, tries = OW_WAKING_TRIES;

	/* The message is stored before the idle bits are read (shmq.h). */
	atomic_thread_fence(memory_order_seq_cst);
	for (; tries > 0; tries--) {
		pending = ow_load_relaxed(&q->head->pending_wake);
		if (!is_one_woken(q, pending, &now) ||
		    claim_and_wake(q, pending, now) != 0)
			return;
		/* Another sender may have relied on our claim. */
		atomic_thread_fence(memory_order_seq_cst);
		if (!ow_shmq_has_message(q))
			return;
	}
}

bool ow_shmq_nudge(struct ow_shmq *q)
{
	uint64_t pending = atomic_load(&q->head->pending_wake);

	ow_shmq_repair(q);
	if (!ow_shmq_has_message(q))
		return false;
	return choose(q->head) >= 0 &&
	       claim_and_wake(q, pending, ow_clock_mono_ns()) == 1;
}

void ow_shmq_nudge_of_many(struct ow_shmq *q)
{
	ow_shmq_repair(q);
	if (!ow_shmq_wake_is_pending(q, ow_clock_mono_ns()))
		ow_shmq_nudge(q);
}

bool ow_shmq_wake_is_pending(const struct ow_shmq *q, uint64_t now)
{
	uint64_t pending = ow_load_relaxed(&q->head->pending_wake);
	struct ow_waking_view v = {
		.pending = pending != 0,
		.standby = ow_pending_is_of(pending, OW_SHMQ_STANDBY),
		.age_ns = ow_pending_age(pending, now),
	};

	return ow_waking_on_way(waking_of(q), &v);
}

/* ---- called by the server ---- */

void ow_shmq_set_idle(struct ow_shmq *q, uint32_t rank, bool warm)
{
	struct shmq_head *h = q->head;

	/* After the wake word became IDLE: a sender that cleared the bit
	 * before that found us awake, and will not clear it again. */
	if ((atomic_load(&h->idle[rank / 64]) >> (rank % 64) & 1) == 0)
		atomic_fetch_or(&h->idle[rank / 64],
				UINT64_C(1) << (rank % 64));
	if (warm && !h->even && ow_load_relaxed(&h->last_idle) != rank + 1)
		ow_store_relaxed(&h->last_idle, rank + 1);
}

void ow_shmq_finish_wake(struct ow_shmq *q, uint32_t rank)
{
	ow_pending_end(q->head, rank);
	OW_FAULT("shmq.finish_wake");
	atomic_thread_fence(memory_order_seq_cst);
	if (ow_shmq_has_message(q))
		ow_shmq_notify(q, 0);
}
