/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - senders that wait at a full queue go in the order of their coming
 */
#include "libatmi/transport/shm/line.h"

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/transport/shm/segment.h"

#define GHOST_NS (200 * OW_NS_PER_MS) /* longer than a busy CPU takes */
#define FRONT	 8 /* places from which one looks for ghosts often */

/* Those who wait before this sender; of one without a place: all. Numbers go
 * round. */
static int32_t before(const struct ow_shmq *q, const struct ow_place *p)
{
	uint32_t gone = atomic_load(&q->head->gone);
	uint32_t number = p != NULL && p->taken ? p->number
						: atomic_load(&q->head->last);

	return (int32_t)(number - gone);
}

void ow_line_join(struct ow_shmq *q, struct ow_place *p)
{
	struct shmq_head *h = q->head;
	uint32_t gone = atomic_load(&h->gone), last = atomic_load(&h->last);

	if (p->taken)
		return;
	/* A ghost that came back: nobody waits. */
	if ((int32_t)(last - gone) < 0)
		atomic_compare_exchange_strong(&h->gone, &gone, last);
	p->number = atomic_fetch_add(&h->last, 1);
	p->taken = true;
	p->seen = atomic_load(&h->gone);
	p->seen_ns = 0;
	p->skip = 1;
	OW_FAULT("line.joined");
}

/* Was a sender with this number passed, as far as can be told? Then `gone` has
 * it already. */
static bool was_passed(struct shmq_head *h, uint32_t number)
{
	uint32_t n = atomic_load(&h->passed);

	if (n == 0 || (int32_t)(number - atomic_load(&h->passed_to)) >= 0)
		return false;
	while (n > 0)
		if (atomic_compare_exchange_strong(&h->passed, &n, n - 1))
			return true;
	return false;
}

void ow_line_leave(struct ow_shmq *q, struct ow_place *p)
{
	if (!p->taken)
		return;
	p->taken = false;
	OW_FAULT("line.leave");
	if (!was_passed(q->head, p->number))
		atomic_fetch_add(&q->head->gone, 1);
}

bool ow_line_is_turn(const struct ow_shmq *q, const struct ow_place *p,
		     uint32_t room, bool *ret_others)
{
	int32_t waiting = (int32_t)(atomic_load(&q->head->last) -
				    atomic_load(&q->head->gone));

	*ret_others = waiting > (p != NULL && p->taken ? 1 : 0);
	return before(q, p) < (int32_t)room;
}

/* `n` more were passed, of those with numbers below `to`. */
static void note_passed(struct shmq_head *h, uint32_t to, uint32_t n)
{
	atomic_store(&h->passed_to, to);
	atomic_fetch_add(&h->passed, n);
}

void ow_line_pass_ghosts(struct ow_shmq *q, struct ow_place *p, uint64_t now)
{
	uint32_t gone = atomic_load(&q->head->gone);
	int32_t most = before(q, p);

	if (!p->taken || most <= 0)
		return;
	if (gone != p->seen || p->seen_ns == 0) {
		p->skip = gone != p->seen ? 1 : p->skip;
		p->seen = gone;
		p->seen_ns = now;
		return;
	}
	if (now - p->seen_ns < GHOST_NS)
		return;
	if (p->skip > (uint32_t)most)
		p->skip = (uint32_t)most;
	if (atomic_compare_exchange_strong(&q->head->gone, &gone,
					   gone + p->skip)) {
		p->seen = gone + p->skip;
		OW_FAULT("line.passed");
		note_passed(q->head, p->seen, p->skip);
	}
	p->seen_ns = now;
	p->skip *= 2;
}

uint64_t ow_line_next_look(const struct ow_shmq *q, const struct ow_place *p,
			   uint64_t now, uint64_t until)
{
	uint64_t look = now + GHOST_NS;

	return before(q, p) < FRONT && look < until ? look : until;
}
