/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover.c - the owner of a block: allocated, handed over, freed
 */
#include "libatmi/base/atomics.h"
#include "libatmi/transport/block/block.h"

#include <errno.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/store.h"
#include "libatmi/wire/msg.h"

_Static_assert(sizeof(struct ow_msg) <= OW_BLOCK_HEAD, "a header fits");

/* ---- allocation ---- */

/* CACHED -> HELD, with a new generation. */
static uint64_t hold(struct ow_blocks *b, int c, uint32_t i, uint32_t prc,
		     uint64_t len, uint64_t deadline_ns)
{
	struct block *blk = &b->block[c][i];
	uint64_t gen = state_gen(blk->state) + 1;

	ow_store_relaxed(&blk->len, len);
	ow_store_relaxed(&blk->deadline_ns, deadline_ns);
	ow_store_relaxed(&blk->orphan_ns, 0);
	ow_store_relaxed(&blk->address, 0);
	OW_FAULT("block.hold");
	atomic_store_explicit(&blk->state,
			      state_make(OW_BLOCK_HELD, prc, gen),
			      memory_order_release);
	OW_FAULT("block.held");
	return ref_make(c, i, gen);
}

/* Take a block of class `c` with memory for `need` bytes. */
static int alloc_class(struct ow_blocks *b, int c, uint32_t prc,
		       uint64_t need, uint32_t *ret_i)
{
	int r = ow_class_need(b, c, true);

	if (r != 0)
		return r;
	r = ow_cache_take(b, c, prc, ret_i);
	if (r != 0)
		return r;
	r = ow_class_back(b, c, *ret_i, need);
	if (r != 0)
		ow_class_give(b, c, *ret_i);
	return r;
}

/* The same of class `*c`, or of a larger class if `*c` is used up. */
static inline int alloc_from(struct ow_blocks *b, int *c, uint32_t prc,
		      uint64_t need, uint32_t *ret_i)
{
	int last = *c + 2, r;

	while ((r = alloc_class(b, *c, prc, need, ret_i)) == OW_BLOCK_FULL &&
	       *c < last && *c < OW_BLOCK_CLASSES - 1)
		++*c;
	return r;
}

int ow_block_alloc(struct ow_blocks *b, uint64_t len, uint64_t deadline_ns,
		   uint64_t *ret_ref, void **ret_data)
{
	uint32_t i = 0, prc = ow_prc_self(b->tables);
	uint64_t need = len + OW_BLOCK_HEAD;
	int c = 0, first, r;

	if (prc == 0 || need < len)
		return OW_BLOCK_FULL;
	while (c < OW_BLOCK_CLASSES && ow_class_size(c) < need)
		c++;
	if (c == OW_BLOCK_CLASSES || len > UINT64_C(4) << 30)
		return OW_BLOCK_FULL;
	first = c;
	r = alloc_from(b, &c, prc, need, &i);
	if (r == OW_BLOCK_FULL && ow_blocks_reclaim(b)) {
		c = first;
		r = alloc_from(b, &c, prc, need, &i);
	}
	if (r != 0)
		return r;
	*ret_ref = hold(b, c, i, prc, len, deadline_ns);
	*ret_data = class_data(b, c, i) + OW_BLOCK_HEAD;
	return 0;
}

struct ow_msg *ow_block_msg(struct ow_blocks *b, uint64_t ref)
{
	struct block *blk;
	uint32_t i;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL || atomic_load(&blk->backed) < OW_BLOCK_HEAD)
		return NULL;
	return (struct ow_msg *)class_data(b, c, i);
}

size_t ow_block_room(struct ow_blocks *b, uint64_t ref)
{
	uint32_t i;
	int c;

	if (ow_block_resolve(b, ref, &c, &i) == NULL)
		return 0;
	return ow_class_size(c) - OW_BLOCK_HEAD;
}

int ow_block_back(struct ow_blocks *b, uint64_t ref, uint64_t len)
{
	struct block *blk;
	uint32_t i;
	int c, r;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL || len > ow_class_size(c) - OW_BLOCK_HEAD)
		return OW_BLOCK_FULL;
	if (ow_load_relaxed(&blk->len) >= len &&
	    ow_load_relaxed(&blk->backed) >= len + OW_BLOCK_HEAD)
		return 0; /* as its sender has left it */
	r = ow_class_back(b, c, i, len + OW_BLOCK_HEAD);
	if (r == OW_BLOCK_FULL && ow_blocks_reclaim(b))
		r = ow_class_back(b, c, i, len + OW_BLOCK_HEAD);
	if (r == 0 && atomic_load(&blk->len) < len)
		atomic_store(&blk->len, len);
	return r;
}

