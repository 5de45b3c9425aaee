/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.c - wait for replies, match them, hand them to the caller
 */
#include "libatmi/call/reply.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/base/clock.h"
#include "libatmi/call/ctx.h"
#include "libatmi/base/probe.h"
#include "libatmi/call/svcq.h"
#include "libatmi/base/tperror.h"

/* No round number: a signal that comes between two sleeps goes unnoticed
 * (doc/design.md says why), and timers of programs are round. */
#define NUDGE_NS (23 * OW_NS_PER_MS)

static struct ow_msg *received(struct ow_ctx *c)
{
	return (struct ow_msg *)c->rx;
}

/* The descriptor that the message in c->rx answers; 0: none, dropped. */
static int match(struct ow_ctx *c, size_t len)
{
	struct ow_msg *m = received(c);
	struct ow_call *call;

	if (ow_msg_check(m, len) != 0 || m->kind != OW_MSG_REPLY) {
		atomic_fetch_add(&c->dom->tables->head->garbage, 1);
		return 0;
	}
	call = ow_call_find(c, m->cd);
	if (call != NULL && call->state == OW_CALL_WAITING &&
	    call->seq == m->seq && m->clt_slot == c->slot &&
	    m->clt_gen == c->gen)
		return m->cd;
	if (m->block != 0)
		ow_block_free(c->dom->blocks, m->block);
	atomic_fetch_add_explicit(&c->clt->late, 1, memory_order_relaxed);
	return 0;
}

/*
 * A reply that takes long: perhaps the server that was woken for the request
 * has been killed, stopped or held up. See that the queues move; less often
 * the longer it takes. OW_QUEUE_TIMEOUT when the deadline itself is over.
 */
static int receive_slowly(struct ow_ctx *c, uint64_t now_ns,
			  uint64_t deadline_ns, size_t *ret_len)
{
	uint64_t until, slice = NUDGE_NS;
	int r;

	for (;; now_ns = ow_clock_mono_ns()) {
		until = now_ns + slice;
		if (deadline_ns != OW_QUEUE_FOREVER && deadline_ns <= until)
			return ow_queue_recv(c->replyq, c->rx, c->rx_size,
					     deadline_ns, ret_len);
		r = ow_queue_recv(c->replyq, c->rx, c->rx_size, until,
				  ret_len);
		if (r != OW_QUEUE_TIMEOUT)
			return r;
		ow_svcq_nudge(c);
		if (slice < OW_NS_PER_SEC)
			slice *= 2;
	}
}

/* Receive one message; 0 with *ret_cd (0: it was dropped). */
static int receive(struct ow_ctx *c, uint64_t now_ns, uint64_t deadline_ns,
		   int *ret_cd)
{
	size_t len = 0;
	int r;

	if (deadline_ns == OW_QUEUE_NOWAIT)
		r = ow_queue_recv(c->replyq, c->rx, c->rx_size,
				  OW_QUEUE_NOWAIT, &len);
	else
		r = receive_slowly(c, now_ns, deadline_ns, &len);

	if (r == 0)
		*ret_cd = match(c, len);
	return r;
}

static size_t whole_len(const struct ow_msg *m)
{
	return sizeof(*m) + (m->block == 0 ? m->len : 0);
}

/* Put the reply in c->rx aside for a later tpgetrply(). */
static int keep(struct ow_ctx *c, int cd)
{
	struct ow_call *call = &c->calls[cd];
	size_t len = whole_len(received(c));

	call->reply = malloc(len);
	if (call->reply == NULL)
		return -ENOMEM;
	memcpy(call->reply, c->rx, len);
	if (call->reply->block != 0)
		ow_block_adopt(c->dom->blocks, call->reply->block,
			       call->reply->len);
	call->state = OW_CALL_KEPT;
	call->next = 0;
	call->prev = c->kept_last;
	if (c->kept_last != 0)
		c->calls[c->kept_last].next = cd;
	else
		c->kept_first = cd;
	c->kept_last = cd;
	return 0;
}

/* Bring a kept reply back into c->rx. Its block stays where it is. */
static void recall(struct ow_ctx *c, int cd)
{
	struct ow_call *call = &c->calls[cd];
	uint64_t block = call->reply->block;

	memcpy(c->rx, call->reply, whole_len(call->reply));
	call->reply->block = 0; /* ow_call_drop() must not free it */
	received(c)->block = block;
}

int ow_reply_take_in(struct ow_ctx *c)
{
	int cd = 0, r;

	for (;;) {
		r = receive(c, 0, OW_QUEUE_NOWAIT, &cd);
		if (r == OW_QUEUE_EMPTY || r == OW_QUEUE_SIGNAL)
			return 0;
		if (r == 0 && cd != 0)
			r = keep(c, cd);
		if (r != 0)
			return r;
	}
}

