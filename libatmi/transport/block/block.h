/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - the block store: shared memory for messages and payloads
 *
 * One sparse segment, created at the first use, has classes of blocks of 512
 * bytes to 4 GiB. A block begins with room for a message header
 * (OW_BLOCK_HEAD bytes); the payload follows. What goes to a context, and on the
 * shm transport a request, too, is a block; on the posix transport a block holds
 * the payload of a request that does not fit a queue message.
 *
 * The state word. Each block has a descriptor, apart from its data, with one
 * word that holds the block's kind, owner (process slot, tables.h) and
 * generation. A process acts on a block by one compare-and-swap of this word,
 * so of two processes that try, one succeeds. A process killed or stopped
 * between any two instructions leaves the block in one of these states:
 *
 *	FREE	any process may take it
 *	CACHED	free, in the cache of a thread of its owner
 *	HELD	its owner writes it, reads it, or has it as a typed buffer
 *	QUEUED	its owner has put it into the queue of the service that the
 *		header names, or is about to; it belongs to the queue
 *	TAKEN	the in-flight record: the request that its owner, a server,
 *		has in hand. The compare-and-swap that takes the message out
 *		of the queue sets this state
 *	MAILED	like QUEUED, for the mailbox that the header names
 *	NOTED	like MAILED, for the inbox that the header names (inbox.h)
 *
 * If the owner is dead, the sweep (the orphans.c of each transport) does this:
 *
 *	CACHED, HELD	frees it (on posix only when the queue into which its
 *			message went, if any, is seen empty)
 *	QUEUED		leaves it, if it is in its queue. If not, its owner
 *			died before it put it: refuses the request, frees it
 *	TAKEN		refuses the request (its caller gets TPESVCERR), frees
 *			it
 *	MAILED		leaves it, if it is in its mailbox; if not, puts it
 *			there
 *	NOTED		leaves it, if it is in its inbox; if not, frees it
 *
 * Process slot 0 belongs to no process and counts as dead. A block that is
 * left gets owner 0, so that another process can take its owner's slot. So
 * does a block whose request cannot be refused yet because the caller's
 * mailbox is full; the next sweep tries again.
 *
 * Writers of the word. Only the owner changes HELD and CACHED blocks, by
 * plain stores. Any process changes blocks in other states, and blocks of
 * dead owners, by compare-and-swap. (On posix the block of a queued
 * request stays HELD: its sender and its receiver change it by
 * compare-and-swap.) Each allocation
 * increments the generation. References carry it, so a stale or invented
 * reference is refused, never followed. The upper bits of the generation,
 * which references do not carry, count how often the block was queued or
 * mailed: when a server forwards a request in its block the word changes, and
 * the claim of a slow taker, which read the cell in the first queue, fails.
 *
 * Free blocks are found through bitmaps. These are hints; the state word
 * decides. If a process is killed between word and bitmap, no process finds
 * the block until the sweep has set its bit. Threads keep a few blocks of
 * each class (CACHED), so most allocations touch no shared words.
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
	OW_BLOCK_FULL = 1,  /* no block or no memory left */
	OW_BLOCK_GONE = 2,  /* not, or no longer, in the expected state */
	OW_BLOCK_AGAIN = 3, /* the word has just changed: read it again */
};

enum ow_block_kind {
	OW_BLOCK_FREE = 0,
	OW_BLOCK_CACHED,
	OW_BLOCK_HELD,
	OW_BLOCK_QUEUED,
	OW_BLOCK_TAKEN,
	OW_BLOCK_MAILED,
	OW_BLOCK_NOTED,
};

/* A block whose owner is dead, as a sweep finds it. */
struct ow_orphan {
	uint64_t ref, state;
	uint32_t prc; /* the dead process's slot */
	enum ow_block_kind kind;
	uint64_t deadline_ns;
	uint64_t since_ns; /* when its owner was first found dead */
	uint64_t address;  /* ow_block_address(); 0: none */
};

/* Open the store at `path`; its segment is created or attached when needed.
 * The tables outlive the store. */
int ow_blocks_open(const char *path, struct ow_tables *t,
		   struct ow_blocks **ret);
struct ow_blocks *ow_blocks_close(struct ow_blocks *b);
/*
 * This process ends, and has one thread: free its cached blocks, leave its
 * queued ones to slot 0, give back its process slot. A process that still has
 * blocks keeps the slot; the sweep frees both. (leave.c)
 */
void ow_blocks_leave(struct ow_blocks *b);
/* Keep the store mapped for a buffer of the program, even after it is closed;
 * freeing a block of a closed store does nothing. Returns b. */
struct ow_blocks *ow_blocks_pin(struct ow_blocks *b);
void ow_blocks_unpin(struct ow_blocks *b);

/*
 * Allocate a block for a payload of `len` bytes, HELD by this process. After
 * deadline_ns (0: none) no process wants it. *ret_data is the payload, 16-byte
 * aligned. 0, FULL, -errno.
 */
int ow_block_alloc(struct ow_blocks *b, uint64_t len, uint64_t deadline_ns,
		   uint64_t *ret_ref, void **ret_data);
/* Become the owner of a received block; the payload of `len` bytes, or NULL if
 * the reference is not valid. A block TAKEN by this process stays TAKEN. */
