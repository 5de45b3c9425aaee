/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat.c - the slots of a flat directory: open and close gaps
 */
#include "libubf/store/store.h"

#include <assert.h>

#include "libubf/store/slots.h"

/* If the shorter side has no free slot, the other side is moved if it has at
 * most so many entries. */
#define CHEAP_MOVE 16

void ow_ubf_clear_spare(struct Ubfh *h)
{
	uint32_t end = h->first + ow_ubf_count(h), behind = h->slots - end;

	if (h->first > 0)
		ow_ubf_clear_slots(h, 0, h->first);
	if (behind > 0)
		ow_ubf_clear_slots(h, end, behind);
}

/* Move all entries so that one side gets k free slots and half of the other
 * free slots: the next insertions there are cheap. */
static void respread(struct Ubfh *h, int to_front, uint32_t k)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t give = k + (h->slots - count - k) / 2;
	uint32_t first = to_front ? give : h->slots - count - give;

	ow_ubf_move_slots(h, first, h->first, count);
	h->first = first;
	ow_ubf_clear_spare(h);
}

uint32_t ow_ubf_gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t back = h->slots - h->first - count;
	int to_front = at < count - at;
	uint32_t other_cost = to_front ? count - at : at;

	assert(h->pages == 0 && h->slots - count >= k);
	if ((to_front ? h->first : back) < k) {
		if ((to_front ? back : h->first) >= k &&
		    other_cost <= CHEAP_MOVE)
			to_front = !to_front;
		else
			respread(h, to_front, k);
	}
	if (to_front) {
		h->first -= k;
		ow_ubf_move_slots(h, h->first, h->first + k, at);
	} else {
		ow_ubf_move_slots(h, h->first + at + k, h->first + at,
				  count - at);
	}
	return h->first + at;
}

void ow_ubf_close_gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	uint32_t behind = ow_ubf_count(h) - at - k, slot = h->first;

	if (at < behind) {
		ow_ubf_move_slots(h, slot + k, slot, at);
		h->first += k;
	} else {
		ow_ubf_move_slots(h, slot + at, slot + at + k, behind);
		slot += at + behind;
	}
	ow_ubf_clear_slots(h, slot, k);
}
