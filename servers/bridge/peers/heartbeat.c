/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heartbeat.c - each heartbeat says: I am here, and what I offer
 */
#include "servers/bridge/peers/heartbeat.h"

#include "libatmi/door/rules.h"
#include "servers/bridge/peers/send.h"

static void say(struct ow_br_peers *ps, const struct ow_br_peer *p,
		bool joining, bool leaving, uint32_t flags)
{
	struct ow_br_heartbeat heartbeat = { .heartbeat_ms =
						 ps->opt.heartbeat_ms,
					     .joining = joining,
					     .leaving = leaving };
	struct ow_br_frame who = { .kind = OW_BR_WHO,
				   .len = sizeof(ps->who) };
	struct ow_br_frame f = { .kind = OW_BR_HEARTBEAT,
				 .flags = flags | OW_BR_KNOWS_ALLOW,
				 .len = sizeof(heartbeat) };
	bool asks = flags != 0; /* and wants to know if nobody listens */

	if (ps->dom != NULL && ow_rules_guards(ps->dom) != 0)
		f.flags |= OW_BR_WANTS_CALLERS;
	ps->above->heartbeat(ps->above->arg, &f, &heartbeat);
	ow_br_say(ps, p, &f, &heartbeat, asks);
	if (!leaving && p == NULL && ps->who.domain != 0)
		ow_br_say(ps, NULL, &who, &ps->who, false);
}

void ow_br_heartbeat(struct ow_br_peers *ps, const struct ow_br_peer *p,
		     bool joining, bool leaving)
{
	say(ps, p, joining, leaving, 0);
}

void ow_br_heartbeat_ask(struct ow_br_peers *ps, const struct ow_br_peer *p)
{
	say(ps, p, false, false, OW_BR_WANTS_CONFIRM);
}
