/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callinfo.c - call headers: a UBF buffer that goes with a typed buffer
 */
#include "libatmi/buffer/callinfo.h"

#include <errno.h>
#include <stdlib.h>

#include "libatmi/buffer/contents.h"
#include "libatmi/buffer/registry.h" /* before notes.h: its hash function */
#include "libatmi/buffer/notes.h"
#include "libatmi/transport/envelope.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/store/pointers.h"

#define ROUND16(n) (((n) + 15) & ~(size_t)15)

/* What stands in front of a header in a message. */
struct wire_info {
	uint64_t len;	 /* of the header */
	uint8_t type;	 /* of the buffer */
	uint8_t sub_len; /* of its payload's subtype */
	uint8_t pad[6];
};

_Static_assert(sizeof(struct wire_info) == 16, "the header is aligned");

/* ---- one buffer ---- */

/* Addresses of buffers mean nothing to a receiver. */
static void clear_pointer(void *ctx, void **pointer)
{
	(void)ctx;
	*pointer = NULL;
}

int ow_callinfo_attach(char *data, const void *ubf, size_t len)
{
	struct ow_note *n;

	if (ow_reg_find(data) == NULL)
		return -ENOENT;
	n = malloc(sizeof(*n) + len);
	if (n == NULL)
		return -ENOMEM;
	memset(n, 0, sizeof(*n));
	n->len = len;
	memcpy(n->ubf, ubf, len);
	(void)ow_ubf_adopt(n->ubf, len, len);
	ow_ubf_each_pointer((UBFH *)(void *)n->ubf, clear_pointer, NULL);
	return ow_reg_put_note(data, n) ? 0 : -ENOMEM;
}

int ow_callinfo_copy(const char *data, char **to)
{
	const struct ow_note *n;
	long got;
	int r;

	if (ow_reg_find(data) == NULL)
		return -ENOENT;
	n = ow_notes_find(data);
	if (n == NULL)
		return -ENODATA;
	r = ow_contents_take(OW_BUF_UBF, n->ubf, n->len, to, &got);
	return r == -EBADMSG ? -ENOMEM : r;
}

void ow_callinfo_move(const char *from, char *to)
{
	struct ow_note *n = ow_notes_any() ? ow_reg_take_note(from) : NULL;

	if (n != NULL)
		ow_reg_put_note(to, n);
}

/* ---- in messages ---- */

int ow_callinfo_pack(const char *data, struct ow_content *c, char **ret_flat)
{
	struct wire_info w = { .type = c->type, .sub_len = c->sub_len };
	const struct ow_note *n = ow_notes_find(data);
	size_t at, len;
	char *flat;

	if (n == NULL)
		return 0;
	w.len = n->len;
	at = sizeof(w) + ROUND16(n->len);
	len = at + c->sub_len + c->payload.len;
	flat = calloc(1, len);
	if (flat == NULL)
		return -ENOMEM;
	memcpy(flat, &w, sizeof(w));
	memcpy(flat + sizeof(w), n->ubf, n->len);
	memcpy(flat + at, c->subtype, c->sub_len);
	if (c->payload.len > 0)
		memcpy(flat + at + c->sub_len, c->payload.data,
		       c->payload.len);
	c->type = OW_BUF_NOTED;
	c->sub_len = 0;
	c->payload = (struct ow_payload){ .data = flat, .len = len };
	*ret_flat = flat;
	return 0;
}

int ow_callinfo_inner(const struct ow_msg *m, const void *payload,
		      struct ow_msg *ret, const void **ret_payload)
{
	struct wire_info w;
	size_t at;

	if (m->len < sizeof(w))
		return -EBADMSG;
	memcpy(&w, payload, sizeof(w));
	if (w.len == 0 || w.len > m->len - sizeof(w) ||
	    w.type == OW_BUF_NOTED || !ow_buf_type_travels(w.type))
		return -EBADMSG;
	at = sizeof(w) + ROUND16(w.len);
	if (at > m->len || w.sub_len > m->len - at ||
	    (w.sub_len != 0) != (w.type == OW_BUF_VIEW) ||
	    ow_ubf_check((const char *)payload + sizeof(w), w.len) != 0)
		return -EBADMSG;
	*ret = *m;
	ret->buftype = w.type;
	ret->sub_len = w.sub_len;
	ret->len = m->len - at;
	*ret_payload = (const char *)payload + at;
	return 0;
}

int ow_callinfo_receive(const struct ow_msg *m, const void *payload,
			char **data, long *ret_len)
{
	const char *info = (const char *)payload + sizeof(struct wire_info);
	struct ow_msg inner;
	const void *rest = NULL;
	int r = ow_callinfo_inner(m, payload, &inner, &rest);

	if (r == 0)
		r = ow_buf_from_msg(&inner, rest, data, ret_len);
	if (r == 0 && *data == NULL) {
		/* The call header needs a buffer. */
		*data = ow_buf_new(OW_BUF_NULL, 0);
		if (*data == NULL)
			return -ENOMEM;
	}
	return r == 0 ? ow_callinfo_attach(*data, info, ow_ubf_used(info)) : r;
}
