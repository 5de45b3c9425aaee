/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look.h - requests in blocks, for onlookers
 *
 * Nobody is asked and nothing is changed. A block that is QUEUED is written by
 * no process, so a copy between two reads of the same state word is the request
 * as its sender has left it. A block that is TAKEN belongs to its server, which
 * may work in it: header and payload are copied twice, and believed if both
 * copies are the same and the state word has not changed. Bytes are read with
 * pread(): a block that is freed and punched meanwhile gives zeros, no SIGBUS.
 */
#ifndef OW_BLOCK_LOOK_H
#define OW_BLOCK_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/wire/msg.h"

/* A block that holds a request. */
struct ow_block_seen {
	uint64_t ref, state; /* as it was: ow_block_copy() wants both */
	enum ow_block_kind kind; /* QUEUED or TAKEN */
	uint32_t prc;		 /* process slot of its owner */
	struct ow_msg head;
};

enum ow_block_copy_result {
	OW_BLOCK_MOVED = 1,    /* it is no longer in this state */
	OW_BLOCK_CHANGING = 2, /* its owner writes it */
};

/* Call `visit` for each block that is QUEUED or TAKEN and holds the header of a
 * request; it returns whether to go on. 0; -errno: not all blocks could be
 * seen. */
int ow_blocks_look(struct ow_blocks *b,
		   bool (*visit)(const struct ow_block_seen *, void *),
		   void *arg);

/* The first `len` bytes of the payload of a block as it was seen: 0, MOVED,
 * CHANGING, -errno. `twice` has room for as many bytes. */
int ow_block_copy(struct ow_blocks *b, uint64_t ref, uint64_t state, void *dst,
		  void *twice, size_t len);

/* The payload of any block in use that `ref` names, whoever owns it: the same,
 * by two copies. For a receive slot that names a block. */
int ow_block_copy_used(struct ow_blocks *b, uint64_t ref, void *dst,
		       void *twice, size_t len);

#endif
