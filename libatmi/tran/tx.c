/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tx.c - the transaction of a context
 */
#include "libatmi/tran/tx.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/spans.h"
#include "libatmi/converse/converse.h"
#include "libatmi/log/log.h"
#include "libatmi/tran/left.h"
#include "libatmi/tran/tm.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/driver.h"
#include "libatmi/xa/rm.h"
#include "libubf/base/compatible.h"

#define PAUSE_NS (1 * OW_NS_PER_MS)
/* A branch that may be the last resource waits so much longer than its
 * transaction may last. */
#define LAST_NS (5 * OW_NS_PER_SEC)

/* Of calls: what does not doom a transaction, because no work can have been
 * done. doc/design/transactions.md, "Errors that doom nothing", has the proof
 * of each row. */
static bool is_harmless(int tperr, enum ow_call_failure how)
{
	switch (how) {
	case OW_CALL_UNSENT:
		return tperr == TPEINVAL || tperr == TPENOENT ||
		       tperr == TPEBLOCK || tperr == TPEITYPE ||
		       tperr == TPELIMIT || tperr == TPGOTSIG;
	case OW_CALL_UNANSWERED: /* the call is out: commit waits for it */
		return tperr == TPEBLOCK || tperr == TPGOTSIG;
	case OW_CALL_ANSWERED:
		return tperr == TPENOENT || tperr == TPEITYPE ||
		       tperr == TPEBLOCK;
	default:
		return false;
	}
}

/* A call of the transaction has failed. */
static void call_failed(struct ow_ctx *c, int tperr, enum ow_call_failure how)
{
	if (!is_harmless(tperr, how))
		ow_tx_doom(c, c->tx);
}

/* The context ends, its transaction with it, and what it was given ahead. */
static void abandon(struct ow_ctx *c)
{
	c->tx->reservation.wants = false;
	if (c->tran != 0)
		(void)ow_tx_finish(c, c->tx, OW_TM_ABORT, false);
	ow_reservation_return(&c->tx->reservation);
}

/* An entry of the resource manager has failed: -1 with tperrno. */
static int fail_rm(int tperr, const char *entry, int r)
{
	return ow_tp_fail(tperr, "resource manager %d (%s): %s: %s%s",
			  ow_xa_config()->rmid, ow_xa_switch(NULL, 0)->name,
			  entry, ow_rm_word(r),
			  r == XAER_RMFAIL ? ", it cannot be reached" : "");
}

static int leave(struct ow_ctx *c)
{
	int r = ow_tx_end(c, c->tx, false);

	ow_tx_tell_prepared(c, c->tx);
	if (r == XA_OK)
		return 0;
	ow_tx_doom(c, c->tx);
	return fail_rm(TPETRAN, "xa_end", r);
}

static void come_back(struct ow_ctx *c)
{
	struct ow_tp_state was;

	ow_tp_state_take(&was);
	if (c->tran != 0 && ow_tx_join(c, c->tx) != 0) {
		log_error("transaction %016llx: after a call: %s",
			  (unsigned long long)c->tran, tpstrerror(tperrno));
		ow_tx_doom(c, c->tx);
	}
	ow_tp_state_put(&was);
}

static const struct ow_tran_hooks hooks = { .call_failed = call_failed,
					    .leave = leave,
					    .come_back = come_back,
					    .abandon = abandon };

struct ow_tx *ow_tx_need(struct ow_ctx *c)
{
	if (c->tx == NULL)
		c->tx = calloc(1, sizeof(*c->tx));
	return c->tx;
}

struct ow_tx *ow_tx_of(struct ow_ctx *c)
{
	return c->tran != 0 ? c->tx : NULL;
}

void ow_tx_set(struct ow_ctx *c, uint64_t tran, int32_t log)
{
	struct ow_tx *t = c->tx;

	t->identity = t->deadline_ns = 0;
	t->initiator = t->doomed = t->undoomed = t->associated = false;
	t->prepared = t->shared = t->has_branch = t->last = false;
	c->tran_hooks = &hooks;
	c->tran = tran;
	c->tran_log = log;
	c->away |= OW_CTX_TRAN;
}

void ow_tx_know(struct ow_ctx *c, struct ow_tx *t, uint64_t identity)
{
	t->identity = identity;
	c->tran_log = ow_tm_request_mark(identity);
}

void ow_tx_clear(struct ow_ctx *c)
{
	c->tran = 0;
	c->tran_log = 0;
	c->away &= (uint8_t)~OW_CTX_TRAN;
}

/* ---- the resource manager ---- */

