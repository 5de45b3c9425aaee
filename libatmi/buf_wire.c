/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf_wire.c - how the contents of typed buffers travel
 *
 * What comes from outside is checked before it becomes a buffer. A payload
 * that lies in a block can become one where it is.
 */
#include "libatmi/buf_reg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ubf.h>

#include "libatmi/block.h"
#include "libatmi/prc.h"
#include "libatmi/tables.h"
#include "libubf/check.h"
#include "libubf/pointers.h"

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
		if (old.size >= len)
			return 0;
		p = ow_buf_resize(*data, len, &small);
		if (p == NULL)
			return -ENOMEM;
		*data = p;
		*ret_size = len; /* more than it had, so not rounded up */
		return 0;
	}
	fresh = ow_reg_new(type, -1, len);
	if (fresh == NULL)
		return -ENOMEM;
	ow_buf_free(*data);
	*data = fresh->key;
	*ret_size = fresh->size;
	return 0;
}

static void make_null(void *ctx, void **pointer)
{
	*pointer = NULL;
}

/* A checked UBF buffer is ours now. Pointers in it are the sender's. */
static void adopt(char *data, size_t used, size_t size)
{
	ow_ubf_adopt(data, used, size);
	ow_ubf_each_pointer((UBFH *)(void *)data, make_null, NULL);
}

int ow_buf_from_wire(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len)
{
	size_t size = 0;
	int r;

	if (type == OW_BUF_NULL) {
		ow_buf_free(*data);
		*data = NULL;
		*ret_len = 0;
		return 0;
	}
	r = check_payload(type, payload, len);
	if (r == 0)
		r = make_room(type, len, data, &size);
	if (r != 0)
		return r;
	memcpy(*data, payload, len);
	*ret_len = (long)len;
	if (type == OW_BUF_UBF)
		adopt(*data, len, size);
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
		ow_buf_free(*data);
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

int ow_buf_from_block(const struct ow_msg *m, struct ow_blocks *blocks,
		      void *payload, bool lent, char **data, long *ret_len)
{
	size_t size = size_in_block(m, blocks, *data);
	enum ow_buf_type type = (enum ow_buf_type)m->buftype;
	struct buf *b;
	int r;

	if (size == 0)
		return OW_BUF_COPY;
	r = check_payload(type, payload, m->len);
	if (r != 0)
		return r;
	b = malloc(sizeof(*b));
	if (b == NULL)
		return -ENOMEM;
	b->key = payload;
	b->size = size;
	b->view = NULL;
	b->type = (uint8_t)type;
	b->row = ow_reg_default_row(type);
	b->lent = lent;
	b->forks = ow_prc_forks();
	b->ref = m->block;
	b->blocks = NULL;
	if (!ow_reg_enter(b)) {
		free(b);
		return -ENOMEM;
	}
	b->blocks = ow_blocks_pin(blocks);
	if (type == OW_BUF_UBF)
		adopt(payload, m->len, size);
	ow_buf_free(*data);
	*data = payload;
	*ret_len = (long)m->len;
	return 0;
}
