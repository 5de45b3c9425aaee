/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - a few free blocks of each class for each thread
 *
 * They are CACHED by this process: an allocation from the cache touches no
 * word that other processes touch. A full cache frees half of its blocks, so
 * that a thread at the limit does not use the shared bitmaps each time. A
 * forked child, and a thread whose domain was removed, forget the cached
 * blocks.
 *
 * A thread that only frees keeps four of them. On posix that is each caller:
 * its requests need no block, its replies come in blocks of the servers. What
 * it keeps nobody uses, and servers need new ones: memory that is reserved,
 * pages that are cold, two system calls for each call of the first second.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/tls.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/store.h"

#define KEEP_MAX 32
#define KEEP_UNUSED 4 /* by a thread that takes none */

struct cache {
	uint64_t id;	/* of the mapping; 0: none */
	uint32_t forks; /* ow_prc_forks() of the process that owns them */
	bool takes[OW_BLOCK_CLASSES]; /* it was empty when one was taken */
	uint16_t n[OW_BLOCK_CLASSES];
	uint32_t i[OW_BLOCK_CLASSES][KEEP_MAX];
};

/* Blocks of a class that a thread keeps, and takes at once. */
static const uint8_t keep[OW_BLOCK_CLASSES] = { 32, 32, 16, 16, 8, 4, 2, 1 };
static const uint8_t fetch[OW_BLOCK_CLASSES] = { 8, 8, 4, 4, 1, 1, 1, 1,
						 1, 1, 1, 1, 1, 1 };

static OW_TLS_FAST struct cache *mine;
static pthread_key_t exit_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_back(struct ow_blocks *b, struct cache *k)
{
	int c;

	for (c = 0; c < OW_BLOCK_CLASSES; c++)
		while (k->n[c] > 0)
			ow_class_give(b, c, k->i[c][--k->n[c]]);
}

static void give_all_back(struct ow_blocks *b, void *arg)
{
	give_back(b, arg);
}

static void thread_ends(void *arg)
{
	struct cache *k = arg;

	mine = NULL;
	if (k->forks == ow_prc_forks())
		ow_blocks_with(k->id, give_all_back, k);
	free(k);
}

static void init_once(void)
{
	pthread_key_create(&exit_key, thread_ends);
}

/* The cache, which is another store's, becomes that of store `b`. */
__attribute__((noinline)) static struct cache *renew(struct ow_blocks *b)
{
	struct cache *k = mine;
	uint32_t forks = ow_prc_forks();

	if (k == NULL) {
		pthread_once(&once, init_once);
		k = calloc(1, sizeof(*k));
		if (k == NULL)
			return NULL;
		pthread_setspecific(exit_key, k);
		mine = k;
	} else if (k->forks == forks) {
		ow_blocks_with(k->id, give_all_back, k);
	}
	memset(k->takes, 0, sizeof(k->takes));
	memset(k->n, 0, sizeof(k->n));
	k->id = b->id;
	k->forks = forks;
	return k;
}

/* This thread's cache, for store `b` from now on; NULL: no memory. */
static inline struct cache *cache_of(struct ow_blocks *b)
{
	struct cache *k = mine;

	if (k != NULL && k->id == b->id && k->forks == ow_prc_forks())
		return k;
	return renew(b);
}

static inline int most(const struct cache *k, int c)
{
	return k->takes[c] || keep[c] < KEEP_UNUSED ? keep[c] : KEEP_UNUSED;
}

/* The cache of a class is full: give half of it back. */
__attribute__((noinline)) static void halve(struct ow_blocks *b,
					    struct cache *k, int c)
{
	int half = most(k, c) / 2;

	while (k->n[c] > half)
		ow_class_give(b, c, k->i[c][--k->n[c]]);
}

int ow_cache_take(struct ow_blocks *b, int c, uint32_t prc, uint32_t *ret_i)
{
	struct cache *k = cache_of(b);
	int n;

	if (k == NULL)
		return ow_class_take(b, c, prc, ret_i, 1) == 1 ? 0
							       : OW_BLOCK_FULL;
	if (k->n[c] == 0) {
		k->takes[c] = true;
		n = ow_class_take(b, c, prc, k->i[c], fetch[c]);
		if (n == 0)
			return OW_BLOCK_FULL;
		k->n[c] = (uint16_t)n;
	}
	*ret_i = k->i[c][--k->n[c]];
	return 0;
}

bool ow_cache_keep(struct ow_blocks *b, int c, uint32_t prc, uint32_t i)
{
	struct block *blk = &b->block[c][i];
	struct cache *k;

	if (keep[c] == 0)
		return false;
	k = cache_of(b);
	if (k == NULL)
		return false;
	if (k->n[c] >= most(k, c))
		halve(b, k, c);
	OW_FAULT("cache.keep");
	atomic_store_explicit(
	    &blk->state,
	    state_make(OW_BLOCK_CACHED, prc, state_gen(blk->state)),
	    memory_order_release);
	k->i[c][k->n[c]++] = i;
	return true;
}

void ow_blocks_trim(struct ow_blocks *b)
{
	struct cache *k = mine;

	if (k != NULL && k->id == b->id && k->forks == ow_prc_forks())
		give_back(b, k);
}
