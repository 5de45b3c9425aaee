/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - shared memory for payloads that do not fit a queue message
 *
 * One sparse segment, made at the first use: classes of blocks of 4 KiB,
 * 16 KiB, ... 4 GiB, each with an array of its own and a free list. A block
 * has one owner at a time:
 *
 *	alloc	 the sender owns it, writes it, sends its reference
 *	pass on	 a reply that is queued belongs to the client it is for
 *	adopt	 the receiver owns it from here, copies it out, frees it
 *	free	 back to its class; large ones give their memory back
 *
 * Who writes what: state, owner, stamps, `next` and the free list, the holder
 * of the class's robust lock (so of sweep, adopt and free at once, one finds
 * the block its own); `backed`, the owner. What a crash leaves:
 * inside the lock, a free list that the next locker rebuilds from the states;
 * elsewhere, a block whose owner is dead. Such a block may still lie in a
 * queue, so the sweep frees it only when it can no longer be delivered:
 * see ow_blocks_sweep().
 *
 * References carry the generation of the block: a stale or invented one is
 * refused, never followed.
 */
#ifndef OW_BLOCK_H
#define OW_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ow_blocks;

enum ow_block_result {
	OW_BLOCK_FULL = 1, /* no block or no memory left */
};

#pragma GCC visibility push(default)

/* Remember where the segment lies; it is made or attached when needed. */
int ow_blocks_open(const char *path, struct ow_blocks **ret);
struct ow_blocks *ow_blocks_close(struct ow_blocks *b);

/*
 * A block of at least `len` bytes, owned by this process; deadline_ns is the
 * time after which nobody will want it (0: none). OW_BLOCK_FULL, -errno.
 */
int ow_block_alloc(struct ow_blocks *b, uint64_t len, uint64_t deadline_ns,
		   uint64_t *ret_ref, void **ret_data);
/* Take over a received block of `len` bytes: its data, or NULL when the
 * reference is no good. */
void *ow_block_adopt(struct ow_blocks *b, uint64_t ref, uint64_t len);
/*
 * The message is queued: the block is its receiver's from now on, unless
 * that has taken it over or freed it already. A receiver that is killed with
 * the message in its hands, but before ow_block_adopt(), is found this way.
 */
void ow_block_pass_on(struct ow_blocks *b, uint64_t ref, pid_t pid,
		      uint64_t start);
void ow_block_free(struct ow_blocks *b, uint64_t ref);

/*
 * Free the blocks of dead owners. `in_use(ref, arg)` tells whether some
 * message that may yet be delivered refers to the block. A block is freed
 * when its owner has been found dead for a second, and it is past its
 * deadline or not in use. Returns blocks freed.
 */
int ow_blocks_sweep(struct ow_blocks *b, bool (*in_use)(uint64_t, void *),
		    void *arg);
/* Blocks and bytes owned by somebody, for listings and tests. */
void ow_blocks_usage(struct ow_blocks *b, uint64_t *ret_blocks,
		     uint64_t *ret_bytes);

#pragma GCC visibility pop
#endif
