/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - shared memory for messages and payloads
 *
 * One sparse segment, made at the first use: classes of blocks of 512 bytes
 * to 4 GiB. A block begins with room for a message's header (OW_BLOCK_HEAD
 * bytes), then comes the payload. On the shm transport a message is a block;
 * on the posix transport a block holds what does not fit a queue.
 *
 * The state word. Each block has a descriptor apart from its data, and in it
 * one word that says everything: kind, owner (process slot, tables.h) and
 * generation. Whoever may act on a block does so by one compare-and-swap of
 * that word, so of two who try, one succeeds; a process killed (or stopped)
 * between any two instructions leaves the block in one of these states, each
 * of which somebody resolves:
 *
 *	FREE	may be taken by anybody
 *	CACHED	idle, in the thread cache of its owner
 *	HELD	its owner writes it, reads it, or has it as a typed buffer
 *	QUEUED	its owner has put, or is about to put, it into the queue of
 *		the service that its header names; it is the queue's
 *	TAKEN	the request that its owner, a server, has in hand: the
 *		in-flight record. It comes by the same compare-and-swap that
 *		takes the message out of the queue
 *	MAILED	as QUEUED, into the mailbox that its header names
 *
 *	dead owner of	what is done (reap_blocks.c)
 *	CACHED, HELD	freed (on posix only when no queue can refer to it)
 *	QUEUED		in its queue: stays. Not there: the owner died before
 *			it was; freed, its caller told
 *	TAKEN		its caller gets TPESVCERR
 *	MAILED		in its mailbox: stays. Not there: put there
 *
 * Process slot 0 is nobody and counts as dead: a block that stays is made
 * nobody's, so that its owner's slot can be given to others; and so is one
 * whose caller cannot be told yet, because its mailbox is full. The next
 * sweep tries again.
 *
 * Who writes the word: of HELD and CACHED blocks their owner alone, by plain
 * stores; of others, and of those of dead owners, anybody by
 * compare-and-swap. The generation goes up with every allocation; references
 * carry it, so a stale or invented one is refused, never followed. Its upper
 * bits, which references do not carry, count how often the block was queued
 * or mailed: a server that forwards a request in its block makes a new word
 * of it, and a taker that was slow to claim it where it lay before is refused.
 *
 * Free blocks are found through bitmaps, which are hints: the state word
 * decides. A process killed between word and bitmap leaves a block that
 * nobody finds until the sweep has set its bit. Threads keep a few blocks of
 * each class (CACHED): most allocations touch nothing shared.
 */
#ifndef OW_BLOCK_H
#define OW_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ow_blocks;
struct ow_msg;
struct ow_tables;

#define OW_BLOCK_HEAD	 128u /* bytes before the payload; sizeof(ow_msg) */
#define OW_BLOCK_CLASSES 14

enum ow_block_result {
	OW_BLOCK_FULL = 1, /* no block or no memory left */
	OW_BLOCK_GONE = 2, /* it is not, or no longer, in that state */
	OW_BLOCK_AGAIN = 3, /* the word changed under our hands: look again */
};

enum ow_block_kind {
	OW_BLOCK_FREE = 0,
	OW_BLOCK_CACHED,
	OW_BLOCK_HELD,
	OW_BLOCK_QUEUED,
	OW_BLOCK_TAKEN,
	OW_BLOCK_MAILED,
};

/* What a sweep sees of a block whose owner is dead. */
struct ow_orphan {
	uint64_t ref, state;
	enum ow_block_kind kind;
	uint64_t deadline_ns;
	uint64_t since_ns; /* when its owner was first found dead */
};

#pragma GCC visibility push(default)

/* Remember where the segment lies; it is made or attached when needed. The
 * tables outlive the blocks. */
int ow_blocks_open(const char *path, struct ow_tables *t,
		   struct ow_blocks **ret);
struct ow_blocks *ow_blocks_close(struct ow_blocks *b);
/* Keep it mapped for buffers that the program still uses, also when it is
 * closed; freeing a block of a closed store does nothing. Returns b. */
struct ow_blocks *ow_blocks_pin(struct ow_blocks *b);
void ow_blocks_unpin(struct ow_blocks *b);

/*
 * A block for a payload of `len` bytes, HELD by this process; deadline_ns is
 * the time after which nobody will want it (0: none). *ret_data is the
 * payload, 16-byte aligned. OW_BLOCK_FULL, -errno.
 */
int ow_block_alloc(struct ow_blocks *b, uint64_t len, uint64_t deadline_ns,
		   uint64_t *ret_ref, void **ret_data);