/* So long ago that its tmsrv may have rolled the branch back before it began, and
 * does not try again (OW_TM_LATE_NS). */
static bool is_late(const struct ow_tx *t)
{
	return ow_clock_mono_ns() > t->asked_ns + OW_TM_LATE_NS / 2;
}

/* Nobody else ends the branch: XA_RBROLLBACK. */
static int give_up(struct ow_ctx *c, struct ow_tx *t)
{
	int r = ow_rm_do(OW_RM_END, &t->xid, TMFAIL);

	log_warn("transaction %016llx: it has ended without its branch %u, "
		 "which is rolled back", (unsigned long long)c->tran,
		 t->branch);
	if (r == XA_OK)
		(void)ow_rm_do(OW_RM_ROLLBACK, &t->xid, TMNOFLAGS);
	t->associated = false;
	return XA_RBROLLBACK;
}

/* Has the transaction ended, as far as its tmsrv says anything? */
static bool has_ended(const struct ow_ctx *c, const struct ow_tx *t)
{
	struct ow_tm m = { .op = OW_TM_STATUS, .tran = c->tran };
	struct ow_tp_state error;
	bool answered;

	ow_tp_state_take(&error);
	answered = ow_tm_ask_owner(&m) == 0;
	ow_tp_state_put(&error);
	return answered && (m.identity != t->identity ||
			    m.result == OW_TM_UNKNOWN ||
			    m.result == OW_TM_ABORTED);
}

/* Begin the association with the branch that a tmsrv has given: 0, or -1 with
 * tperrno. A thread that was held up finds that the transaction has ended: so it
 * asks again, after the branch has begun, from when on a rollback finds it.
 * Who has the branch may be about to begin it; an old one has gone. */
static int start(struct ow_ctx *c, struct ow_tx *t, uint32_t flags)
{
	uint64_t until = ow_clock_mono_ns() + OW_TM_BEGIN_NS;
	bool is_new = (flags & OW_TM_NEW_BRANCH) != 0;
	int r;

	ow_left_end();
	r = ow_rm_do(OW_RM_START, &t->xid, is_new ? TMNOFLAGS : TMJOIN);
	while (!is_new && (flags & OW_TM_OLD_BRANCH) == 0 && r == XAER_NOTA &&
	       ow_clock_mono_ns() < until) {
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
		r = ow_rm_do(OW_RM_START, &t->xid, TMJOIN);
	}
	t->associated = r == XA_OK;
	t->has_branch |= r == XA_OK;
	t->thread = pthread_self();
	if (r == XA_OK && is_new && is_late(t) && has_ended(c, t))
		r = give_up(c, t);
	if (r != XA_OK)
		return fail_rm(TPETRAN, "xa_start", r);
	return 0;
}

int ow_tx_end(struct ow_ctx *c, struct ow_tx *t, bool failed)
{
	int r;

	if (!t->associated)
		return XA_OK;
	if (!pthread_equal(t->thread, pthread_self())) {
		t->associated = false;
		ow_left_note(t->thread, &t->xid);
		log_error("a transaction went on in another thread than its "
			  "resource manager: it is rolled back");
		return XAER_PROTO;
	}
	/* What is not prepared yet was perhaps not found. */
	if (!failed && is_late(t) && has_ended(c, t))
		return give_up(c, t);
	t->associated = false;
	if (t->last && !failed)
		return ow_xa_last()->end(&t->xid, t->last_until_ns);
	r = ow_rm_do(OW_RM_END, &t->xid, failed ? TMFAIL : TMSUCCESS);
	t->prepared = r == XA_OK && !failed && ow_xa_end_prepares();
	/* TMFAIL asks for a branch that can only roll back: XA_RB* says that
	 * it is one. */
	return failed && r >= XA_RBBASE && r <= XA_RBEND ? XA_OK : r;
}

void ow_tx_tell_prepared(const struct ow_ctx *c, struct ow_tx *t)
{
	struct ow_tm m = { .op = OW_TM_PREPARED,
			   .tran = c->tran,
			   .identity = t->identity,
			   .rmid = (uint32_t)ow_xa_config()->rmid,
			   .branch = t->branch };

	if (t->prepared)
		ow_tm_tell_owner(&m);
	t->prepared = false;
}

/* Only the tmsrv of the same resource manager can read its decisions. */
static bool may_be_last(const struct ow_ctx *c)
{
	const struct ow_xa_config *x = ow_xa_config();

	return x->last_resource && ow_xa_last() != NULL &&
	       OW_TM_RMID(c->tran) == (uint32_t)x->rmid;
}

