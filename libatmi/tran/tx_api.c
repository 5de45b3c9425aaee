/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tx_api.c - the functions of TX, on top of those of XATMI
 */
#include <string.h>
#include <tx.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/tran/tx.h"

/* The characteristics of this thread; NULL: no context, no memory. */
static struct ow_tx *own(struct ow_ctx **ret)
{
	*ret = ow_ctx_get();
	return *ret != NULL ? ow_tx_need(*ret) : NULL;
}

/* The same for functions that come after tx_open(): TX_OK or an error. A service is
 * in its caller's transaction without that. */
static int after_open(struct ow_ctx **ret, struct ow_tx **ret_tx)
{
	*ret_tx = own(ret);
	if (*ret_tx == NULL)
		return TX_FAIL;
	return ow_tran_is_open() || (*ret)->tran != 0 ? TX_OK
						      : TX_PROTOCOL_ERROR;
}

int tx_open(void)
{
	OW_SHARED;

	if (tpopen() == 0)
		return TX_OK;
	return tperrno == TPERMERR ? TX_ERROR : TX_FAIL;
}

int tx_close(void)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t = own(&c);

	if (tpclose() == 0) {
		if (t != NULL)
			t->chained = false; /* tx_open() begins unchained */
		return TX_OK;
	}
	return tperrno == TPEPROTO   ? TX_PROTOCOL_ERROR
	       : tperrno == TPERMERR ? TX_ERROR
				     : TX_FAIL;
}

int tx_begin(void)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t = own(&c);

	if (t == NULL)
		return TX_FAIL;
	if (!ow_tran_is_open())
		return TX_PROTOCOL_ERROR;
	if (tpbegin((unsigned long)t->timeout, 0) == 0)
		return TX_OK;
	switch (tperrno) {
	case TPEPROTO:
		return TX_PROTOCOL_ERROR;
	case TPERMERR:
	case TPETIME:
	case TPESVCERR:
	case TPESYSTEM:
		return TX_ERROR;
	default:
		return TX_FAIL;
	}
}

/* What the end of a transaction returned, as TX says it. */
static int outcome(int r)
{
	if (r == 0)
		return TX_OK;
	switch (tperrno) {
	case TPEABORT:
		return TX_ROLLBACK;
	case TPEHEURISTIC:
		return TX_MIXED;
	case TPEPROTO:
		return TX_PROTOCOL_ERROR;
	case TPEHAZARD:
	case TPETIME: /* not known */
	case TPESVCERR:
		return TX_HAZARD;
	default:
		return TX_FAIL;
	}
}

/* In chained mode the next transaction begins. */
static int chain(const struct ow_tx *t, int r)
{
	if (!t->chained || r == TX_PROTOCOL_ERROR || r == TX_FAIL ||
	    tx_begin() == TX_OK)
		return r;
	return r == TX_OK ? TX_NO_BEGIN : r + TX_NO_BEGIN;
}

static int end(int (*how)(long))
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t = own(&c);

	return t == NULL ? TX_FAIL : chain(t, outcome(how(0)));
}

int tx_commit(void)
{
	return end(tpcommit);
}

int tx_rollback(void)
{
	return end(tpabort);
}

static long state_of(const struct ow_tx *t)
{
	if (t->deadline_ns != 0 && ow_clock_mono_ns() > t->deadline_ns)
		return TX_TIMEOUT_ROLLBACK_ONLY;
	return t->doomed ? TX_ROLLBACK_ONLY : TX_ACTIVE;
}

int tx_info(TXINFO *info)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;
	int in = after_open(&c, &t);

	if (in != TX_OK)
		return in;
	in = c->tran != 0;
	if (info == NULL)
		return in;
	memset(info, 0, sizeof(*info));
	info->xid.formatID = NULLXID;
	if (in)
		info->xid = t->xid;
	info->when_return = t->logged ? TX_COMMIT_DECISION_LOGGED
				      : TX_COMMIT_COMPLETED;
	info->transaction_control = t->chained ? TX_CHAINED : TX_UNCHAINED;
	info->transaction_timeout = t->timeout;
	info->transaction_state = in ? state_of(t) : TX_ACTIVE;
	return in;
}

int tx_set_commit_return(COMMIT_RETURN when_return)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;
	int r = after_open(&c, &t);

	if (r != TX_OK)
		return r;
	if (when_return != TX_COMMIT_COMPLETED &&
	    when_return != TX_COMMIT_DECISION_LOGGED)
		return TX_EINVAL;
	t->logged = when_return == TX_COMMIT_DECISION_LOGGED;
	return TX_OK;
}

int tx_set_transaction_control(TRANSACTION_CONTROL control)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;
	int r = after_open(&c, &t);

	if (r != TX_OK)
		return r;
	if (control != TX_UNCHAINED && control != TX_CHAINED)
		return TX_EINVAL;
	t->chained = control == TX_CHAINED;
	return TX_OK;
}

int tx_set_transaction_timeout(TRANSACTION_TIMEOUT timeout)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_tx *t;
	int r = after_open(&c, &t);

	if (r != TX_OK)
		return r;
	if (timeout < 0 || timeout > 0xffffffffL)
		return TX_EINVAL;
	t->timeout = timeout;
	return TX_OK;
}
