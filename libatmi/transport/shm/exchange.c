/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - messages go into a service's queue, and out of it
 *
 * shmq.h describes the protocol.
 */
#include "libatmi/transport/shm/shmq.h"

#include <errno.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libatmi/transport/shm/line.h"
#include "libatmi/transport/shm/segment.h"
#include "libatmi/waking/yield.h"

#define BIT(prio)  (UINT64_C(1) << ((prio) % 64))
#define WORD(prio) ((prio) / 64)

/* ---- rings ---- */

/* The ring may hold messages. */
static void set_avail(struct shmq_head *h, unsigned int prio)
{
	_Atomic uint64_t *w = &h->avail[WORD(prio)];

	if ((atomic_load(w) & BIT(prio)) == 0)
		atomic_fetch_or(w, BIT(prio));
}

/* The ring is empty, and takers need not check it again until a sender sets
 * the bit. A sender that put its message before the bit was cleared relied on
 * it: check once more. */
static void clear_avail(struct ow_shmq *q, unsigned int prio)
{
	struct ow_ring r = shmq_ring(q, prio);

	atomic_fetch_and(&q->head->avail[WORD(prio)], ~BIT(prio));
	ow_fence_after_rmw();
	OW_FAULT("shmq.unavail");
	if (ow_ring_has_message(&r))
		set_avail(q->head, prio);
}

/* The highest ring below `below` that may hold messages; -1: none. */
static int next_prio(const struct ow_shmq *q, unsigned int below)
{
	uint64_t w = ow_load_relaxed(&q->head->avail[1]);

	if (below > 64) {
		if (below < 128)
			w &= BIT(below) - 1;
		if (w != 0)
			return 127 - __builtin_clzll(w);
		below = 64;
	}
	w = ow_load_relaxed(&q->head->avail[0]);
	if (below < 64)
		w &= BIT(below) - 1;
	return w != 0 ? 63 - __builtin_clzll(w) : -1;
}

static bool has_memory(const struct ow_shmq *q, unsigned int prio)
{
	return (ow_load_relaxed(&q->head->ready[WORD(prio)]) & BIT(prio)) != 0;
}

/* Reserve memory for a ring that is used for the first time. */
static int reserve_ring(struct ow_shmq *q, unsigned int prio)
{
	uint64_t len = q->ring * sizeof(uint64_t);
	int r;

	if (has_memory(q, prio))
		return 0;
	r = ow_segment_reserve(q->fd, sizeof(struct shmq_head) + prio * len,
			       len);
	if (r != 0)
		return r == -ENOSPC ? OW_SHMQ_NOSPACE : r;
	OW_FAULT("shmq.ready");
	atomic_fetch_or(&q->head->ready[WORD(prio)], BIT(prio));
	return 0;
}

/* ---- depth ---- */