/* ---- handing over ---- */

static bool is_readable(struct block *blk, int c, uint64_t len)
{
	return len <= ow_class_size(c) - OW_BLOCK_HEAD &&
	       len <= atomic_load(&blk->len) &&
	       len + OW_BLOCK_HEAD <= atomic_load(&blk->backed);
}

/* Its former owner's death, and where it went with its last message. */
static inline void forget_past(struct block *blk)
{
	if (ow_load_relaxed(&blk->orphan_ns) != 0)
		atomic_store(&blk->orphan_ns, 0);
	if (ow_load_relaxed(&blk->address) != 0)
		atomic_store(&blk->address, 0);
}

void *ow_block_adopt(struct ow_blocks *b, uint64_t ref, uint64_t len)
{
	uint32_t i, prc = ow_prc_self(b->tables);
	struct block *blk;
	uint64_t s;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL || !is_readable(blk, c, len))
		return NULL;
	s = atomic_load(&blk->state);
	/* As HELD by this process the sweep does not free it. */
	while (state_prc(s) != prc) {
		if (state_kind(s) != OW_BLOCK_HELD ||
		    (state_gen(s) & 0xffffff) != ((ref >> 32) & 0xffffff))
			return NULL;
		OW_FAULT("block.adopt");
		if (atomic_compare_exchange_strong(
			&blk->state, &s,
			state_make(OW_BLOCK_HELD, prc, state_gen(s))))
			break;
	}
	OW_FAULT("block.adopted");
	forget_past(blk);
	return class_data(b, c, i) + OW_BLOCK_HEAD;
}

void *ow_block_open(struct ow_blocks *b, uint64_t ref, struct ow_msg *ret_head,
		    uint64_t *ret_most)
{
	uint64_t most, backed;
	struct block *blk;
	uint32_t i;
	char *data;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL)
		return NULL;
	backed = atomic_load(&blk->backed);
	if (backed > ow_class_size(c))
		backed = ow_class_size(c);
	if (backed < OW_BLOCK_HEAD)
		return NULL;
	data = class_data(b, c, i);
	memcpy(ret_head, data, sizeof(*ret_head));
	most = atomic_load(&blk->len);
	*ret_most = most < backed - OW_BLOCK_HEAD ? most
						  : backed - OW_BLOCK_HEAD;
	OW_FAULT("block.adopted");
	forget_past(blk);
	return data + OW_BLOCK_HEAD;
}

void ow_block_address(struct ow_blocks *b, uint64_t ref, uint64_t address)
{
	struct block *blk;
	uint32_t i;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk != NULL &&
	    state_prc(atomic_load(&blk->state)) == ow_prc_self(b->tables))
		atomic_store(&blk->address, address);
	OW_FAULT("block.address");
}

void ow_block_recall(struct ow_blocks *b, uint64_t ref)
{
	uint32_t i, prc = ow_prc_self(b->tables);
	struct block *blk;
	uint64_t s;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL || prc == 0)
		return;
	s = atomic_load(&blk->state);
	if ((state_kind(s) != OW_BLOCK_MAILED &&
	     state_kind(s) != OW_BLOCK_NOTED) ||
	    (state_gen(s) & 0xffffff) != ((ref >> 32) & 0xffffff))
		return;
	OW_FAULT("block.recall");
	if (atomic_compare_exchange_strong(
		&blk->state, &s,
		state_make(OW_BLOCK_HELD, prc, state_gen(s))))
		ow_block_free(b, ref);
}

void ow_block_withdraw(struct ow_blocks *b, uint64_t ref, uint32_t prc)
{
	struct block *blk;
	uint64_t s;
	uint32_t i;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL || prc == 0)
		return;
	s = atomic_load(&blk->state);
	if (state_kind(s) != OW_BLOCK_HELD || state_prc(s) != prc ||
	    (state_gen(s) & 0xffffff) != ((ref >> 32) & 0xffffff))
		return;
	OW_FAULT("block.withdraw");
	atomic_compare_exchange_strong(
	    &blk->state, &s, state_make(OW_BLOCK_TAKEN, prc, state_gen(s)));
	OW_FAULT("block.withdrawn");
}

