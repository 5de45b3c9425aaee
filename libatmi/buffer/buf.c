/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.c - the registry of typed buffers
 *
 * A descriptor is linked into one of several hash tables by the user's
 * pointer. The user's bytes follow it in the same allocation, or lie in a
 * block of shared memory (buffer/registry.h).
 */
#include "libatmi/buffer/registry.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#include <ubf.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/forks.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/base/tls.h"
#include "libubf/store/check.h"
#include "libubf/store/pointers.h"

#define SHARDS	 16
#define HOME_MIN 4096 /* smaller ones are copied as quickly */

struct shard {
	pthread_mutex_t lock;
	struct buf *head;
	_Atomic uint64_t left; /* counts buffers that left, or moved */
} __attribute__((aligned(64)));

static struct shard shards[SHARDS] = {
	[0 ... SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

/* What this thread found last. A call asks for the same buffer several times;
 * as long as none has left its shard since, the answer is the same, without a
 * lock. */
static OW_TLS_FAST struct buf *last_found;
static OW_TLS_FAST const char *last_data;
static OW_TLS_FAST uint64_t last_left;

/* The buffer that came with the request this thread serves. It follows the
 * buffer through tprealloc() and forgets it when it is freed. */
static OW_TLS_FAST char *auto_data;

/* Where large buffers are made; NULL: on the heap. */
static struct ow_blocks *home;

/* Names by which buffers are allocated. Row order is row number. */
static const struct {
	const char *name, *alias;
	enum ow_buf_type type;
} rows[] = {
	{ "UBF", "FML", OW_BUF_UBF },
	{ "UBF32", "FML32", OW_BUF_UBF },
	{ "TPINIT", NULL, OW_BUF_TPINIT },
	{ "NULL", NULL, OW_BUF_NULL },
	{ "STRING", NULL, OW_BUF_STRING },
	{ "CARRAY", "X_OCTET", OW_BUF_CARRAY },
	{ "JSON", NULL, OW_BUF_JSON },
	{ "VIEW", "VIEW32", OW_BUF_VIEW },
};
#define NROWS ((int)(sizeof(rows) / sizeof(rows[0])))

int ow_buf_type_find(const char *name, int *ret_row)
{
	int i;

	for (i = 0; i < NROWS; i++) {
		if (strcmp(rows[i].name, name) == 0 ||
		    (rows[i].alias != NULL &&
		     strcmp(rows[i].alias, name) == 0)) {
			*ret_row = i;
			return (int)rows[i].type;
		}
	}
	return -1;
}

static int default_row(enum ow_buf_type type)
{
	int i;

	for (i = 0; i < NROWS; i++)
		if (rows[i].type == type)
			return i;
	return -1;
}

uint8_t ow_reg_default_row(enum ow_buf_type type)
{
	return (uint8_t)default_row(type);
}

static struct shard *shard_of(const char *data)
{
	return &shards[((uintptr_t)data >> 4) * UINT64_C(0x9e3779b97f4a7c15) >>
		       60];
}

/* A process with one thread, as most servers are, needs no lock. */
static void lock(struct shard *s)
{
	if (!__libc_single_threaded)
		pthread_mutex_lock(&s->lock);
}

static void unlock(struct shard *s)
{
	if (!__libc_single_threaded)
		pthread_mutex_unlock(&s->lock);
}

/* An entry that stays: uthash gives its table back with the last one, and a
 * server has one buffer at a time. */
static void anchor(struct shard *s)
{
	struct buf *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return;
	b->key = (char *)b;
	HASH_ADD_PTR(s->head, key, b);
	if (b->hh.tbl == NULL)
		free(b);
}

static bool is_last(const char *data, uint64_t left)
{
	return data == last_data && left == last_left && data != NULL;
}

static void note_last(struct buf *b, uint64_t left)
{
	last_data = b->key;
	last_left = left;
	last_found = b;
}

/* False: no memory for the table. */
bool ow_reg_enter(struct buf *b)
{
	struct shard *s = shard_of(b->key);

	lock(s);
	if (s->head == NULL)
		anchor(s);
	HASH_ADD_PTR(s->head, key, b);
	if (b->hh.tbl != NULL)
		note_last(b, s->left);
	unlock(s);
	return b->hh.tbl != NULL;
}

/* A child forked while another thread is in here finds the locks free and
 * the tables whole. */
static void lock_all(void)
{
	int i;

	for (i = 0; i < SHARDS; i++)
		pthread_mutex_lock(&shards[i].lock);
}

static void unlock_all(void)
{
	int i;

	for (i = 0; i < SHARDS; i++)
		pthread_mutex_unlock(&shards[i].lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}

struct buf *ow_reg_find(const char *data)
{
	struct shard *s = shard_of(data);
	uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);
	struct buf *b;

	if (is_last(data, left))
		return last_found;
	lock(s);
	HASH_FIND_PTR(s->head, &data, b);
	unlock(s);
	if (b != NULL)
		note_last(b, left);
	return b;
}

struct buf *ow_reg_leave(const char *data)
{
	struct shard *s = shard_of(data);
	struct buf *b = NULL;

	lock(s);
	if (is_last(data, s->left))
		b = last_found;
	else
		HASH_FIND_PTR(s->head, &data, b);
	if (b != NULL) {
		HASH_DEL(s->head, b);
		/* Under the lock: nobody else writes it. */
		atomic_store_explicit(&s->left, s->left + 1,
				      memory_order_release);
	}
	unlock(s);
	return b;
}

static size_t size_min(enum ow_buf_type type)
{
	return type == OW_BUF_UBF || type == OW_BUF_VIEW ? OW_BUF_SIZE_MIN_UBF
							 : OW_BUF_SIZE_MIN;
}

/* Memory for `size` bytes behind the descriptor. */
static struct buf *on_heap(size_t size)
{
	struct buf *b;

	if (size > (size_t)PTRDIFF_MAX - sizeof(*b))
		return NULL;
	b = malloc(sizeof(*b) + size);
	if (b == NULL)
		return NULL;
	b->key = b->data;
	b->blocks = NULL;
	b->lent = false;
	b->party = 0;
	return b;
}

/* The same in a block, where large buffers of servers lie. */
static struct buf *in_block(size_t size)
{
	struct buf *b = malloc(sizeof(*b));
	void *data;

	if (b == NULL)
		return NULL;
	if (ow_block_alloc(home, size, 0, &b->ref, &data) != 0) {
		free(b);
		return NULL;
	}
	b->key = data;
	b->blocks = ow_blocks_pin(home);
	b->forks = ow_prc_forks();
	b->lent = false;
	b->party = 0;
	return b;
}

struct buf *ow_reg_new(enum ow_buf_type type, int row, size_t size)
{
	struct buf *b = NULL;

	if (size < size_min(type))
		size = size_min(type);
	if (home != NULL && size >= HOME_MIN)
		b = in_block(size);
	if (b == NULL)
		b = on_heap(size);
	if (b == NULL)
		return NULL;
	b->size = size;
	b->view = NULL;
	b->type = (uint8_t)type;
	b->row = (uint8_t)(row >= 0 ? row : default_row(type));
	if (!ow_reg_enter(b)) {
		ow_reg_free(b);
		return NULL;
	}
	return b;
}

/* A block of the parent's is left alone by a forked child, one that is lent
 * by who has lent it. */
void ow_reg_free(struct buf *b)
{
	if (b != NULL && b->blocks != NULL && b->forks == ow_prc_forks()) {
		if (!b->lent)
			ow_block_free(b->blocks, b->ref);
		ow_blocks_unpin(b->blocks);
	}
	free(b);
}

char *ow_buf_new(enum ow_buf_type type, int row, size_t size)
{
	struct buf *b = ow_reg_new(type, row, size);

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
	struct buf *b = ow_reg_new(OW_BUF_VIEW, -1, size > least ? size : least);

	if (b == NULL)
		return NULL;
	b->view = view;
	memset(b->key, 0, b->size);
	ow_view_init(view, b->key);
	return b->key;
}

/* What lies in the buffer needs more than `size` bytes. */
static bool too_small(struct buf *b, size_t size)
{
	if (size >= b->size)
		return false;
	if (b->type == OW_BUF_VIEW)
		return b->view == NULL || size < ow_view_size(b->view);
	return b->type == OW_BUF_UBF && ow_ubf_resize(b->key, size) != 0;
}

/* `b` with room for `size` bytes, perhaps elsewhere; NULL: no memory, and `b`
 * is as it was. */
static struct buf *moved(struct buf *b, size_t size)
{
	struct buf *n;

	if (b->blocks == NULL && (home == NULL || size < HOME_MIN)) {
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
	n = home != NULL && size >= HOME_MIN ? in_block(size) : NULL;
	if (n == NULL)
		n = on_heap(size);
	if (n == NULL)
		return NULL;
	memcpy(n->key, b->key, b->size < size ? b->size : size);
	n->size = b->size;
	n->view = b->view;
	n->type = b->type;
	n->row = b->row;
	n->party = b->party;
	ow_reg_free(b);
	return n;
}

char *ow_buf_resize(char *data, size_t size, bool *ret_small)
{
	struct buf *b = ow_reg_leave(data), *n;

	*ret_small = false;
	if (b == NULL)
		return NULL;
	if (size < size_min((enum ow_buf_type)b->type))
		size = size_min((enum ow_buf_type)b->type);
	if (size == b->size) {
		ow_reg_enter(b);
		return data;
	}
	if (too_small(b, size)) {
		*ret_small = true;
		ow_reg_enter(b);
		return NULL;
	}
	n = moved(b, size);
	if (n == NULL) {
		if (b->type == OW_BUF_UBF)
			(void)ow_ubf_resize(b->key, b->size);
		ow_reg_enter(b);
		return NULL;
	}
	if (n->type == OW_BUF_UBF && size > n->size)
		(void)ow_ubf_resize(n->key, size);
	else if (n->type == OW_BUF_VIEW && size > n->size)
		memset(n->key + n->size, 0, size - n->size);
	n->size = size;
	ow_reg_enter(n);
	if (data == auto_data)
		auto_data = n->key;
	return n->key;
}

int ow_buf_find(const char *data, struct ow_buf_info *ret)
{
	struct buf *b = ow_reg_find(data);

	if (b == NULL)
		return -ENOENT;
	ret->type = (enum ow_buf_type)b->type;
	ret->size = b->size;
	ret->is_auto = data == auto_data;
	ret->type_name = rows[b->row].name;
	ret->view = b->view;
	ret->subtype = b->view != NULL ? ow_view_name(b->view) : "";
	return 0;
}

void ow_buf_set_auto(char *data)
{
	auto_data = data;
}

/* Out of the registry, to be freed; NULL if it is none of ours. */
static struct buf *discard(char *data)
{
	if (data == NULL)
		return NULL;
	if (data == auto_data)
		auto_data = NULL;
	return ow_reg_leave(data);
}

void ow_buf_free(char *data)
{
	ow_reg_free(discard(data));
}

/* Buffers on their way out, linked by what linked them in the registry. */
struct leaving {
	struct buf *list;
	uint64_t party; /* those of this party only; 0: whoever they are */
};

static void discard_pointee(void *ctx, void **pointer)
{
	struct leaving *l = ctx;
	struct buf *b;

	if (l->party != 0) {
		b = *pointer == NULL ? NULL : ow_reg_find(*pointer);
		if (b == NULL || b->party != l->party)
			return;
	}
	b = discard(*pointer);
	if (b == NULL)
		return;
	b->hh.next = l->list;
	l->list = b;
}

static void free_all(struct leaving *l)
{
	struct buf *b;

	while (l->list != NULL) {
		b = l->list;
		l->list = b->hh.next;
		if (b->type == OW_BUF_UBF)
			ow_ubf_each_pointer((UBFH *)(void *)b->key,
					    discard_pointee, l);
		ow_reg_free(b);
	}
}

void ow_buf_free_deep(char *data)
{
	struct leaving l = { .list = discard(data) };

	if (l.list != NULL)
		l.list->hh.next = NULL;
	free_all(&l);
}

void ow_reg_replace(char *data)
{
	struct leaving l = { .list = discard(data) };

	if (l.list == NULL)
		return;
	l.party = l.list->party;
	l.list->hh.next = NULL;
	if (l.party != 0)
		free_all(&l);
	else
		ow_reg_free(l.list);
}

void ow_reg_empty(char *data)
{
	struct leaving l = { 0 };
	struct buf *b;

	if (!ow_ubf_points((UBFH *)(void *)data))
		return;
	b = ow_reg_find(data);
	l.party = b->party;
	if (l.party == 0)
		return;
	b->party = 0; /* it stays, even if one of them points to it */
	ow_ubf_each_pointer((UBFH *)(void *)data, discard_pointee, &l);
	free_all(&l);
}

void ow_buf_free_auto(void)
{
	ow_reg_replace(auto_data);
	auto_data = NULL;
}

/* ---- in blocks ---- */

void ow_buf_set_home(struct ow_blocks *b)
{
	home = b;
}

uint64_t ow_buf_block(const char *data)
{
	struct buf *b = ow_reg_find(data);

	return b != NULL && b->blocks != NULL && b->forks == ow_prc_forks()
		   ? b->ref
		   : 0;
}

void ow_buf_give(char *data)
{
	struct buf *b;

	if (data == auto_data)
		auto_data = NULL;
	b = ow_reg_leave(data);
	if (b != NULL)
		b->lent = true; /* it is the message's now */
	ow_reg_free(b);
}
