/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - compose a request and queue it
 *
 * After the message is queued, the service's generation is looked at once
 * more. If it has changed, the queue was removed meanwhile and its last
 * drain may have been before our message: then the sender itself empties the
 * queue, answering whatever lies in it. If our message is no longer there,
 * somebody took it, and an answer is on its way.
 */
#include "libatmi/call/request.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/buffer/parts.h"
#include "libatmi/base/clock.h"
#include "libatmi/call/ctx.h"
#include "libatmi/log/log.h"
#include "libatmi/base/probe.h"
#include "libatmi/member/reap.h"
#include "libatmi/call/reply.h"
#include "libatmi/call/svcq.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/trace.h"
#include "libubf/base/cleanup.h"

/* A message ready to be sent. */
struct parcel {
	union {
		struct ow_msg m;
		uint8_t bytes[OW_RX_SIZE];
	};
	size_t len;
};

int ow_request_check(struct ow_request *rq, const char *svc, char *data,
		     long len)
{
	memset(rq, 0, sizeof(*rq));
	if (svc == NULL)
		return ow_tp_fail(TPEINVAL, "service name is NULL");
	if (*svc == '\0')
		return ow_tp_fail(TPENOENT, "service name is empty");
	strncpy(rq->svc, svc, XATMI_SERVICE_NAME_LENGTH);
	rq->data = data;
	rq->info.type = OW_BUF_NULL;
	if (data == NULL)
		return 0;
	if (ow_buf_find(data, &rq->info) != 0)
		return ow_tp_fail(TPEINVAL, "data %p is not a buffer from "
				  "tpalloc(), or was freed", (void *)data);
	if (rq->info.type == OW_BUF_TPINIT)
		return ow_tp_fail(TPEINVAL, "a TPINIT buffer cannot be sent");
	if (ow_buf_wire_len(data, &rq->info, len, &rq->wire_len) == 0)
		return 0;
	if (rq->info.type == OW_BUF_CARRAY)
		return ow_tp_fail(TPEINVAL, "length %ld: the CARRAY buffer "
				  "holds 0 to %zu bytes", len, rq->info.size);
	return ow_tp_fail(TPEINVAL, "the %s buffer is damaged",
			  rq->info.type_name);
}

static unsigned int priority(struct ow_ctx *c, const struct ow_svc *s)
{
	int p = (int)atomic_load_explicit(&s->prio, memory_order_relaxed);

	if (c->prio_set == 2)
		p = c->prio_value;
	else if (c->prio_set == 1)
		p += c->prio_value;
	c->prio_set = 0;
	p = p < 1 ? 1 : p > 100 ? 100 : p;
	c->prio_last = p;
	return (unsigned int)p;
}

static void fill_head(struct ow_ctx *c, const struct ow_request *rq,
		      const struct ow_svcq *sq, struct ow_msg *m)
{
	memset(m, 0, sizeof(*m));
	if (rq->origin != NULL) {
		*m = *rq->origin; /* whose reply, until when, which flags */
	} else {
		m->flags = (uint32_t)rq->flags;
		m->clt_slot = c->slot;
		m->clt_gen = c->gen;
		m->seq = rq->seq;
		m->cd = rq->cd;
		m->deadline_ns = rq->deadline_ns;
		ow_trace_stamp(c, m);
	}
	m->magic = OW_MSG_MAGIC;
	m->version = OW_MSG_VERSION;
	m->kind = OW_MSG_REQUEST;
	m->buftype = (uint8_t)rq->info.type;
	m->svc = sq->svc;
	m->len = rq->wire_len;
	m->block = 0;
	m->sub_len = 0;
	m->prio = (uint8_t)priority(c, &c->dom->tables->svc[sq->svc]);
	m->sent_ns = rq->begin_ns != 0 ? rq->begin_ns : ow_clock_mono_ns();
	ow_log_tick(m->sent_ns);
}

/* Room for the payload to become a buffer where it lies. */
static size_t block_len(const struct ow_request *rq)
{
	size_t least = rq->info.type == OW_BUF_UBF ? OW_BUF_SIZE_MIN_UBF
						   : OW_BUF_SIZE_MIN;

	return rq->wire_len > least ? rq->wire_len : least;
}

/* Fill the parcel; payload inline or in a block. -1 with tperrno. */
static int pack(struct ow_ctx *c, struct ow_request *rq,
		const struct ow_svcq *sq, struct parcel *p)
{
	size_t room = ow_queue_msgsize(sq->queue);
	uint64_t given = rq->block;
	void *to;
	int r;

	rq->block = 0;

	fill_head(c, rq, sq, &p->m);
	p->len = sizeof(p->m);
	if (rq->wire_len == 0)
		return 0;
	if (room <= sizeof(p->bytes) && room >= sizeof(p->m) &&
	    rq->wire_len <= room - sizeof(p->m)) {
		p->m.sub_len = ow_buf_to_wire(rq->info.view, rq->data,
					      rq->wire_len,
					      p->bytes + sizeof(p->m));
		p->len += rq->wire_len;
		return 0;
	}
	if (given != 0) {
		p->m.block = rq->block = given;
		return 0;
	}
	r = ow_block_alloc(c->dom->blocks, block_len(rq), rq->deadline_ns,
			   &p->m.block, &to);
	if (r == OW_BLOCK_FULL)
		return ow_tp_fail(TPEOS, "no shared memory for a message of "
				  "%zu bytes: %s is full", rq->wire_len,
				  c->dom->shm_dir);
	if (r < 0)
		return ow_tp_fail_errno(r, "block store");
	p->m.sub_len = ow_buf_to_wire(rq->info.view, rq->data, rq->wire_len,
				      to);
	return 0;
}

