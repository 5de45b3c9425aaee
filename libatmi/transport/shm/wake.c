/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.c - choose an idle server of a queue for a message and wake it
 *
 * shmq.h describes the protocol.
 */
#include <errno.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/shm/segment.h"

/* How long a pending wake-up counts, and if the queue moves meanwhile. */
#define PENDING_NS (2 * OW_NS_PER_MS)
#define MOVING_NS  (20 * OW_NS_PER_MS)
/* Minimum number of servers to wake for short services. */
#define PREFERRED_MIN 4u
/* Services count as long for this time after a nudge. */
#define ASSUME_LONG_NS (100 * OW_NS_PER_MS)
#define HELD_NS	  OW_NS_PER_MS /* a server in a service longer is held up */
#define TRIES_MAX 64 /* servers that turn out not to be idle */

#define TIME_MASK ((UINT64_C(1) << 48) - 1)

/* ---- members ---- */

static uint32_t member_srvid(uint32_t m)
{
	return m >> 8 & 0xffff;
}

/* Count the preferred servers anew after a server has joined or left: the
 * lowest ranks in use, two for each CPU. */
static void count_preferred(struct shmq_head *h)
{
	uint32_t i, n = 0, ranks = atomic_load(&h->ranks);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t want = cpus > 2 ? 2 * (uint32_t)cpus : PREFERRED_MIN;

	for (i = 0; i < ranks && i < OW_SHMQ_RANKS && n < want; i++)
		n += atomic_load(&h->member[i]) != 0;
	OW_FAULT("shmq.preferred");
	atomic_store(&h->preferred, i);
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
	count_preferred(h);
	*ret_rank = i;
	return 0;
}

/* Clear `pending_wake` if it names the server with this rank. */
static void clear_pending(struct shmq_head *h, uint32_t rank)
{
	uint64_t pending = atomic_load(&h->pending_wake);

	if (pending >> 48 == rank + 1)
		atomic_compare_exchange_strong(&h->pending_wake, &pending, 0);
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
		clear_pending(h, i);
	}
	count_preferred(h);
	/* The message it was woken for may still be there. */
	ow_shmq_notify(q, 0);
}

/* ---- choosing a server ---- */

void ow_shmq_set_short(struct ow_shmq *q, bool are_short)
{
	struct shmq_head *h = q->head;

	if ((ow_load_relaxed(&h->short_services) != 0) == are_short ||
	    (are_short &&
	     ow_clock_mono_ns() < ow_load_relaxed(&h->short_not_before)))
		return;
	ow_store_relaxed(&h->short_services, are_short);
}

/* A caller has waited for long: services are not short after all. */
static void assume_long(struct ow_shmq *q, uint64_t now)
{
	ow_store_relaxed(&q->head->short_not_before, now + ASSUME_LONG_NS);
	ow_shmq_set_short(q, false);
}

static bool is_idle(struct shmq_head *h, uint32_t rank)
{
	return (ow_load_relaxed(&h->idle[rank / 64]) >> (rank % 64) & 1) != 0;
}

/* The first rank in [from, to) whose idle bit is set; -1: none. */
static int find_idle(struct shmq_head *h, uint32_t from, uint32_t to)
{
	uint64_t w;
	uint32_t i;

	while (from < to) {
		w = ow_load_relaxed(&h->idle[from / 64]) >> (from % 64);
		if (w != 0) {
			i = from + (uint32_t)__builtin_ctzll(w);
			return i < to ? (int)i : -1;
		}
		from = (from / 64 + 1) * 64;
	}
	return -1;
}

/* Servers below this rank may be chosen; all: not only the preferred ones. */
static uint32_t candidates(struct shmq_head *h, bool all)
{
	uint32_t ranks = ow_load_relaxed(&h->ranks);
	uint32_t preferred = ow_load_relaxed(&h->preferred);

	if (ranks > OW_SHMQ_RANKS)
		ranks = OW_SHMQ_RANKS;
	return !all && preferred < ranks &&
		       ow_load_relaxed(&h->short_services) != 0
		   ? preferred
		   : ranks;
}

/* Will the busy server with this rank check the queue soon? shmq.h says why
 * not. */
static bool will_check_soon(const struct ow_shmq *q, uint32_t rank,
			    uint64_t now)
{
	uint32_t m = ow_load_relaxed(&q->head->member[rank]), serving;
	const struct ow_srv *s;

	if (m == 0 || member_srvid(m) == 0 || member_srvid(m) >= OW_SRV_MAX)
		return false;
	s = &q->dom->tables->srv[member_srvid(m)];
	if (ow_load_relaxed(&s->wake_word) != OW_WORD_AWAKE)
		return false;
	serving = ow_load_relaxed(&s->cur_adv);
	return serving == 0 || (serving == 1 + (m & 0xff) &&
				now < ow_load_relaxed(&s->cur_since) + HELD_NS);
}

/* No preferred server is idle: will one of them check the queue soon? */
static bool preferred_suffice(const struct ow_shmq *q, uint64_t now)
{
	uint32_t i, preferred = candidates(q->head, false);

	for (i = 0; i < preferred; i++)
		if (will_check_soon(q, i, now))
			return true;
	return false;
}

