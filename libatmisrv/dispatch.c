/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.c - check a request, call its service function, count it
 *
 * Station 5 of a call: after loop.c, before tpreturn.c. The only setjmp() of
 * the project is here: tpreturn() and tpforward() leave the service function
 * by longjmp(); no frame of ours between owns anything.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/base/probe.h"
#include "libatmi/call/trace.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/server.h"

#define LOAD(p)	    atomic_load_explicit((p), memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
/* One writer: no locked instruction is needed. */
#define COUNT(p, n) STORE((p), LOAD(p) + (n))

/* Nothing is in flight any more. */
static void clear_slot(struct ow_server *s)
{
	__atomic_store_n((uint32_t *)s->rx, 0, __ATOMIC_RELEASE);
}

/* Done with it. A block that was handed on is not ours any more. */
static void drop(struct ow_server *s, const struct ow_msg *m)
{
	if (m->block != 0 && s->job.given != m->block)
		ow_block_free(s->dom->blocks, m->block);
	clear_slot(s);
}

void ow_dispatch_count(struct ow_server *s)
{
	struct ow_job *j = &s->job;

	if (!j->counted) {
		j->took_ns = ow_clock_mono_ns() - j->since_ns;
		ow_figures_end(j->adv, j->failed, j->took_ns / OW_NS_PER_US);
	} else if (j->failed && !j->counted_failed) {
		ow_figures_failed_after_all(j->adv);
	}
	j->counted = true;
	j->counted_failed = j->failed;
}

/* An answer in place of the service's. It waits for room as that one would:
 * the caller may have no time-out of its own. */
void ow_dispatch_fail(struct ow_server *s, int tperr)
{
	struct ow_answer a = { .request = s->job.msg,
			       .tperr = tperr,
			       .type = OW_BUF_NULL,
			       .deadline_ns = s->job.msg->deadline_ns };
	int r;

	s->job.failed = true;
	s->job.returned = true;
	ow_dispatch_count(s);
	r = ow_answer_send(s->dom, s->answers, &a);
	if (r != 0 && r != OW_ANSWER_PARKED && s->job.msg->cd != 0)
		COUNT(&s->slot->lost_replies, 1);
}

/* The payload as a buffer; 0, or the tperrno to answer with. */
static int unpack(struct ow_server *s, const struct ow_msg *m, char **ret_data,
		  long *ret_len)
{
	struct ow_blocks *blocks = s->dom->blocks;
	void *payload;
	int r = OW_BUF_COPY;

	if (m->block == 0) {
		r = ow_buf_from_msg(m, m + 1, ret_data, ret_len);
	} else {
		payload = ow_block_adopt(blocks, m->block, m->len);
		if (payload == NULL)
			return TPESVCERR;
		r = ow_buf_from_block(m, blocks, payload, true, ret_data,
				      ret_len);
		if (r == OW_BUF_COPY)
			r = ow_buf_from_msg(m, payload, ret_data, ret_len);
	}
	if (r == 0)
		ow_buf_set_auto(*ret_data);
	else
		log_error("request of client %u: payload: %s", m->clt_slot,
			  r == -EPROTOTYPE ? "its view is not the one here"
					   : strerror(-r));
	if (r == -EPROTOTYPE)
		return TPEITYPE;
	return r == 0 ? 0 : TPESVCERR;
}

static void fill_info(struct ow_server *s, uint32_t row,
		      const struct ow_msg *m, TPSVCINFO *info)
{
	const struct ow_clt *c = &s->dom->tables->clt[m->clt_slot];
	struct ow_buf_info b;

	memcpy(info->name, s->offers[row].name, sizeof(info->name) - 1);
	memcpy(info->fname, s->offers[row].func, sizeof(info->fname) - 1);
	info->flags = (long)m->flags;
	info->cd = m->cd;
	if (m->cd != 0 &&
	    m->clt_slot < LOAD(&s->dom->tables->head->clt_high))
		memcpy(info->cltid.clientdata, c->cltid,
		       sizeof(info->cltid.clientdata) - 1);
	if (info->data != NULL && m->buftype == OW_BUF_UBF &&
	    ow_buf_find(info->data, &b) == 0)
		info->len = (long)b.size;
}

/* Run the service function; comes back when it has returned or left. */
static void call_service(struct ow_server *s, uint32_t row, TPSVCINFO *info)
{
	void (*p_func)(TPSVCINFO *) = s->offers[row].p_func;

	OW_PROBE4(service_begin, info->name, s->job.msg->span_id,
		  s->job.msg->sent_ns, s->ctx->srvid);
	s->job.active = true;
	if (_setjmp(s->job.out) == 0)
		p_func(info);
	s->job.active = false;
	if (!s->job.returned) {
		log_error("service %s returned without tpreturn()",
			  s->offers[row].name);
		ow_dispatch_fail(s, TPESVCERR);
	}
	ow_buf_free_auto();
	ow_call_drop_all(s->ctx);
}

static void serve(struct ow_server *s, uint32_t row, const struct ow_msg *m)
{
	TPSVCINFO info;
	char *data = NULL;
	long len = 0;
	int err = 0;

	if (m->buftype != OW_BUF_NULL)
		err = unpack(s, m, &data, &len);
	if (err != 0) {
		ow_dispatch_fail(s, err);
		return;
	}
	memset(&info, 0, sizeof(info));
	info.data = data;
	info.len = len;
	fill_info(s, row, m, &info);
	s->ctx->prio_last = m->prio;
	call_service(s, row, &info);
}

/* Is it a request for this service, and still wanted? */
static bool is_due(struct ow_server *s, uint32_t row, const struct ow_msg *m,
		   size_t len, uint64_t now)
{
	if (ow_msg_check(m, len) != 0 || m->kind != OW_MSG_REQUEST ||
	    m->svc != s->offers[row].svc) {
		COUNT(&s->slot->garbage, 1);
		clear_slot(s);
		log_warn("queue of %s: %zu bytes that are no request: dropped",
			 s->offers[row].name, len);
		return false;
	}
	ow_figures_taken(&s->adv[row], &s->offers[row], m);
	if (m->deadline_ns != 0 && now > m->deadline_ns) {
		atomic_fetch_add(&s->dom->tables->svc[m->svc].expired, 1);
		drop(s, m);
		return false;
	}
	return true;
}

void ow_dispatch(struct ow_server *s, uint32_t row, size_t len)
{
	const struct ow_msg *m = (const struct ow_msg *)s->rx;
	uint64_t now = ow_clock_mono_ns();

	s->job.given = s->job.took_ns = 0;
	if (!is_due(s, row, m, len, now))
		return;
	STORE(&s->slot->state, OW_SRV_BUSY);
	STORE(&s->slot->cur_since, now);
	STORE(&s->slot->cur_adv, row + 1);
	COUNT(&s->slot->requests, 1);
	ow_figures_begin(&s->adv[row], m, now);
	s->job.msg = m;
	s->job.returned = s->job.failed = s->job.counted = false;
	s->job.adv = &s->adv[row];
	s->job.since_ns = now;
	ow_trace_enter(s->ctx, m);
	serve(s, row, m);
	ow_trace_leave(s->ctx);
	drop(s, m);
	ow_dispatch_count(s);
	STORE(&s->slot->cur_adv, 0);
	STORE(&s->slot->state, OW_SRV_IDLE);
}

_Noreturn void ow_dispatch_leave(struct ow_server *s)
{
	longjmp(s->job.out, 1);
}
