/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heartbeat.c - each heartbeat says: I am here, and what I offer
 */
#include "servers/bridge/peers/heartbeat.h"

#include "libatmi/door/rules.h"
#include "servers/bridge/peers/send.h"

void ow_br_heartbeat(struct ow_br_peers *ps, const struct ow_br_peer *p,
		bool joining, bool leaving)
{
	struct ow_br_heartbeat heartbeat = { .heartbeat_ms =
						 ps->opt.heartbeat_ms,
					     .joining = joining,
					     .leaving = leaving };
	struct ow_br_frame who = { .kind = OW_BR_WHO,
				   .len = sizeof(ps->who) };
	struct ow_br_frame f = { .kind = OW_BR_HEARTBEAT,
				 .len = sizeof(heartbeat) };

	if (ps->dom != NULL && ow_rules_guards(ps->dom) != 0)
		f.flags |= OW_BR_WANTS_CALLERS;
	ps->above->heartbeat(ps->above->arg, &f, &heartbeat);
	ow_br_say(ps, p, &f, &heartbeat, false);
	if (!leaving && p == NULL && ps->who.domain != 0)
		ow_br_say(ps, NULL, &who, &ps->who, false);
}