/* Take over a received block of `len` bytes: its payload, or NULL when the
 * reference is no good. One that is TAKEN by this process stays so. */
void *ow_block_adopt(struct ow_blocks *b, uint64_t ref, uint64_t len);
/* The header and the payload room of a block in use; NULL: no good. */
struct ow_msg *ow_block_msg(struct ow_blocks *b, uint64_t ref);
size_t ow_block_room(struct ow_blocks *b, uint64_t ref);
/* Have memory for `len` bytes of payload: 0, FULL, -errno. */
int ow_block_back(struct ow_blocks *b, uint64_t ref, uint64_t len);
/*
 * The message is queued (posix): the block is its receiver's from now on,
 * unless that has taken it over or freed it already. A receiver that is
 * killed with the message in its hands, but before ow_block_adopt(), is found
 * this way.
 */
void ow_block_pass_on(struct ow_blocks *b, uint64_t ref, uint32_t prc);
void ow_block_free(struct ow_blocks *b, uint64_t ref);
/* Give back the memory of blocks that have been free for long: to be called
 * once a second. */
void ow_blocks_calm(struct ow_blocks *b, uint64_t now_ns);

/* ---- steps of the shm transport ---- */

/* Of a block that this process has HELD or TAKEN: make it QUEUED or MAILED,
 * as it is about to be. What it was: for ow_block_unturn(), which takes it
 * back if it could not be put there. */
enum ow_block_kind ow_block_turn(struct ow_blocks *b, uint64_t ref,
				 enum ow_block_kind kind);
void ow_block_unturn(struct ow_blocks *b, uint64_t ref,
		     enum ow_block_kind was);
/*
 * Take over the block that a cell names, if it is in state `from`: HELD or
 * TAKEN by this process. `cell` must still hold `val` when the state has been
 * read. 0 with *ret_ref, GONE: the cell is stale, AGAIN.
 */
int ow_block_claim(struct ow_blocks *b, const _Atomic uint64_t *cell,
		   uint64_t val, enum ow_block_kind from,
		   enum ow_block_kind to, uint64_t *ret_ref);
/* It will be looked at soon: its state, its header and the beginning of its
 * payload, to the cache. A cell with anything in it will do. */
void ow_block_prefetch(const struct ow_blocks *b, uint64_t cell);
/* Is it still in state `kind`? For hints only. */
bool ow_block_is(struct ow_blocks *b, uint64_t ref, enum ow_block_kind kind);

/* What a cell of a ring holds of a reference: 44 bits. */
#define OW_BLOCK_CELL_BITS 44
#define OW_BLOCK_CELL_MASK ((UINT64_C(1) << OW_BLOCK_CELL_BITS) - 1)
static inline uint64_t ow_block_cell(uint64_t ref)
{
	return ((ref >> 56) & 0xf) << 40 | ((ref >> 32) & 0xfffff) << 20 |
	       (ref & 0xfffff);
}

/* ---- the sweep (reap_blocks.c decides) ---- */

/*
 * Show every block of a dead owner to `see`, which returns whether it is to
 * be freed; put right the bitmaps; give back process slots of the dead that
 * own nothing any more. Domain lock not held. Returns blocks freed. `only`:
 * of this process slot, if it is dead, and of nobody; the others are not
 * looked at (whether a process lives takes a look into /proc). 0: of all.
 */
int ow_blocks_sweep(struct ow_blocks *b, uint32_t only,
		    bool (*see)(const struct ow_orphan *, void *), void *arg);
/* Change the owner of a block from the state that was seen: to nobody (it
 * stays where it is), or to this process, which does what the dead one was
 * about to do. False: it has changed. */
bool ow_orphan_disown(struct ow_blocks *b, const struct ow_orphan *o);
bool ow_orphan_inherit(struct ow_blocks *b, const struct ow_orphan *o);
/*
 * Leave a block that this process has, in whatever state, to the next sweep,
 * as if its owner were dead. For those who put in order what others have left
 * and cannot finish it now (a full mailbox): one store, so killed before it
 * they leave the same to the sweep.
 */
void ow_orphan_leave(struct ow_blocks *b, uint64_t ref);

/* Has the server in process slot `prc` a request in hand? For onlookers. */
bool ow_blocks_taken(struct ow_blocks *b, uint32_t prc);
/* Blocks and bytes in use, caches not counted: for listings and tests. */
void ow_blocks_usage(struct ow_blocks *b, uint64_t *ret_blocks,
		     uint64_t *ret_bytes);

#pragma GCC visibility pop
#endif
