/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - a service queue on a computed machine: shm/wake.c without races
 */
#include "bench/sim/queue.h"

#include <stdlib.h>
#include <string.h>

#define BIT(rank) (UINT64_C(1) << ((rank) % 64))

static void *need(void *p)
{
	if (p == NULL)
		abort();
	return p;
}

void sim_queue_open(struct sim_queue *q, uint32_t servers, uint32_t cpus,
		    bool even, const struct ow_waking *k)
{
	uint32_t preferred = ow_waking_preferred(k, (long)cpus);

	*q = (struct sim_queue){ .k = k };
	q->idle = need(calloc(servers / 64 + 1, sizeof(*q->idle)));
	q->word = need(calloc(servers + 1, sizeof(*q->word)));
	q->busy = need(calloc(servers + 1, sizeof(*q->busy)));
	q->ranks = (struct ow_waking_ranks){
		.idle = q->idle, .ranks = servers, .even = even,
		.preferred = preferred < servers ? preferred : servers,
	};
}

void sim_queue_close(struct sim_queue *q)
{
	free(q->ring);
	free((void *)q->idle);
	free(q->word);
	free(q->busy);
}

void sim_queue_put(struct sim_queue *q, struct sim_message m)
{
	struct sim_message *ring;
	uint64_t i, room;

	if (q->n == q->room) {
		room = q->room > 0 ? 2 * q->room : 64;
		ring = need(calloc(room, sizeof(*ring)));
		for (i = 0; i < q->n; i++)
			ring[i] = q->ring[(q->first + i) % q->room];
		free(q->ring);
		q->ring = ring;
		q->room = room;
		q->first = 0;
	}
	q->ring[(q->first + q->n++) % q->room] = m;
}

struct sim_message sim_queue_take(struct sim_queue *q)
{
	struct sim_message m = q->ring[q->first];

	q->first = (q->first + 1) % q->room;
	q->n--;
	q->taken++;
	return m;
}

/* ---- decisions ---- */

static bool will_check_soon(const struct sim_queue *q, uint64_t now_ns)
{
	uint32_t i, n = ow_waking_candidates(&q->ranks, false);

	for (i = 0; i < n; i++)
		if (ow_waking_soon(q->k, &q->busy[i], now_ns))
			return true;
	return false;
}

/* All words that a sender may read. */
static struct ow_waking_view view(const struct sim_queue *q, uint64_t now_ns)
{
	return (struct ow_waking_view){
		.idle = ow_waking_choose(&q->ranks, true) >= 0,
		.pending = q->pending != 0,
		.clock = true,
		.age_ns = (int64_t)(now_ns - q->pending_ns),
		.candidate = ow_waking_fact(
		    ow_waking_choose(&q->ranks, false) >= 0),
		.soon = ow_waking_fact(will_check_soon(q, now_ns)),
	};
}

/* Choose an idle server, which is on its way from now on: its rank; -1. */
static int choose(struct sim_queue *q, uint64_t now_ns, bool all)
{
	int i;

	for (;;) {
		i = ow_waking_choose(&q->ranks, all);
		if (i < 0) {
			q->pending = 0;
			return -1;
		}
		q->idle[i / 64] &= ~BIT(i);
		q->pending = (uint32_t)i + 1;
		q->pending_ns = now_ns;
		if (q->ranks.even)
			q->ranks.cursor = (uint32_t)i;
		if (q->word[i] == SIM_IDLE || q->word[i] == SIM_LOOKING)
			break;
	}
	q->was_looking = q->word[i] == SIM_LOOKING;
	q->word[i] = SIM_WOKEN;
	q->last_woken = (uint32_t)i + 1;
	return i;
}

int sim_queue_notify(struct sim_queue *q, uint64_t now_ns)
{
	struct ow_waking_view v = view(q, now_ns);
	enum ow_waking_answer whom = ow_waking_whom(q->k, &v);

	return whom == OW_WAKING_NOBODY
		   ? -1
		   : choose(q, now_ns, whom == OW_WAKING_ANY);
}

void sim_queue_set_short(struct sim_queue *q, bool are_short, uint64_t now_ns)
{
	if (!are_short || now_ns >= q->short_not_before)
		q->ranks.are_short = are_short;
}

int sim_queue_nudge(struct sim_queue *q, uint64_t now_ns)
{
	if (q->n == 0)
		return -1;
	q->short_not_before = now_ns + q->k->assume_long_ns;
	q->ranks.are_short = false;
	return ow_waking_choose(&q->ranks, true) >= 0
		   ? choose(q, now_ns, true)
		   : -1;
}

bool sim_queue_on_way(const struct sim_queue *q, uint64_t now_ns)
{
	struct ow_waking_view v = view(q, now_ns);

	return ow_waking_on_way(q->k, &v);
}

void sim_queue_set_idle(struct sim_queue *q, uint32_t rank, bool warm)
{
	q->word[rank] = SIM_IDLE;
	q->idle[rank / 64] |= BIT(rank);
	if (warm && !q->ranks.even)
		q->ranks.last_idle = rank + 1;
}

void sim_queue_finish_wake(struct sim_queue *q, uint32_t rank)
{
	if (q->pending == rank + 1)
		q->pending = 0;
}
