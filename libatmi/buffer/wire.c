/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.c - how the contents of typed buffers travel
 *
 * What comes from outside is checked before it becomes a buffer. A payload
 * that lies in a block can become one where it is.
 */
#include "libatmi/buffer/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ubf.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/buffer/parts.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libubf/store/check.h"

_Static_assert(NDRX_VIEW_NAME_LEN + 1 + sizeof(uint32_t) <=
		       OW_BUF_SUBTYPE_MAX,
	       "a subtype fits");

static size_t subtype_len(const struct ow_view *view)
{
	return strlen(ow_view_name(view)) + 1 + sizeof(uint32_t);
}

size_t ow_buf_put_subtype(const struct ow_view *view, void *to)
{
	uint32_t cksum = ow_view_cksum(view);
	char *end = stpcpy(to, ow_view_name(view)) + 1;

	memcpy(end, &cksum, sizeof(cksum));
	return subtype_len(view);
}

bool ow_buf_is_view(const void *payload, size_t sub_len,
		    const struct ow_view *view)
{
	uint32_t cksum = ow_view_cksum(view);
	size_t n = subtype_len(view);

	return sub_len == n &&
	       memcmp(payload, ow_view_name(view), n - sizeof(cksum)) == 0 &&
	       memcmp((const char *)payload + n - sizeof(cksum), &cksum,
		      sizeof(cksum)) == 0;
}

int ow_buf_wire_len(const char *data, const struct ow_buf_info *info,
		    long len, size_t *ret_len)
{
	switch (info->type) {
	case OW_BUF_UBF:
		*ret_len = ow_ubf_used(data);
		return *ret_len == 0 || *ret_len > info->size ? -EINVAL : 0;
	case OW_BUF_STRING:
	case OW_BUF_JSON:
		*ret_len = strnlen(data, info->size);
		if (*ret_len == info->size)
			return -EINVAL; /* not terminated */
		(*ret_len)++;
		return 0;
	case OW_BUF_CARRAY:
		if (len < 0 || (size_t)len > info->size)
			return -EINVAL;
		*ret_len = (size_t)len;
		return 0;
	case OW_BUF_NULL:
		*ret_len = 0;
		return 0;
	case OW_BUF_VIEW:
		if (info->view == NULL || ow_view_size(info->view) > info->size)
			return -EINVAL;
		*ret_len = subtype_len(info->view) + ow_view_size(info->view);
		return 0;
	default:
		return -EINVAL; /* TPINIT does not travel */
	}
}

static int check_payload(enum ow_buf_type type, const void *p, size_t len)
{
	switch (type) {
	case OW_BUF_UBF:
		return ow_ubf_check(p, len);
	case OW_BUF_STRING:
	case OW_BUF_JSON:
		return len > 0 && memchr(p, '\0', len) ==
					  (const char *)p + len - 1
			   ? 0
			   : -EBADMSG;
	case OW_BUF_CARRAY:
		return 0;
	default:
		return -EBADMSG;
	}
}

/* Make room for `len` bytes of `type` in *data, whose size then is *ret_size.
 * A buffer is looked up once: other threads want the registry, too. */
static int make_room(enum ow_buf_type type, size_t len, char **data,
		     size_t *ret_size)
{
	struct ow_buf_info old;
	struct buf *fresh;
	bool small;
	char *p;

	if (*data != NULL && ow_buf_find(*data, &old) == 0 &&
	    old.type == type) {
		*ret_size = old.size;
		if (old.size < len) {
			p = ow_buf_resize(*data, len, &small);
			if (p == NULL)
				return -ENOMEM;
			*data = p;
			*ret_size = len; /* more than it had: not rounded up */
		}
		if (type == OW_BUF_UBF)
			ow_reg_empty(*data);
		return 0;
	}
	fresh = ow_reg_new(type, -1, len);
	if (fresh == NULL)
		return -ENOMEM;
	ow_reg_replace(*data);
	*data = fresh->key;
	*ret_size = fresh->size;
	return 0;
}

int ow_reg_take(enum ow_buf_type type, const void *payload, size_t len,
		char **data, long *ret_len)
{
	size_t size = 0;
	int r = check_payload(type, payload, len);

	if (r == 0)
		r = make_room(type, len, data, &size);
	if (r != 0)
		return r;
	memcpy(*data, payload, len);
	*ret_len = (long)len;
	if (type == OW_BUF_UBF)
		(void)ow_ubf_adopt(*data, len, size);
	return 0;
}

/* A buffer, then perhaps others that it points to. */
static int take_ubf(const void *payload, size_t len, char **data,
		    long *ret_len)
{
	struct ow_parts parts;
	size_t size = 0;
	int r = ow_ubf_check(payload, len);

	if (r == 0)
		r = ow_parts_open(payload, len, &parts);
	if (r != 0)
		return r;
	len = ow_ubf_used(payload);
	r = make_room(OW_BUF_UBF, len, data, &size);
	if (r != 0) {
		ow_parts_drop(&parts);
		return r;
	}
	memcpy(*data, payload, len);
	*ret_len = (long)len;
	(void)ow_ubf_adopt(*data, len, size);
	ow_parts_link(&parts, *data);
	return 0;
}

