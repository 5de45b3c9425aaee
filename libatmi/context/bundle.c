/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.c - contexts by their handles (TPCONTEXT_T)
 */
#include "libatmi/context/bundle.h"

#include <errno.h>
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
static _Atomic uint32_t hint; /* where a free bundle may be */

static struct ow_bundle *piece(uint32_t n, bool make)
{
	struct ow_bundle *p = atomic_load(&pieces[n]), *other = NULL;

	if (p != NULL || !make)
		return p;
	p = calloc(PIECE, sizeof(*p));
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

/* Take the bundle at `place` if it is free. */
static bool take_free(struct ow_bundle *b, uint32_t place)
{
	uint64_t word = atomic_load(&b->word);
	uint32_t gen = (uint32_t)(word >> 2) + 1;

	if ((word & MASK) != FREE ||
	    !atomic_compare_exchange_strong(&b->word, &word,
					    (uint64_t)gen << 2 | TAKEN))
		return false;
	b->handle = handle_of(place, gen);
	return true;
}

int ow_bundle_new(unsigned int parts, bool auto_destroy,
		  struct ow_bundle **ret)
{
	uint32_t i, from = atomic_load(&hint), place;
	struct ow_bundle *p, *b;

	for (i = 0; i < OW_BUNDLE_MAX; i++) {
		place = (from + i) % OW_BUNDLE_MAX;
		p = piece(place / PIECE, true);
		if (p == NULL)
			return -ENOMEM;
		b = &p[place % PIECE];
		if (!take_free(b, place))
			continue;
		atomic_store(&hint, place + 1);
		b->parts = parts;
		b->auto_destroy = auto_destroy;
		memset(&b->state, 0, sizeof(b->state));
		*ret = b;
		return 0;
	}
	return -ENOSPC;
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

static void change(struct ow_bundle *b, uint64_t to)
{
	atomic_store(&b->word,
		     (atomic_load(&b->word) & ~(uint64_t)MASK) | to);
}

void ow_bundle_release(struct ow_bundle *b)
{
	change(b, RESTING);
}

void ow_bundle_free(struct ow_bundle *b)
{
	uint64_t h = (uintptr_t)b->handle;

	change(b, FREE);
	atomic_store(&hint, (uint32_t)(h >> 1) % OW_BUNDLE_MAX);
}

void ow_bundle_forget_all(void)
{
	uint32_t n, i;
	struct ow_bundle *p;

	for (n = 0; n < PIECES; n++) {
		p = piece(n, false);
		for (i = 0; p != NULL && i < PIECE; i++)
			if ((atomic_load(&p[i].word) & MASK) != FREE)
				change(&p[i], FREE);
	}
}
