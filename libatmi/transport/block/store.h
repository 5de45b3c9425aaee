/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the segment of the block store: layout, mapping, state words
 *
 * Private to this folder: handover.c (ownership), cache.c (per thread),
 * sweep.c (blocks of dead owners) and return.c (unused memory). Other folders
 * include block.h.
 */
#ifndef OW_BLOCK_STORE_H
#define OW_BLOCK_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/transport/block/block.h"

#define OW_BLOCK_MAGIC	UINT64_C(0x344b434f4c42574f) /* "OWBLOCK4" */
#define OW_BLOCK_WORDS	4096u	 /* of a class's bitmap: 262,144 blocks */
#define OW_BLOCK_RETURN (UINT64_C(1) << 26) /* memory is returned at once */

struct block {
	_Atomic uint64_t state;
	_Atomic uint64_t backed; /* bytes that have memory */
	_Atomic uint64_t len;	 /* payload allocated */
	_Atomic uint64_t deadline_ns;
	_Atomic uint64_t orphan_ns; /* when its owner was first found dead */
	_Atomic uint64_t free_gen;  /* return.c: generation seen free, */
	_Atomic uint64_t free_ns;   /* and since when */
	_Atomic uint64_t address;   /* posix: ow_block_address(); 0: none */
};
_Static_assert(sizeof(struct block) == 64, "one cache line");

/* A class. Bits are hints: 1 in `free` means "probably FREE", 1 in `some`
 * means that the word of `free` is probably not 0. */
struct class_head {
	_Atomic uint32_t high;	/* descriptors ever used */
	_Atomic uint32_t known; /* descriptors that have memory */
	uint64_t pad[7];
	_Atomic uint64_t some[OW_BLOCK_WORDS / 64];
	_Atomic uint64_t free[OW_BLOCK_WORDS];
};

struct store_head {
	uint64_t magic;
	uint64_t size;
	struct class_head class[OW_BLOCK_CLASSES];
};

struct ow_blocks {
	char path[160];
	uint64_t id; /* of this mapping in this process; caches refer to it */
	struct ow_tables *tables;
	pthread_mutex_t lock; /* guards attaching; the rest is set once */
	int fd;
	_Atomic(struct store_head *) head;
	_Atomic(struct block *) block[OW_BLOCK_CLASSES];
	_Atomic(char *) data[OW_BLOCK_CLASSES];
	/* Of a mapped class: `known` as this process has read it last, and
	 * never more than there are. It only grows. 0: not mapped. */
	_Atomic uint32_t seen[OW_BLOCK_CLASSES];
	struct ow_blocks *next; /* all stores open in this process */
	_Atomic uint32_t pins; /* users of the mapping: domain and buffers */
	_Atomic bool closed;
	_Atomic uint32_t next_slot; /* process slot for the next sweep */
};

/* ---- state words: kind 4 bits, owner 16, generation 44 ---- */

#define OW_GEN_MASK ((UINT64_C(1) << 44) - 1)
/* Added by ow_block_post(): above the bits that references carry. */
#define OW_GEN_POST (UINT64_C(1) << 24)

static inline uint64_t state_make(enum ow_block_kind k, uint32_t prc,
				  uint64_t gen)
{
	return (uint64_t)k << 60 | (uint64_t)(prc & 0xffff) << 44 |
	       (gen & OW_GEN_MASK);
}

static inline enum ow_block_kind state_kind(uint64_t s)
{
	return (enum ow_block_kind)(s >> 60);
}

static inline uint32_t state_prc(uint64_t s)
{
	return (uint32_t)(s >> 44) & 0xffff;
}

static inline uint64_t state_gen(uint64_t s)
{
	return s & OW_GEN_MASK;
}

static inline uint64_t ref_make(int c, uint32_t i, uint64_t gen)
{
	return (uint64_t)(c + 1) << 56 | (gen & 0xffffff) << 32 | i;
}

/* ---- the classes ---- */

struct ow_class {
	uint64_t size;	/* bytes of a block */
	uint32_t count; /* at most OW_BLOCK_WORDS * 64 */
};
extern const struct ow_class ow_classes[OW_BLOCK_CLASSES];

static inline uint64_t ow_class_size(int c)
{
	return ow_classes[c].size;
}

static inline uint32_t ow_class_count(int c)
{
	return ow_classes[c].count;
}

