/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sender.c - what tpnotify() and tpbroadcast() check before they send
 */
#include "libatmi/unsol/sender.h"

#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/slot.h"

/* The data are checked as those of a call, in the same words. */
struct ow_ctx *ow_sender_begin(struct ow_request *rq, char *data, long len)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL || ow_request_begin(rq, "unsolicited", data, len) != 0)
		return NULL;
	/* Nobody stands between it and the inbox of another client: it asks
	 * itself. */
	if (ow_ctx_need_domain(c) == 0 && ow_slot_may_enter(c) == 0)
		return c;
	if (c->guest != NULL)
		ow_tp_fail(TPEPERM, "a guest may not send unsolicited "
			   "messages");
	ow_request_end(rq, -1);
	return NULL;
}
