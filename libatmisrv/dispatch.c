/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.c - serve the request in hand
 *
 * Station 5 of a call: after loop.c, before tpreturn.c. The only setjmp() of
 * the project is here: tpreturn() and tpforward() leave the service function
 * by longjmp(); no frame in between is ours and owns anything.
 */
#include "libatmisrv/dispatch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/calls.h"
#include "libatmi/converse/converse.h"
#include "libatmi/context/return.h"
#include "libatmi/domain/prc.h"
#include "libatmi/log/log.h"
#include "libatmi/member/lost.h"
#include "libatmi/wire/remote_caller.h"
#include "libatmi/wire/trace.h"
#include "libatmisrv/authorize.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/convert.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/spans.h"
#include "libatmisrv/tran_scope.h"
#include "libatmisrv/server.h"
#include "libubf/store/header.h"

void ow_dispatch_count(struct ow_server *s)
{
	struct ow_in_hand *j = &s->rq;

	if (!j->counted) {
		j->took_ns = ow_clock_mono_ns() - j->since_ns;
		ow_figures_end(j->adv, j->failed, j->took_ns / OW_NS_PER_US);
	} else if (j->failed && !j->counted_failed) {
		ow_figures_failed_after_all(j->adv);
	}
	j->counted = true;
	j->counted_failed = j->failed;
}

/* The error reply waits for room as a reply does: the caller may have no
 * time-out. The service that forwarded the request has worked: then no error
 * may say that nothing was done. */
static void fail(struct ow_server *s, int tperr, int64_t urcode,
		 const char *cause)
{
	bool forwarded = (s->rq.msg->flags & OW_MSG_FORWARDED) != 0;
	struct ow_reply reply = { .request = s->rq.msg,
				  .tperr = forwarded ? TPESVCERR : tperr,
				  .urcode = forwarded ? 0 : (long)urcode,
				  .cause = cause,
				  .deadline = s->rq.msg->deadline_ns };
	int r;

	s->rq.failed = true;
	s->rq.tperr = reply.tperr;
	s->rq.returned = true;
	ow_dispatch_count(s);
	(void)ow_tran_scope_end(s, tperr);
	r = ow_reply_send(s->dom, s->replier, &reply);
	if (r != 0 && r != OW_REPLY_POSTPONED && s->rq.msg->cd != 0)
		ow_count_own(&s->slot->lost_replies, 1);
}

void ow_dispatch_fail(struct ow_server *s, int tperr, const char *cause)
{
	fail(s, tperr, 0, cause);
}

/* Make the payload a typed buffer: 0, or the tperrno to reply with. A buffer
 * that lies in the request's block is lent: the block stays on record. */
static int unpack(struct ow_server *s, char **ret_data, long *ret_len)
{
	struct ow_envelope *e = &s->rq.envelope;
	const struct ow_msg *m = e->head;
	int r = OW_BUF_COPY;

	if (e->payload.data == NULL)
		return TPESVCERR; /* its block is gone */
	if (m->block != 0 && m->len > 0)
		r = ow_buf_from_block(m, e->blocks, e->payload.data, true,
				      ret_data, ret_len);
	if (r == OW_BUF_COPY)
		r = ow_buf_from_msg(m, e->payload.data, ret_data, ret_len);
	if (r == 0) {
		ow_buf_set_auto(*ret_data);
		return 0;
	}
	log_error("request of client %u: payload: %s", m->clt_slot,
		  r == -EPROTOTYPE ? "its view is not the one here"
				   : strerror(-r));
	return r == -EPROTOTYPE ? TPEITYPE : TPESVCERR;
}

/* The caller's id, unless it has left: the slot may be another's by now, who
 * must not get what is meant for the caller. */
static void copy_cltid(const struct ow_clt *c, uint32_t gen, CLIENTID *ret)
{
	memcpy(ret->clientdata, c->cltid, sizeof(ret->clientdata));
	atomic_thread_fence(memory_order_acquire);
	if (ow_load_relaxed(&c->gen) != gen)
		memset(ret, 0, sizeof(*ret));
}

/* The length of a request of type UBF, or of any type with a call header, is
 * the size of its buffer. -x may have made a buffer of another type of it, and
 * set its length. */
static long ubf_len(const struct ow_server *s, uint32_t row,
		    const struct ow_msg *m, const TPSVCINFO *info)
{
	size_t size = m->buftype == OW_BUF_UBF &&
				      s->offers[row].conversion == NULL
			      ? ow_ubf_size(info->data)
			      : ow_buf_size_of(info->data, OW_BUF_UBF);

	return size != 0 ? (long)size : info->len;
}