int ow_reply_wait(struct ow_ctx *c, int cd, uint64_t now_ns,
		  uint64_t deadline_ns, int *ret_cd)
{
	int got = 0, r;

	if (cd == 0 && c->kept_first != 0)
		cd = c->kept_first;
	if (cd != 0 && c->calls[cd].state == OW_CALL_KEPT) {
		recall(c, cd);
		*ret_cd = cd;
		return 0;
	}
	for (;;) {
		r = receive(c, now_ns, deadline_ns, &got);
		if (r != 0)
			return r;
		if (got == 0)
			continue;
		if (cd == 0 || got == cd) {
			*ret_cd = got;
			return 0;
		}
		r = keep(c, got);
		if (r != 0)
			return r;
	}
}

/* ---- delivery ---- */

/* May the reply go into *data? TPEOTYPE under TPNOCHANGE. */
static int check_type(const struct ow_msg *m, char *const *data, long flags)
{
	struct ow_buf_info info;

	if ((flags & TPNOCHANGE) == 0 || *data == NULL)
		return 0;
	if (ow_buf_find(*data, &info) == 0 &&
	    info.type == (enum ow_buf_type)m->buftype)
		return 0;
	return ow_tp_fail(TPEOTYPE, "the reply has another buffer type, and "
			  "TPNOCHANGE was given");
}

static bool same_view(const struct ow_msg *m, const void *payload,
		      const char *data)
{
	struct ow_buf_info info;

	return data == NULL ||
	       (ow_buf_find(data, &info) == 0 && info.view != NULL &&
		ow_buf_is_view(payload, m->sub_len, info.view));
}

static int unpack(struct ow_ctx *c, const struct ow_msg *m, char **data,
		  long *len, long flags, uint64_t *block)
{
	void *payload = (void *)(m + 1);
	int r = OW_BUF_COPY;

	if (m->block != 0)
		payload = ow_block_adopt(c->dom->blocks, m->block, m->len);
	if (payload == NULL)
		return ow_tp_fail(TPESYSTEM, "the reply's block is gone");
	if (flags & TPNOCHANGE && m->buftype == OW_BUF_VIEW &&
	    !same_view(m, payload, *data))
		return ow_tp_fail(TPEOTYPE, "the reply is another view, and "
				  "TPNOCHANGE was given");
	if (m->block != 0)
		r = ow_buf_from_block(m, c->dom->blocks, payload, false, data,
				      len);
	if (r == 0)
		*block = 0; /* it is the buffer's */
	if (r == OW_BUF_COPY)
		r = ow_buf_from_msg(m, payload, data, len);
	if (r == -EPROTOTYPE)
		return ow_tp_fail(TPEOTYPE, "the reply is a view that is not "
				  "known here, or another one of its name");
	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "no memory for a reply of %llu bytes",
				  (unsigned long long)m->len);
	if (r != 0)
		return ow_tp_fail(TPESYSTEM, "the reply is damaged");
	return 0;
}

static int fail_reply(const struct ow_msg *m)
{
	switch (m->tperr) {
	case TPESVCFAIL:
		return ow_tp_fail(TPESVCFAIL, "the service returned TPFAIL");
	case TPESVCERR:
		return ow_tp_fail(TPESVCERR, "the server failed or died while "
				  "it had the request");
	case TPETIME:
		return ow_tp_fail(TPETIME, "the service reports a time-out");
	case TPENOENT:
		return ow_tp_fail(TPENOENT, "the service reports TPENOENT");
	default:
		if (m->tperr > TPMINVAL && m->tperr <= TPMAXVAL)
			return ow_tp_fail(m->tperr, "reported by the service");
		return ow_tp_fail(TPESYSTEM, "the reply carries error %d",
				  m->tperr);
	}
}

int ow_reply_deliver(struct ow_ctx *c, int cd, char **data, long *len,
		     long flags)
{
	struct ow_msg *m = received(c);
	uint64_t block = m->block;
	int r = 0;

	OW_PROBE3(reply_taken, m->span_id, m->tperr, cd);
	ow_call_drop(c, cd);
	if (m->tperr == 0 || m->tperr == TPESVCFAIL) {
		r = check_type(m, data, flags);
		if (r == 0)
			r = unpack(c, m, data, len, flags, &block);
		tpurcode = (long)m->urcode;
	}
	if (block != 0)
		ow_block_free(c->dom->blocks, block);
	if (r == 0 && m->tperr != 0)
		r = fail_reply(m);
	return r;
}
