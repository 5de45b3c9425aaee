/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_contents.c - checked copies of what requests in flight contain
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/transport/block/look.h"
#include "libatmi/transport/transport.h"
#include "libndrx/observe/calls.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"

#define TRIES 4

/* Room for `len` bytes, twice. The subtype stands before the data, which are to
 * be aligned. */
static int need(struct ow_calls_buffer *b, size_t len)
{
	size_t room = (len + 2 * OW_MSG_SUBTYPE_MAX + 127) / 64 * 64;

	if (room <= b->room)
		return 0;
	ow_calls_buffer_free(b);
	b->memory = aligned_alloc(64, room);
	b->twice = aligned_alloc(64, room);
	if (b->memory == NULL || b->twice == NULL) {
		ow_calls_buffer_free(b);
		return -ENOMEM;
	}
	b->room = room;
	return 0;
}

void ow_calls_buffer_free(struct ow_calls_buffer *b)
{
	free(b->memory);
	free(b->twice);
	memset(b, 0, sizeof(*b));
}

/* From the receive slot of the server: the header says before and after that it
 * is this request. */
static int copy_record(const struct ow_calls *c, const struct ow_calls_row *row,
		       char *dst, char *twice)
{
	struct ow_domain d = c->view->d;
	const struct ow_msg *m;
	int tries;

	if (d.transport->recorded == NULL || row->slot == 0 ||
	    sizeof(*m) + row->len > OW_RX_SIZE)
		return OW_CALLS_NOWHERE;
	m = d.transport->recorded(&d, row->slot);
	for (tries = 0; tries < TRIES; tries++) {
		memcpy(dst, m + 1, row->len);
		atomic_thread_fence(memory_order_acquire);
		memcpy(twice, m + 1, row->len);
		atomic_thread_fence(memory_order_acquire);
		if (m->magic != OW_MSG_MAGIC || m->seq != row->seq ||
		    m->sent_ns != row->sent_ns ||
		    m->clt_slot != row->caller.slot || m->len != row->len ||
		    m->block != 0)
			return OW_CALLS_MOVED;
		if (memcmp(dst, twice, row->len) == 0)
			return 0;
	}
	return OW_CALLS_CHANGING;
}

static int result_of(int r)
{
	switch (r) {
	case OW_BLOCK_MOVED:
		return OW_CALLS_MOVED;
	case OW_BLOCK_CHANGING:
		return OW_CALLS_CHANGING;
	default:
		return r < 0 ? OW_CALLS_MOVED : r; /* of a block that went */
	}
}

static int copy(const struct ow_calls *c, const struct ow_calls_row *row,
		struct ow_calls_buffer *b, size_t len)
{
	int r = need(b, len);

	if (r != 0)
		return r;
	b->len = len;
	if (row->payload != 0)
		return result_of(ow_block_copy_used(c->blocks, row->payload,
						    b->memory, b->twice, len));
	if (row->ref != 0)
		return result_of(ow_block_copy(c->blocks, row->ref, row->word,
					       b->memory, b->twice, len));
	return copy_record(c, row, b->memory, b->twice);
}

/* The copy is whole. Is it what the header says? Move it behind its subtype. */
static int unpack(const struct ow_calls_row *row, struct ow_calls_buffer *b)
{
	size_t sub = row->sub_len;

	if (sub > OW_MSG_SUBTYPE_MAX || sub > b->len)
		return OW_CALLS_DAMAGED;
	memcpy(b->subtype, b->memory, sub);
	b->subtype[sub] = '\0';
	b->len -= sub;
	b->data = b->memory;
	if (sub != 0)
		memmove(b->data, b->memory + sub, b->len);
	b->data[b->len] = '\0'; /* there is room */
	if (row->type != OW_BUF_UBF)
		return 0;
	return ow_ubf_check(b->data, b->len) == 0 &&
			       ow_ubf_adopt(b->data, b->len, b->len) == 0
		       ? 0
		       : OW_CALLS_DAMAGED;
}

/* A service may have added fields to the buffer where it lies: then it is longer
 * than what was sent. 0: it is not. */
static size_t grown(const struct ow_calls_row *row,
		    const struct ow_calls_buffer *b)
{
	const struct Ubfh *h = (const struct Ubfh *)b->memory;

	return row->type == OW_BUF_UBF && row->state == OW_CALLS_SERVED &&
			       (row->ref != 0 || row->payload != 0) &&
			       row->len >= sizeof(*h) && h->used > row->len &&
			       h->used <= OW_CALLS_CONTENTS
		       ? h->used
		       : 0;
}

int ow_calls_contents(struct ow_calls *c, const struct ow_calls_row *row,
		      struct ow_calls_buffer *b)
{
	size_t more;
	int r;

	b->len = 0;
	b->subtype[0] = '\0';
	if (!row->known || row->state == OW_CALLS_UNSEEN)
		return OW_CALLS_NOWHERE;
	if (row->len > OW_CALLS_CONTENTS)
		return OW_CALLS_LARGE;
	r = copy(c, row, b, row->len);
	more = r == 0 ? grown(row, b) : 0;
	if (more != 0)
		r = copy(c, row, b, more);
	return r != 0 ? r : unpack(row, b);
}
