/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - find what the dead have left in the store
 *
 * Walks all descriptors that were ever used. Any process may do so at any
 * time, several at once: every change is one compare-and-swap of the state
 * that was seen.
 */
#include <stdlib.h>
#include <string.h>

#include "libatmi/transport/block/store.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"

#define SLOTS_A_SWEEP 256u

/* What is known of a process slot in this sweep. */
enum { UNKNOWN, ALIVE, DEAD };

struct sweep {
	struct ow_blocks *b;
	uint8_t *of;   /* [OW_PRC_MAX] ALIVE, DEAD */
	uint8_t *owns; /* [OW_PRC_MAX] is still named by some block */
	uint64_t now;
	bool (*see)(const struct ow_orphan *, void *);
	void *arg;
};

static bool is_dead(struct sweep *w, uint32_t prc)
{
	if (prc == 0)
		return true;
	if (w->of[prc] == UNKNOWN)
		w->of[prc] = ow_prc_alive(w->b->tables, prc) ? ALIVE : DEAD;
	return w->of[prc] == DEAD;
}

/* A FREE block must be findable. */
static void see_free(struct sweep *w, int c, uint32_t i)
{
	struct class_head *h = &w->b->head->class[c];

	if ((atomic_load(&h->free[i / 64]) >> (i % 64) & 1) == 0 ||
	    (atomic_load(&h->some[i / 4096]) >> (i / 64 % 64) & 1) == 0) {
		atomic_fetch_or(&h->free[i / 64], UINT64_C(1) << (i % 64));
		atomic_fetch_or(&h->some[i / 4096],
				UINT64_C(1) << (i / 64 % 64));
	}
}

static bool release(struct sweep *w, int c, uint32_t i, uint64_t s)
{
	struct block *blk = &w->b->block[c][i];
	uint32_t prc = ow_prc_self(w->b->tables);

	OW_FAULT("sweep.hold");
	if (prc == 0 || !atomic_compare_exchange_strong(
			    &blk->state, &s,
			    state_make(OW_BLOCK_HELD, prc, state_gen(s))))
		return false;
	ow_class_give(w->b, c, i);
	return true;
}

static int see_block(struct sweep *w, int c, uint32_t i)
{
	struct block *blk = &w->b->block[c][i];
	uint64_t s = atomic_load(&blk->state);
	struct ow_orphan o;
	uint64_t none = 0;
	bool was_cached;

	if (state_kind(s) == OW_BLOCK_FREE) {
		see_free(w, c, i);
		return 0;
	}
	w->owns[state_prc(s)] = 1;
	if (!is_dead(w, state_prc(s)))
		return 0;
	was_cached = state_kind(s) == OW_BLOCK_CACHED ||
		     state_kind(s) > OW_BLOCK_MAILED; /* damaged */
	atomic_compare_exchange_strong(&blk->orphan_ns, &none, w->now);
	o = (struct ow_orphan){ .ref = ref_make(c, i, state_gen(s)),
				.state = s,
				.kind = state_kind(s),
				.deadline_ns = atomic_load(&blk->deadline_ns),
				.since_ns = none != 0 ? none : w->now };
	if (!was_cached && !w->see(&o, w->arg))
		return 0;
	return release(w, c, i, s) && !was_cached;
}

/* A slot of the dead that no block names; a block that names it afterwards
 * cannot be: only the dead one could write it. */
static void give_slot_back(struct sweep *w, uint32_t i)
{
	struct ow_tables *t = w->b->tables;

	if (w->owns[i] || !is_dead(w, i))
		return;
	ow_tables_lock(t);
	if (!ow_prc_alive(t, i))
		atomic_store(&t->prc[i].pid, 0);
	ow_tables_unlock(t);
}

/* To ask whether a process lives takes a look into /proc, and a slot too many
 * harms nobody: of thousands, some with each sweep. */
static void give_slots_back(struct sweep *w)
{
	struct ow_tables *t = w->b->tables;
	uint32_t high = atomic_load(&t->head->prc_high), i, n, asked = 0;

	if (high > OW_PRC_MAX)
		high = OW_PRC_MAX;
	i = atomic_load(&w->b->next_slot);
	for (n = 1; n < high && asked < SLOTS_A_SWEEP; n++, i++) {
		if (i == 0 || i >= high)
			i = 1;
		if (atomic_load(&t->prc[i].pid) == 0)
			continue;
		asked += w->of[i] == UNKNOWN;
		give_slot_back(w, i);
	}
	atomic_store(&w->b->next_slot, i);
}

