/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsol.c - unsolicited messages to clients of other nodes
 *
 * tpnotify() is a call to a bridge, which goes on to a bridge of the client's
 * node; tpbroadcast() a one-way call, which goes to one bridge of each node.
 * The messages are those of libatmi/unsol/remote.h.
 */
#include "servers/bridge/out/unsol.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/call/life.h"
#include "libatmi/unsol/remote.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/deferred.h"
#include "servers/bridge/out/post.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/peers/send.h"

static void end(int tperr)
{
	if (tperr == 0)
		tpreturn(TPSUCCESS, 0, NULL, 0, 0);
	else
		tpreturn(TPFAIL, tperr, NULL, 0, TPSOFTERR);
}

static void broadcast(struct ow_br_calls *cs, const struct ow_msg *m,
		      const TPSVCINFO *svc, bool ubf)
{
	struct ow_br_frame f;

	ow_br_message_frame(m, OW_BR_BROADCAST, (size_t)svc->len, &f);
	ow_br_message_queue(cs, &f, NULL, ubf, svc->data);
	ow_br_send_joined(cs, (size_t)svc->len, true);
	end(0);
}

/* To a bridge of the client's node; this request is handed on. */
static void notify(struct ow_br_calls *cs, const struct ow_msg *m,
		   const TPSVCINFO *svc, const struct ow_unsol_message *head)
{
	struct ow_br_out *o = ow_br_out_new((size_t)svc->len);

	if (o == NULL) {
		end(TPEOS);
		return;
	}
	ow_br_message_frame(m, OW_BR_NOTIFY, (size_t)svc->len, &o->frame);
	memcpy(o->payload, svc->data, (size_t)svc->len);
	o->node = head->node;
	o->ubf = head->type == OW_BUF_UBF;
	o->deadline = m->deadline_ns;
	ow_br_send_remote(cs, o, m);
}

void ow_br_unsol(TPSVCINFO *svc)
{
	const struct ow_msg *m = ow_deferred_request();
	struct ow_br_calls *cs = ow_br_self();
	struct ow_unsol_message head;

	if (m == NULL || (m->flags & OW_MSG_REMOTE) != 0 ||
	    ow_unsol_head(svc->data, svc->len, &head) != 0)
		end(TPEINVAL);
	else if ((uint64_t)svc->len > OW_BR_LARGEST)
		end(TPELIMIT);
	else if (head.op == OW_UNSOL_BROADCAST && m->cd == 0)
		broadcast(cs, m, svc, head.type == OW_BUF_UBF);
	else if (head.op != OW_UNSOL_NOTIFY || m->cd == 0)
		end(TPEINVAL);
	else if (head.node == cs->peers->opt.node) /* it came back */
		end(ow_unsol_arrive(ow_ctx_get(), svc->data, svc->len));
	else
		notify(cs, m, svc, &head);
}
