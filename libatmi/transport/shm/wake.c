/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.c - who serves a queue, who of them is idle, whom to wake
 */
#include <errno.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/base/segment.h"
#include "libatmi/transport/shm/segment.h"
#include "libatmi/domain/tables.h"

/* How long others wait for a woken server; and while the queue moves. */
#define ON_WAY_NS (2 * OW_NS_PER_MS)
#define MOVING_NS (20 * OW_NS_PER_MS)
#define FEW_MIN	  4u /* servers that do where services are quick */
#define BELIED_NS (100 * OW_NS_PER_MS) /* not quick, after somebody waited */
#define HELD_NS	  OW_NS_PER_MS /* in hand for that long: held up */
#define TRIES_MAX 64 /* servers that turn out not to be idle */

#define LOAD(p) atomic_load_explicit((p), memory_order_relaxed)

/* ---- members ---- */

static uint32_t member_srvid(uint32_t m)
{
	return m >> 8 & 0xffff;
}

/* After somebody has come or gone: which ranks the first few have, two for
 * each CPU. */
static void count_few(struct shmq_head *h)
{
	uint32_t i, n = 0, ranks = atomic_load(&h->ranks);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t few = cpus > 2 ? 2 * (uint32_t)cpus : FEW_MIN;

	for (i = 0; i < ranks && i < OW_SHMQ_RANKS && n < few; i++)
		n += atomic_load(&h->member[i]) != 0;
	OW_FAULT("shmq.few");
	atomic_store(&h->few, i);
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
	count_few(h);
	*ret_rank = i;
	return 0;
}

void ow_shmq_leave(struct ow_shmq *q, uint32_t srvid)
{
	struct shmq_head *h = q->head;
	uint32_t i, ranks = atomic_load(&h->ranks);
	uint64_t way;

	for (i = 0; i < ranks && i < OW_SHMQ_RANKS; i++) {
		uint32_t m = atomic_load(&h->member[i]);

		if (m == 0 || member_srvid(m) != srvid)
			continue;
		OW_FAULT("shmq.leave");
		atomic_fetch_and(&h->idle[i / 64], ~(UINT64_C(1) << (i % 64)));
		atomic_store(&h->member[i], 0);
		way = atomic_load(&h->on_way);
		if (way >> 48 == i + 1)
			atomic_compare_exchange_strong(&h->on_way, &way, 0);
	}
	count_few(h);
	/* What it was woken for may still be there. */
	ow_shmq_notify(q, 0);
}

/* ---- choosing ---- */

void ow_shmq_say_quick(struct ow_shmq *q, bool quick)
{
	struct shmq_head *h = q->head;

	if ((LOAD(&h->quick) != 0) == quick ||
	    (quick && ow_clock_mono_ns() < LOAD(&h->quick_from)))
		return;
	atomic_store_explicit(&h->quick, quick, memory_order_relaxed);
}

/* Somebody has waited for long: services were not quick after all. */
static void belie(struct ow_shmq *q, uint64_t now)
{
	atomic_store_explicit(&q->head->quick_from, now + BELIED_NS,
			      memory_order_relaxed);
	ow_shmq_say_quick(q, false);
}

static bool is_idle(struct shmq_head *h, uint32_t rank)
{
	return (LOAD(&h->idle[rank / 64]) >> (rank % 64) & 1) != 0;
}

/* The first idle rank in [from, to), as far as the hints know; -1. */
static int scan(struct shmq_head *h, uint32_t from, uint32_t to)
{
	uint64_t w;
	uint32_t i;

	while (from < to) {
		w = LOAD(&h->idle[from / 64]) >> (from % 64);
		if (w != 0) {
			i = from + (uint32_t)__builtin_ctzll(w);
			return i < to ? (int)i : -1;
		}
		from = (from / 64 + 1) * 64;
	}
	return -1;
}

/* Ranks below that are to be chosen from. */
static uint32_t choice(struct shmq_head *h, bool all)
{
	uint32_t ranks = LOAD(&h->ranks), few = LOAD(&h->few);

	if (ranks > OW_SHMQ_RANKS)
		ranks = OW_SHMQ_RANKS;
	return !all && few < ranks && LOAD(&h->quick) != 0 ? few : ranks;
}

/* Will the server with this rank look into the queue soon? Not if it does not
 * run (stopped or killed in its sleep), or is held up; one that has a request
 * of another queue in hand perhaps waits for what lies in this one. */
static bool will_look(const struct ow_shmq *q, uint32_t rank, uint64_t now)
{
	uint32_t m = LOAD(&q->head->member[rank]), in_hand;
	const struct ow_srv *s;

	if (m == 0 || member_srvid(m) == 0 || member_srvid(m) >= OW_SRV_MAX)
		return false;
	s = &q->dom->tables->srv[member_srvid(m)];
	if (LOAD(&s->wake_word) != OW_WORD_AWAKE)
		return false;
	in_hand = LOAD(&s->cur_adv);
	return in_hand == 0 || (in_hand == 1 + (m & 0xff) &&
				now < LOAD(&s->cur_since) + HELD_NS);
}

/* Nobody of the few is idle: is one of them at work here? */
static bool few_do(const struct ow_shmq *q, uint64_t now)
{
	uint32_t i, few = choice(q->head, false);

	for (i = 0; i < few; i++)
		if (will_look(q, i, now))
			return true;
	return false;
}

