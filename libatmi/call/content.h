/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content.h - what a typed buffer sends: length, subtype, pointees
 *
 * For requests (tpcall, tpacall, tpforward) and replies (tpreturn).
 */
#ifndef OW_CONTENT_H
#define OW_CONTENT_H

#include <stdbool.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/transport/envelope.h"

/* The content of a message, while it is sent. */
struct ow_sending {
	struct ow_content content;
	struct ow_buf_info info; /* of the buffer */
	char *buffer;		 /* the program's; NULL: no data, or its block
				    has moved with the message */
	struct ow_buf *aside; /* its descriptor, while its block is offered
				 (content.payload.block is not 0) */
	char *flat; /* malloc'ed copy with the buffers that it points to */
};

enum ow_content_result {
	OW_CONTENT_FOREIGN = 1, /* not a buffer from tpalloc() */
	OW_CONTENT_LENGTH,	/* negative, or beyond the buffer; damaged */
	OW_CONTENT_POINTEE,	/* a buffer that the data point to is damaged */
};

/* What is sent of `buffer` (NULL: nothing), `len` as the user gave it: 0, a
 * result or -ENOMEM. ow_content_end() follows. */
int ow_content_begin(struct ow_sending *s, char *buffer, long len);
/* ow_content_offer() of a buffer that lies in a block. */
void ow_content_offer_block(struct ow_sending *s, struct ow_envelope *request);
/* The slow part of ow_content_end(). */
void ow_content_release(struct ow_sending *s);

/*
 * Send without a copy where possible: if the buffer lies in a block, the block
 * may move with the message. `request` is the request in hand, in whose
 * block the buffer may lie.
 */
static inline void ow_content_offer(struct ow_sending *s,
				    struct ow_envelope *request)
{
	if (s->buffer != NULL && s->info.block != 0)
		ow_content_offer_block(s, request);
}

/* The message was sent, or not: forget a buffer whose block has moved, free
 * the flat copy. */
static inline void ow_content_end(struct ow_sending *s)
{
	if (s->flat != NULL || s->content.payload.block != 0)
		ow_content_release(s);
}

#endif
