/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpbroadcast.c - send an unsolicited message to all clients of a name
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/unsol/remote.h"
#include "libatmi/unsol/broadcast.h"
#include "libatmi/unsol/sender.h"
#include "libubf/base/compatible.h"

/* strict-tuxedo: NULL is any, an empty text an empty name, and users count. */
static struct ow_audience audience(const char *lmid, const char *usrname,
				   const char *cltname, long flags)
{
	struct ow_audience a = { .node = lmid,
				 .name = cltname,
				 .flags = flags };

	if (!ow_compat_tuxedo())
		return a;
	a.user = usrname;
	a.empty = (lmid != NULL ? OW_BROADCAST_NO_NODE : 0) |
		  (cltname != NULL ? OW_BROADCAST_NO_NAME : 0) |
		  (usrname != NULL ? OW_BROADCAST_NO_USER : 0);
	return a;
}

int tpbroadcast(char *lmid, char *usrname, char *cltname, char *data,
		long len, long flags)
{
	OW_SHARED;
	struct ow_audience to = audience(lmid, usrname, cltname, flags);
	struct ow_request rq;
	struct ow_ctx *c;
	int r;

	ow_tp_clear();
	c = ow_sender_begin(&rq, data, len);
	if (c == NULL)
		return -1;
	r = ow_broadcast(c, &to, &rq.data.content);
	if (r == 0)
		ow_unsol_broadcast(c, &to, &rq.data.content);
	return ow_request_end(&rq, r);
}