void *ow_block_adopt(struct ow_blocks *b, uint64_t ref, uint64_t len);
/* Open a block that this process has just taken out of a ring: the header is
 * copied to *ret_head, *ret_most is how many bytes of payload can be read. The
 * payload; NULL: the reference is not valid. */
void *ow_block_open(struct ow_blocks *b, uint64_t ref, struct ow_msg *ret_head,
		    uint64_t *ret_most);
/* Header of a block in use, and bytes of payload it has room for; NULL and 0:
 * the reference is not valid. */
struct ow_msg *ow_block_msg(struct ow_blocks *b, uint64_t ref);
size_t ow_block_room(struct ow_blocks *b, uint64_t ref);
/* Reserve memory for `len` bytes of payload: 0, FULL, -errno. */
int ow_block_back(struct ow_blocks *b, uint64_t ref, uint64_t len);
/*
 * posix: the next message that names this block goes to `address`, a number of
 * the transport's, not 0. Its owner notes it before it sends the message; the
 * next owner forgets it. (shm: OW_BLOCK_HANDED, record.h.)
 */
#define OW_BLOCK_HANDED 1u
void ow_block_address(struct ow_blocks *b, uint64_t ref, uint64_t address);
/* No process will receive the message: free its block, if it is still MAILED
 * or NOTED. */
void ow_block_recall(struct ow_blocks *b, uint64_t ref);
/*
 * posix: process slot `prc`, whose process is dead, has sent a message that
 * names this block, or was about to. Unless a receiver has adopted the block, it
 * becomes TAKEN: no receiver gets it any more, and the sweep refuses the request
 * whose header it holds.
 */
void ow_block_withdraw(struct ow_blocks *b, uint64_t ref, uint32_t prc);
void ow_block_free(struct ow_blocks *b, uint64_t ref);
/* Return the memory of blocks that have been free for long to the system.
 * Called once a second. */
void ow_blocks_return_idle(struct ow_blocks *b, uint64_t now_ns);

/* ---- steps of messages that are blocks ---- */

/* Change a block that this process has HELD or TAKEN to QUEUED or MAILED, just
 * before it is put there. Returns the former state (FREE: not ours), for
 * ow_block_unpost(), which undoes this if the block could not be put. */
enum ow_block_kind ow_block_post(struct ow_blocks *b, uint64_t ref,
				 enum ow_block_kind kind);
/* The same; before that the block gets a copy of the header `m`, naming it. */
enum ow_block_kind ow_block_post_msg(struct ow_blocks *b, uint64_t ref,
				     const struct ow_msg *m,
				     enum ow_block_kind kind);
void ow_block_unpost(struct ow_blocks *b, uint64_t ref,
		     enum ow_block_kind was);
/* Prefetch state, header and first bytes of the payload of the block that a
 * cell names. The value of the cell may be anything. */
void ow_block_prefetch(const struct ow_blocks *b, uint64_t cell);
/* Is the block in state `kind`? A hint: it may change at once. */
bool ow_block_is(struct ow_blocks *b, uint64_t ref, enum ow_block_kind kind);
/* The same, and is it process slot `prc`'s? */
bool ow_block_is_of(struct ow_blocks *b, uint64_t ref, enum ow_block_kind kind,
		    uint32_t prc);

/* The 44 bits of a reference that a cell of a ring holds. */
#define OW_BLOCK_CELL_BITS 44
#define OW_BLOCK_CELL_MASK ((UINT64_C(1) << OW_BLOCK_CELL_BITS) - 1)
static inline uint64_t ow_block_cell(uint64_t ref)
{
	return ((ref >> 56) & 0xf) << 40 | ((ref >> 32) & 0xfffff) << 20 |
	       (ref & 0xfffff);
}

/* ---- the sweep ---- */

/*
 * Call `visit` for each block of a dead owner; it returns whether to free the
 * block. Repair the bitmaps; free process slots of dead processes that own no
 * block. Returns blocks freed. `only`: sweep
 * only blocks of this process slot, if it is dead, and of slot 0 (to find out
 * whether a process lives costs a read of /proc). 0: sweep all.
 */
int ow_blocks_sweep(struct ow_blocks *b, uint32_t only,
		    bool (*visit)(const struct ow_orphan *, void *),
		    void *arg);
/* Change the owner of an orphan whose state is unchanged: to process slot 0
 * (the block stays where it is), or to this process, in state `kind`, which
 * completes what the dead one had begun. False: the state has changed. */
bool ow_orphan_disown(struct ow_blocks *b, const struct ow_orphan *o);
bool ow_orphan_inherit(struct ow_blocks *b, const struct ow_orphan *o,
		       enum ow_block_kind kind);
/*
 * Leave a block of this process, in any state, to the next sweep: its owner
 * becomes slot 0. For a process that cannot complete now what a dead one had
 * begun (a mailbox is full). This is one store: if the process is killed
 * before it, the sweep finds the block as well.
 */
void ow_orphan_leave(struct ow_blocks *b, uint64_t ref);

/* The block of the request that the server in process slot `prc` has in hand,
 * not one that it has continued; 0: there is none. For onlookers: it may change
 * at once. */
uint64_t ow_blocks_taken(struct ow_blocks *b, uint32_t prc);
/* Blocks and bytes in use, without caches: for listings and tests. */
void ow_blocks_usage(struct ow_blocks *b, uint64_t *ret_blocks,
		     uint64_t *ret_bytes);

#endif