/* The queue is full and replies may come: take them in until there is room.
 * 0: try again; -1 with tperrno. */
static int make_way(struct ow_ctx *c, const struct ow_request *rq,
		    const struct ow_svcq *sq)
{
	int r = ow_reply_take_in(c);

	if (r == 0)
		r = ow_queue_wait_either(sq->queue, c->replyq,
					 rq->deadline_ns);
	if (r == 0 || (r == OW_QUEUE_SIGNAL && (rq->flags & TPSIGRSTRT)))
		return 0;
	if (r == OW_QUEUE_SIGNAL)
		return ow_tp_fail(TPGOTSIG, "signal while the queue of %s is "
				  "full", rq->svc);
	if (r == OW_QUEUE_TIMEOUT)
		return ow_tp_fail(TPETIME, "the queue of %s stayed full",
				  rq->svc);
	return ow_tp_fail_errno(r, "waiting for room in a queue");
}

/* One step of sending: 0 sent, 1 again, -1 with tperrno. */
static int try_send(struct ow_ctx *c, const struct ow_request *rq,
		    const struct ow_svcq *sq, const struct parcel *p)
{
	struct ow_svc *s = &c->dom->tables->svc[sq->svc];
	/* The call being made does not count: its reply cannot be there. */
	bool replies = c->replyq != NULL &&
		       c->outstanding > (rq->cd != 0 ? 1 : 0);
	bool nowait = replies || (rq->flags & TPNOBLOCK);
	int r = ow_queue_send(sq->queue, p->bytes, p->len, p->m.prio,
			      nowait ? OW_QUEUE_NOWAIT : rq->deadline_ns);

	if (r == 0)
		return 0;
	if (r == OW_QUEUE_SIGNAL && (rq->flags & TPSIGRSTRT))
		return 1;
	if (r == OW_QUEUE_SIGNAL)
		return ow_tp_fail(TPGOTSIG, "signal while sending to %s",
				  rq->svc);
	if (r == OW_QUEUE_TIMEOUT)
		return ow_tp_fail(TPETIME, "the queue of %s stayed full",
				  rq->svc);
	if (r == -ENOSPC)
		return ow_tp_fail(TPEOS, "no shared memory for the queue of "
				  "%s: %s is full", rq->svc, c->dom->shm_dir);
	if (r != OW_QUEUE_FULL)
		return ow_tp_fail_errno(r, "sending a request");
	atomic_fetch_add_explicit(&s->full, 1, memory_order_relaxed);
	if (rq->flags & TPNOBLOCK)
		return ow_tp_fail(TPEBLOCK, "the queue of %s is full",
				  rq->svc);
	return make_way(c, rq, sq) == 0 ? 1 : -1;
}

static int find_service(struct ow_ctx *c, const char *svc,
			struct ow_svcq **ret)
{
	int r = ow_svcq_find(c, svc, ret);

	if (r == OW_SVCQ_ABSENT)
		return ow_tp_fail(TPENOENT, "service %s is not advertised",
				  svc);
	if (r < 0)
		return ow_tp_fail_errno(r, "opening a service's queue");
	return 0;
}

static void release(struct ow_ctx *c, const struct ow_request *rq,
		    const struct parcel *p)
{
	if (p->m.block != 0 && p->m.block != rq->block)
		ow_block_free(c->dom->blocks, p->m.block);
}

/* What the data point to goes along: *ret_flat is all of it. */
static int flatten(struct ow_request *rq, char **ret_flat)
{
	int r;

	if (rq->info.type != OW_BUF_UBF)
		return 0;
	r = ow_parts_flatten(rq->data, ret_flat, &rq->wire_len);
	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "no memory for the buffers that the "
				  "data point to");
	if (r < 0)
		return ow_tp_fail(TPEINVAL, "a buffer that the data point to "
				  "is damaged");
	if (*ret_flat != NULL) {
		rq->data = *ret_flat;
		rq->block = 0;
	}
	return 0;
}

int ow_request_send(struct ow_ctx *c, struct ow_request *rq)
{
	OW_CLEANUP(ow_cleanup_freep) char *flat = NULL;
	struct ow_svcq *sq = NULL;
	struct parcel p;
	int r;

	if (flatten(rq, &flat) != 0 || find_service(c, rq->svc, &sq) != 0 ||
	    pack(c, rq, sq, &p) != 0)
		return -1;
	if (rq->cd != 0 && c->replyq != NULL &&
	    ow_queue_expect(c->replyq, (uint32_t)c->outstanding) != 0) {
		release(c, rq, &p);
		return ow_tp_fail(TPEOS, "no shared memory for %d replies: %s "
				  "is full", c->outstanding, c->dom->shm_dir);
	}
	OW_PROBE3(request_sent, rq->svc, p.m.span_id, p.m.len);
	do {
		r = try_send(c, rq, sq, &p);
	} while (r == 1);
	if (r < 0) {
		release(c, rq, &p);
		return -1;
	}
	if (!ow_svcq_current(c, sq))
		ow_reap_drain(c->dom, sq->queue);
	return 0;
}
