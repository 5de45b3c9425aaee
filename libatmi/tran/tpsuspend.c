/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsuspend.c - take the transaction off a context; tpresume() puts it on one
 *
 * The branch of the resource manager ends its association for good
 * (TMSUCCESS), whatever the flags: so any thread of any process can resume the
 * transaction, and joins the branch again, or gets one of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/converse/converse.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/tran/tm.h"
#include "libatmi/tran/tx.h"
#include "libatmi/xa/rm.h"

#define FLAGS (TPTXNOOPTIM | TPTXTMSUSPEND)

static int check(const TPTRANID *tranid, long flags)
{
	if (tranid == NULL || (flags & ~(long)FLAGS) != 0)
		return ow_tp_fail(TPEINVAL, "tranid is NULL, or flags %ld are "
				  "not of TPTXNOOPTIM and TPTXTMSUSPEND", flags);
	return 0;
}

static void fill(const struct ow_ctx *c, const struct ow_tx *t, TPTRANID *ret)
{
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->tmxid, sizeof(ret->tmxid), "%016" PRIx64 "%016" PRIx64,
		 t->identity, c->tran);
	ret->tmtxflags = t->doomed ? TMTXFLAGS_IS_ABORT_ONLY : 0;
	ret->tmrmid = (short)OW_TM_RMID(c->tran);
	ret->tmsrvid = (short)OW_TM_SRVID(c->tran);
	ret->tmnodeid = (short)c->dom->nodeid;
	ret->is_tx_initiator = t->initiator;
}

int tpsuspend(TPTRANID *tranid, long flags)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();
	struct ow_tx *t = c != NULL ? ow_tx_of(c) : NULL;
	int r;

	ow_share_in_order();
	ow_tp_clear();
	if (check(tranid, flags) != 0)
		return -1;
	if (t == NULL)
		return ow_tp_fail(TPEPROTO, "there is no transaction");
	if (c->outstanding > 0)
		return ow_tp_fail(TPEPROTO, "%d calls have no reply yet",
				  c->outstanding);
	if (ow_converse_is_in(c, false))
		return ow_tp_fail(TPEPROTO, "a conversation takes part in the "
				  "transaction");
	r = ow_tx_end(c, t, false);
	if (r != XA_OK) {
		ow_tx_doom(c, t);
		return ow_tp_fail(TPESYSTEM, "xa_end: %s", ow_rm_word(r));
	}
	ow_tx_tell_prepared(c, t);
	fill(c, t, tranid);
	ow_tx_clear(c);
	return 0;
}

/* Is it still known, and may join? 0, or -1 with tperrno. */
static int come_back(struct ow_ctx *c, struct ow_tx *t)
{
	struct ow_tm m = { .op = OW_TM_STATUS, .tran = c->tran };

	if (ow_tm_ask_owner(&m) != 0)
		return tperrno == TPENOENT
			   ? ow_tp_fail(TPEMATCH, "its tmsrv has gone: the "
					"transaction has ended")
			   : -1;
	if (m.result != OW_TM_OK ||
	    (t->identity != 0 && m.identity != t->identity))
		return ow_tp_fail(TPEMATCH, "the transaction has ended");
	ow_tx_know(c, t, m.identity);
	ow_tm_xid(m.identity, c->tran, 0, 0, &t->xid);
	return ow_tx_join(c, t);
}

int tpresume(TPTRANID *tranid, long flags)
{
	OW_SHARED;
	uint64_t identity, tran;
	struct ow_ctx *c;
	struct ow_tx *t;
	char text[sizeof(tranid->tmxid)];

	ow_share_in_order();
	ow_tp_clear();
	if (check(tranid, flags) != 0)
		return -1;
	memcpy(text, tranid->tmxid, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	if (sscanf(text, "%16" SCNx64 "%16" SCNx64, &identity, &tran) != 2 ||
	    tran == 0)
		return ow_tp_fail(TPEINVAL, "tranid is not from tpsuspend()");
	c = ow_ctx_get();
	if (c == NULL || ow_ctx_need_domain(c) != 0)
		return -1;
	t = ow_tx_need(c);
	if (t == NULL)
		return ow_tp_fail(TPEOS, "no memory for a transaction");
	if (c->tran != 0)
		return ow_tp_fail(TPEPROTO, "there is a transaction already");
	ow_tx_set(c, tran, ow_tm_request_mark(identity));
	t->identity = identity;
	t->shared = true;
	t->initiator = tranid->is_tx_initiator != 0;
	t->doomed = (tranid->tmtxflags & TMTXFLAGS_IS_ABORT_ONLY) != 0;
	if (come_back(c, t) == 0)
		return 0;
	ow_tx_clear(c);
	return -1;
}