/* Set what is not set yet. */
static void fill_info(struct ow_server *s, uint32_t row,
		      const struct ow_msg *m, TPSVCINFO *info)
{
	const struct ow_clt *c = &s->dom->tables->clt[m->clt_slot];

	memcpy(info->name, s->offers[row].any
			       ? s->dom->tables->svc[m->svc].name
			       : s->offers[row].shown, sizeof(info->name) - 1);
	info->name[sizeof(info->name) - 1] = '\0';
	memcpy(info->fname, s->offers[row].func, sizeof(info->fname) - 1);
	info->fname[sizeof(info->fname) - 1] = '\0';
	info->flags = (long)(m->flags & ~(OW_MSG_PRIVATE | TPCONV));
	info->cd = m->cd;
	if ((m->flags & OW_MSG_REMOTE_CALLER) == 0 && m->clt_gen != 0 &&
	    m->clt_slot < ow_load_relaxed(&s->dom->tables->head->clt_high))
		copy_cltid(c, m->clt_gen, &info->cltid);
	else
		memset(&info->cltid, 0, sizeof(info->cltid));
	if (m->flags & OW_MSG_REMOTE_CALLER)
		ow_remote_caller_write(ow_remote_caller_unpack(m->tran),
				       info->cltid.clientdata, OW_CLTID_TAIL);
	if (info->data != NULL && (m->buftype & ~OW_BUF_NOTED) == OW_BUF_UBF)
		info->len = ubf_len(s, row, m, info);
}

/* The request begins a conversation: 0, or the tperrno to reply with. */
static int accept_conversation(struct ow_server *s, TPSVCINFO *info)
{
	long was = info->flags & (TPSENDONLY | TPRECVONLY);

	if (ow_converse_accept(s->ctx, s->rq.msg, &s->rq.conv) != 0) {
		log_error("conversation of client %u: %s",
			  s->rq.msg->clt_slot, tpstrerror(tperrno));
		return tperrno;
	}
	info->cd = s->rq.conv;
	info->flags |= TPCONV;
	if (was != 0) /* as this end sees it */
		info->flags ^= TPSENDONLY | TPRECVONLY;
	return 0;
}

/* Not inlined: a server with one thread and one context does not come here, unless
 * spans are noted. */
__attribute__((noinline)) static void after_service(struct ow_server *s)
{
	if (s->ctx->away == OW_CTX_TRACED && s->rq.own_tran == 0 &&
	    s->hooks == NULL)
		return ow_traced_served(s);
	if ((s->ctx->away & OW_CTX_AWAY) != 0)
		ow_context_return(s->ctx);
	if ((s->ctx->away & OW_CTX_TRAN) != 0 || s->rq.own_tran != 0)
		(void)ow_tran_scope_end(s, TPESVCERR);
	if ((s->ctx->away & OW_CTX_TRACED) != 0)
		ow_traced_served(s);
	if (s->hooks != NULL)
		s->hooks->rest(s);
}

/* A child that the service has forked comes back from it, as if it were the
 * server: it would answer, and serve on in its name. */
static void end_if_child(const struct ow_server *s, const char *service)
{
	if (s->rq.forks == ow_prc_forks())
		return;
	log_error("service %s: a child that it has forked came back from it: "
		  "the child ends", service);
	_exit(EXIT_FAILURE);
}

/* Run the service function until it returns or leaves by longjmp(). */
static void call_service(struct ow_server *s, uint32_t row, TPSVCINFO *info)
{
	void (*p_func)(TPSVCINFO *) = s->offers[row].p_func;

	OW_PROBE4(service_begin, info->name, s->rq.msg->span_id,
		  s->rq.msg->sent_ns, s->ctx->srvid);
	s->rq.forks = ow_prc_forks();
	s->rq.active = true;
	if (_setjmp(s->rq.out) == 0)
		p_func(info);
	end_if_child(s, info->name);
	s->rq.active = false;
	if (!s->rq.returned && !ow_continued_leave(s)) {
		log_error("service %s returned without tpreturn()",
			  s->offers[row].name);
		ow_dispatch_fail(s, TPESVCERR, "it returned without "
				 "tpreturn()");
	}
	ow_buf_free_auto();
	if (s->ctx->away != 0)
		after_service(s);
	if (s->ctx->outstanding > 0)
		ow_call_drop_all(s->ctx);
	if (s->ctx->convs != NULL)
		ow_converse_end_service(s->ctx, s->rq.conv);
}

