/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.h - small messages for tests of queues
 */
#ifndef OW_TEST_MESSAGES_H
#define OW_TEST_MESSAGES_H

#include <string.h>

#include "libatmi/transport/block/block.h"
#include "tests/unit/libatmi/domain_fixture.h"

/* A received message. */
struct test_in {
	union ow_envelope_memory room;
	struct ow_envelope e;
};

static inline int recv_in(struct ow_queue *q, struct test_in *in,
			  uint64_t deadline)
{
	ow_envelope_init(&in->e, &in->room, sizeof(in->room), dom->blocks);
	return ow_queue_recv(q, &in->e, deadline);
}

/* Receive a message, free its payload, copy its header to *ret if not NULL. */
static inline int recv_msg(struct ow_queue *q, struct ow_msg *ret,
			   uint64_t deadline)
{
	struct test_in in;
	int r = recv_in(q, &in, deadline);

	if (r != 0)
		return r;
	if (ret != NULL)
		*ret = *in.e.head;
	ow_envelope_close(&in.e);
	return 0;
}

/* Send a message without payload, or with the payload in m->block. */
static inline int send_msg(struct ow_queue *q, const struct ow_msg *m,
			   unsigned int prio, uint64_t deadline)
{
	struct ow_msg copy = *m;
	struct ow_envelope e;

	ow_envelope_init(&e, &copy, sizeof(copy), dom->blocks);
	if (m->block != 0) {
		e.payload.block = m->block;
		e.payload.len = m->len;
		e.payload.owner = OW_PAYLOAD_OWNED;
	}
	return ow_queue_send(q, &e, prio, deadline);
}

/* Send `len` bytes as the payload of a request. */
static inline int send_bytes(struct ow_queue *q, const void *bytes, size_t len,
			     unsigned int prio, uint64_t deadline)
{
	union ow_envelope_memory room = { .head = {
		.magic = OW_MSG_MAGIC,
		.version = OW_MSG_VERSION,
		.kind = OW_MSG_REQUEST,
		.buftype = OW_BUF_CARRAY,
		.len = len } };
	struct ow_envelope e;

	memcpy(room.bytes + sizeof(room.head), bytes, len);
	ow_envelope_init(&e, &room, sizeof(room), dom->blocks);
	return ow_queue_send(q, &e, prio, deadline);
}

/* Receive at most `size` bytes of payload; `*ret_len` is its length. */
static inline int recv_bytes(struct ow_queue *q, void *bytes, size_t size,
			     uint64_t deadline, size_t *ret_len)
{
	struct test_in in;
	int r = recv_in(q, &in, deadline);

	if (r != 0)
		return r;
	*ret_len = in.e.payload.len;
	if (in.e.payload.len < size)
		size = in.e.payload.len;
	memcpy(bytes, in.e.payload.data, size);
	ow_envelope_close(&in.e);
	return 0;
}

#endif
