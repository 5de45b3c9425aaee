/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.c - received payloads become typed buffers
 *
 * A payload is checked before it becomes a buffer. It is copied into one, or
 * the block in which it lies becomes the buffer.
 */
#include "libatmi/buffer/buf.h"

#include <errno.h>
#include <stdlib.h>

#include "libatmi/buffer/callinfo.h"
#include "libatmi/buffer/contents.h"
#include "libatmi/buffer/memory.h"
#include "libatmi/buffer/parts.h"
#include "libatmi/buffer/registry.h"
#include "libatmi/buffer/release.h"
#include "libatmi/domain/prc.h"
#include "libatmi/transport/block/block.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"

/* Take a UBF buffer, with the buffers that it points to, if any. */
static int take_ubf(const void *payload, size_t len, char **data,
		    long *ret_len)
{
	struct ow_parts parts;
	size_t size = 0, used = 0;
	int r = ow_ubf_check(payload, len);

	if (r == 0) {
		used = ow_ubf_used_checked(payload, len);
		r = ow_parts_open(payload, used, len, &parts);
	}
	if (r != 0)
		return r;
	len = used;
	r = ow_contents_reserve(OW_BUF_UBF, len, data, &size);
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
	return ow_contents_take(type, payload, len, data, ret_len);
}

int ow_buf_from_compound(const struct ow_msg *m, const void *payload,
			 char **data, long *ret_len)
{
	return m->buftype == OW_BUF_VIEW
		   ? ow_buf_from_view(payload, m->len, m->sub_len, data,
				      ret_len)
		   : ow_callinfo_receive(m, payload, data, ret_len);
}

/* ---- in blocks ---- */

/* The size of the buffer that m->block becomes, with memory for it; 0: copying
 * is better. */
static size_t size_in_block(const struct ow_msg *m, struct ow_blocks *b,
			    const char *data)
{
	size_t want = m->len, least;
	struct ow_buf_info old;

	if (ow_buf_type_is_compound(m->buftype) || m->buftype == OW_BUF_NULL)
		return 0; /* a VIEW is not aligned behind its subtype */
	if (data != NULL) {
		/* The user relies on the size of the old buffer. */
		if (m->len < OW_BUF_REF_MIN)
			return 0;
		if (ow_buf_find(data, &old) == 0 && old.size > want)
			want = old.size;
	}
	least = ow_buf_size_min((enum ow_buf_type)m->buftype);
	if (want < least)
		want = least;
	return ow_block_back(b, m->block, want) == 0 ? want : 0;
}

/* Register a message's block as a buffer; NULL: no memory. */
static struct ow_buf *enter_block(const struct ow_msg *m,
				  struct ow_blocks *blocks, void *payload,
				  bool lent)
{
	struct ow_buf *b = ow_mem_descriptor();

	if (b == NULL)
		return NULL;
	b->key = payload;
	b->blocks = ow_blocks_pin(blocks);
	b->ref = m->block;
	b->forks = ow_prc_forks();
	b->type = m->buftype;
	b->lent = lent;
	ow_reg_enter(b);
	return b;
}

int ow_buf_from_block(const struct ow_msg *m, struct ow_blocks *blocks,
		      void *payload, bool lent, char **data, long *ret_len)
{
	size_t size = size_in_block(m, blocks, *data), len = m->len, used = 0;
	enum ow_buf_type type = (enum ow_buf_type)m->buftype;
	struct ow_parts parts = { 0 };
	struct ow_buf *b;
	int r;

	if (size == 0)
		return OW_BUF_COPY;
	r = ow_contents_check(type, payload, len);
	if (r == 0 && type == OW_BUF_UBF) {
		used = ow_ubf_used_checked(payload, len);
		r = ow_parts_open(payload, used, len, &parts);
	}
	if (r != 0)
		return r;
	b = enter_block(m, blocks, payload, lent);
	if (b == NULL) {
		ow_parts_drop(&parts);
		return -ENOMEM;
	}
	b->size = size;
	if (*data != NULL)
		ow_release_replaced(*data);
	*data = payload;
	if (type == OW_BUF_UBF) {
		len = used;
		(void)ow_ubf_adopt(payload, len, size);
		ow_parts_link(&parts, payload);
	}
	*ret_len = (long)len;
	return 0;
}
