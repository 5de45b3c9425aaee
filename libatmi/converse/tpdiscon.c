/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpdiscon.c - leave a conversation at once
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/shared.h"
#include "libatmi/converse/converse.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"

int tpdiscon(int cd)
{
	OW_SHARED;
	struct ow_ctx *c;
	struct ow_conv *t;
	bool cuts;

	ow_tp_clear();
	if (ow_converse_find(cd, &c, &t) != 0)
		return -1;
	/* The other end is cut off amid its work. */
	cuts = t->tran != 0 && t->tran == c->tran &&
	       (t->state != OW_CONV_OVER || t->event != TPEV_SVCSUCC);
	ow_conv_hang_up(c->convs, t);
	ow_conv_drop(c->convs, t);
	if (cuts)
		c->tran_hooks->call_failed(c, TPESVCERR, OW_CALL_LOST);
	return 0;
}