/* It does not come to the service. `told`: tperrno's detail says why. */
static void refuse(struct ow_server *s, int err, bool told)
{
	char why[OW_TP_DETAIL] = "";

	if (told)
		snprintf(why, sizeof(why), "%s", ow_tp_detail());
	if (s->rq.msg->cd == 0)
		ow_lost_note(s->dom, s->rq.msg,
			     "it was refused where it was to be served");
	ow_buf_free_auto();
	ow_tran_scope_refuse(s);
	fail(s, err, OW_URCODE_UNBEGUN, why);
}

static void serve(struct ow_server *s, uint32_t row, const struct ow_msg *m)
{
	const struct ow_svc *svc = &s->dom->tables->svc[m->svc];
	TPSVCINFO info;
	char *data = NULL;
	long len = 0, appkey = 0;
	bool told = false;
	int err = 0;

	if (ow_load_relaxed(&s->dom->tables->head->guards) != 0)
		err = ow_authorize(s, row, m, &appkey);
	if (err == 0)
		err = unpack(s, &data, &len);
	if (err == 0 && s->offers[row].conversion != NULL)
		err = ow_convert_request(&s->offers[row],
					 s->rq.envelope.head, &data, &len);
	if (err == 0) {
		info.data = data;
		info.len = len;
		info.appkey = appkey;
		fill_info(s, row, m, &info);
		if (ow_msg_tran(m) != 0 ||
		    ow_load_relaxed(&svc->autotran) != 0) {
			err = ow_tran_scope_begin(s, &info);
			told = err != 0;
		}
		if (m->conv_op != OW_CONV_NONE && err == 0 && !s->passes_on) {
			err = accept_conversation(s, &info);
			told = err != 0;
		}
	}
	if (err != 0) {
		refuse(s, err, told);
		return;
	}
	s->ctx->prio_last = m->prio;
	call_service(s, row, &info);
}

/* Is it a request for this service, and before its deadline? */
static bool is_due(struct ow_server *s, uint32_t row, const struct ow_msg *m,
		   uint64_t now)
{
	if (m->kind != OW_MSG_REQUEST ||
	    (m->svc != s->offers[row].svc && !s->offers[row].any)) {
		ow_count_own(&s->slot->garbage, 1);
		log_warn("queue of %s: a message that is no request for it: "
			 "dropped", s->offers[row].name);
		return false;
	}
	ow_figures_taken(&s->adv[row], &s->offers[row], m);
	if (m->deadline_ns == OW_DEADLINE_NEVER
		? m->conv_op == OW_CONV_NONE ||
		      !ow_deadline_passed(ow_msg_accept_by(m), now)
		: m->deadline_ns > now)
		return true;
	atomic_fetch_add(&s->dom->tables->svc[m->svc].expired, 1);
	if (m->cd == 0)
		ow_lost_note(s->dom, m, "its time-out passed while it waited");
	return false;
}

void ow_dispatch(struct ow_server *s, uint32_t row)
{
	const struct ow_msg *m = s->rq.envelope.head;
	uint64_t now = ow_clock_mono_ns();

	s->rq.took_ns = 0;
	if (!is_due(s, row, m, now)) {
		ow_envelope_close(&s->rq.envelope);
		return;
	}
	ow_store_relaxed(&s->slot->state, OW_SRV_BUSY);
	ow_store_relaxed(&s->slot->cur_since, now);
	ow_store_relaxed(&s->slot->cur_adv, row + 1);
	ow_count_own(&s->slot->requests, 1);
	ow_figures_begin(&s->adv[row], m, now);
	s->rq.msg = m;
	s->rq.returned = s->rq.failed = s->rq.counted = false;
	s->rq.conv = -1;
	s->rq.own_tran = s->rq.taken_tran = 0;
	s->rq.adv = &s->adv[row];
	s->rq.since_ns = now;
	ow_trace_enter(&s->ctx->trace, m);
	serve(s, row, m);
	ow_trace_leave(&s->ctx->trace);
	ow_envelope_close(&s->rq.envelope); /* off the record */
	if (!s->rq.counted || s->rq.failed != s->rq.counted_failed)
		ow_dispatch_count(s);
	ow_store_relaxed(&s->slot->cur_adv, 0);
	ow_store_relaxed(&s->slot->state, OW_SRV_IDLE);
}

_Noreturn void ow_dispatch_leave(struct ow_server *s)
{
	longjmp(s->rq.out, 1);
}
