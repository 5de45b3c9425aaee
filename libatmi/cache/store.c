/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - the replies that are kept, in rings of shared memory
 *
 * The hash of a key chooses one of 16 shards, and there a set of four slots. A
 * slot names an entry in the ring of the shard. Entries lie in the ring in the
 * order of writing; when it is full, the oldest go.
 *
 * A writer owns its shard. It never waits for another one, and never takes the
 * shard from a process that lives: a reply may always stay unkept. Step by
 * step, and what a kill leaves:
 *	owner	  by compare-and-swap. Killed: the next writer finds a dead owner
 *		  and becomes the owner; nothing is to be repaired.
 *	slots	  of the entries that must go are cleared, one store each.
 *	tail	  moves behind each of them. Killed: a smaller cache.
 *	bytes	  of the new entry, in room that no slot names and no reader
 *		  trusts: it is before `tail`. Killed: free room.
 *	head	  moves behind it. Killed: an entry that no slot names; it goes
 *		  when the ring comes round.
 *	slot	  is stored. From now on the entry is found.
 *
 * A reader takes no lock. It copies an entry, then looks whether `tail` has
 * passed it: if so, the copy may be of two entries, and counts as nothing.
 * Positions never go back, so a slot never names a later entry by mistake. The
 * copy is compared with the whole key.
 */
#include "libatmi/cache/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/pieces.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"
#include "libubf/base/uncancelled.h"

#define TAG_BITS 16

/* ---- the parts of a shard ---- */

/* A shard as this process sees it. */
struct shard {
	struct cache_shard *w; /* its words */
	struct cache_slots *slots;
	char *ring;
	uint32_t number;
};

static int shard_of(struct ow_cache *c, uint64_t hash, struct shard *ret)
{
	uint32_t n = (uint32_t)(hash % CACHE_SHARDS);
	char *piece = ow_piece(c->map.pieces, n);

	if (piece == NULL)
		return -ENOMEM;
	*ret = (struct shard){ .w = &cache_head(c)->shard[n],
			       .slots = (struct cache_slots *)piece,
			       .ring = piece + sizeof(struct cache_slots),
			       .number = n };
	return 0;
}

/* The first slot of the set of a hash. */
static uint32_t set_of(uint64_t hash)
{
	return (uint32_t)(hash / CACHE_SHARDS % (CACHE_SLOTS / CACHE_WAYS)) *
	       CACHE_WAYS;
}

static uint64_t slot_word(uint64_t pos, uint64_t hash)
{
	return (pos / CACHE_UNIT + 1) << TAG_BITS | hash >> (64 - TAG_BITS);
}

static uint64_t pos_of(uint64_t word)
{
	return ((word >> TAG_BITS) - 1) * CACHE_UNIT;
}

static struct cache_entry *entry_at(const struct shard *s, uint64_t pos,
				    uint64_t ring)
{
	return (struct cache_entry *)(s->ring + pos % ring);
}

/* Entries are copied word by word: readers and a writer may meet, and then
 * nobody trusts what was read. */
