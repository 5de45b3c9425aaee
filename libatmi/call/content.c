/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content.c - what a typed buffer sends: length, subtype, pointees
 */
#include "libatmi/call/content.h"

#include <errno.h>
#include <stdlib.h>

#include "libatmi/buffer/parts.h"

int ow_content_begin(struct ow_sending *s, char *buffer, long len)
{
	struct ow_content *c = &s->content;
	size_t wire_len = 0;
	int r;

	s->buffer = buffer;
	s->flat = NULL;
	s->info.type = OW_BUF_NULL;
	c->type = OW_BUF_NULL;
	c->sub_len = 0;
	c->payload = (struct ow_payload){ .len = 0 };
	if (buffer == NULL)
		return 0;
	if (ow_buf_find(buffer, &s->info) != 0)
		return OW_CONTENT_FOREIGN;
	if (ow_buf_wire_len(buffer, &s->info, len, &wire_len) != 0)
		return OW_CONTENT_LENGTH;
	if (s->info.type == OW_BUF_UBF) {
		r = ow_parts_flatten(buffer, &s->flat, &wire_len);
		if (r != 0)
			return r == -ENOMEM ? r : OW_CONTENT_POINTEE;
	}
	c->type = (uint8_t)s->info.type;
	if (s->info.view != NULL)
		c->sub_len = (uint8_t)ow_buf_put_subtype(s->info.view,
							 c->subtype);
	c->payload = (struct ow_payload){
		.data = s->flat != NULL ? s->flat : buffer,
		.len = wire_len - c->sub_len,
	};
	return 0;
}

void ow_content_offer_block(struct ow_sending *s, struct ow_envelope *request)
{
	struct ow_payload *p = &s->content.payload;

	if (s->flat != NULL || s->content.sub_len != 0)
		return;
	p->block = s->info.block;
	p->owner = OW_PAYLOAD_OWNED;
	if (request != NULL && request->payload.block == p->block) {
		p->owner = OW_PAYLOAD_LENT;
		p->lender = request;
	}
}

void ow_content_release(struct ow_sending *s)
{
	if (ow_payload_is_moved(&s->content.payload))
		ow_buf_give(s->buffer);
	free(s->flat);
}