/* The rank of an idle server, the one to wake next; -1: none. */
static int choose(struct shmq_head *h, bool all)
{
	uint32_t ranks = candidates(h, h->even || all), at;
	int i;

	if (!h->even) {
		at = ow_load_relaxed(&h->last_idle) - 1;
		if (at < ranks && is_idle(h, at))
			return (int)at;
		return find_idle(h, 0, ranks);
	}
	at = ow_load_relaxed(&h->cursor) + 1;
	i = find_idle(h, at, ranks);
	return i >= 0 ? i : find_idle(h, 0, at < ranks ? at : ranks);
}

/* ---- waking ---- */

static uint64_t pending_make(uint32_t rank, uint64_t now)
{
	return (uint64_t)(rank + 1) << 48 | (now / 1024 & TIME_MASK);
}

/* Signed: our clock may have been read before that of the waking process. */
static bool is_older(uint64_t pending, uint64_t now, uint64_t ns)
{
	return (int64_t)(now / 1024 & TIME_MASK) -
		   (int64_t)(pending & TIME_MASK) >
	       (int64_t)(ns / 1024);
}

/* Should a sender ignore this pending wake-up? If servers take messages
 * meanwhile, the woken server is more likely to wait for a CPU than to be
 * stopped: waking more servers would make that worse. */
static bool is_overdue(const struct ow_shmq *q, uint64_t pending, uint64_t now)
{
	return is_older(pending, now, PENDING_NS) &&
	       (ow_shmq_taken(q) == ow_load_relaxed(&q->head->taken_at_wake) ||
		is_older(pending, now, MOVING_NS));
}

/* Wake the server with this rank, if its wake word is IDLE. */
static bool wake_rank(struct ow_shmq *q, uint32_t rank)
{
	uint32_t m = atomic_load(&q->head->member[rank]);
	uint32_t idle = OW_WORD_IDLE;
	struct ow_srv *s;

	if (m == 0 || member_srvid(m) == 0 ||
	    member_srvid(m) >= atomic_load(&q->dom->tables->head->srv_high))
		return false;
	s = &q->dom->tables->srv[member_srvid(m)];
	if (!atomic_compare_exchange_strong(&s->wake_word, &idle,
					    OW_WORD_WOKEN + (m & 0xff)))
		return false;
	OW_FAULT("shmq.wake");
	ow_futex_wake(&s->wake_word, 1);
	return true;
}

/* Wake one idle server and name it in `pending_wake`, which this process has
 * claimed. False: no server is idle. */
static bool wake_one(struct ow_shmq *q, uint64_t now, bool all)
{
	struct shmq_head *h = q->head;
	uint64_t bit;
	int i, tries;

	for (tries = 0; tries < TRIES_MAX; tries++) {
		i = choose(h, all);
		if (i < 0)
			return false;
		bit = UINT64_C(1) << (i % 64);
		if ((atomic_fetch_and(&h->idle[i / 64], ~bit) & bit) == 0)
			continue; /* another sender has chosen it */
		OW_FAULT("shmq.chosen");
		atomic_store(&h->pending_wake, pending_make((uint32_t)i, now));
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
static int claim_and_wake(struct ow_shmq *q, uint64_t seen, uint64_t now,
			  bool all)
{
	uint64_t claimed = pending_make(OW_SHMQ_RANKS, now);

	if (!atomic_compare_exchange_strong(&q->head->pending_wake, &seen,
					    claimed))
		return -1;
	ow_store_relaxed(&q->head->taken_at_wake, ow_shmq_taken(q));
	OW_FAULT("shmq.claimed");
	if (wake_one(q, now, all))
		return 1;
	atomic_store(&q->head->pending_wake, 0);
	return 0;
}

void ow_shmq_notify(struct ow_shmq *q, uint64_t now)
{
	bool all = false;
	uint64_t pending;
	int tries;

	/* The message is stored before the idle bits are read (shmq.h). */
	atomic_thread_fence(memory_order_seq_cst);
	for (tries = 0; tries < TRIES_MAX; tries++) {
		pending = ow_load_relaxed(&q->head->pending_wake);
		if (choose(q->head, true) < 0)
			return;
		if (now == 0)
			now = ow_clock_mono_ns();
		if (pending != 0 && !is_overdue(q, pending, now))
			return;
		if (choose(q->head, all) < 0) {
			if (preferred_suffice(q, now))
				return;
			all = true; /* the preferred servers are held up */
		}
		if (claim_and_wake(q, pending, now, all) != 0)
			return;
		/* Another sender may have relied on our claim. */
		atomic_thread_fence(memory_order_seq_cst);
		if (!ow_shmq_has_message(q))
			return;
	}
}

bool ow_shmq_nudge(struct ow_shmq *q)
{
	uint64_t pending = atomic_load(&q->head->pending_wake), now;

	ow_shmq_repair(q);
	if (!ow_shmq_has_message(q))
		return false;
	now = ow_clock_mono_ns();
	assume_long(q, now);
	return choose(q->head, true) >= 0 &&
	       claim_and_wake(q, pending, now, true) == 1;
}

bool ow_shmq_wake_is_pending(const struct ow_shmq *q, uint64_t now)
{
	uint64_t pending = ow_load_relaxed(&q->head->pending_wake);

	return pending != 0 && !is_overdue(q, pending, now);
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
	clear_pending(q->head, rank);
	OW_FAULT("shmq.finish_wake");
	atomic_thread_fence(memory_order_seq_cst);
	if (ow_shmq_has_message(q))
		ow_shmq_notify(q, 0);
}
