/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content.c - what a typed buffer sends: length, subtype, pointees
 */
#include "libatmi/call/content.h"

#include <errno.h>
#include <stdlib.h>

#include "libatmi/buffer/callinfo.h"
#include "libatmi/buffer/parts.h"

/* What is sent of a UBF buffer. */
static inline int describe_ubf(struct ow_sending *s, char *buffer)
{
	struct ow_payload *p = &s->content.payload;
	int r;

	p->data = buffer;
	if (ow_buf_ubf_wire_len(buffer, &s->info, &p->len) != 0)
		return OW_CONTENT_LENGTH;
	r = ow_parts_flatten(buffer, &s->flat, &p->len);
	if (r != 0)
		return r == -ENOMEM ? r : OW_CONTENT_POINTEE;
	if (s->flat != NULL)
		p->data = s->flat;
	return 0;
}

static inline int describe_other(struct ow_sending *s, char *buffer, long len)
{
	struct ow_content *c = &s->content;

	if (ow_buf_wire_len(buffer, &s->info, len, &c->payload.len) != 0)
		return OW_CONTENT_LENGTH;
	if (s->info.view != NULL)
		c->sub_len = (uint8_t)ow_buf_put_subtype(s->info.view,
							 c->subtype);
	c->payload.data = buffer;
	c->payload.len -= c->sub_len;
	return 0;
}

/* What is sent of a buffer that is known. Inlined: on the path of a call. */
static inline __attribute__((always_inline)) int
describe(struct ow_sending *s, char *buffer, long len)
{
	s->content.type = (uint8_t)s->info.type;
	return s->info.type == OW_BUF_UBF ? describe_ubf(s, buffer)
					  : describe_other(s, buffer, len);
}

/* The buffer has a call header, or is none of ours. */
__attribute__((noinline)) static int begin_noted(struct ow_sending *s, long len)
{
	char *flat = NULL;
	int r;

	if (ow_buf_find(s->buffer, &s->info) != 0)
		return OW_CONTENT_FOREIGN;
	r = describe(s, s->buffer, len);
	/* TPINIT does not travel: the caller says so. */
	if (r != 0 || s->info.type == OW_BUF_TPINIT)
		return r;
	r = ow_callinfo_pack(s->buffer, &s->content, &flat);
	if (r == 0 && flat != NULL) {
		free(s->flat);
		s->flat = flat;
	}
	return r;
}

int ow_content_begin(struct ow_sending *s, char *buffer, long len)
{
	struct ow_content *c = &s->content;

	s->buffer = buffer;
	s->flat = NULL;
	s->info.type = OW_BUF_NULL;
	c->type = OW_BUF_NULL;
	c->sub_len = 0;
	c->payload = (struct ow_payload){ .len = 0 };
	if (buffer == NULL)
		return 0;
	if (ow_buf_find_plain(buffer, &s->info) != 0)
		return begin_noted(s, len);
	return describe(s, buffer, len);
}

void ow_content_offer_block(struct ow_sending *s, struct ow_envelope *request)
{
	struct ow_payload *p = &s->content.payload;

	if (s->flat != NULL || s->content.sub_len != 0)
		return;
	s->aside = ow_buf_set_aside(s->buffer);
	p->block = s->info.block;
	p->owner = OW_PAYLOAD_OWNED;
	if (request != NULL && request->payload.block == p->block) {
		p->owner = OW_PAYLOAD_LENT;
		p->lender = request;
	}
}

void ow_content_release(struct ow_sending *s)
{
	if (ow_payload_is_moved(&s->content.payload)) {
		ow_buf_given(s->aside);
		s->buffer = NULL;
	} else if (s->content.payload.block != 0) {
		ow_buf_put_back(s->aside);
	}
	free(s->flat);
}
