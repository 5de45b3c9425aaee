/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - compose a request and queue it
 *
 * After the message is queued, the service's generation is compared once
 * more. If it has changed, the queue was removed meanwhile and its last drain
 * may have been before our message: then the sender itself drains the queue,
 * refusing every request in it. If our message is no longer there, another
 * process took it, and a reply is on its way.
 */
#include "libatmi/call/request.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/await.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/lcf/follow/follow.h"
#include "libatmi/call/priority.h"
#include "libatmi/call/share.h"
#include "libatmi/call/svcq.h"
#include "libatmi/call/target.h"
#include "libatmi/call/spans.h"
#include "libatmi/member/reap.h"
#include "libatmi/buffer/types.h"
#include "libatmi/transport/record.h"

static int fail_content(const struct ow_sending *s, long len, int r)
{
	const struct ow_buf_info *info = &s->info;

	if (r == OW_CONTENT_FOREIGN)
		return ow_tp_fail(TPEINVAL, "data %p is not a buffer from "
				  "tpalloc(), or was freed",
				  (void *)s->buffer);
	if (r == OW_CONTENT_POINTEE)
		return ow_tp_fail(TPEINVAL, "a buffer that the data point to "
				  "is damaged");
	if (r != OW_CONTENT_LENGTH)
		return ow_tp_fail(TPEOS, "no memory for the buffers that the "
				  "data point to");
	if (ow_buf_type_is_bytes(info->type))
		return ow_tp_fail(TPEINVAL, "length %ld: the %s buffer holds 0 "
				  "to %zu bytes", len,
				  ow_buf_names[info->type], info->size);
	return ow_tp_fail(TPEINVAL, "the %s buffer is damaged",
			  ow_buf_names[info->type]);
}

int ow_request_content(struct ow_sending *s, char *data, long len)
{
	int r = ow_content_begin(s, data, len);

	if (r == 0 && s->info.type == OW_BUF_TPINIT)
		return ow_tp_fail(TPEINVAL, "a TPINIT buffer cannot be sent");
	return r == 0 ? 0 : fail_content(s, len, r);
}

int ow_request_begin(struct ow_request *rq, const char *svc, char *data,
		     long len)
{
	if (svc == NULL)
		return ow_tp_fail(TPEINVAL, "service name is NULL");
	if (*svc == '\0')
		return ow_tp_fail(TPENOENT, "service name is empty");
	rq->svc = svc;
	if (strnlen(svc, XATMI_SERVICE_NAME_LENGTH + 1) >
	    XATMI_SERVICE_NAME_LENGTH)
		return ow_tp_fail(TPENOENT, "service name %.40s...: longer "
				  "than %d characters", svc,
				  XATMI_SERVICE_NAME_LENGTH);
	rq->how = 0;
	rq->cd = 0;
	rq->begin_ns = 0;
	rq->queued_ns = 0;
	rq->seq = 0;
	rq->tran = 0;
	rq->origin = NULL;
	rq->record = NULL;
	rq->block = 0;
	rq->piece = NULL;
	return ow_request_content(&rq->data, data, len);
}

/* A header is copied in a few steps, but cleared by an instruction that takes
 * long to begin. */
static const struct ow_msg blank = { .magic = OW_MSG_MAGIC,
				     .version = OW_MSG_VERSION,
				     .kind = OW_MSG_REQUEST };

static void fill_head(struct ow_ctx *c, const struct ow_request *rq,
		      const struct ow_svcq *sq, struct ow_msg *m)
{
	if (rq->origin != NULL) {
		*m = *rq->origin; /* reply address, deadline, flags, trace */
		m->magic = OW_MSG_MAGIC;
		m->version = OW_MSG_VERSION;
		m->kind = OW_MSG_REQUEST;
		m->handed = 0;
		m->vouched = 1;
		m->flags &= ~OW_MSG_REMOTE; /* a new request of this node */
		m->flags |= rq->how & OW_REQUEST_REMOTE;
		if (ow_span_is_on() && m->conv_op == OW_CONV_NONE)
			ow_trace_stamp_span(m); /* that of who forwards it */
	} else {
		memcpy(m, &blank, sizeof(*m));
		m->flags = ((uint32_t)rq->flags & ~OW_MSG_PRIVATE) |
			   (rq->how & OW_MSG_PRIVATE);
		m->vouched = (rq->how & OW_REQUEST_VOUCHED) | c->runtime;
		m->clt_slot = c->slot;
		m->clt_gen = c->gen;
		m->seq = rq->seq;
		m->cd = rq->cd;
		m->deadline_ns = rq->deadline;
		m->tran = rq->flags & TPNOTRAN ? 0 : c->tran;
		m->tran_log = c->tran_log;
		if (rq->tran != 0) {
			m->tran = rq->tran;
			m->tran_log = rq->tran_log;
		}
		ow_trace_stamp(&c->trace, m);
	}
	m->svc = sq->svc;
	m->prio = (uint8_t)ow_priority_take(c, &c->dom->tables->svc[sq->svc]);
	m->sent_ns = rq->begin_ns != 0 ? rq->begin_ns : ow_clock_mono_ns();
}