/* A rank that is idle; -1. all: even where a few do. */
static int choose(struct shmq_head *h, bool all)
{
	uint32_t ranks = choice(h, h->even || all), at;
	int i;

	if (!h->even) {
		at = LOAD(&h->last_idle) - 1;
		if (at < ranks && is_idle(h, at))
			return (int)at;
		return scan(h, 0, ranks);
	}
	at = LOAD(&h->cursor) + 1;
	i = scan(h, at, ranks);
	return i >= 0 ? i : scan(h, 0, at < ranks ? at : ranks);
}

/* ---- waking ---- */

static uint64_t way_of(uint32_t rank, uint64_t now)
{
	return (uint64_t)(rank + 1) << 48 |
	       (now / 1024 & ((UINT64_C(1) << 48) - 1));
}

static bool is_older(uint64_t way, uint64_t now, uint64_t ns)
{
	int64_t since = (int64_t)(way & ((UINT64_C(1) << 48) - 1));

	/* Our clock may have been read before that of who is on its way. */
	return (int64_t)(now / 1024 & ((UINT64_C(1) << 48) - 1)) - since >
	       (int64_t)(ns / 1024);
}

/* Is who is on its way not to be waited for? If others take messages
 * meanwhile, the CPUs are rather busy than the server stopped: more servers
 * would make that worse. */
static bool is_late(const struct ow_shmq *q, uint64_t way, uint64_t now)
{
	return is_older(way, now, ON_WAY_NS) &&
	       (ow_shmq_taken(q) == LOAD(&q->head->taken_then) ||
		is_older(way, now, MOVING_NS));
}

/* Ring the bell of the server with this rank, if it is really idle. */
static bool ring(struct ow_shmq *q, uint32_t rank)
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
	OW_FAULT("shmq.ring");
	ow_futex_wake(&s->wake_word, 1);
	return true;
}

/* Of the idle ones, wake one; `on_way` is ours until it is named in there.
 * False: nobody is idle. */
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
			continue; /* somebody else was quicker */
		OW_FAULT("shmq.chosen");
		atomic_store(&h->on_way, way_of((uint32_t)i, now));
		OW_FAULT("shmq.on_way");
		if (h->even)
			atomic_store(&h->cursor, (uint32_t)i);
		if (ring(q, (uint32_t)i))
			return true;
	}
	return false;
}

/* Claim `on_way`, which holds `way`, and wake somebody: 1 woken, 0 nobody is
 * idle, -1 somebody else does it. */
static int claim_and_wake(struct ow_shmq *q, uint64_t way, uint64_t now,
			  bool all)
{
	uint64_t mine = way_of(OW_SHMQ_RANKS, now);

	if (!atomic_compare_exchange_strong(&q->head->on_way, &way, mine))
		return -1;
	atomic_store_explicit(&q->head->taken_then, ow_shmq_taken(q),
			      memory_order_relaxed);
	OW_FAULT("shmq.claimed");
	if (wake_one(q, now, all))
		return 1;
	atomic_store(&q->head->on_way, 0);
	return 0;
}

void ow_shmq_notify(struct ow_shmq *q, uint64_t now)
{
	bool all = false;
	uint64_t way;
	int tries;

	/* Our message first, then the look who is idle: see shmq.h. */
	atomic_thread_fence(memory_order_seq_cst);
	for (tries = 0; tries < TRIES_MAX; tries++) {
		way = LOAD(&q->head->on_way);
		if (choose(q->head, true) < 0)
			return;
		if (now == 0)
			now = ow_clock_mono_ns();
		if (way != 0 && !is_late(q, way, now))
			return;
		if (choose(q->head, all) < 0) {
			if (few_do(q, now))
				return;
			all = true; /* the few are held up */
		}
		if (claim_and_wake(q, way, now, all) != 0)
			return;
		/* Others relied on us: look once more for them. */
		atomic_thread_fence(memory_order_seq_cst);
		if (!ow_shmq_waits(q))
			return;
	}
}

bool ow_shmq_nudge(struct ow_shmq *q)
{
	uint64_t way = atomic_load(&q->head->on_way), now;

	ow_shmq_repair(q);
	if (!ow_shmq_waits(q))
		return false;
	now = ow_clock_mono_ns();
	belie(q, now);
	return choose(q->head, true) >= 0 &&
	       claim_and_wake(q, way, now, true) == 1;
}

bool ow_shmq_expects(const struct ow_shmq *q, uint64_t now)
{
	uint64_t way = LOAD(&q->head->on_way);

	return way != 0 && !is_late(q, way, now);
}

/* ---- the server's side ---- */

void ow_shmq_say_idle(struct ow_shmq *q, uint32_t rank, bool warm)
{
	struct shmq_head *h = q->head;

	/* In order after our bell: who cleared the bit before that found us
	 * awake, and will not clear it again. */
	if ((atomic_load(&h->idle[rank / 64]) >> (rank % 64) & 1) == 0)
		atomic_fetch_or(&h->idle[rank / 64],
				UINT64_C(1) << (rank % 64));
	if (warm && !h->even && LOAD(&h->last_idle) != rank + 1)
		atomic_store_explicit(&h->last_idle, rank + 1,
				      memory_order_relaxed);
}

void ow_shmq_arrived(struct ow_shmq *q, uint32_t rank)
{
	uint64_t way = atomic_load(&q->head->on_way);

	if (way >> 48 == rank + 1)
		atomic_compare_exchange_strong(&q->head->on_way, &way, 0);
	OW_FAULT("shmq.arrived");
	atomic_thread_fence(memory_order_seq_cst);
	if (ow_shmq_waits(q))
		ow_shmq_notify(q, 0);
}
