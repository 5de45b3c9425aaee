/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat.c - the slots of a flat directory: open and close gaps
 */
#include "libubf/store/store.h"

#include <assert.h>

/* Other side used, as long as it means moving no more entries than this. */
#define CHEAP_MOVE 16

void ow_ubf_clear_spare(struct Ubfh *h)
{
	uint32_t end = h->first + ow_ubf_count(h), behind = h->slots - end;
	struct ow_ubf_ent *words = ow_ubf_words(h);
	uint32_t *ids = ow_ubf_ids(h);

	if (h->first > 0) {
		memset(words, 0, h->first * sizeof(*words));
		memset(ids, 0, h->first * sizeof(*ids));
	}
	if (behind > 0) {
		memset(words + end, 0, behind * sizeof(*words));
		memset(ids + end, 0, behind * sizeof(*ids));
	}
}

/* Move n entries of a flat directory to another slot. */
static inline void move(struct Ubfh *h, uint32_t to, uint32_t from, uint32_t n)
{
	struct ow_ubf_ent *words = ow_ubf_words(h);
	uint32_t *ids = ow_ubf_ids(h);

	memmove(words + to, words + from, n * sizeof(*words));
	memmove(ids + to, ids + from, n * sizeof(*ids));
}

/* Move all entries so that the side where `at` lies gets k free slots and half
 * of the rest: the next insertions there are cheap. */
static void respread(struct Ubfh *h, int to_front, uint32_t k)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t give = k + (h->slots - count - k) / 2;
	uint32_t first = to_front ? give : h->slots - count - give;

	move(h, first, h->first, count);
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
		move(h, h->first, h->first + k, at);
	} else {
		move(h, h->first + at + k, h->first + at, count - at);
	}
	return h->first + at;
}

void ow_ubf_close_gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	uint32_t behind = ow_ubf_count(h) - at - k, slot = h->first;

	if (at < behind) {
		move(h, slot + k, slot, at);
		h->first += k;
	} else {
		move(h, slot + at, slot + at + k, behind);
		slot += at + behind;
	}
	memset(ow_ubf_words(h) + slot, 0, k * sizeof(struct ow_ubf_ent));
	memset(ow_ubf_ids(h) + slot, 0, k * sizeof(uint32_t));
}
