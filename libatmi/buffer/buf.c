/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.c - typed buffers of this process: made, resized, looked up
 *
 * registry.c finds a buffer by the user's pointer, memory.c gives it a place,
 * release.c frees it.
 */
#include "libatmi/buffer/buf.h"

#include <errno.h>

#include "libatmi/buffer/memory.h"
#include "libatmi/buffer/notes.h"
#include "libatmi/buffer/registry.h"
#include "libatmi/domain/prc.h"
#include "libubf/store/header.h"

char *ow_buf_new(enum ow_buf_type type, size_t size)
{
	struct ow_buf *b = ow_mem_new(type, size);

	if (b == NULL)
		return NULL;
	if (type == OW_BUF_UBF && ow_ubf_init(b->key, b->size) != 0) {
		ow_buf_free(b->key);
		return NULL;
	}
	if (type == OW_BUF_TPINIT)
		memset(b->key, 0, b->size);
	else if (type != OW_BUF_UBF)
		b->key[0] = '\0';
	return b->key;
}

char *ow_buf_new_view(const struct ow_view *view, size_t size)
{
	size_t least = ow_view_size(view);
	struct ow_buf *b = ow_mem_new(OW_BUF_VIEW,
				      size > least ? size : least);

	if (b == NULL)
		return NULL;
	b->view = view;
	memset(b->key, 0, b->size);
	ow_view_init(view, b->key);
	return b->key;
}

/* Do the contents need more than `size` bytes? A UBF buffer that does not is
 * made to know its new size. */
static bool is_too_small(struct ow_buf *b, size_t size)
{
	if (size >= b->size)
		return false;
	if (b->type == OW_BUF_VIEW)
		return b->view == NULL || size < ow_view_size(b->view);
	return b->type == OW_BUF_UBF && ow_ubf_resize(b->key, size) != 0;
}

/* In another place. It is not registered meanwhile: another thread may have a
 * buffer where it was. NULL: no memory. */
static struct ow_buf *move(struct ow_buf *b, size_t size)
{
	struct ow_buf *n;

	ow_reg_leave(b->key);
	n = ow_mem_move(b, size);
	if (n == NULL && b->type == OW_BUF_UBF)
		(void)ow_ubf_resize(b->key, b->size);
	ow_reg_enter(n != NULL ? n : b);
	return n;
}

static int resize(char **data, size_t size)
{
	struct ow_buf *b = ow_reg_find_plain(*data);

	if (b == NULL)
		return -ENOENT;
	if (size < ow_buf_size_min((enum ow_buf_type)b->type))
		size = ow_buf_size_min((enum ow_buf_type)b->type);
	if (size == b->size)
		return 0;
	if (is_too_small(b, size))
		return OW_BUF_SMALL;
	if (!ow_mem_has_room(b, size))
		b = move(b, size);
	if (b == NULL)
		return -ENOMEM;
	if (b->type == OW_BUF_UBF && size > b->size)
		(void)ow_ubf_resize(b->key, size);
	else if (b->type == OW_BUF_VIEW && size > b->size)
		memset(b->key + b->size, 0, size - b->size);
	b->size = size;
	if (*data == ow_reg_auto)
		ow_reg_auto = b->key;
	*data = b->key;
	return 0;
}

/* Its call header stays with it. */
__attribute__((noinline)) static int resize_noted(char **data, size_t size)
{
	struct ow_note *note = ow_reg_take_note(*data);
	int r = resize(data, size);

	if (note != NULL)
		ow_reg_put_note(*data, note);
	return r;
}

int ow_buf_resize(char **data, size_t size)
{
	return ow_notes_any() ? resize_noted(data, size) : resize(data, size);
}

/* What is asked on each call. */
static inline int describe(const struct ow_buf *b, struct ow_buf_info *ret)
{
	if (b == NULL)
		return -ENOENT;
	ret->type = (enum ow_buf_type)b->type;
	ret->size = b->size;
	ret->view = b->view;
	ret->block = b->blocks != NULL && b->forks == ow_prc_forks() ? b->ref
								     : 0;
	return 0;
}

bool ow_buf_exists(const char *data)
{
	return ow_reg_find(data) != NULL;
}

size_t ow_buf_size_of(const char *data, enum ow_buf_type type)
{
	const struct ow_buf *b = ow_reg_find(data);

	return b != NULL && b->type == type ? b->size : 0;
}

int ow_buf_find(const char *data, struct ow_buf_info *ret)
{
	if (describe(ow_reg_find(data), ret) != 0)
		return -ENOENT;
	ret->is_auto = data == ow_reg_auto;
	ret->type_name = ow_buf_names[ret->type];
	ret->subtype = ret->view != NULL ? ow_view_name(ret->view) : "";
	return 0;
}

int ow_buf_find_plain(const char *data, struct ow_buf_info *ret)
{
	return describe(ow_reg_find_plain(data), ret);
}

void ow_buf_set_auto(char *data)
{
	ow_reg_auto = data;
}

char *ow_buf_hand_on(uint64_t *ret_group)
{
	struct ow_buf *b = ow_reg_find(ow_reg_auto);

	ow_reg_auto = NULL;
	if (b == NULL)
		return NULL;
	/* A group of one frees no more than none. */
	if (b->group == 0)
		b->group = ow_reg_next_group();
	*ret_group = b->group;
	return b->key;
}

bool ow_buf_is_handed(const char *data, uint64_t group)
{
	struct ow_buf *b = data != NULL ? ow_reg_find(data) : NULL;

	return b != NULL && b->group == group;
}

/* ---- in blocks ---- */

bool ow_buf_keep_block(char *data, uint64_t ref)
{
	struct ow_buf *b = ow_reg_find(data);

	if (b == NULL || !b->lent || b->blocks == NULL || b->ref != ref)
		return false;
	b->lent = false;
	return true;
}

void ow_buf_set_home(struct ow_blocks *b)
{
	ow_mem_set_store(b);
}

uint64_t ow_buf_block(const char *data)
{
	struct ow_buf *b = ow_reg_find(data);

	return b != NULL && b->blocks != NULL && b->forks == ow_prc_forks()
		   ? b->ref
		   : 0;
}

struct ow_buf *ow_buf_set_aside(char *data)
{
	return ow_reg_leave(data);
}

void ow_buf_given(struct ow_buf *b)
{
	if (b == NULL)
		return;
	if (b->key == ow_reg_auto)
		ow_reg_auto = NULL;
	b->lent = true; /* the block belongs to the message now */
	ow_mem_free(b);
}

void ow_buf_put_back(struct ow_buf *b)
{
	if (b != NULL)
		ow_reg_enter(b);
}