int ow_blocks_sweep(struct ow_blocks *b, uint32_t only,
		    bool (*see)(const struct ow_orphan *, void *), void *arg)
{
	struct sweep w = { .b = b, .now = ow_clock_mono_ns(), .see = see,
			   .arg = arg, .of = calloc(2, OW_PRC_MAX) };
	uint32_t i, known;
	int c, n = 0;

	if (w.of == NULL)
		return 0;
	w.owns = w.of + OW_PRC_MAX;
	if (only != 0) {
		memset(w.of, ALIVE, OW_PRC_MAX);
		w.of[only] = UNKNOWN;
	}
	for (c = 0; c < OW_BLOCK_CLASSES; c++) {
		if (ow_class_need(b, c, false) != 0)
			break;
		known = atomic_load(&b->head->class[c].known);
		for (i = 0; i < known && i < ow_class_count(c); i++)
			n += see_block(&w, c, i);
	}
	give_slots_back(&w);
	if (only == 0)
		ow_blocks_calm(b, w.now);
	free(w.of);
	return n;
}

static struct block *of_orphan(struct ow_blocks *b, const struct ow_orphan *o)
{
	uint32_t i;
	int c;

	return ow_block_resolve(b, o->ref, &c, &i);
}

bool ow_orphan_disown(struct ow_blocks *b, const struct ow_orphan *o)
{
	struct block *blk = of_orphan(b, o);
	uint64_t s = o->state;

	return blk != NULL &&
	       atomic_compare_exchange_strong(
		   &blk->state, &s, state_make(o->kind, 0, state_gen(s)));
}

bool ow_orphan_inherit(struct ow_blocks *b, const struct ow_orphan *o)
{
	struct block *blk = of_orphan(b, o);
	uint32_t prc = ow_prc_self(b->tables);
	uint64_t s = o->state;

	return blk != NULL && prc != 0 &&
	       atomic_compare_exchange_strong(
		   &blk->state, &s,
		   state_make(o->kind, prc, state_gen(s) + OW_GEN_TURN));
}

void ow_orphan_leave(struct ow_blocks *b, uint64_t ref)
{
	uint32_t i, prc = ow_prc_self(b->tables);
	struct block *blk;
	uint64_t s;
	int c;

	blk = ow_block_resolve(b, ref, &c, &i);
	if (blk == NULL)
		return;
	s = atomic_load(&blk->state);
	if (state_prc(s) != prc)
		return;
	OW_FAULT("orphan.leave");
	atomic_compare_exchange_strong(
	    &blk->state, &s, state_make(state_kind(s), 0, state_gen(s)));
}

bool ow_blocks_taken(struct ow_blocks *b, uint32_t prc)
{
	uint32_t i, known;
	uint64_t s;
	int c;

	for (c = 0; c < OW_BLOCK_CLASSES && ow_class_need(b, c, false) == 0;
	     c++) {
		known = atomic_load(&b->head->class[c].known);
		for (i = 0; i < known && i < ow_class_count(c); i++) {
			s = atomic_load_explicit(&b->block[c][i].state,
						 memory_order_relaxed);
			if (state_kind(s) == OW_BLOCK_TAKEN &&
			    state_prc(s) == prc)
				return true;
		}
	}
	return false;
}

void ow_blocks_usage(struct ow_blocks *b, uint64_t *ret_blocks,
		     uint64_t *ret_bytes)
{
	uint32_t i, known;
	int c;

	*ret_blocks = *ret_bytes = 0;
	for (c = 0; c < OW_BLOCK_CLASSES && ow_class_need(b, c, false) == 0;
	     c++) {
		known = atomic_load(&b->head->class[c].known);
		for (i = 0; i < known && i < ow_class_count(c); i++) {
			struct block *blk = &b->block[c][i];

			if (state_kind(atomic_load(&blk->state)) <
			    OW_BLOCK_HELD)
				continue;
			(*ret_blocks)++;
			*ret_bytes += atomic_load(&blk->len);
		}
	}
}
