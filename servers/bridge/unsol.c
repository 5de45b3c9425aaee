/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsol.c - unsolicited messages to clients of other nodes
 *
 * tpnotify() is a call to a bridge, which goes on to a bridge of the client's
 * node; tpbroadcast() a one-way call, which goes to one bridge of each node. The
 * letters are those of libatmi/unsol/abroad.h.
 */
#include "servers/bridge/unsol.h"

#include <stdlib.h>
#include <string.h>

#include "servers/bridge/abroad.h"
#include "servers/bridge/bridge.h"
#include "servers/bridge/wants.h"
#include "libatmi/call/life.h"
#include "libatmi/unsol/abroad.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/handed.h"

bool ow_br_unsol_is_known(const struct ow_bridge *b)
{
	uint32_t i;

	for (i = 0; i < b->npeers; i++)
		if (b->peer[i]->up &&
		    (b->peer[i]->knows & OW_BR_KNOWS_UNSOL) != 0)
			return true;
	return false;
}

bool ow_br_unsol_is(const struct ow_br_frame *f)
{
	return f->kind == OW_BR_NOTIFY || f->kind == OW_BR_BROADCAST;
}

static void end(int tperr)
{
	if (tperr == 0)
		tpreturn(TPSUCCESS, 0, NULL, 0, 0);
	else
		tpreturn(TPFAIL, tperr, NULL, 0, TPSOFTERR);
}

static void broadcast(struct ow_bridge *b, const struct ow_msg *m,
		      const TPSVCINFO *svc, bool ubf)
{
	struct ow_br_frame f;

	ow_br_letter_frame(m, OW_BR_BROADCAST, (size_t)svc->len, &f);
	ow_br_letter_queue(b, &f, NULL, ubf, svc->data);
	ow_br_send_joined(b, (size_t)svc->len, true);
	end(0);
}

/* To a bridge of the client's node; this request is handed on. */
static void notify(struct ow_bridge *b, const struct ow_msg *m,
		   const TPSVCINFO *svc, const struct ow_unsol_letter *head)
{
	struct ow_br_out *o = ow_br_out_new((size_t)svc->len);

	if (o == NULL) {
		end(TPEOS);
		return;
	}
	ow_br_letter_frame(m, OW_BR_NOTIFY, (size_t)svc->len, &o->frame);
	memcpy(o->payload, svc->data, (size_t)svc->len);
	o->node = head->node;
	o->ubf = head->type == OW_BUF_UBF;
	o->deadline = m->deadline_ns;
	ow_br_send_abroad(b, o, m);
}

void ow_br_unsol(TPSVCINFO *svc)
{
	const struct ow_msg *m = ow_handed_request();
	struct ow_bridge *b = ow_br_self();
	struct ow_unsol_letter head;

	if (m == NULL || (m->flags & OW_MSG_ABROAD) != 0 ||
	    ow_unsol_head(svc->data, svc->len, &head) != 0)
		end(TPEINVAL);
	else if ((uint64_t)svc->len > OW_BR_LARGEST)
		end(TPELIMIT);
	else if (head.op == OW_UNSOL_BROADCAST && m->cd == 0)
		broadcast(b, m, svc, head.type == OW_BUF_UBF);
	else if (head.op != OW_UNSOL_NOTIFY || m->cd == 0)
		end(TPEINVAL);
	else if (head.node == b->opt.node) /* it came back to its own node */
		end(ow_unsol_arrive(ow_ctx_get(), svc->data, svc->len));
	else
		notify(b, m, svc, &head);
}
