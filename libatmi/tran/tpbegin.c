/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpbegin.c - begin a transaction; tpcommit() and tpabort() end it
 */
#include <limits.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/tran/tm.h"
#include "libatmi/tran/tx.h"

int tpbegin(unsigned long timeout, long flags)
{
	OW_SHARED;
	struct ow_ctx *c;
	int r;

	ow_share_in_order();
	ow_tp_clear();
	if (flags != 0 || timeout > UINT_MAX)
		return ow_tp_fail(TPEINVAL, "timeout %lu, flags %ld: give at "
				  "most %u s and no flags", timeout, flags,
				  UINT_MAX);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (c->tran != 0)
		return ow_tp_fail(TPEPROTO, "a transaction is begun already");
	if (!ow_tran_may_begin())
		return ow_tp_fail(TPEPROTO, "tpopen() comes first, in each "
				  "thread");
	r = ow_ctx_need_domain(c);
	if (r == OW_CTX_GUEST)
		return ow_tp_fail(TPEPROTO, "the domain is another user's: "
				  "guests begin no transactions");
	return r == 0 ? ow_tx_begin(c, timeout) : -1;
}

/* The transaction that this context may end; NULL with tperrno. */
static struct ow_tx *find_own(struct ow_ctx **ret)
{
	struct ow_ctx *c = ow_ctx_peek();
	struct ow_tx *t = c != NULL ? ow_tx_of(c) : NULL;

	if (t == NULL)
		ow_tp_fail(TPEPROTO, "there is no transaction");
	else if (!t->initiator)
		ow_tp_fail(TPEPROTO, "the transaction was begun elsewhere, and "
			   "ends there");
	*ret = c;
	return t != NULL && t->initiator ? t : NULL;
}

int tpcommit(long flags)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;

	ow_share_in_order();
	ow_tp_clear();
	if ((flags & ~(long)TPTXCOMMITDLOG) != 0)
		return ow_tp_fail(TPEINVAL, "flags %ld: give TPTXCOMMITDLOG or "
				  "0", flags);
	t = find_own(&c);
	if (t == NULL)
		return -1;
	return ow_tx_finish(c, t, OW_TM_COMMIT, flags != 0 || t->logged);
}

int tpabort(long flags)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;

	ow_share_in_order();
	ow_tp_clear();
	if (flags != 0)
		return ow_tp_fail(TPEINVAL, "flags %ld are not 0", flags);
	t = find_own(&c);
	return t == NULL ? -1 : ow_tx_finish(c, t, OW_TM_ABORT, false);
}

int tpgetlev(void)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();

	ow_tp_clear();
	return c != NULL && c->tran != 0;
}

int tpscmt(long flags)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;
	bool was;

	ow_tp_clear();
	if (flags != TP_CMT_LOGGED && flags != TP_CMT_COMPLETE)
		return ow_tp_fail(TPEINVAL, "flags %ld: give TP_CMT_LOGGED or "
				  "TP_CMT_COMPLETE", flags);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	t = ow_tx_need(c);
	if (t == NULL)
		return ow_tp_fail(TPEOS, "no memory");
	was = t->logged;
	t->logged = flags == TP_CMT_LOGGED;
	return was ? TP_CMT_LOGGED : TP_CMT_COMPLETE;
}
