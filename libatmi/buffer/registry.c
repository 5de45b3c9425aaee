/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - descriptors of typed buffers, found by the user's pointer
 *
 * Several hash tables with a lock each, so that threads rarely meet. Each
 * thread remembers the buffer that it found last, because a call looks the
 * same buffer up several times, and the one before, because request and reply
 * may lie in two. That answer holds, without a lock, as long as no buffer has left
 * its shard since.
 */
#include "libatmi/buffer/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#include "libatmi/base/forks.h"
#include "libatmi/buffer/notes.h"

#define SHARDS 16
#define FIRST  8u /* chains of a shard at the beginning; a power of two */

/* A hash table whose chains go through ow_buf.next. Few programs have more than
 * some buffers, and a server enters one and takes it out with each call: the
 * first chains need no memory, and a table grows, but never shrinks. */
struct shard {
	pthread_mutex_t lock;
	struct ow_buf **chains; /* NULL: `first` */
	uint32_t mask, count;	/* chains - 1; buffers */
	_Atomic uint64_t left;	/* counts buffers that left, or moved */
	struct ow_buf *first[FIRST];
} __attribute__((aligned(64)));

static struct shard shards[SHARDS] = {
	[0 ... SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER,
			       .mask = FIRST - 1 },
};

struct seen {
	const char *data;
	struct shard *shard; /* its own */
	uint64_t left;	     /* of the shard at that time */
	struct ow_buf *found;
};

static OW_TLS_FAST struct seen last = { .shard = shards };
static OW_TLS_FAST struct seen before = { .shard = shards };

OW_TLS_FAST char *ow_reg_auto;

static inline uint64_t hash_of(const char *data)
{
	return ((uintptr_t)data >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline struct shard *shard_of(uint64_t hash)
{
	return &shards[hash >> 60];
}

/* By other bits than the shard. */
static inline struct ow_buf **chain_of(struct shard *s, uint64_t hash)
{
	struct ow_buf **chains = s->chains != NULL ? s->chains : s->first;

	return &chains[hash >> 28 & s->mask];
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

/* NULL is the last one until there is another: none is found then. */
static inline bool is(const struct seen *s, const char *data)
{
	return data == s->data &&
	       atomic_load_explicit(&s->shard->left, memory_order_acquire) ==
		       s->left;
}

static inline bool is_last(const char *data)
{
	return is(&last, data);
}

/* The one before becomes the last one. */
static inline struct ow_buf *turn(void)
{
	struct seen was = last;

	last = before;
	before = was;
	return last.found;
}

static inline void note_last(struct ow_buf *b, struct shard *s, uint64_t left)
{
	last.data = b->key;
	last.shard = s;
	last.left = left;
	last.found = b;
}

static inline void push(struct shard *s, struct ow_buf *b, uint64_t hash)
{
	struct ow_buf **at = chain_of(s, hash);

	b->next = *at;
	*at = b;
}

/* Have twice as many chains. Without memory for them the old ones stay, and
 * lookups take longer. Lock held. */
__attribute__((noinline, cold)) static void grow(struct shard *s)
{
	struct ow_buf **old = s->chains != NULL ? s->chains : s->first, *b;
	uint32_t n = s->mask + 1, i;
	struct ow_buf **chains = n > UINT32_MAX / 4
					 ? NULL
					 : calloc(2 * (size_t)n, sizeof(*old));

	if (chains == NULL)
		return;
	s->chains = chains;
	s->mask = 2 * n - 1;
	for (i = 0; i < n; i++)
		while ((b = old[i]) != NULL) {
			old[i] = b->next;
			push(s, b, hash_of(b->key));
		}
	if (old != s->first)
		free(old);
}

static inline void enter(struct shard *s, struct ow_buf *b, uint64_t hash)
{
	push(s, b, hash);
	note_last(b, s, atomic_load_explicit(&s->left, memory_order_relaxed));
	if (__builtin_expect(s->count++ > s->mask, 0))
		grow(s);
}

__attribute__((noinline)) static void
enter_locked(struct shard *s, struct ow_buf *b, uint64_t hash)
{
	lock(s);
	enter(s, b, hash);
	unlock(s);
}

void ow_reg_enter(struct ow_buf *b)
{
	uint64_t hash = hash_of(b->key);
	struct shard *s = shard_of(hash);

	if (__libc_single_threaded)
		enter(s, b, hash);
	else
		enter_locked(s, b, hash);
}

static inline struct ow_buf *look_up(const char *data)
{
	uint64_t hash = hash_of(data), left;
	struct shard *s = shard_of(hash);
	struct ow_buf *b;

	if (is(&before, data))
		return turn();
	left = atomic_load_explicit(&s->left, memory_order_acquire);
	lock(s);
	for (b = *chain_of(s, hash); b != NULL && b->key != data; b = b->next)
		;
	unlock(s);
	if (b == NULL)
		return NULL;
	before = last;
	note_last(b, s, left);
	return b;
}

/* Not inlined: the functions below then save no registers on their short
 * path. */
__attribute__((noinline)) static struct ow_buf *find_plain(const char *data)
{
	return look_up(data);
}

__attribute__((noinline)) static struct ow_buf *find_any(const char *data)
{
	struct ow_buf *b = look_up(data);
	const struct ow_note *n;

	if (b != NULL)
		return b;
	n = ow_notes_find(data);
	return n != NULL ? n->buf : NULL;
}

__attribute__((noinline)) static struct ow_buf *find_stripped(const char *data)
{
	struct ow_buf *b = look_up(data);

	if (b != NULL || !ow_notes_any())
		return b;
	free(ow_reg_take_note(data));
	return look_up(data);
}

struct ow_buf *ow_reg_find(const char *data)
{
	return is_last(data) ? last.found : find_any(data);
}

struct ow_buf *ow_reg_find_plain(const char *data)
{
	return is_last(data) ? last.found : find_plain(data);
}

struct ow_buf *ow_reg_find_stripped(const char *data)
{
	return is_last(data) ? last.found : find_stripped(data);
}

/* Take a buffer with a call header out; the header is freed. */
static struct ow_buf *leave_notes(const char *data)
{
	struct ow_note *n = ow_notes_take(data);
	struct ow_buf *b = n != NULL ? n->buf : NULL;

	free(n);
	return b;
}

static inline struct ow_buf *leave(struct shard *s, const char *data,
				   uint64_t hash)
{
	struct ow_buf **at, *b;

	for (at = chain_of(s, hash); *at != NULL && (*at)->key != data;)
		at = &(*at)->next;
	b = *at;
	if (b != NULL) {
		*at = b->next;
		s->count--;
		/* The lock excludes other writers. */
		atomic_store_explicit(
			&s->left,
			atomic_load_explicit(&s->left, memory_order_relaxed) + 1,
			memory_order_release);
	}
	return b;
}

__attribute__((noinline)) static struct ow_buf *
leave_locked(struct shard *s, const char *data, uint64_t hash)
{
	struct ow_buf *b;

	lock(s);
	b = leave(s, data, hash);
	unlock(s);
	return b != NULL ? b : leave_notes(data);
}

struct ow_buf *ow_reg_leave(const char *data)
{
	uint64_t hash = hash_of(data);
	struct shard *s = shard_of(hash);
	struct ow_buf *b;

	if (!__libc_single_threaded)
		return leave_locked(s, data, hash);
	b = leave(s, data, hash);
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
	static _Atomic uint64_t given;

	return atomic_fetch_add(&given, 1) + 1;
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
