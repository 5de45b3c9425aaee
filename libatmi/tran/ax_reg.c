/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ax_reg.c - a resource manager with TMREGISTER joins by itself
 *
 * It calls ax_reg() with the first work of a thread, and begins the branch whose
 * XID it gets; xa_end() comes when the service ends.
 */
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/log/log.h"
#include "libatmi/tran/tm.h"
#include "libatmi/tran/tx.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/rm.h"

static int join(struct ow_ctx *c, struct ow_tx *t, bool *ret_new)
{
	struct ow_tm m = { .op = OW_TM_JOIN,
			   .tran = c->tran,
			   .identity = t->identity,
			   .log = c->tran_log,
			   .rmid = (uint32_t)ow_xa_config()->rmid };

	t->asked_ns = ow_clock_mono_ns();
	m.flags = ow_rm_own_branches() ? OW_TM_OWN_BRANCH : 0;
	if (ow_tm_ask_owner(&m) != 0 || m.result != OW_TM_OK)
		return TMER_TMERR;
	ow_tx_know(c, t, m.identity);
	t->branch = m.branch;
	t->thread = pthread_self();
	t->associated = t->has_branch = true;
	ow_tm_xid(m.identity, c->tran, m.rmid, m.branch, &t->xid);
	*ret_new = (m.flags & OW_TM_NEW_BRANCH) != 0;
	return TM_OK;
}

int ax_reg(int rmid, XID *xid, long flags)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();
	struct ow_tx *t = c != NULL ? ow_tx_of(c) : NULL;
	bool is_new = true;
	int r = TM_OK;

	if (xid == NULL || flags != TMNOFLAGS ||
	    rmid != ow_xa_config()->rmid || rmid == 0)
		return TMER_INVAL;
	if (t == NULL) {
		memset(xid, 0, sizeof(*xid));
		xid->formatID = NULLXID; /* work of its own */
		return TM_OK;
	}
	if (t->associated)
		return TMER_PROTO;
	r = join(c, t, &is_new);
	if (r != TM_OK) {
		log_error("ax_reg: the tmsrv refuses");
		ow_tx_doom(c, t);
		return r;
	}
	*xid = t->xid;
	return is_new ? TM_OK : TM_JOIN;
}

int ax_unreg(int rmid, long flags)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();

	if (flags != TMNOFLAGS || rmid != ow_xa_config()->rmid || rmid == 0)
		return TMER_INVAL;
	/* Of work outside of a transaction. */
	return c != NULL && c->tran != 0 ? TMER_PROTO : TM_OK;
}
