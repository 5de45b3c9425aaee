/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpcontinue.c - end a service function without a reply
 *
 * A thread that has the context data of the request replies (continued.h). If
 * there are none nobody could: then the caller gets TPESVCERR at once.
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/log/log.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/dispatch.h"
#include "libatmisrv/server.h"
#include "libatmisrv/proxy.h"

void tpcontinue(void)
{
	struct ow_server *s = ow_server_used();

	ow_tp_clear();
	if (s == NULL || s->rq.returned ||
	    (!s->rq.active && s->rq.continued == NULL)) {
		ow_tp_fail(TPEPROTO, "tpcontinue() outside of a service");
		return;
	}
	if (s->host != NULL) {
		ow_continued_let_go(ow_proxy_of(s));
		return;
	}
	if (s->rq.continued == NULL && s->rq.msg->cd != 0) {
		log_error("tpcontinue() without tpsrvgetctxdata(): no thread "
			  "can reply: the caller gets TPESVCERR");
		ow_dispatch_fail(s, TPESVCERR, "it used tpcontinue() without "
				 "tpsrvgetctxdata()");
	} else if (s->rq.continued == NULL) {
		s->rq.returned = true; /* no reply is wanted */
	}
	if (!s->no_longjmp)
		ow_dispatch_leave(s);
}
