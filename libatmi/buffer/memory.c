/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - where a typed buffer lies: on the heap or in a block
 */
#include "libatmi/buffer/memory.h"

#include <stdlib.h>

#include "libatmi/domain/prc.h"
#include "libatmi/transport/block/block.h"

#define STORE_MIN 4096 /* a smaller buffer is copied as quickly */

static struct ow_blocks *store; /* NULL: all buffers are on the heap */

void ow_mem_set_store(struct ow_blocks *blocks)
{
	store = blocks;
}

/* A descriptor with `size` bytes behind it. */
static struct ow_buf *on_heap(size_t size)
{
	struct ow_buf *b;

	if (size > (size_t)PTRDIFF_MAX - sizeof(*b))
		return NULL;
	b = malloc(sizeof(*b) + size);
	if (b == NULL)
		return NULL;
	b->key = b->data;
	b->blocks = NULL;
	b->lent = false;
	b->group = 0;
	return b;
}

/* A descriptor, with `size` bytes in a block of the store. */
static struct ow_buf *in_block(size_t size)
{
	struct ow_buf *b = malloc(sizeof(*b));
	void *data;

	if (b == NULL)
		return NULL;
	if (ow_block_alloc(store, size, 0, &b->ref, &data) != 0) {
		free(b);
		return NULL;
	}
	b->key = data;
	b->blocks = ow_blocks_pin(store);
	b->forks = ow_prc_forks();
	b->lent = false;
	b->group = 0;
	return b;
}

struct ow_buf *ow_mem_new(enum ow_buf_type type, size_t size)
{
	struct ow_buf *b = NULL;

	if (size < ow_buf_size_min(type))
		size = ow_buf_size_min(type);
	if (store != NULL && size >= STORE_MIN)
		b = in_block(size);
	if (b == NULL)
		b = on_heap(size);
	if (b == NULL)
		return NULL;
	b->size = size;
	b->view = NULL;
	b->type = (uint8_t)type;
	if (!ow_reg_enter(b)) {
		ow_mem_free(b);
		return NULL;
	}
	return b;
}

struct ow_buf *ow_mem_move(struct ow_buf *b, size_t size)
{
	struct ow_buf *n;

	if (b->blocks == NULL && (store == NULL || size < STORE_MIN)) {
		n = size > (size_t)PTRDIFF_MAX - sizeof(*b)
			? NULL
			: realloc(b, sizeof(*b) + size);
		if (n != NULL)
			n->key = n->data;
		return n;
	}
	if (b->blocks != NULL && size <= ow_block_room(b->blocks, b->ref) &&
	    ow_block_back(b->blocks, b->ref, size) == 0)
		return b;
	n = store != NULL && size >= STORE_MIN ? in_block(size) : NULL;
	if (n == NULL)
		n = on_heap(size);
	if (n == NULL)
		return NULL;
	memcpy(n->key, b->key, b->size < size ? b->size : size);
	n->size = b->size;
	n->view = b->view;
	n->type = b->type;
	n->group = b->group;
	ow_mem_free(b);
	return n;
}

void ow_mem_free(struct ow_buf *b)
{
	if (b != NULL && b->blocks != NULL && b->forks == ow_prc_forks()) {
		if (!b->lent)
			ow_block_free(b->blocks, b->ref);
		ow_blocks_unpin(b->blocks);
	}
	free(b);
}