int ow_tx_join(struct ow_ctx *c, struct ow_tx *t)
{
	struct ow_tm m = { .op = OW_TM_JOIN,
			   .tran = c->tran,
			   .identity = t->identity,
			   .log = c->tran_log };

	if (!ow_rm_has_branches() || ow_rm_registers() || t->associated)
		return 0;
	m.rmid = (uint32_t)ow_xa_config()->rmid;
	m.flags = (ow_rm_own_branches() ? OW_TM_OWN_BRANCH : 0) |
		  (may_be_last(c) ? OW_TM_MAY_BE_LAST : 0);
	t->asked_ns = ow_clock_mono_ns();
	if (ow_tm_ask_owner(&m) != 0)
		return ow_tp_fail(TPETRAN, "tmsrv %u of the transaction: %s",
				  OW_TM_SRVID(c->tran), tpecodestr(tperrno));
	if (m.result != OW_TM_OK)
		return ow_tp_fail(TPETRAN, "the transaction has ended, or is "
				  "ending");
	ow_tx_know(c, t, m.identity);
	t->branch = m.branch;
	t->last = (m.flags & OW_TM_IS_LAST) != 0;
	t->last_until_ns = t->asked_ns + m.timeout_ms * OW_NS_PER_MS +
			   LAST_NS;
	ow_tm_xid(m.identity, c->tran, m.rmid, m.branch, &t->xid);
	return start(c, t, m.flags);
}

/* ---- its end ---- */

void ow_tx_doom_left(uint64_t tran, int32_t log, bool own)
{
	struct ow_tm m = { .op = own ? OW_TM_ABORT : OW_TM_DOOM,
			   .tran = tran,
			   .log = log };

	(void)ow_tm_ask_owner(&m); /* the caller's TPESVCERR dooms it, too */
}

/* So that a tmsrv that does not find the branch knows that it has ended. */
static void say_begun(const struct ow_tx *t, struct ow_tm *m)
{
	if (!t->has_branch)
		return;
	m->flags |= OW_TM_HAS_BEGUN;
	m->rmid = (uint32_t)ow_xa_config()->rmid;
	m->branch = t->branch;
}

int ow_tx_doom(struct ow_ctx *c, struct ow_tx *t)
{
	struct ow_tm m = { .op = OW_TM_DOOM,
			   .tran = c->tran,
			   .identity = t->identity,
			   .log = c->tran_log };
	struct ow_tp_state error;
	int r = 0;

	/* Who may commit it will not; others that hold it might. One question
	 * is enough for that. */
	if (t->doomed && (t->initiator || !t->undoomed))
		return 0;
	t->doomed = true;
	say_begun(t, &m);
	ow_tp_state_take(&error);
	r = ow_tm_ask_owner(&m);
	ow_tp_state_put(&error);
	t->undoomed = r != 0;
	return r;
}

/* No answer came. Nobody has asked for commit? Others may, if they hold it. */
static int fail_unanswered(int op, bool sent, bool shared)
{
	int err = tperrno;

	if (op == OW_TM_COMMIT && !shared && (err == TPENOENT || !sent))
		return ow_tp_fail(TPEABORT, "its tmsrv was not asked for commit "
				  "(%s): it is rolled back", tpecodestr(err));
	if (err == TPENOENT && !shared)
		return 0;
	if (err == TPETIME)
		return ow_tp_fail(TPETIME, "no answer of the tmsrv in time: "
				  "the outcome is not known here");
	return ow_tp_fail(err == TPEOS ? TPEOS : TPESVCERR, "the tmsrv failed "
			  "or died while it ended the transaction: the outcome "
			  "is not known here");
}

static int outcome(int op, int result)
{
	switch (result) {
	case OW_TM_COMMITTED:
		return 0;
	case OW_TM_MIXED:
		return ow_tp_fail(TPEHEURISTIC, "resource managers have "
				  "decided by themselves, and differ");
	case OW_TM_HAZARD:
		return ow_tp_fail(TPEHAZARD, "a resource manager may have "
				  "decided otherwise, or was lost");
	case OW_TM_ENDING:
		return ow_tp_fail(TPEPROTO, "another context has ended the "
				  "transaction, or ends it, and knows how");
	default:
		return op == OW_TM_ABORT
			   ? 0
			   : ow_tp_fail(TPEABORT, "the transaction was rolled "
					"back");
	}
}

/* Work of the transaction may be under way: a call whose reply was not fetched,
 * a conversation that this context has begun and not ended. */
