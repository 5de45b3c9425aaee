/* SPDX-License-Identifier: Apache-2.0 */
/*
 * said.c - what bridges say of conversations to each other
 */
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmisrv/deferred.h"
#include "servers/bridge/conversation/said.h"
#include "servers/bridge/peers/send.h"

void ow_br_said_free(struct ow_br_said *s)
{
	if (s == NULL)
		return;
	if (s->kept.head != NULL)
		ow_envelope_close(&s->kept);
	if (s->unplaced != NULL)
		ow_br_unplaced_remove(s->unplaced, s->half);
	free(s->call);
	free(s);
}

struct ow_br_out *ow_br_conv_out(const struct ow_br_conv *k,
				 enum ow_br_kind kind, size_t len)
{
	struct ow_br_out *o = ow_br_out_new(len);

	if (o == NULL)
		return NULL;
	o->frame.kind = (uint8_t)kind;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.id = k->key.id;
	o->frame.flags = OW_BR_OF_CONV | (k->key.own ? 0 : OW_BR_CONV_BACK);
	o->frame.total = len;
	return o;
}

void ow_br_conv_send(struct ow_br_convs *t, const struct ow_br_origin *link,
		     struct ow_br_out *o)
{
	bool wanted;

	pthread_mutex_lock(&t->peers->lock);
	wanted = ow_br_is_wanted(link);
	if (wanted)
		ow_br_queue(link->peer, OW_BR_REPLIES, o);
	pthread_mutex_unlock(&t->peers->lock);
	if (!wanted)
		free(o);
	t->flush = true;
}

void ow_br_conv_say(struct ow_br_convs *t, const struct ow_br_conv *k,
		    enum ow_conv_op op)
{
	struct ow_br_out *o = ow_br_conv_out(k, OW_BR_CONV, 0);

	if (o == NULL)
		return;
	o->frame.tperr = (int32_t)op;
	o->frame.urcode = k->end->acked;
	ow_br_conv_send(t, &k->link, o);
}

void ow_br_conv_content(struct ow_br_said *s, struct ow_content *ret)
{
	const struct ow_br_frame *f = &s->frame;

	memset(ret, 0, sizeof(*ret));
	ret->type = f->buftype;
	ret->sub_len = f->sub_len;
	memcpy(ret->subtype, s->payload, f->sub_len);
	ret->payload.data = s->payload + f->sub_len;
	ret->payload.len = f->total - f->sub_len;
}

void ow_br_conv_answer(uint64_t number, int tperr, struct ow_br_said *s)
{
	struct ow_deferred_answer a = { .tperr = tperr,
				      .unwanted = tperr < 0,
				      .hurried = true };
	struct ow_content content;

	if (s != NULL) {
		a.tperr = s->frame.tperr;
		a.urcode = (long)s->frame.urcode;
	}
	if (s != NULL && (a.tperr == 0 || a.tperr == TPESVCFAIL)) {
		ow_br_conv_content(s, &content);
		a.content = &content;
	}
	ow_deferred_answer(number, &a);
}

void ow_br_conv_refuse(struct ow_br_convs *t, const struct ow_br_said *s)
{
	struct ow_br_out *o = NULL;
	bool wanted;

	if (s->frame.kind == OW_BR_CONV && (s->frame.tperr == OW_CONV_ACCEPT ||
					    s->frame.tperr == OW_CONV_DATA))
		o = ow_br_out_new(0);
	if (o == NULL)
		return;
	o->frame.kind = OW_BR_CONV;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.id = s->from.id;
	o->frame.flags = OW_BR_OF_CONV |
			 (s->frame.flags & OW_BR_CONV_BACK ? 0
							   : OW_BR_CONV_BACK);
	o->frame.tperr = OW_CONV_END;
	pthread_mutex_lock(&t->peers->lock);
	wanted = ow_br_is_wanted(&s->from);
	if (wanted)
		ow_br_queue(s->from.peer, OW_BR_REPLIES, o);
	pthread_mutex_unlock(&t->peers->lock);
	if (!wanted)
		free(o);
}

void ow_br_convs_refuse_all(struct ow_br_convs *t, struct ow_br_said *list)
{
	struct ow_br_said *s;
	struct ow_br_out *o;

	while ((s = list) != NULL) {
		list = s->next;
		if (s->call != NULL)
			ow_br_conv_answer(s->call->number, TPEOS, NULL);
		o = s->frame.kind == OW_BR_CONNECT ? ow_br_out_new(0) : NULL;
		if (o != NULL) {
			o->frame.kind = OW_BR_REPLY;
			o->frame.id = s->from.id;
			o->frame.buftype = OW_BUF_NULL;
			o->frame.tperr = TPEOS;
			ow_br_conv_send(t, &s->from, o);
		}
		ow_br_conv_refuse(t, s);
		ow_br_said_free(s);
	}
}