void ow_block_free(struct ow_blocks *b, uint64_t ref)
{
	struct block *blk;
	uint64_t s, gen;
	uint32_t i, prc;
	int c;

	if (ow_load_relaxed(&b->closed))
		return; /* the domain is gone, and its tables with it */
	prc = ow_prc_self(b->tables);
	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL || prc == 0)
		return;
	s = ow_load_relaxed(&blk->state);
	gen = state_gen(s);
	if ((state_kind(s) != OW_BLOCK_HELD &&
	     state_kind(s) != OW_BLOCK_TAKEN &&
	     (state_kind(s) != OW_BLOCK_MAILED || state_prc(s) != prc)) ||
	    (gen & 0xffffff) != ((ref >> 32) & 0xffffff))
		return;
	/* A block of another process (posix: received, not adopted), or a
	 * message that could not be delivered: of two processes that free it,
	 * one succeeds. */
	if ((state_prc(s) != prc || state_kind(s) == OW_BLOCK_MAILED) &&
	    !atomic_compare_exchange_strong(
		&blk->state, &s, state_make(OW_BLOCK_HELD, prc, gen)))
		return;
	OW_FAULT("block.free");
	if (!ow_cache_keep(b, c, prc, i))
		ow_class_give(b, c, i);
}

/* ---- messages that are blocks ---- */

static inline __attribute__((always_inline)) enum ow_block_kind
post(struct ow_blocks *b, uint64_t ref, const struct ow_msg *m,
     enum ow_block_kind kind)
{
	uint32_t i, prc = ow_prc_self(b->tables);
	struct ow_msg *head;
	struct block *blk;
	uint64_t s, gen;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL)
		return OW_BLOCK_FREE;
	s = ow_load_relaxed(&blk->state);
	if (state_prc(s) != prc || (state_kind(s) != OW_BLOCK_HELD &&
				    state_kind(s) != OW_BLOCK_TAKEN))
		return OW_BLOCK_FREE;
	if (m != NULL) {
		if (ow_load_relaxed(&blk->backed) < OW_BLOCK_HEAD)
			return OW_BLOCK_FREE;
		head = (struct ow_msg *)class_data(b, c, i);
		memcpy(head, m, sizeof(*head));
		head->block = ref;
		OW_FAULT("send.loaded");
	}
	gen = state_gen(s) + OW_GEN_POST;
	atomic_store_explicit(&blk->state, state_make(kind, prc, gen),
			      memory_order_release);
	return state_kind(s);
}

enum ow_block_kind ow_block_post(struct ow_blocks *b, uint64_t ref,
				 enum ow_block_kind kind)
{
	return post(b, ref, NULL, kind);
}

enum ow_block_kind ow_block_post_msg(struct ow_blocks *b, uint64_t ref,
				     const struct ow_msg *m,
				     enum ow_block_kind kind)
{
	return post(b, ref, m, kind);
}

void ow_block_unpost(struct ow_blocks *b, uint64_t ref,
		     enum ow_block_kind was)
{
	uint32_t i, prc = ow_prc_self(b->tables);
	struct block *blk;
	uint64_t s;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL)
		return;
	s = ow_load_relaxed(&blk->state);
	if (state_prc(s) == prc)
		atomic_store_explicit(&blk->state,
				      state_make(was, prc, state_gen(s)),
				      memory_order_release);
}

void ow_block_prefetch(const struct ow_blocks *b, uint64_t cell)
{
	uint32_t i = (uint32_t)cell & 0xfffff;
	int c = (int)(cell >> 40 & 0xf) - 1;
	const char *data;

	if ((unsigned int)c >= OW_BLOCK_CLASSES ||
	    i >= ow_load_acquire(&b->seen[c]))
		return;
	__builtin_prefetch(ow_load_relaxed(&b->block[c]) + i, 1);
	data = ow_load_relaxed(&b->data[c]) + i * ow_class_size(c);
	__builtin_prefetch(data);
	__builtin_prefetch(data + 64);
	__builtin_prefetch(data + OW_BLOCK_HEAD);
}

static bool is_in(struct ow_blocks *b, uint64_t ref, uint64_t *ret_state)
{
	struct block *blk;
	uint32_t i;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL)
		return false;
	*ret_state = atomic_load(&blk->state);
	return true;
}

bool ow_block_is(struct ow_blocks *b, uint64_t ref, enum ow_block_kind kind)
{
	uint64_t s;

	return is_in(b, ref, &s) && state_kind(s) == kind;
}

bool ow_block_is_of(struct ow_blocks *b, uint64_t ref, enum ow_block_kind kind,
		    uint32_t prc)
{
	uint64_t s;

	return is_in(b, ref, &s) && state_kind(s) == kind &&
	       state_prc(s) == prc;
}