static bool is_under_way(const struct ow_ctx *c)
{
	return ow_call_any_of(c, c->tran) || ow_converse_is_in(c, true);
}

/* Replies and messages that come later are nobody's. */
static void drop_calls(struct ow_ctx *c)
{
	if (c->outstanding > 0)
		ow_call_drop_of(c, c->tran);
	ow_converse_end_of(c, c->tran);
}

/* What came of it, if that is known. tperrno is set where r is not 0. */
static void count_end(const struct ow_ctx *c, int op, int r)
{
	if (r == 0)
		ow_ctx_did(c, op == OW_TM_COMMIT ? OW_DONE_COMMIT
						 : OW_DONE_ABORT);
	else if (op == OW_TM_COMMIT && tperrno == TPEABORT)
		ow_ctx_did(c, OW_DONE_ABORT);
}

/* Its time is over. A tmsrv that gave the number ahead may not know yet. */
static bool is_over(const struct ow_tx *t)
{
	return t->deadline_ns != 0 && ow_clock_mono_ns() > t->deadline_ns;
}

static int finish(struct ow_ctx *c, struct ow_tx *t, int op, bool logged)
{
	struct ow_tm m = { .op = (uint32_t)op,
			   .tran = c->tran,
			   .identity = t->identity };
	bool under_way = op == OW_TM_COMMIT && is_under_way(c), sent;
	int r;

	if (op == OW_TM_COMMIT && (t->doomed || under_way || is_over(t)))
		m.op = OW_TM_ABORT;
	if (ow_tx_end(c, t, m.op == OW_TM_ABORT) != XA_OK)
		m.op = OW_TM_ABORT;
	m.flags = (logged ? OW_TM_LOGGED : 0) | (t->shared ? OW_TM_SHARED : 0);
	say_begun(t, &m);
	m.flags |= t->prepared ? OW_TM_HERE_PREPARED : 0;
	t->prepared = false;
	ow_reservation_ask(c, &t->reservation, &m);
	r = ow_tm_try_owner(&m, &sent);
	ow_reservation_keep(&t->reservation, r == 0 ? &m : NULL);
	t->usual = r == 0 && m.result == OW_TM_COMMITTED ? m.rmid : 0;
	if (r == 0)
		r = outcome(op, m.result);
	else if (op == OW_TM_COMMIT && m.op == OW_TM_ABORT && !t->shared)
		r = ow_tp_fail(TPEABORT, "the transaction is rolled back");
	else
		r = fail_unanswered(op, sent, t->shared);
	if (under_way && r != 0 && tperrno == TPEABORT)
		r = ow_tp_fail(TPEABORT, "calls or conversations of the "
			       "transaction had not ended: it is rolled back");
	count_end(c, op, r);
	drop_calls(c);
	t->ended = c->tran;
	ow_tx_clear(c);
	if (r == 0)
		ow_tp_clear();
	return r;
}

int ow_tx_finish(struct ow_ctx *c, struct ow_tx *t, int op, bool logged)
{
	struct ow_traced_scope s;
	int r;

	ow_traced_enter(c, &s, op == OW_TM_COMMIT ? OW_SPAN_COMMIT
						  : OW_SPAN_ABORT, "");
	r = finish(c, t, op, logged);
	ow_traced_leave(c, &s, r == 0 ? 0 : tperrno);
	return r;
}

/* ---- its beginning ---- */

/* Begun: this context is in it, and has a branch if one was asked for. */
static int begun(struct ow_ctx *c, struct ow_tx *t, const struct ow_tm *m)
{
	struct ow_tp_state why;

	ow_tx_set(c, m->tran, ow_tm_request_mark(m->identity));
	ow_ctx_did(c, OW_DONE_BEGIN);
	t->initiator = true;
	t->identity = m->identity;
	t->branch = m->branch;
	t->deadline_ns = ow_clock_mono_ns() + m->timeout_ms * OW_NS_PER_MS;
	ow_tm_xid(m->identity, m->tran, m->rmid, m->branch, &t->xid);
	if ((m->flags & OW_TM_WITH_BRANCH) == 0 || start(c, t, OW_TM_NEW_BRANCH) == 0)
		return 0;
	ow_tp_state_take(&why);
	(void)ow_tx_finish(c, t, OW_TM_ABORT, false);
	return ow_tp_fail(TPERMERR, "no branch was begun: %.160s",
			  why.detailed ? why.detail : "");
}

/* A tmsrv of our resource manager; without one, of that which had the branches
 * the last time: it ends them without a message to another. */
