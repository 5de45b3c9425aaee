/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpbroadcast.c - send an unsolicited message to all clients of a name
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/request.h"
#include "libatmi/unsol/remote.h"
#include "libatmi/unsol/broadcast.h"
#include "libatmi/unsol/sender.h"

int tpbroadcast(char *lmid, char *usrname, char *cltname, char *data,
		long len, long flags)
{
	struct ow_request rq;
	struct ow_ctx *c;
	int r;

	(void)usrname; /* clients have no users */
	ow_tp_clear();
	c = ow_sender_begin(&rq, data, len);
	if (c == NULL)
		return -1;
	r = ow_broadcast(c, lmid, cltname, &rq.data.content, flags);
	if (r == 0)
		ow_unsol_broadcast(c, lmid, cltname, &rq.data.content, flags);
	return ow_request_end(&rq, r);
}
