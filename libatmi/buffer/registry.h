/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - descriptors of typed buffers, found by the user's pointer
 *
 * For the files of this folder alone; other folders see buf.h.
 *
 * The user's bytes follow the descriptor on the heap, or lie in a block:
 *	owned	the block is freed with the buffer: a buffer that a server
 *		has allocated, a reply
 *	lent	the block belongs to the request being served, which stays on
 *		record until the reply is sent, whatever the service does with
 *		the buffer
 */
#ifndef OW_BUF_REGISTRY_H
#define OW_BUF_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/tls.h"

struct ow_blocks;
struct ow_note;
struct ow_view;

struct ow_buf {
	struct ow_buf *next; /* in the registry; for its owner, if in none */
	char *key; /* the user's pointer */
	size_t size;
	size_t room; /* bytes behind the descriptor; block: not used */
	const struct ow_view *view; /* of a VIEW, else NULL */
	struct ow_blocks *blocks;   /* NULL: on the heap */
	uint64_t ref;		    /* of the block */
	uint64_t group;		    /* number of the buffers that came in one
				       message, the first pointing to the
				       others; 0: came alone, or did not come */
	uint32_t forks;		    /* ow_prc_forks() of the block's process */
	uint8_t type;		    /* enum ow_buf_type */
	bool lent;
	_Alignas(16) char data[];
};

/* The buffer that came with the request this thread serves. It follows the
 * buffer through tprealloc(); NULL when that has been freed. */
extern OW_TLS_FAST char *ow_reg_auto;

/* Register a descriptor by its key. */
void ow_reg_enter(struct ow_buf *b);
/* The descriptor of a user's pointer, which is not followed; NULL: it is not
 * ours. */
struct ow_buf *ow_reg_find(const char *data);
/* The same, if the buffer has no call header (notes.h). */
struct ow_buf *ow_reg_find_plain(const char *data);
/* The same, after its call header, if it has one, was freed. */
struct ow_buf *ow_reg_find_stripped(const char *data);
/* The same, taking the descriptor out of the registry: the caller owns it. */
struct ow_buf *ow_reg_leave(const char *data);

/* Take the call header off a buffer, for the caller to free; NULL: none. */
struct ow_note *ow_reg_take_note(const char *data);
/* Attach one, instead of an older one: the buffer's then. False: no such
 * buffer, or no memory; it is freed. */
bool ow_reg_put_note(const char *data, struct ow_note *n);

/* A number for the buffers that came in one message, never given before. */
uint64_t ow_reg_next_group(void);

#endif
