/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope.h - a message in the hands of a process: header, payload, owner
 *
 * Every request and reply is packed into an envelope before it is sent and
 * lies in one after it was received, whatever the transport. The header is
 * in the envelope's room (memory of the process, or a server's in-flight
 * record). The payload lies behind the header (inline) or in a block.
 *
 * A payload has one owner. ow_payload_move() hands it on; the sender keeps
 * the address but not the right to free. What a queue accepted belongs to
 * its receiver: the envelope is empty after a successful send, and unchanged
 * after a failed one.
 *
 * An envelope belongs to one thread.
 */
#ifndef OW_ENVELOPE_H
#define OW_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libatmi/wire/msg.h"

struct ow_blocks;
struct ow_envelope;

/* The owner of the memory in which a payload lies: it frees that memory. */
enum ow_payload_owner {
	OW_PAYLOAD_UNOWNED = 0, /* its memory outlives this payload: the room
				   of an envelope, a buffer of the program */
	OW_PAYLOAD_OWNED,	/* this payload: closing it frees the block */
	OW_PAYLOAD_LENT,	/* the envelope `lender` */
};

struct ow_payload {
	void *data; /* first byte; NULL: nothing to send; received: the block
		       is gone */
	size_t len;
	uint64_t block; /* in which the data lie; 0: in none */
	struct ow_envelope *lender;
	enum ow_payload_owner owner;
};

/* What a process wants to send: the contents of a typed buffer. */
struct ow_content {
	struct ow_payload payload; /* without the subtype */
	uint8_t type;		   /* enum ow_buf_type */
	uint8_t sub_len;	   /* a VIEW travels behind its subtype */
	uint8_t subtype[OW_MSG_SUBTYPE_MAX];
};

struct ow_envelope {
	struct ow_msg *head; /* at the beginning of the room */
	size_t room;	     /* bytes, for header and inline payload */
	struct ow_blocks *blocks;
	bool heap; /* the room was allocated by ow_envelope_keep() */
	uint64_t record; /* record.h: the block that is the room; or 0 */
	struct ow_payload payload;
};

/* Memory for an envelope that is being sent: the largest queue message. */
union ow_envelope_memory {
	struct ow_msg head;
	uint8_t bytes[OW_MSG_SIZE_MAX];
};

enum ow_envelope_result {
	OW_ENVELOPE_NOROOM = 1, /* no shared memory for the payload */
};

/* An empty envelope over `size` bytes at `room`. */
static inline void ow_envelope_init(struct ow_envelope *e, void *room,
				    size_t size, struct ow_blocks *blocks)
{
	e->head = room;
	e->room = size;
	e->blocks = blocks;
	e->heap = false;
	e->record = 0;
	e->payload.block = 0;
	e->payload.owner = OW_PAYLOAD_UNOWNED;
}

/* Was the payload, which lay in a block, moved away? */
static inline bool ow_payload_is_moved(const struct ow_payload *p)
{
	return p->block != 0 && p->owner == OW_PAYLOAD_UNOWNED;
}

/* Bytes that go into a queue: header and inline payload. */
static inline size_t ow_envelope_len(const struct ow_envelope *e)
{
	return sizeof(*e->head) + (e->head->block == 0 ? e->head->len : 0);
}

/*
 * The block of a received message leaves it with another message, or comes
 * back because that could not be sent. Between the two the header names no
 * block: if the header is a server's in-flight record and the server is
 * killed, the request is refused and the block is left alone, because another
 * process may have it. The header is valid after each single store.
 */
void ow_envelope_yield_block(struct ow_envelope *e);
void ow_envelope_regain_block(struct ow_envelope *e);

/*
 * Put `c` into the envelope, whose header is filled: inline if it fits a
 * message of `msgsize` bytes (0: never, even if there is nothing to put), in
 * the content's own block if it lies in one (which moves), else copied into a
 * new block with room for at least `least` bytes. 0, NOROOM or -errno; nothing
 * has moved then.
 */
int ow_envelope_pack(struct ow_envelope *e, struct ow_content *c,
		     size_t msgsize, size_t least);
/* The same for `n` pieces of memory, which become one CARRAY: what the library
 * itself sends. */
int ow_envelope_pack_pieces(struct ow_envelope *e, const struct iovec *piece,
			    unsigned int n, size_t msgsize);
/* Undo ow_envelope_pack(): a block that was the content's goes back to it, a
 * copy is freed. */
void ow_envelope_unpack(struct ow_envelope *e, struct ow_content *c);

/* The payload of a received message lies in a block: take the block over. */
void ow_envelope_adopt(struct ow_envelope *e);

/* Move a message into memory of its own, so that the room can receive the
 * next one: 0 or -ENOMEM (then `from` is unchanged). */
int ow_envelope_keep(struct ow_envelope *to, struct ow_envelope *from);

/* The slow part of ow_envelope_close(): a block, or a room of its own. */
void ow_envelope_release(struct ow_envelope *e);

/* `to` owns what `from` owned, or what the lender of `from` owned. */
static inline void ow_payload_move(struct ow_payload *to,
				   struct ow_payload *from)
{
	*to = *from;
	if (from->owner == OW_PAYLOAD_LENT) {
		ow_envelope_yield_block(from->lender);
		to->owner = OW_PAYLOAD_OWNED;
		to->lender = NULL;
	}
	from->owner = OW_PAYLOAD_UNOWNED;
}

/* Free what the envelope owns; its header is no message any more. For a
 * server this clears the in-flight record. */
static inline void ow_envelope_close(struct ow_envelope *e)
{
	if (e->payload.owner == OW_PAYLOAD_OWNED || e->heap || e->record != 0)
		ow_envelope_release(e);
	if (e->head != NULL)
		__atomic_store_n(&e->head->magic, 0, __ATOMIC_RELEASE);
}

/*
 * For transports: `len` bytes have been received into the room. Checks the
 * message and takes over its payload: 0. -EBADMSG: it is malformed; the
 * envelope is empty.
 */
static inline int ow_envelope_accept(struct ow_envelope *e, size_t len)
{
	struct ow_msg *m = e->head;
	int r = ow_msg_check(m, len);

	if (r != 0) {
		ow_envelope_close(e);
		return r;
	}
	e->payload.data = m + 1;
	e->payload.len = m->len;
	e->payload.block = m->block;
	if (m->block != 0)
		ow_envelope_adopt(e);
	return 0;
}

/*
 * The same, if the header in the room is the copy of one in m->block, which this
 * process has taken out of a ring: the block is the envelope's. Its payload is at
 * `data`; if the header claims more than the `most` bytes that can be read, it is
 * gone. -EBADMSG: the header is malformed, the block is not the envelope's.
 */
static inline int ow_envelope_accept_block(struct ow_envelope *e, void *data,
					   size_t most)
{
	struct ow_msg *m = e->head;
	int r = ow_msg_check(m, sizeof(*m));

	if (r != 0) {
		ow_envelope_close(e);
		return r;
	}
	e->payload.data = m->len <= most ? data : NULL;
	e->payload.len = m->len;
	e->payload.block = m->block;
	e->payload.owner = OW_PAYLOAD_OWNED;
	return 0;
}

#endif