static void copy_words(void *to, const void *from, size_t bytes)
{
	uint64_t *t = to;
	const uint64_t *f = from;

	for (; bytes >= sizeof(*t); bytes -= sizeof(*t), t++, f++)
		__atomic_store_n(t, __atomic_load_n(f, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static size_t payload_at(const struct cache_entry *e)
{
	return sizeof(*e) + round_up(e->key_len, 16);
}

/* ---- read ---- */

static int reserve(struct ow_cache_memory *room, size_t size)
{
	void *bytes;

	if (room->size >= size)
		return 0;
	bytes = realloc(room->bytes, size);
	if (bytes == NULL)
		return -ENOMEM;
	room->bytes = bytes;
	room->size = size;
	return 0;
}

/* Is the entry at `pos` still there, after something of it was read? */
static bool is_there(const struct shard *s, uint64_t pos)
{
	atomic_thread_fence(memory_order_acquire);
	return pos >= ow_load_relaxed(&s->w->tail);
}

/* A copy of the entry that a slot names, whole: 0, ABSENT, -ENOMEM. */
static int fetch(const struct shard *s, uint64_t pos,
		 struct ow_cache_memory *room)
{
	uint64_t ring = atomic_load(&s->w->ring);
	const struct cache_entry *e = entry_at(s, pos, ring);
	uint32_t size = __atomic_load_n(&e->size, __ATOMIC_RELAXED);
	int r;

	if (!is_there(s, pos) || size < CACHE_UNIT || size > ring ||
	    pos % ring + size > ring)
		return OW_CACHE_ABSENT;
	r = reserve(room, size);
	if (r != 0)
		return r;
	copy_words(room->bytes, e, size);
	if (!is_there(s, pos))
		return OW_CACHE_ABSENT;
	e = room->bytes;
	return e->key_len <= size && payload_at(e) + e->len <= size
		   ? 0 : OW_CACHE_ABSENT;
}

static bool has_key(const struct cache_entry *e, const struct ow_cache_key *key)
{
	return e->row == key->row && e->epoch == key->epoch &&
	       e->key_len == key->len &&
	       memcmp(e + 1, key->bytes, key->len) == 0;
}

int ow_cache_look(struct ow_domain *d, const struct ow_cache_key *key,
		  uint64_t now_ns, struct ow_cache_memory *room,
		  struct ow_cache_reply *ret)
{
	const struct cache_entry *e;
	uint32_t i, set = set_of(key->hash);
	struct shard s;
	uint64_t word;
	int r = 0;

	if (shard_of(cache_of(d), key->hash, &s) != 0 ||
	    atomic_load(&s.w->ring) == 0)
		return OW_CACHE_ABSENT;
	for (i = 0; i < CACHE_WAYS && r >= 0; i++) {
		word = atomic_load(&s.slots->slot[set + i]);
		if (word == 0 || slot_word(pos_of(word), key->hash) != word)
			continue;
		r = fetch(&s, pos_of(word), room);
		e = room->bytes;
		if (r != 0 || !has_key(e, key) || e->expires_ns <= now_ns)
			continue;
		*ret = (struct ow_cache_reply){
			.buftype = e->buftype,
			.sub_len = e->sub_len,
			.urcode = e->urcode,
			.payload = (const char *)e + payload_at(e),
			.len = e->len,
		};
		return 0;
	}
	return r < 0 ? r : OW_CACHE_ABSENT;
}

uint64_t ow_cache_bytes(struct ow_domain *d)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < CACHE_SHARDS; i++)
		n += atomic_load(&cache_head(cache_of(d))->shard[i].ring);
	return n;
}

/* ---- write ---- */

/* Become the owner of the shard; false: another thread or process is. */
static bool own(const struct shard *s)
{
	ow_proc_id self = ow_proc_id_self(), was = 0;

	if (self == 0)
		return false;
	if (atomic_compare_exchange_strong(&s->w->owner, &was, self))
		return true;
	return was != self && !ow_proc_id_alive(was) &&
	       atomic_compare_exchange_strong(&s->w->owner, &was, self);
}

static void disown(const struct shard *s)
{
	OW_FAULT("cache.disown");
	atomic_store(&s->w->owner, 0);
}

/* Reserve bytes for the ring, up to `to`, or as far as there is memory. Not
 * once it has come round: positions lie modulo its size. */
static void grow(const struct ow_cache *c, const struct shard *s, uint64_t to)
{
	uint64_t ring = atomic_load(&s->w->ring);
	uint64_t at = CACHE_HEAD_SIZE + s->number * CACHE_PIECE;
	uint64_t bytes = round_up(to, CACHE_GROW);

	if (bytes > CACHE_RING)
		bytes = CACHE_RING;
	if (bytes <= ring || atomic_load(&s->w->head) > ring ||
	    ow_segment_reserve(c->map.fd, at,
			       sizeof(struct cache_slots) + bytes) != 0)
		return;
	OW_FAULT("cache.reserved");
	atomic_store(&s->w->ring, bytes);
}

/* The oldest entries go until `bytes` behind `head` are free. */
static void make_room(const struct shard *s, uint64_t ring, uint64_t bytes)
{
	uint64_t head = atomic_load(&s->w->head);
	uint64_t tail = atomic_load(&s->w->tail), word;
	const struct cache_entry *e;

	while (tail + ring < head + bytes) {
		e = entry_at(s, tail, ring);
		if (e->slot < CACHE_SLOTS) {
			word = atomic_load(&s->slots->slot[e->slot]);
			if (word == slot_word(tail, e->hash))
				atomic_store(&s->slots->slot[e->slot], 0);
		}
		OW_FAULT("cache.slot_cleared");
		tail = e->size >= CACHE_UNIT && e->size <= head - tail
			   ? tail + e->size : head; /* damaged: all go */
		atomic_store(&s->w->tail, tail);
		OW_FAULT("cache.tail");
	}
	atomic_thread_fence(memory_order_seq_cst);
}

/* Room for an entry without a break: what is left at the end of the ring
 * becomes an entry that no slot names. */
static void skip_end(const struct shard *s, uint64_t ring, uint64_t size)
{
	struct cache_entry pad = { .slot = CACHE_SLOTS };
	uint64_t head = atomic_load(&s->w->head);

	if (head % ring + size <= ring)
		return;
	pad.size = (uint32_t)(ring - head % ring);
	make_room(s, ring, pad.size);
	copy_words(entry_at(s, head, ring), &pad, sizeof(pad));
	OW_FAULT("cache.skipped");
	atomic_store(&s->w->head, head + pad.size);
}

static bool is_same_key(const struct shard *s, uint64_t ring, uint64_t word,
			const struct ow_cache_key *key)
{
	const struct cache_entry *e = entry_at(s, pos_of(word), ring);

	return slot_word(pos_of(word), key->hash) == word &&
	       pos_of(word) >= atomic_load(&s->w->tail) && e->row == key->row && e->key_len == key->len &&
	       memcmp(e + 1, key->bytes, key->len) == 0;
}

/* The slot for an entry: that of an older one with its key, else a free one,
 * else that of the oldest of the set. */
static uint32_t choose(const struct shard *s, uint64_t ring,
		       const struct ow_cache_key *key)
{
	uint32_t i, at, set = set_of(key->hash), best = set;
	uint64_t word, lowest = UINT64_MAX;

	for (i = 0; i < CACHE_WAYS; i++) {
		at = set + i;
		word = atomic_load(&s->slots->slot[at]);
		if (word != 0 && is_same_key(s, ring, word, key))
			return at;
		if (word >> TAG_BITS < lowest) {
			lowest = word >> TAG_BITS;
			best = at;
		}
	}
	return best;
}

/* Copy bytes whose number is no multiple of a word. */
static void copy_bytes(char *to, const void *from, size_t len)
{
	size_t whole = len & ~(size_t)7;
	uint64_t last = 0;

	if (((uintptr_t)from & 7) != 0) { /* not where words lie */
		for (size_t i = 0; i < len; i++)
			__atomic_store_n(to + i, ((const char *)from)[i],
					 __ATOMIC_RELAXED);
		return;
	}
	copy_words(to, from, whole);
	if (len > whole) {
		memcpy(&last, (const char *)from + whole, len - whole);
		copy_words(to + whole, &last, sizeof(last));
	}
}

static void write_entry(const struct shard *s, uint64_t ring,
			const struct cache_entry *e,
			const struct ow_cache_key *key,
			const struct ow_cache_reply *reply)
{
	uint64_t head = atomic_load(&s->w->head);
	char *at = (char *)entry_at(s, head, ring);

	copy_words(at, e, sizeof(*e));
	OW_FAULT("cache.half");
	copy_bytes(at + sizeof(*e), key->bytes, key->len);
	copy_bytes(at + payload_at(e), reply->payload, reply->len);
	OW_FAULT("cache.written");
	atomic_store(&s->w->head, head + e->size);
	OW_FAULT("cache.head");
	atomic_store(&s->slots->slot[e->slot], slot_word(head, e->hash));
	OW_FAULT("cache.found");
}

static int keep(const struct ow_cache *c, const struct shard *s,
		struct cache_entry *e, const struct ow_cache_key *key,
		const struct ow_cache_reply *reply)
{
	uint64_t ring = atomic_load(&s->w->ring);
	uint64_t end = atomic_load(&s->w->head) + e->size;

	/* An entry takes a quarter of a ring at most. */
	if (end > ring || ring < 4 * (uint64_t)e->size) {
		grow(c, s, end > 4 * (uint64_t)e->size ? end : 4 * e->size);
		ring = atomic_load(&s->w->ring);
	}
	if (ring < 4 * (uint64_t)e->size)
		return OW_CACHE_BUSY;
	skip_end(s, ring, e->size);
	make_room(s, ring, e->size);
	e->slot = choose(s, ring, key);
	write_entry(s, ring, e, key, reply);
	return 0;
}

int ow_cache_put(struct ow_domain *d, const struct ow_cache_key *key,
		  uint64_t expires_ns, const struct ow_cache_reply *reply)
{
	OW_UNCANCELLED;
	struct cache_entry e = {
		.hash = key->hash,
		.expires_ns = expires_ns,
		.epoch = key->epoch,
		.urcode = reply->urcode,
		.row = key->row,
		.key_len = (uint32_t)key->len,
		.len = (uint32_t)reply->len,
		.buftype = reply->buftype,
		.sub_len = reply->sub_len,
	};
	struct shard s;
	int r;

	if (key->len > OW_CACHE_KEY_MAX || reply->len > OW_CACHE_MAX ||
	    payload_at(&e) + reply->len > OW_CACHE_MAX ||
	    shard_of(cache_of(d), key->hash, &s) != 0 || !own(&s))
		return OW_CACHE_BUSY;
	e.size = (uint32_t)round_up(payload_at(&e) + reply->len, CACHE_UNIT);
	r = keep(cache_of(d), &s, &e, key, reply);
	disown(&s);
	return r;
}