/* Put the content into the envelope: 0, or -1 with tperrno. */
static int pack(struct ow_ctx *c, struct ow_request *rq,
		const struct ow_svcq *sq, struct ow_envelope *e)
{
	/* A block has room for the payload to become a buffer where it lies. */
	size_t least = rq->data.info.type == OW_BUF_UBF ? OW_BUF_SIZE_MIN_UBF
							: OW_BUF_SIZE_MIN;
	int r = rq->piece != NULL
		    ? ow_envelope_pack_pieces(e, rq->piece, rq->n_pieces,
					      sq->queue->msgsize)
		    : ow_envelope_pack(e, &rq->data.content,
				       rq->record != NULL ? 0
							  : sq->queue->msgsize,
				       least);

	if (r == OW_ENVELOPE_NOROOM)
		return ow_tp_fail(TPEOS, "no shared memory for a message of "
				  "%zu bytes: %s is full", e->payload.len,
				  c->dom->shm_dir);
	return r < 0 ? ow_tp_fail_errno(r, "block store") : 0;
}

/* The end of a wait at a full queue: the deadline, or in a server the time at
 * which it attends to ndrxd's pings. */
static uint64_t wait_until(const struct ow_ctx *c, uint64_t deadline)
{
	return c->attend == NULL
		   ? deadline
		   : ow_deadline_clamp(deadline, ow_clock_mono_ns() +
						     OW_CTX_ATTEND_NS);
}

/* A wait, or a send that waited, has ended without success. 0: try again; -1
 * with tperrno. */
static int after_wait(const struct ow_ctx *c, const struct ow_request *rq,
		      int r)
{
	if (r == OW_QUEUE_SIGNAL && (rq->flags & TPSIGRSTRT))
		return 0;
	if (r == OW_QUEUE_SIGNAL)
		return ow_tp_fail(TPGOTSIG, "signal while sending to %s, whose "
				  "queue is full", rq->svc);
	if (r == -ENOSPC)
		return ow_tp_fail(TPEOS, "no shared memory for the queue of "
				  "%s: %s is full", rq->svc, c->dom->shm_dir);
	if (r != OW_QUEUE_TIMEOUT)
		return ow_tp_fail_errno(r, "sending a request");
	if (c->attend != NULL)
		c->attend();
	if (c->attend != NULL &&
	    !ow_deadline_passed(rq->deadline, ow_clock_mono_ns()))
		return 0;
	return ow_tp_fail(TPETIME, "the queue of %s stayed full", rq->svc);
}

/* Where threads share the context this one lets the others in before it stands in
 * line: 0, or -1 with tperrno. */
static int let_in(struct ow_ctx *c, const struct ow_request *rq,
		  const struct ow_svcq *sq)
{
	const struct ow_queue *was = sq->queue;

	if (ow_share_pause(c->share) != 0)
		return after_wait(c, rq, -ECANCELED);
	if (sq->queue != was)
		return ow_tp_fail(TPENOENT, "service %s has a new queue",
				  rq->svc);
	return ow_deadline_passed(rq->deadline, ow_clock_mono_ns())
		       ? after_wait(c, rq, OW_QUEUE_TIMEOUT) : 0;
}

/* Of a request that finds its queue full. */
struct full_wait {
	bool full;	 /* there was no room */
	uint64_t nap_ns; /* how long it waits next, with calls out */
};

/* The queue is full and replies may come: stand in line, and take them in
 * between. On posix who leaves the line goes to its end, so the waits become
 * longer. Nobody misses a reply meanwhile, as the program waits in here, and the
 * mailbox has room for all that are due. Results as try_send(). */
static int make_way(struct ow_ctx *c, const struct ow_request *rq,
		    const struct ow_svcq *sq, struct ow_envelope *e,
		    struct full_wait *p)
{
	int r = c->replyq != NULL ? ow_await_take_in(c) : 0;
	uint64_t nap_end, until;

	if (r == 0 && ow_share_is_crowded(c->share) && let_in(c, rq, sq) != 0)
		return -1;
	nap_end = ow_clock_mono_ns() + p->nap_ns;
	until = ow_deadline_clamp(wait_until(c, rq->deadline), nap_end);
	if (r == 0)
		r = ow_queue_send(sq->queue, e, e->head->prio, until);
	if (r == 0)
		return 0;
	if (r != OW_QUEUE_TIMEOUT || until != nap_end)
		return after_wait(c, rq, r) == 0 ? 1 : -1;
	if (p->nap_ns < OW_WAKING_SLICE_NS && c->convs == NULL)
		p->nap_ns *= 8; /* of a conversation a partner may wait */
	return 1;
}

/* One attempt to queue the message: FULL if the caller would not wait. The
 * first attempt never waits, so that each request that finds the queue full is
 * counted, once, and no clock is read before. */
