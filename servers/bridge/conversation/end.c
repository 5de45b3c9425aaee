/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end.c - a conversation with a program of another node ends
 *
 * The request of a conversation that a program of this node began is on record
 * until here (libatmisrv/deferred.h): it is answered, or taken off the record
 * where the program knows already.
 */
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/cause.h"
#include "libatmisrv/deferred.h"
#include "servers/bridge/conversation/end.h"
#include "servers/bridge/conversation/said.h"
#include "servers/bridge/peers/send.h"

void ow_br_conv_forget(struct ow_br_convs *t, struct ow_br_conv *k)
{
	struct ow_br_peer *p = k->link.peer;
	uint32_t *count = k->key.own ? &p->outstanding : &p->convs;
	struct ow_br_said *s;

	HASH_DEL(t->table, k);
	t->at[k->end->cd] = NULL;
	ow_conv_drop(t->c->convs, k->end);
	while ((s = k->first) != NULL) {
		k->first = s->next;
		ow_br_said_free(s);
	}
	ow_br_said_free(k->final);
	pthread_mutex_lock(&t->peers->lock);
	if (ow_br_is_wanted(&k->link) && *count > 0)
		(*count)--;
	pthread_mutex_unlock(&t->peers->lock);
	free(k);
}

/* The reply of the service here, or the error that there is none. */
static void send_reply(struct ow_br_convs *t, const struct ow_br_conv *k,
		       const struct ow_envelope *e, int tperr)
{
	const struct ow_msg *m = e != NULL ? e->head : NULL;
	bool full = m != NULL && ow_cause_or_content(m);
	struct ow_br_out *o;

	if (full && (m->len > OW_BR_LARGEST ||
		     (m->len > 0 && e->payload.data == NULL))) {
		full = false;
		m = NULL;
		tperr = TPELIMIT;
	}
	o = ow_br_conv_out(k, OW_BR_REPLY, full ? m->len : 0);
	if (o == NULL)
		return;
	if (!k->accepted) /* the call is answered */
		o->frame.flags = full ? m->flags & OW_MSG_CAUSE : 0;
	o->frame.tperr = m != NULL ? m->tperr : tperr;
	o->frame.urcode = m != NULL ? m->urcode : 0;
	if (full) {
		o->frame.buftype = m->buftype;
		o->frame.sub_len = m->sub_len;
		if (m->len > 0)
			memcpy(o->payload, e->payload.data, m->len);
	}
	ow_br_conv_send(t, &k->link, o);
}

void ow_br_conv_left(struct ow_br_convs *t, struct ow_br_conv *k)
{
	const struct ow_conv *e = k->end;

	if (k->key.own) {
		ow_br_conv_say(t, k, OW_CONV_END);
		ow_br_conv_answer(k->number, -1, NULL);
	} else if (e->end.head != NULL) {
		send_reply(t, k, &e->end, TPESVCERR);
	} else if (e->event == TPEV_DISCONIMM && k->accepted) {
		ow_br_conv_say(t, k, OW_CONV_END);
	} else {
		send_reply(t, k, NULL, TPESVCERR);
	}
	ow_br_conv_forget(t, k);
}

void ow_br_conv_close(struct ow_br_convs *t, struct ow_br_conv *k)
{
	if (k->over == OW_BR_CONV_ENDED || !k->key.own)
		ow_conv_hang_up(t->c->convs, k->end);
	if (k->key.own)
		ow_br_conv_answer(k->number,
				  k->over == OW_BR_CONV_ENDED ? -1 : TPESVCERR,
				  k->final);
	ow_br_conv_forget(t, k);
}

void ow_br_conv_fail(struct ow_br_convs *t, struct ow_br_conv *k,
		     const char *why)
{
	log_error("a conversation with node %u: %s: it ends",
		  k->link.peer->node, why);
	if (k->key.own) {
		ow_br_conv_say(t, k, OW_CONV_END);
		ow_br_conv_answer(k->number, TPESVCERR, NULL);
	} else {
		send_reply(t, k, NULL, TPESVCERR);
		ow_conv_hang_up(t->c->convs, k->end);
	}
	ow_br_conv_forget(t, k);
}