static int ask_to_begin(struct ow_tx *t, struct ow_tm *m)
{
	uint32_t usual = m->rmid != 0 ? 0 : t->usual;
	char svc[OW_TM_SERVICE];

	t->usual = 0;
	ow_tm_service(usual, svc);
	if (usual != 0 && ow_tm_ask(svc, m) == 0)
		return 0;
	if (usual != 0 && tperrno != TPENOENT)
		return -1;
	ow_tm_service(m->rmid, svc);
	if (ow_tm_ask(svc, m) == 0)
		return 0;
	if (tperrno == TPENOENT)
		ow_tp_fail(TPESYSTEM, "no tmsrv offers %s", svc);
	return -1;
}

int ow_tx_begin(struct ow_ctx *c, unsigned long timeout)
{
	struct ow_tx *t = ow_tx_need(c);
	struct ow_tm m = { .op = OW_TM_BEGIN, .timeout_ms = timeout * 1000 };

	if (t == NULL)
		return ow_tp_fail(TPEOS, "no memory for a transaction");
	if (ow_rm_is_open())
		m.rmid = (uint32_t)ow_xa_config()->rmid;
	if (ow_rm_has_branches() && !ow_rm_registers())
		m.flags = OW_TM_WITH_BRANCH;
	t->asked_ns = ow_clock_mono_ns();
	if (!ow_reservation_take(c, &t->reservation, t->asked_ns, t->usual,
				 &m) &&
	    ask_to_begin(t, &m) != 0)
		return -1;
	if (m.result != OW_TM_OK)
		return ow_tp_fail(TPEOS, "tmsrv: its log has no room");
	return begun(c, t, &m);
}

/* ---- around a service ---- */

int ow_tx_enter(struct ow_ctx *c, uint64_t tran, int32_t log)
{
	struct ow_tx *t = ow_tx_need(c);

	if (t == NULL)
		return TPEOS;
	ow_tx_set(c, tran, log);
	if (ow_tx_join(c, t) == 0)
		return 0;
	log_error("transaction %016llx: %s", (unsigned long long)tran,
		  tpstrerror(tperrno));
	ow_tx_doom(c, t);
	ow_tx_clear(c);
	return TPETRAN;
}

int ow_tx_leave(struct ow_ctx *c, bool failed, bool spare)
{
	struct ow_tx *t = c->tx;
	int r;

	if (t->initiator) {
		log_error("a service has begun a transaction and not ended it: "
			  "it is rolled back");
		(void)ow_tx_finish(c, t, OW_TM_ABORT, false);
		ow_tp_fail(TPESVCERR, "it has begun a transaction and not "
			   "ended it");
		return TPESVCERR;
	}
	r = ow_tx_end(c, t, failed && !spare);
	if (r != XA_OK) {
		log_error("transaction %016llx: xa_end: %s",
			  (unsigned long long)c->tran, ow_rm_word(r));
		failed = true;
		spare = false;
	}
	if ((failed && !spare) || t->undoomed)
		ow_tx_doom(c, t);
	ow_tx_tell_prepared(c, t);
	ow_tx_clear(c);
	if (r != XA_OK)
		fail_rm(TPESVCERR, "xa_end", r);
	else if (t->undoomed)
		ow_tp_fail(TPESVCERR, "its tmsrv could not be told that the "
			   "transaction is to be rolled back");
	return r != XA_OK || t->undoomed ? TPESVCERR : 0;
}

int ow_tx_enter_own(struct ow_ctx *c, unsigned long timeout, uint64_t *ret)
{
	if (ow_tx_begin(c, timeout) != 0) {
		log_error("the transaction of a service (autotran): %s",
			  tpstrerror(tperrno));
		return TPETRAN;
	}
	c->tx->initiator = ow_compat_enduro();
	*ret = c->tran;
	return 0;
}

int ow_tx_leave_own(struct ow_ctx *c, uint64_t own, bool failed)
{
	if (c->tran != own) {
		log_error("a service has left the transaction that was begun "
			  "for it: it is rolled back");
		if (c->tran != 0)
			(void)ow_tx_leave(c, true, true);
		ow_tx_doom_left(own, 0, true);
		ow_tp_fail(TPESVCERR, "it has left the transaction that was "
			   "begun for it");
		return TPESVCERR;
	}
	if (ow_tx_finish(c, c->tx, failed ? OW_TM_ABORT : OW_TM_COMMIT,
			 c->tx->logged) == 0 ||
	    failed)
		return 0;
	log_error("the transaction of a service (autotran): %s",
		  tpstrerror(tperrno));
	return TPESVCERR;
}
