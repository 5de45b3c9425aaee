/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - descriptors of typed buffers, found by the user's pointer
 *
 * Several hash tables with a lock each, so that threads rarely meet. Each
 * thread remembers the buffer that it found last, because a call looks the
 * same buffer up several times. That answer holds, without a lock, as long as
 * no buffer has left its shard since.
 */
#include "libatmi/buffer/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#include "libatmi/base/forks.h"
#include "libatmi/buffer/notes.h"

#define SHARDS 16

struct shard {
	pthread_mutex_t lock;
	struct ow_buf *head;
	_Atomic uint64_t left; /* counts buffers that left, or moved */
} __attribute__((aligned(64)));

static struct shard shards[SHARDS] = {
	[0 ... SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static OW_TLS_FAST struct ow_buf *last_found;
static OW_TLS_FAST const char *last_data;
static OW_TLS_FAST uint64_t last_left; /* of its shard at that time */

OW_TLS_FAST char *ow_reg_auto;

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

static bool is_last(const char *data, uint64_t left)
{
	return data == last_data && left == last_left && data != NULL;
}

static void note_last(struct ow_buf *b, uint64_t left)
{
	last_data = b->key;
	last_left = left;
	last_found = b;
}

/* Add an entry that stays: uthash frees its table with the last entry, and a
 * server often has one buffer at a time. Lock held. */
static void add_anchor(struct shard *s)
{
	struct ow_buf *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return;
	b->key = (char *)b;
	HASH_ADD_PTR(s->head, key, b);
	if (b->hh.tbl == NULL)
		free(b);
}

bool ow_reg_enter(struct ow_buf *b)
{
	struct shard *s = shard_of(b->key);

	lock(s);
	if (s->head == NULL)
		add_anchor(s);
	HASH_ADD_PTR(s->head, key, b);
	if (b->hh.tbl != NULL)
		note_last(b, s->left);
	unlock(s);
	return b->hh.tbl != NULL;
}

static inline struct ow_buf *look_up(struct shard *s, const char *data,
				     uint64_t left)
{
	struct ow_buf *b;

	lock(s);
	HASH_FIND_PTR(s->head, &data, b);
	unlock(s);
	if (b != NULL)
		note_last(b, left);
	return b;
}

/* Not inlined: the functions below then save no registers on their short
 * path. */
__attribute__((noinline)) static struct ow_buf *
find_plain(struct shard *s, const char *data, uint64_t left)
{
	return look_up(s, data, left);
}

__attribute__((noinline)) static struct ow_buf *
find_any(struct shard *s, const char *data, uint64_t left)
{
	struct ow_buf *b = look_up(s, data, left);
	const struct ow_note *n;

	if (b != NULL)
		return b;
	n = ow_notes_find(data);
	return n != NULL ? n->buf : NULL;
}

__attribute__((noinline)) static struct ow_buf *
find_stripped(struct shard *s, const char *data, uint64_t left)
{
	struct ow_buf *b = look_up(s, data, left);

	if (b != NULL || !ow_notes_any())
		return b;
	free(ow_reg_take_note(data));
	return look_up(s, data, left);
}

struct ow_buf *ow_reg_find(const char *data)
{
	struct shard *s = shard_of(data);
	uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);

	return is_last(data, left) ? last_found : find_any(s, data, left);
}

struct ow_buf *ow_reg_find_plain(const char *data)
{
	struct shard *s = shard_of(data);
	uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);

	return is_last(data, left) ? last_found : find_plain(s, data, left);
}

struct ow_buf *ow_reg_find_stripped(const char *data)
{
	struct shard *s = shard_of(data);
	uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);

	return is_last(data, left) ? last_found : find_stripped(s, data, left);
}

/* Take a buffer with a call header out; the header is freed. */
static struct ow_buf *leave_notes(const char *data)
{
	struct ow_note *n = ow_notes_take(data);
	struct ow_buf *b = n != NULL ? n->buf : NULL;

	free(n);
	return b;
}

struct ow_buf *ow_reg_leave(const char *data)
{
	struct shard *s = shard_of(data);
	struct ow_buf *b = NULL;

	lock(s);
	if (is_last(data, s->left))
		b = last_found;
	else
		HASH_FIND_PTR(s->head, &data, b);
	if (b != NULL) {
		HASH_DEL(s->head, b);
		/* The lock excludes other writers. */
		atomic_store_explicit(&s->left, s->left + 1,
				      memory_order_release);
	}
	unlock(s);
	return b != NULL ? b : leave_notes(data);
}

/* ---- call headers ---- */

struct ow_note *ow_reg_take_note(const char *data)
{
	struct ow_note *n = ow_notes_take(data);

	if (n != NULL)
		ow_reg_enter(n->buf);
	return n;
}

bool ow_reg_put_note(const char *data, struct ow_note *n)
{
	struct ow_buf *b = ow_reg_leave(data); /* and its old note */

	n->key = data;
	n->buf = b;
	if (b != NULL && ow_notes_put(n))
		return true;
	if (b != NULL)
		ow_reg_enter(b); /* no memory: it goes without */
	free(n);
	return false;
}

uint64_t ow_reg_next_group(void)
{
	static _Atomic uint64_t last;

	return atomic_fetch_add(&last, 1) + 1;
}

/* ---- fork: the child finds the locks free and the tables whole ---- */

static void lock_all(void)
{
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_lock(&shards[i].lock);
}

static void unlock_all(void)
{
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_unlock(&shards[i].lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}
