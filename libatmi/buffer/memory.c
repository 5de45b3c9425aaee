/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - where a typed buffer lies: on the heap or in a block
 */
#include "libatmi/buffer/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/prc.h"
#include "libatmi/transport/block/block.h"

#define STORE_MIN 4096 /* a smaller buffer is copied as quickly */

static struct ow_blocks *store; /* NULL: all buffers are on the heap */

void ow_mem_set_store(struct ow_blocks *blocks)
{
	store = blocks;
}

/* ---- one freed descriptor for each thread ---- */

#ifdef __SANITIZE_ADDRESS__
#define KEEP_MAX 0 /* what is freed is to be found */
#else
#define KEEP_MAX 4096
#endif

/* A server has a buffer for each request and frees it: the next request gets
 * the same memory, which is often more than malloc() keeps for a thread. */
static OW_TLS_FAST struct ow_buf *kept;
static OW_TLS_FAST bool will_end; /* thread_ends() will be called */
static pthread_key_t exit_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* What ends later in this thread may free buffers: then it is called again. */
static void thread_ends(void *unused)
{
	(void)unused;
	will_end = false;
	free(kept);
	kept = NULL;
}

static void init_once(void)
{
	pthread_key_create(&exit_key, thread_ends);
}

__attribute__((noinline, cold)) static bool end_with_thread(void)
{
	pthread_once(&once, init_once);
	will_end = pthread_setspecific(exit_key, &exit_key) == 0;
	return will_end;
}

/* Of two the larger one is kept. */
static void give_back(struct ow_buf *b)
{
	if (b == NULL || b->room > KEEP_MAX ||
	    (kept != NULL && kept->room >= b->room) ||
	    (!will_end && !end_with_thread())) {
		free(b);
		return;
	}
	free(kept);
	kept = b;
}

__attribute__((noinline)) static struct ow_buf *allocate(size_t size)
{
	struct ow_buf *b = NULL;

	if (size <= (size_t)PTRDIFF_MAX - sizeof(*b))
		b = malloc(sizeof(*b) + size);
	if (b != NULL)
		b->room = size;
	return b;
}

/* A descriptor with `size` bytes behind it. */
static inline struct ow_buf *on_heap(size_t size)
{
	struct ow_buf *b = kept;

	if (b != NULL && b->room >= size)
		kept = NULL;
	else
		b = allocate(size);
	if (b == NULL)
		return NULL;
	b->key = b->data;
	b->blocks = NULL;
	b->lent = false;
	b->group = 0;
	return b;
}

struct ow_buf *ow_mem_descriptor(void)
{
	struct ow_buf *b = on_heap(0);

	if (b != NULL)
		b->view = NULL;
	return b;
}

/* A descriptor, with `size` bytes in a block of the store. */
static struct ow_buf *in_block(size_t size)
{
	struct ow_buf *b = on_heap(0);
	void *data;

	if (b == NULL)
		return NULL;
	if (ow_block_alloc(store, size, 0, &b->ref, &data) != 0) {
		give_back(b);
		return NULL;
	}
	b->key = data;
	b->blocks = ow_blocks_pin(store);
	b->forks = ow_prc_forks();
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
	ow_reg_enter(b);
	return b;
}

bool ow_mem_has_room(struct ow_buf *b, size_t size)
{
	if (b->blocks != NULL)
		return ow_block_back(b->blocks, b->ref, size) == 0;
	/* Large memory that is not needed any more goes back. */
	return size <= b->room && (store == NULL || size < STORE_MIN) &&
	       (b->room <= KEEP_MAX || size >= b->room / 2);
}

struct ow_buf *ow_mem_move(struct ow_buf *b, size_t size)
{
	struct ow_buf *n;

	if (b->blocks == NULL && (store == NULL || size < STORE_MIN)) {
		n = size > (size_t)PTRDIFF_MAX - sizeof(*b)
			? NULL
			: realloc(b, sizeof(*b) + size);
		if (n != NULL) {
			n->key = n->data;
			n->room = size;
		}
		return n;
	}
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
	give_back(b);
}
