/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpnotify.c - send an unsolicited message to one client
 */
#include <errno.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/timeout.h"
#include "libatmi/unsol/remote.h"
#include "libatmi/unsol/notify.h"
#include "libatmi/unsol/sender.h"

static int fail(int r)
{
	switch (r) {
	case OW_NOTIFY_GONE:
		return ow_tp_fail(TPENOENT, "the client has left");
	case OW_NOTIFY_FULL:
		return ow_tp_fail(TPEBLOCK, "the client has not looked at its "
				  "messages, and has no room for more");
	case OW_NOTIFY_TIMEOUT:
		return ow_tp_fail(TPETIME, "the client did not look at its "
				  "messages in time, and has no room for more");
	case OW_NOTIFY_SIGNAL:
		return ow_tp_fail(TPGOTSIG, "signal while waiting for room in "
				  "the client's inbox");
	case OW_NOTIFY_NOROOM:
		return ow_tp_fail(TPEOS, "no shared memory for the message");
	default:
		return ow_tp_fail_errno(r, "sending an unsolicited message");
	}
}

static int notify(struct ow_ctx *c, const CLIENTID *id,
		  const struct ow_request *rq, long flags)
{
	uint64_t deadline = ow_timeout_deadline(c, flags, ow_clock_mono_ns());
	uint32_t node = ow_notify_node(c, id);
	struct ow_receiver to = { 0, 0 };
	int r;

	if (node != 0)
		return ow_unsol_notify(c, id, node, &rq->data.content,
				       deadline, flags | c->sig_flag);
	r = ow_notify_find(c, id, &to);
	if (r == -EINVAL)
		return ow_tp_fail(TPEINVAL, "\"%.40s\" is no id of a client",
				  id->clientdata);
	if (r == -ENOENT)
		return ow_tp_fail(TPENOENT, "%.80s has left, or is of another "
				  "node", id->clientdata);
	if (flags & TPNOBLOCK)
		deadline = OW_DEADLINE_NOW;
	r = ow_notify(c, to, &rq->data.content, deadline,
		      flags | c->sig_flag);
	return r == 0 ? 0 : fail(r);
}

int tpnotify(CLIENTID *clientid, char *data, long len, long flags)
{
	OW_SHARED;
	struct ow_request rq;
	struct ow_ctx *c;

	ow_tp_clear();
	if (clientid == NULL)
		return ow_tp_fail(TPEINVAL, "clientid is NULL");
	c = ow_sender_begin(&rq, data, len);
	if (c == NULL)
		return -1;
	return ow_request_end(&rq, notify(c, clientid, &rq, flags));
}
