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

void sim_queue_open(struct sim_queue *q, uint32_t servers, bool even,
		    const struct ow_waking *k)
{
	*q = (struct sim_queue){ .k = k };
	q->idle = need(calloc(servers / 64 + 1, sizeof(*q->idle)));
	q->word = need(calloc(servers + 1, sizeof(*q->word)));
	q->ranks = (struct ow_waking_ranks){
		.idle = q->idle, .ranks = servers, .even = even,
	};
}

void sim_queue_close(struct sim_queue *q)
{
	free(q->ring);
	free((void *)q->idle);
	free(q->word);
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

/* All words that a sender may read. */
static struct ow_waking_view view(const struct sim_queue *q, uint64_t now_ns)
{
	return (struct ow_waking_view){
		.idle = ow_waking_choose(&q->ranks) >= 0,
		.pending = q->pending != 0,
		.standby = q->pending == SIM_STANDBY,
		.clock = true,
		.age_ns = (int64_t)(now_ns - q->pending_ns),
	};
}

/* Choose an idle server, which is on its way from now on: its rank; -1. */
static int choose(struct sim_queue *q, uint64_t now_ns)
{
	int i;

	for (;;) {
		i = ow_waking_choose(&q->ranks);
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

	return ow_waking_whom(q->k, &v) == OW_WAKING_ONE ? choose(q, now_ns)
							 : -1;
}

int sim_queue_nudge(struct sim_queue *q, uint64_t now_ns)
{
	if (q->n == 0)
		return -1;
	return ow_waking_choose(&q->ranks) >= 0
		   ? choose(q, now_ns)
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

uint64_t sim_queue_late(const struct sim_queue *q, uint32_t rank,
			uint64_t now_ns)
{
	return q->pending == rank + 1 && q->emptied_ns != q->pending_ns
		       ? now_ns - q->pending_ns
		       : 0;
}

void sim_queue_stand_by(struct sim_queue *q, uint64_t now_ns)
{
	q->pending = SIM_STANDBY;
	q->pending_ns = now_ns;
}

void sim_queue_was_empty(struct sim_queue *q)
{
	if (q->pending == SIM_STANDBY)
		q->pending = 0;
	else if (q->pending != 0)
		q->emptied_ns = q->pending_ns;
}

void sim_queue_finish_wake(struct sim_queue *q, uint32_t rank)
{
	if (q->pending == rank + 1)
		q->pending = 0;
}