int ow_buf_from_wire(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len)
{
	if (type == OW_BUF_UBF)
		return take_ubf(payload, len, data, ret_len);
	if (type != OW_BUF_NULL)
		return ow_reg_take(type, payload, len, data, ret_len);
	ow_reg_replace(*data);
	*data = NULL;
	*ret_len = 0;
	return 0;
}

/* The view that a payload names: 0, -EBADMSG or -EPROTOTYPE. */
static int find_view(const char *payload, size_t len, size_t sub_len,
		     const struct ow_view **ret_view)
{
	const struct ow_view *view;

	if (sub_len <= 1 + sizeof(uint32_t) || sub_len > len ||
	    strnlen(payload, sub_len) != sub_len - 1 - sizeof(uint32_t))
		return -EBADMSG;
	if (ow_view_find(payload, &view) != 0 ||
	    !ow_buf_is_view(payload, sub_len, view))
		return -EPROTOTYPE;
	if (len - sub_len != ow_view_size(view))
		return -EBADMSG;
	*ret_view = view;
	return 0;
}

int ow_buf_from_view(const void *payload, size_t len, size_t sub_len,
		     char **data, long *ret_len)
{
	const struct ow_view *view;
	struct ow_buf_info old;
	char *fresh;
	int r = find_view(payload, len, sub_len, &view);

	if (r != 0)
		return r;
	if (*data == NULL || ow_buf_find(*data, &old) != 0 ||
	    old.view != view) {
		fresh = ow_buf_new_view(view, 0);
		if (fresh == NULL)
			return -ENOMEM;
		ow_reg_replace(*data);
		*data = fresh;
	}
	memcpy(*data, (const char *)payload + sub_len, len - sub_len);
	*ret_len = (long)(len - sub_len);
	return 0;
}

/* ---- in blocks ---- */

/* The size that the buffer will have; 0: it is better copied. */
static size_t size_in_block(const struct ow_msg *m, struct ow_blocks *b,
			    const char *data)
{
	size_t room = ow_block_room(b, m->block), want = m->len;
	struct ow_buf_info old;

	if (m->buftype == OW_BUF_VIEW || m->buftype == OW_BUF_NULL)
		return 0; /* behind its name it is not aligned */
	if (data != NULL) {
		/* The user counts on the room that was there. */
		if (m->len < OW_BUF_REF_MIN)
			return 0;
		if (ow_buf_find(data, &old) == 0 && old.size > want)
			want = old.size;
	}
	if (want < OW_BUF_SIZE_MIN ||
	    (m->buftype == OW_BUF_UBF && want < OW_BUF_SIZE_MIN_UBF))
		want = m->buftype == OW_BUF_UBF ? OW_BUF_SIZE_MIN_UBF
						: OW_BUF_SIZE_MIN;
	return want <= room && ow_block_back(b, m->block, want) == 0 ? want
								     : 0;
}

/* The descriptor of a buffer that lies in a message's block. */
static struct buf *describe(const struct ow_msg *m, struct ow_blocks *blocks,
			    void *payload, bool lent)
{
	struct buf *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->key = payload;
	b->type = m->buftype;
	b->row = ow_reg_default_row((enum ow_buf_type)m->buftype);
	b->lent = lent;
	b->forks = ow_prc_forks();
	b->ref = m->block;
	if (!ow_reg_enter(b)) {
		free(b);
		return NULL;
	}
	b->blocks = ow_blocks_pin(blocks);
	return b;
}

int ow_buf_from_block(const struct ow_msg *m, struct ow_blocks *blocks,
		      void *payload, bool lent, char **data, long *ret_len)
{
	size_t size = size_in_block(m, blocks, *data), len = m->len;
	enum ow_buf_type type = (enum ow_buf_type)m->buftype;
	struct ow_parts parts = { 0 };
	struct buf *b;
	int r;

	if (size == 0)
		return OW_BUF_COPY;
	r = check_payload(type, payload, len);
	if (r == 0 && type == OW_BUF_UBF)
		r = ow_parts_open(payload, len, &parts);
	if (r != 0)
		return r;
	b = describe(m, blocks, payload, lent);
	if (b == NULL) {
		ow_parts_drop(&parts);
		return -ENOMEM;
	}
	b->size = size;
	ow_reg_replace(*data);
	*data = payload;
	if (type == OW_BUF_UBF) {
		len = ow_ubf_used(payload);
		(void)ow_ubf_adopt(payload, len, size);
		ow_parts_link(&parts, payload);
	}
	*ret_len = (long)len;
	return 0;
}