static int send_once(const struct ow_ctx *c, const struct ow_request *rq,
		     const struct ow_svcq *sq, struct ow_envelope *e,
		     bool nowait, struct full_wait *p)
{
	struct ow_svc *s = &c->dom->tables->svc[sq->svc];
	int r = ow_queue_send(sq->queue, e, e->head->prio, OW_DEADLINE_NOW);

	if (r != OW_QUEUE_FULL)
		return r;
	if (!p->full)
		atomic_fetch_add_explicit(&s->full, 1, memory_order_relaxed);
	p->full = true;
	return nowait ? r
		      : ow_queue_send(sq->queue, e, e->head->prio,
				      wait_until(c, rq->deadline));
}

/* One step of sending: 0 sent, 1 again, -1 with tperrno. */
static int try_send(struct ow_ctx *c, const struct ow_request *rq,
		    const struct ow_svcq *sq, struct ow_envelope *e,
		    struct full_wait *p)
{
	/* The call being made does not count: its reply cannot be there. */
	bool replies = ow_share_is_crowded(c->share) ||
		       (c->replyq != NULL &&
			c->outstanding > (rq->cd != 0 ? 1 : 0));
	int r = send_once(c, rq, sq, e, replies || (rq->flags & TPNOBLOCK), p);

	if (r == 0)
		return 0;
	if (r != OW_QUEUE_FULL)
		return after_wait(c, rq, r) == 0 ? 1 : -1;
	if (rq->flags & TPNOBLOCK)
		return ow_tp_fail(TPEBLOCK, "the queue of %s is full",
				  rq->svc);
	return make_way(c, rq, sq, e, p);
}

/* Have room for the replies of all calls that are out, this one included. */
static int expect_replies(struct ow_ctx *c, const struct ow_request *rq)
{
	if (rq->cd == 0 || c->replyq == NULL ||
	    ow_queue_expect(c->replyq, (uint32_t)c->outstanding) == 0)
		return 0;
	return ow_tp_fail(TPEOS, "no shared memory for %d replies: %s is full",
			  c->outstanding, c->dom->shm_dir);
}

/* Its call. NULL: the descriptor is one of a conversation. */
static struct ow_call *note_service(struct ow_ctx *c,
				    const struct ow_request *rq,
				    const struct ow_svcq *sq)
{
	struct ow_call *call = ow_call_find(c, rq->cd);

	if (call == NULL || call->seq != rq->seq)
		return NULL;
	call->svc = sq->via == sq->svc ? sq->svc + 1 : 0;
	return call;
}

/* Once a second. */
__attribute__((noinline, cold)) static void look(struct ow_ctx *c,
						 const struct ow_request *rq,
						 const struct ow_msg *m,
						 struct ow_call *call)
{
	ow_lcf_look(c->dom, m->sent_ns);
	if (ow_span_is_on())
		ow_traced_sent(c, rq, m, call);
}

/* The same, or each time while spans are noted. */
__attribute__((noinline)) static void was_sent(struct ow_ctx *c,
					       const struct ow_request *rq,
					       const struct ow_msg *m,
					       struct ow_call *call)
{
	if (ow_lcf_is_due_for_all(m->sent_ns))
		look(c, rq, m, call);
	else if (ow_span_is_on())
		ow_traced_sent(c, rq, m, call);
}

int ow_request_send(struct ow_ctx *c, struct ow_request *rq)
{
	union ow_envelope_memory room;
	struct ow_svcq *sq = NULL;
	struct ow_call *call = NULL;
	struct ow_envelope e;
	struct full_wait p = { .nap_ns = OW_WAKING_ROOM_NAP_NS };
	int r;

	r = ow_target_find(c, rq, &sq);
	if (r < 0)
		return r;
	if (r != 0)
		return r == OW_TARGET_ANSWERED ? OW_REQUEST_ANSWERED
		       : r == OW_TARGET_STORED ? OW_REQUEST_STORED
					       : 0;
	ow_envelope_init(&e, &room, sizeof(room), c->dom->blocks);
	fill_head(c, rq, sq, &room.head);
	if (pack(c, rq, sq, &e) != 0)
		return -1;
	rq->block = e.payload.block;
	r = expect_replies(c, rq);
	if (r == 0 && rq->record != NULL)
		ow_record_hand_on(c->dom, rq->record, &e);
	if (r == 0) {
		OW_PROBE3(request_sent, rq->svc, room.head.span_id,
			  room.head.len);
		do {
			r = try_send(c, rq, sq, &e, &p);
		} while (r == 1);
	}
	if (r < 0 && rq->record != NULL)
		ow_record_keep(rq->record);
	if (r < 0) {
		if (sq->queue != NULL)
			ow_queue_give_up(sq->queue);
		ow_envelope_unpack(&e, &rq->data.content);
		return -1;
	}
	rq->queued_ns = p.full ? ow_clock_mono_ns() : room.head.sent_ns;
	if (rq->cd != 0)
		call = note_service(c, rq, sq);
	if (!ow_svcq_current(c, sq))
		ow_reap_drain(c->dom, sq->queue, TPENOENT);
	if (ow_lcf_is_due(room.head.sent_ns))
		was_sent(c, rq, &room.head, call);
	return 0;
}
