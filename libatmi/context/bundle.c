/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.c - contexts by their handles (TPCONTEXT_T)
 */
#include "libatmi/context/bundle.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PIECE  64u /* bundles made together */
#define PIECES (OW_BUNDLE_MAX / PIECE)

enum {
	FREE = 0,
	RESTING,
	TAKEN,
	MASK = 3,
};

/* A handle: generation, place, 1. Odd, so it is none of the constants of the
 * interface that are even, and not -1: the generation has 32 bits. */
#define PLACE_BITS 16

static struct ow_bundle *_Atomic pieces[PIECES];
static _Atomic uint32_t made; /* places below it have been given out */
/* The bundles among them that are free: the place of the first one plus 1, 0: there is
 * none. Above that a count of changes: who has read the second one while the first
 * went and came back fails. */
static _Atomic uint64_t spare;

static struct ow_bundle *piece(uint32_t n, bool make)
{
	struct ow_bundle *p = atomic_load(&pieces[n]), *other = NULL;
	uint32_t i;

	if (p != NULL || !make)
		return p;
	p = calloc(PIECE, sizeof(*p));
	for (i = 0; p != NULL && i < PIECE; i++)
		ow_share_init(&p[i].share);
	if (p != NULL && !atomic_compare_exchange_strong(&pieces[n], &other, p)) {
		free(p);
		p = other;
	}
	return p;
}

static void *handle_of(uint32_t place, uint32_t gen)
{
	return (void *)(uintptr_t)((uint64_t)gen << (PLACE_BITS + 1) |
				   place << 1 | 1);
}

/* The bundle of a handle, and the word it would have if it rested. */
static struct ow_bundle *find(void *handle, uint64_t *ret_resting)
{
	uint64_t h = (uintptr_t)handle, gen = h >> (PLACE_BITS + 1);
	uint32_t place = (uint32_t)(h >> 1) % OW_BUNDLE_MAX;
	struct ow_bundle *p;

	if ((h & 1) == 0 || gen > UINT32_MAX)
		return NULL;
	*ret_resting = gen << 2 | RESTING;
	p = piece(place / PIECE, false);
	return p != NULL ? &p[place % PIECE] : NULL;
}

static struct ow_bundle *at(uint32_t place)
{
	return &atomic_load(&pieces[place / PIECE])[place % PIECE];
}

static uint64_t changed(uint64_t top, uint32_t to)
{
	return ((top >> 32) + 1) << 32 | to;
}

static void push(struct ow_bundle *b, uint32_t place)
{
	uint64_t top = atomic_load(&spare);

	do
		atomic_store(&b->below, (uint32_t)top);
	while (!atomic_compare_exchange_weak(&spare, &top,
					     changed(top, place + 1)));
}

static bool pop(uint32_t *ret_place)
{
	uint64_t top = atomic_load(&spare);
	uint32_t place;

	do {
		if ((uint32_t)top == 0)
			return false;
		place = (uint32_t)top - 1;
	} while (!atomic_compare_exchange_weak(
	    &spare, &top, changed(top, atomic_load(&at(place)->below))));
	*ret_place = place;
	return true;
}

/* A place that nobody has had: 0, -ENOMEM, -ENOSPC. */
static int fresh(uint32_t *ret_place)
{
	uint32_t n = atomic_load(&made);

	do {
		if (n == OW_BUNDLE_MAX)
			return -ENOSPC;
		if (piece(n / PIECE, true) == NULL)
			return -ENOMEM;
	} while (!atomic_compare_exchange_weak(&made, &n, n + 1));
	*ret_place = n;
	return 0;
}

int ow_bundle_new(unsigned int parts, bool auto_destroy,
		  struct ow_bundle **ret)
{
	uint32_t place, gen;
	struct ow_bundle *b;
	int r = pop(&place) ? 0 : fresh(&place);

	if (r != 0)
		return r;
	b = at(place);
	gen = (uint32_t)(atomic_load(&b->word) >> 2) + 1;
	atomic_store(&b->word, (uint64_t)gen << 2 | TAKEN);
	b->handle = handle_of(place, gen);
	b->parts = parts;
	b->auto_destroy = auto_destroy;
	memset(&b->state, 0, sizeof(b->state));
	*ret = b;
	return 0;
}

int ow_bundle_claim(void *handle, struct ow_bundle **ret)
{
	uint64_t resting, word;
	struct ow_bundle *b = find(handle, &resting);

	if (b == NULL)
		return -ENOENT;
	word = resting;
	if (atomic_compare_exchange_strong(&b->word, &word,
					   (resting & ~(uint64_t)MASK) |
					       TAKEN)) {
		*ret = b;
		return 0;
	}
	return word >> 2 == resting >> 2 && (word & MASK) == TAKEN ? -EBUSY
								   : -ENOENT;
}

struct ow_bundle *ow_bundle_resting(void *handle)
{
	uint64_t resting;
	struct ow_bundle *b = find(handle, &resting);

	return b != NULL && atomic_load(&b->word) == resting ? b : NULL;
}

struct ow_share *ow_bundle_share(void *handle)
{
	uint64_t resting;
	struct ow_bundle *b = find(handle, &resting);

	return b != NULL ? &b->share : NULL;
}

struct ow_bundle *ow_bundle_of_share(struct ow_share *s)
{
	return (struct ow_bundle *)((char *)s -
				    offsetof(struct ow_bundle, share));
}

/* By the thread that has it: who takes it then sees all that was written before. */
static void change(struct ow_bundle *b, uint64_t to)
{
	uint64_t word = atomic_load_explicit(&b->word, memory_order_relaxed);

	atomic_store_explicit(&b->word, (word & ~(uint64_t)MASK) | to,
			      memory_order_release);
}

void ow_bundle_release(struct ow_bundle *b)
{
	change(b, RESTING);
}

void ow_bundle_free(struct ow_bundle *b)
{
	uint64_t h = (uintptr_t)b->handle;

	change(b, FREE);
	push(b, (uint32_t)(h >> 1) % OW_BUNDLE_MAX);
}

void ow_bundle_forget_all(void)
{
	uint32_t n = atomic_load(&made);

	atomic_store(&spare, 0);
	while (n-- > 0) {
		change(at(n), FREE);
		ow_share_init(&at(n)->share);
		push(at(n), n);
	}
}
