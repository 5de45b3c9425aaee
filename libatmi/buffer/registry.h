/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - the descriptor of a typed buffer
 *
 * For buf.c (registry), buffer/wire.c (contents) and buffer/parts.c (pointers)
 * alone; others see buf.h.
 *
 * A buffer lies behind its descriptor on the heap, or in a block:
 *	owned	freed with the buffer: what servers allocate, replies
 *	lent	it belongs to the request in hand, which is on record as long
 *		as it is not answered, whatever the service does with the buffer
 */
#ifndef OW_BUF_REG_H
#define OW_BUF_REG_H

#define HASH_FUNCTION(key, len, hashv)                                       \
	do {                                                                 \
		uintptr_t hf_;                                               \
		memcpy(&hf_, (key), sizeof(hf_));                            \
		(hashv) = (unsigned int)((hf_ >> 4) *                        \
					 UINT64_C(0x9e3779b97f4a7c15) >>     \
					 32);                                \
	} while (0)
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/buffer/buf.h"

struct buf {
	UT_hash_handle hh;
	char *key; /* the user's pointer */
	size_t size;
	const struct ow_view *view; /* of a VIEW, else NULL */
	struct ow_blocks *blocks;   /* NULL: on the heap */
	uint64_t ref;		    /* of the block */
	uint64_t party;		    /* of buffers that came in one message, the
				       first pointing to the others; 0: none */
	uint32_t forks;		    /* whose block: ow_prc_forks() */
	uint8_t type, row;
	bool lent;
	_Alignas(16) char data[];
};

/* Registered, without contents: NULL: no memory. */
struct buf *ow_reg_new(enum ow_buf_type type, int row, size_t size);
/* Register by its key; false: no memory. */
bool ow_reg_enter(struct buf *b);
struct buf *ow_reg_find(const char *data);
/* Take `data` out of the registry: whoever gets it, owns it. */
struct buf *ow_reg_leave(const char *data);
void ow_reg_free(struct buf *b);
/* As ow_buf_from_wire(), but pointers are left as they are. */
int ow_reg_take(enum ow_buf_type type, const void *payload, size_t len,
		char **data, long *ret_len);
/* Something else comes into a UBF buffer, or in its place: free those that came
 * with it and that it still points to; or these and the buffer. */
void ow_reg_empty(char *data);
void ow_reg_replace(char *data);
uint8_t ow_reg_default_row(enum ow_buf_type type);

#endif
