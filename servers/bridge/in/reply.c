/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.c - what a request of another node is answered
 */
#include "servers/bridge/in/reply.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/transport/envelope.h"
#include "libatmi/wire/cause.h"
#include "servers/bridge/out/refuse.h"
#include "servers/bridge/peers/send.h"

static void send_back(struct ow_br_peers *ps, const struct ow_br_origin *from,
		      struct ow_br_out *o)
{
	bool wanted;

	o->frame.kind = OW_BR_REPLY;
	o->frame.id = from->id;
	pthread_mutex_lock(&ps->lock);
	wanted = ow_br_is_wanted(from);
	if (wanted)
		ow_br_queue(from->peer, OW_BR_REPLIES, o);
	else
		from->peer->lost++;
	pthread_mutex_unlock(&ps->lock);
	if (!wanted)
		free(o);
}

void ow_br_reply_error(struct ow_br_peers *ps, const struct ow_br_origin *from,
		       int tperr, const char *why)
{
	char text[OW_CAUSE_MAX];
	size_t len = tperr != 0 ? ow_cause_write(why, text) : 0;
	struct ow_br_out *o = from->id != 0 ? ow_br_out_new(len) : NULL;

	if (o == NULL)
		return;
	o->frame.buftype = len > 0 ? OW_BUF_STRING : OW_BUF_NULL;
	o->frame.flags = len > 0 ? OW_MSG_CAUSE : 0;
	o->frame.total = len;
	if (len > 0)
		memcpy(o->payload, text, len);
	o->frame.tperr = tperr;
	o->frame.urcode = ow_br_urcode_of(tperr);
	send_back(ps, from, o);
}

void ow_br_reply_send(struct ow_br_peers *ps, const struct ow_br_origin *from,
		      const struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;
	bool full = ow_cause_or_content(m);
	size_t len = full ? m->len : 0;
	struct ow_br_out *o = NULL;

	if (len <= OW_BR_LARGEST && (len == 0 || e->payload.data != NULL))
		o = ow_br_out_new(len);
	if (o == NULL) {
		ow_br_reply_error(ps, from,
				  len > OW_BR_LARGEST ? TPELIMIT : TPEOS,
				  "its answer cannot be sent to another node");
		return;
	}
	o->frame.buftype = full ? m->buftype : OW_BUF_NULL;
	o->frame.sub_len = full ? m->sub_len : 0;
	o->frame.flags = m->flags & OW_MSG_CAUSE;
	o->frame.tperr = m->tperr;
	o->frame.urcode = m->urcode;
	o->frame.total = len;
	if (len > 0)
		memcpy(o->payload, e->payload.data, len);
	send_back(ps, from, o);
}