uint32_t ow_shmq_depth(const struct ow_shmq *q)
{
	uint64_t n = 0;
	int prio;

	for (prio = next_prio(q, OW_SHMQ_PRIOS); prio >= 0;
	     prio = next_prio(q, (unsigned int)prio)) {
		struct ow_ring r = shmq_ring(q, (unsigned int)prio);

		n += ow_ring_depth(&r);
	}
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

uint32_t ow_shmq_waiting(const struct ow_shmq *q, uint64_t *ret_cells,
			 uint32_t max)
{
	struct ow_ring r;
	uint32_t n = 0;
	int prio;

	/* `avail` may hide messages of a killed sender: it is not asked. */
	for (prio = OW_SHMQ_PRIOS - 1; prio >= 0; prio--) {
		if ((ow_load_relaxed(&q->head->ready[prio / 64]) >>
			 (prio % 64) & 1) == 0)
			continue;
		r = shmq_ring(q, (unsigned int)prio);
		n += ow_ring_list(&r, ret_cells + n, max - n);
	}
	return n;
}

uint64_t ow_shmq_taken(const struct ow_shmq *q)
{
	uint64_t n = 0, rings;
	unsigned int word, prio;

	for (word = 0; word < 2; word++)
		for (rings = ow_load_relaxed(&q->head->ready[word]); rings != 0;
		     rings &= rings - 1) {
			prio = word * 64 + (unsigned int)__builtin_ctzll(rings);
			if (prio < OW_SHMQ_PRIOS)
				n += ow_load_relaxed(&q->head->mark[prio].head);
		}
	return n;
}

/* A message more than `limit_at` allows: is there room, and is it the turn of
 * this sender? */
static __attribute__((noinline)) bool
count_more(struct ow_shmq *q, uint64_t at, const struct ow_place *place)
{
	struct shmq_head *h = q->head;
	uint32_t depth = ow_shmq_depth(q);
	bool others = false;

	if (depth >= q->limit ||
	    !ow_line_is_turn(q, place, q->limit - depth, &others)) {
		atomic_fetch_sub(&h->sent, 1);
		return false;
	}
	atomic_store(&h->limit_at, at + (others ? 1 : q->limit - depth));
	return true;
}

/* Count a message that will be put, unless the queue is full. */
static bool count_sent(struct ow_shmq *q, const struct ow_place *place)
{
	struct shmq_head *h = q->head;
	uint64_t at = atomic_fetch_add(&h->sent, 1);

	return at < ow_load_relaxed(&h->limit_at) ||
	       count_more(q, at, place);
}

/* ---- messages ---- */

int ow_shmq_put(struct ow_shmq *q, uint64_t ref, unsigned int prio,
		struct ow_place *place)
{
	struct ow_ring ring;
	int r;

	if (prio >= OW_SHMQ_PRIOS)
		prio = OW_SHMQ_PRIOS - 1;
	r = reserve_ring(q, prio);
	if (r != 0)
		return r;
	if (!count_sent(q, place))
		return OW_SHMQ_FULL;
	OW_FAULT("shmq.put");
	ring = shmq_ring(q, prio);
	r = ow_ring_put(&ring, ref);
	if (r != 0) {
		atomic_fetch_sub(&q->head->sent, 1);
		return r == OW_RING_FULL ? OW_SHMQ_FULL : -EBADMSG;
	}
	OW_FAULT("shmq.avail");
	set_avail(q->head, prio);
	if (place != NULL && place->taken)
		ow_line_leave(q, place);
	return 0;
}

/* Wake the senders that wait for room, once a part of it is free. Of two
 * takers the one that comes last must see what the other has taken. */
static void wake_senders(struct ow_shmq *q)
{
	struct shmq_head *h = q->head;

	atomic_thread_fence(memory_order_seq_cst);
	if (!ow_waking_has_room(&q->dom->waking, q->limit,
				ow_shmq_depth(q)) ||
	    atomic_exchange(&h->want_room, 0) == 0)
		return;
	OW_FAULT("shmq.room");
	atomic_fetch_add(&h->room, 1);
	ow_futex_wake(&h->room, INT32_MAX);
}

int ow_shmq_take(struct ow_shmq *q, uint64_t *ret_ref)
{
	enum ow_ring_result r = OW_RING_EMPTY;
	int bad = 0;
	int prio = next_prio(q, OW_SHMQ_PRIOS), lower;

	while (prio >= 0) {
		struct ow_ring ring = shmq_ring(q, (unsigned int)prio);

		r = ow_ring_take(&ring, q->dom->blocks, OW_BLOCK_QUEUED,
				 OW_BLOCK_TAKEN, ret_ref);
		if (r == OW_RING_DONE)
			break;
		bad |= r == OW_RING_BAD;
		lower = next_prio(q, (unsigned int)prio);
		if (lower >= 0)
			clear_avail(q, (unsigned int)prio);
		prio = lower;
	}
	if (r == OW_RING_DONE && atomic_load(&q->head->want_room) != 0)
		wake_senders(q);
	if (r == OW_RING_DONE)
		return 0;
	return bad ? -EBADMSG : OW_SHMQ_EMPTY;
}

bool ow_shmq_has_message(const struct ow_shmq *q)
{
	int prio;

	for (prio = next_prio(q, OW_SHMQ_PRIOS); prio >= 0;
	     prio = next_prio(q, (unsigned int)prio)) {
		struct ow_ring r = shmq_ring(q, (unsigned int)prio);

		if (ow_ring_has_message(&r))
			return true;
	}
	return false;
}

bool ow_shmq_holds(const struct ow_shmq *q, uint64_t ref)
{
	unsigned int prio;

	for (prio = 0; prio < OW_SHMQ_PRIOS; prio++) {
		struct ow_ring r = shmq_ring(q, prio);

		if (has_memory(q, prio) && ow_ring_holds(&r, ref))
			return true;
	}
	return false;
}

void ow_shmq_repair(struct ow_shmq *q)
{
	unsigned int prio;

	for (prio = 0; prio < OW_SHMQ_PRIOS; prio++) {
		struct ow_ring r = shmq_ring(q, prio);

		if (has_memory(q, prio) && ow_ring_has_message(&r))
			set_avail(q->head, prio);
	}
}

bool ow_shmq_has_room(struct ow_shmq *q, struct ow_place *place)
{
	uint32_t depth = ow_shmq_depth(q);
	bool others;

	if (depth >= q->limit) {
		place->seen_ns = 0;
		return false;
	}
	if (ow_line_is_turn(q, place, q->limit - depth, &others))
		return true;
	ow_line_pass_ghosts(q, place, ow_clock_mono_ns());
	return ow_line_is_turn(q, place, q->limit - depth, &others);
}

int ow_shmq_wait_room(struct ow_shmq *q, struct ow_place *place,
		      uint64_t until_ns)
{
	struct shmq_head *h = q->head;
	uint32_t seen = atomic_load(&h->room);
	int r;

	ow_line_join(q, place);
	ow_store_relaxed(&h->want_room, 1);
	/* A taker moves the head, then reads `want_room`. */
	atomic_thread_fence(memory_order_seq_cst);
	OW_FAULT("shmq.want_room");
	if (ow_shmq_has_room(q, place))
		return 0;
	r = ow_futex_wait(&h->room, seen,
			  ow_line_next_look(q, place, ow_clock_mono_ns(),
					    until_ns));
	return r == -ETIMEDOUT ? 0 : r;
}