/* Map class `c`, and the segment when it is the first: 0, FULL, -errno. */
int ow_class_map(struct ow_blocks *b, int c, bool create);
static inline int ow_class_need(struct ow_blocks *b, int c, bool create)
{
	if (atomic_load_explicit(&b->block[c], memory_order_acquire) != NULL)
		return 0;
	return ow_class_map(b, c, create);
}
/* The same for a process that only looks: a class that was never used has
 * `*ret_known` 0 and is not mapped. */
int ow_class_look(struct ow_blocks *b, int c, uint32_t *ret_known);
static inline char *class_data(struct ow_blocks *b, int c, uint32_t i)
{
	return ow_load_relaxed(&b->data[c]) + i * ow_class_size(c);
}

/* Where the bytes of block `i` lie in the segment. */
off_t ow_class_data_at(int c, uint32_t i);

/* Make up to `max` FREE blocks of a mapped class CACHED by `prc`; returns how
 * many. 0: none are left, or no memory for descriptors. */
int ow_class_take(struct ow_blocks *b, int c, uint32_t prc, uint32_t *ret_i,
		  int max);
/* Make a block that this process has HELD or CACHED FREE. */
void ow_class_give(struct ow_blocks *b, int c, uint32_t i);
/* Set the bit of a FREE block. */
void ow_class_mark(struct ow_blocks *b, int c, uint32_t i);
/* Reserve memory for the first `len` bytes of a block. */
int ow_class_back(struct ow_blocks *b, int c, uint32_t i, uint64_t len);
/* Return the memory of a block to the system. This process owns the block. */
void ow_class_punch(struct ow_blocks *b, int c, uint32_t i);

/* Is block `i` beyond ow_blocks.seen one that has been used? Maps the class. 0:
 * yes; OW_BLOCK_GONE: no; else it cannot be mapped. */
int ow_class_see(struct ow_blocks *b, int c, uint32_t i);
/* The same for any block of any class. */
static inline int ow_class_has(struct ow_blocks *b, int c, uint32_t i)
{
	if ((unsigned int)c >= OW_BLOCK_CLASSES)
		return OW_BLOCK_GONE;
	return i < ow_load_acquire(&b->seen[c]) ? 0 : ow_class_see(b, c, i);
}

/* Does a reference name the block with this state, and is the block in use? */
static inline bool ow_block_is_used(uint64_t state, uint64_t ref)
{
	return state_kind(state) - OW_BLOCK_HELD <=
		       OW_BLOCK_NOTED - OW_BLOCK_HELD &&
	       ((state ^ ref >> 32) & 0xffffff) == 0;
}

/* The block in use that `ref` names, or NULL. Inline, because each tpcall()
 * comes here a dozen times. */
static inline struct block *ow_block_resolve(struct ow_blocks *b, uint64_t ref,
					     int *ret_c, uint32_t *ret_i)
{
	int c = (int)(ref >> 56) - 1;
	uint32_t i = (uint32_t)ref;
	struct block *blk;

	if (ow_class_has(b, c, i) != 0)
		return NULL;
	blk = ow_load_relaxed(&b->block[c]) + i;
	if (!ow_block_is_used(ow_load_acquire(&blk->state), ref))
		return NULL;
	*ret_c = c;
	*ret_i = i;
	return blk;
}

/* ---- return.c ---- */

/* The file system is full: return the memory of this thread's cached blocks
 * and of all free blocks. False: there was none. */
bool ow_blocks_reclaim(struct ow_blocks *b);

/* ---- cache.c ---- */

/* Free all cached blocks of this thread. */
void ow_blocks_trim(struct ow_blocks *b);

/* Take a CACHED block of this thread: 0, or FULL: no free block is left. */
int ow_cache_take(struct ow_blocks *b, int c, uint32_t prc, uint32_t *ret_i);
/* Put a block that is no longer needed into the cache; false: no room. */
bool ow_cache_keep(struct ow_blocks *b, int c, uint32_t prc, uint32_t i);

/* ---- store.c ---- */

/* Run `fn` if the mapping with number `id` is still open in this process; it
 * cannot be closed meanwhile. */
void ow_blocks_with(uint64_t id, void (*fn)(struct ow_blocks *, void *),
		    void *arg);

#endif
