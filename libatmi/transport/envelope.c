/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope.c - a message in the hands of a process: header, payload, owner
 */
#include "libatmi/transport/envelope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/block/block.h"

/* ow_msg_check(): a header without a block has the length of what follows it.
 * So the length is 0 before the block is. */
void ow_envelope_yield_block(struct ow_envelope *e)
{
	struct ow_msg *m = e->head;

	e->payload.owner = OW_PAYLOAD_UNOWNED;
	__atomic_store_n(&m->sub_len, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&m->len, 0, __ATOMIC_RELEASE);
	OW_FAULT("envelope.yield");
	__atomic_store_n(&m->block, 0, __ATOMIC_RELEASE);
	OW_FAULT("envelope.yielded");
}

void ow_envelope_regain_block(struct ow_envelope *e)
{
	struct ow_msg *m = e->head;

	__atomic_store_n(&m->block, e->payload.block, __ATOMIC_RELEASE);
	OW_FAULT("envelope.regain");
	__atomic_store_n(&m->len, e->payload.len, __ATOMIC_RELEASE);
	e->payload.owner = OW_PAYLOAD_OWNED;
}

static void copy_content(const struct ow_content *c, uint8_t *to)
{
	if (c->sub_len != 0)
		memcpy(to, c->subtype, c->sub_len);
	if (c->payload.len != 0)
		memcpy(to + c->sub_len, c->payload.data, c->payload.len);
}

/* A new block of `size` bytes, which the envelope owns. */
static int new_block(struct ow_envelope *e, size_t size)
{
	void *data;
	/* Only a request has a deadline, after which no server serves it. A
	 * reply may be fetched long after the deadline of its call. */
	uint64_t deadline = e->head->kind == OW_MSG_REQUEST
				? e->head->deadline_ns
				: 0;
	int r = ow_block_alloc(e->blocks, size, deadline, &e->payload.block,
			       &data);

	if (r != 0)
		return r == OW_BLOCK_FULL ? OW_ENVELOPE_NOROOM : r;
	e->payload.data = data;
	e->payload.owner = OW_PAYLOAD_OWNED;
	return 0;
}

/* Does a payload of `len` bytes fit behind the header? */
static bool fits(const struct ow_envelope *e, size_t len, size_t msgsize)
{
	return msgsize <= e->room && msgsize >= sizeof(*e->head) &&
	       len <= msgsize - sizeof(*e->head);
}

int ow_envelope_pack(struct ow_envelope *e, struct ow_content *c,
		     size_t msgsize, size_t least)
{
	size_t len = c->sub_len + c->payload.len;
	int r = 0;

	e->head->buftype = c->type;
	e->head->sub_len = c->sub_len;
	e->head->len = len;
	e->head->block = 0;
	e->payload = (struct ow_payload){ .len = len };
	if (len == 0 && msgsize != 0)
		return 0;
	if (fits(e, len, msgsize)) {
		e->payload.data = e->head + 1;
		copy_content(c, e->payload.data);
		return 0;
	}
	if (c->payload.block != 0)
		ow_payload_move(&e->payload, &c->payload);
	else
		r = new_block(e, len > least ? len : least);
	if (r == 0 && c->payload.block == 0)
		copy_content(c, e->payload.data);
	e->head->block = e->payload.block;
	return r;
}

static size_t length_of(const struct iovec *piece, unsigned int n)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		len += piece[i].iov_len;
	return len;
}

int ow_envelope_pack_pieces(struct ow_envelope *e, const struct iovec *piece,
			    unsigned int n, size_t msgsize)
{
	size_t len = length_of(piece, n);
	unsigned int i;
	uint8_t *to;
	int r = 0;

	e->head->buftype = OW_BUF_CARRAY;
	e->head->sub_len = 0;
	e->head->len = len;
	e->head->block = 0;
	e->payload = (struct ow_payload){ .len = len };
	if (fits(e, len, msgsize))
		e->payload.data = e->head + 1;
	else
		r = new_block(e, len);
	if (r != 0)
		return r;
	e->head->block = e->payload.block;
	to = e->payload.data;
	for (i = 0; i < n; i++) {
		if (piece[i].iov_len > 0)
			memcpy(to, piece[i].iov_base, piece[i].iov_len);
		to += piece[i].iov_len;
	}
	return 0;
}

void ow_envelope_unpack(struct ow_envelope *e, struct ow_content *c)
{
	if (e->payload.owner == OW_PAYLOAD_OWNED &&
	    e->payload.block == c->payload.block) {
		if (c->payload.lender != NULL) {
			ow_envelope_regain_block(c->payload.lender);
			c->payload.owner = OW_PAYLOAD_LENT;
		} else {
			c->payload.owner = OW_PAYLOAD_OWNED;
		}
		e->payload.owner = OW_PAYLOAD_UNOWNED;
	}
	ow_envelope_close(e);
}

void ow_envelope_adopt(struct ow_envelope *e)
{
	/* Also where the block is gone: freeing a stale one does nothing. A
	 * forwarded request without data has a block, too: whoever takes it
	 * over has the request (record.h). */
	e->payload.owner = OW_PAYLOAD_OWNED;
	if (e->payload.len > 0 || e->head->kind == OW_MSG_REQUEST)
		e->payload.data = ow_block_adopt(e->blocks, e->payload.block,
						 e->payload.len);
}

int ow_envelope_keep(struct ow_envelope *to, struct ow_envelope *from)
{
	size_t len = ow_envelope_len(from);
	struct ow_msg *room = malloc(len);

	if (room == NULL)
		return -ENOMEM;
	memcpy(room, from->head, len);
	ow_envelope_init(to, room, len, from->blocks);
	to->heap = true;
	ow_payload_move(&to->payload, &from->payload);
	if (to->payload.block == 0 || to->payload.len == 0)
		to->payload.data = room + 1;
	ow_envelope_close(from);
	return 0;
}

void ow_envelope_release(struct ow_envelope *e)
{
	if (e->payload.owner == OW_PAYLOAD_OWNED)
		ow_block_free(e->blocks, e->payload.block);
	e->payload.owner = OW_PAYLOAD_UNOWNED;
	if (e->record != 0) {
		__atomic_store_n(&e->head->magic, 0, __ATOMIC_RELEASE);
		ow_block_free(e->blocks, e->record);
		e->record = 0;
		e->head = NULL;
	}
	if (e->heap) {
		free(e->head);
		e->heap = false;
		e->head = NULL;
	}
}
