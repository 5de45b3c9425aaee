/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tran_scope.c - the part of a transaction that the request in hand is
 */
#include "libatmisrv/tran_scope.h"

#include "libatmi/base/atomics.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/calls.h"
#include "libatmi/converse/converse.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/tran/tx.h"
#include "libatmisrv/server.h"

/* ---- around a service ---- */

static int join(struct ow_server *s, uint64_t tran)
{
	bool own = (s->rq.msg->flags & OW_MSG_AUTOTRAN) != 0;
	int32_t log = s->rq.msg->tran_log;
	int r = ow_tx_enter(s->ctx, tran, log);

	s->rq.own_log = log;
	if (own && r == 0)
		s->rq.own_tran = tran;
	else if (own)
		ow_tx_doom_left(tran, log, true);
	return r;
}

int ow_tran_scope_begin(struct ow_server *s, TPSVCINFO *info)
{
	const struct ow_msg *m = s->rq.msg;
	const struct ow_svc *svc = &s->dom->tables->svc[m->svc];
	unsigned long autotran = ow_load_relaxed(&svc->autotran);

	ow_tp_clear(); /* its failure says why, not an earlier one */
	info->flags |= TPTRAN;
	if (ow_msg_tran(m) != 0)
		return join(s, ow_msg_tran(m));
	if (autotran != 0 && !s->passes_on) {
		int r = ow_tx_enter_own(s->ctx, autotran - 1, &s->rq.own_tran);

		s->rq.own_log = s->ctx->tran_log;
		return r;
	}
	info->flags &= ~(long)TPTRAN;
	return 0;
}

/* Does the context have a transaction that is to be left now? A thread that
 * answers a continued request may have another one. */
static bool is_inside(const struct ow_server *s)
{
	return s->ctx->tran != 0 &&
	       (s->host == NULL || s->ctx->tran == s->rq.taken_tran);
}

/* The work of calls and conversations that the service has begun in its
 * transaction may be under way: it is doomed, whatever the flags of the request
 * spare. */
static bool leaves_work(struct ow_server *s)
{
	if (s->ctx->tran == 0 || (!ow_call_any_of(s->ctx, s->ctx->tran) &&
				  !ow_converse_is_in(s->ctx, true)))
		return false;
	log_error("transaction %016llx: a service has ended before calls or "
		  "conversations that it began in it: it is rolled back",
		  (unsigned long long)s->ctx->tran);
	(void)ow_tx_doom(s->ctx, s->ctx->tx);
	ow_tp_fail(TPESVCERR, "it has ended before calls or conversations that "
		   "it began in its transaction");
	return true;
}

/* In strict-enduro a service may end the transaction that was begun for it: it
 * has none of its own then. */
static void forget_ended(struct ow_server *s)
{
	if (s->rq.own_tran != 0 && s->ctx->tran != s->rq.own_tran &&
	    s->ctx->tx->ended == s->rq.own_tran)
		s->rq.own_tran = 0;
}

int ow_tran_scope_end(struct ow_server *s, int tperr)
{
	uint64_t own;
	int r = 0;

	forget_ended(s);
	own = s->rq.own_tran;
	if ((own != 0 || is_inside(s)) && leaves_work(s))
		tperr = TPESVCERR;
	s->rq.own_tran = 0;
	if (own != 0)
		r = ow_tx_leave_own(s->ctx, own, tperr != 0);
	else if (is_inside(s))
		r = ow_tx_leave(s->ctx, tperr != 0,
				(s->rq.msg->flags & TPNOABORT) != 0);
	return r != 0 ? r : tperr;
}

void ow_tran_scope_refuse(struct ow_server *s)
{
	const struct ow_msg *m = s->rq.msg;

	if ((m->flags & OW_MSG_FORWARDED) != 0 && ow_msg_tran(m) != 0 &&
	    s->rq.own_tran == 0 && s->ctx->tran == 0)
		ow_tx_doom_left(ow_msg_tran(m), m->tran_log,
				(m->flags & OW_MSG_AUTOTRAN) != 0);
}

int ow_tran_scope_pass_on(struct ow_server *s)
{
	forget_ended(s);
	if ((s->rq.own_tran != 0 && s->ctx->tran != s->rq.own_tran) ||
	    leaves_work(s))
		return TPESVCERR;
	/* Whoever answers ends it: this service need not, also where it may. */
	if (s->rq.own_tran != 0)
		s->ctx->tx->initiator = false;
	return is_inside(s) ? ow_tx_leave(s->ctx, false, false) : 0;
}

void ow_tran_scope_stays(struct ow_server *s)
{
	uint64_t own = s->rq.own_tran;

	if (own != 0)
		ow_tx_doom_left(own, s->rq.own_log, true);
	else if (ow_msg_tran(s->rq.msg) != 0)
		ow_tx_doom_left(ow_msg_tran(s->rq.msg),
				s->rq.msg->tran_log, false);
	s->rq.own_tran = 0;
}

/* ---- continued requests ---- */

void ow_tran_scope_hand_on(struct ow_server *s, struct ow_tran_scope *p)
{
	bool lost;

	if (s->ctx == NULL || (s->ctx->tran == 0 && s->rq.own_tran == 0))
		return;
	forget_ended(s);
	if (s->host == NULL) {
		p->own = s->rq.own_tran != 0;
		p->tran = p->own ? s->rq.own_tran : s->ctx->tran;
		p->log = p->own ? s->rq.own_log : s->ctx->tran_log;
	}
	lost = ow_tran_scope_pass_on(s) != 0;
	p->lost = p->lost || lost;
	s->rq.own_tran = s->rq.taken_tran = 0;
}

bool ow_tran_scope_take(struct ow_server *s, const struct ow_tran_scope *p)
{
	if (p->tran == 0)
		return true;
	s->ctx = ow_ctx_get();
	if (s->ctx == NULL || p->lost || ow_tx_enter(s->ctx, p->tran, p->log) != 0)
		return false;
	s->rq.taken_tran = p->tran;
	s->rq.own_tran = p->own ? p->tran : 0;
	s->rq.own_log = p->log;
	return true;
}

void ow_tran_scope_regain(struct ow_server *s, const struct ow_tran_scope *p)
{
	struct ow_tx *t;

	if (p->tran == 0 || s->rq.taken_tran != 0)
		return;
	t = ow_tx_need(s->ctx);
	if (s->ctx->tran == 0 && t != NULL) {
		ow_tx_set(s->ctx, p->tran, p->log);
		t->doomed = t->undoomed = p->lost;
	}
	s->rq.taken_tran = p->tran;
	s->rq.own_tran = p->own ? p->tran : 0;
	s->rq.own_log = p->log;
}
