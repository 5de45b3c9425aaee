/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - find the blocks of dead processes in the store
 *
 * A sweep walks all descriptors that were ever used. Any process may do so at
 * any time, several at once: each change is one compare-and-swap of the state
 * that was read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/store.h"
#include "libatmi/wire/msg.h"

/* Process slots looked at in a sweep: a read of /proc of a living process costs
 * much, one of a dead process little. */
#define LIVING_COST 16u
#define SLOTS_COST  4096u

/* What this sweep knows of a process slot. */
enum { UNKNOWN, ALIVE, DEAD };

struct sweep {
	struct ow_blocks *b;
	uint8_t *life; /* [OW_PRC_MAX] UNKNOWN, ALIVE, DEAD */
	uint8_t *owns; /* [OW_PRC_MAX] 1: owns a block */
	ow_proc_id *dead; /* [OW_PRC_MAX] DEAD: which process */
	uint32_t self;	  /* slot of this process; 0: none is free */
	uint32_t from, n; /* slots whose owners may be freed */
	bool partial;	  /* not all blocks were seen */
	bool one;	  /* one process is known to have died just now */
	uint64_t now;
	bool (*visit)(const struct ow_orphan *, void *);
	void *arg;
};

/* A slot that was found dead may have a new, living process since: another
 * sweep has freed it. Not while a block names it; so ask after the state of the
 * block was read, and change the block only if its state is still the same. */
static bool is_dead(struct sweep *w, uint32_t prc)
{
	ow_proc_id owner;
	bool lives;

	if (prc == 0)
		return true;
	owner = ow_prc_owner(w->b->tables, prc);
	if (w->life[prc] == UNKNOWN) {
		lives = w->one ? ow_proc_id_alive(owner)
			       : ow_tables_lives(w->b->tables, owner);
		w->life[prc] = lives ? ALIVE : DEAD;
		w->dead[prc] = owner;
	}
	return w->life[prc] == DEAD && w->dead[prc] == owner;
}

/* Set the bits of a FREE block if they are clear. */
static void repair_bits(struct sweep *w, int c, uint32_t i)
{
	struct class_head *h = &w->b->head->class[c];

	if ((atomic_load(&h->free[i / 64]) >> (i % 64) & 1) == 0 ||
	    (atomic_load(&h->some[i / 4096]) >> (i / 64 % 64) & 1) == 0) {
		atomic_fetch_or(&h->free[i / 64], UINT64_C(1) << (i % 64));
		atomic_fetch_or(&h->some[i / 4096],
				UINT64_C(1) << (i / 64 % 64));
	}
}

static bool free_orphan(struct sweep *w, int c, uint32_t i, uint64_t s)
{
	struct block *blk = &w->b->block[c][i];
	/* A process that finds no free process slot sweeps to get one. */
	uint64_t to = w->self != 0
			  ? state_make(OW_BLOCK_HELD, w->self, state_gen(s))
			  : state_make(OW_BLOCK_FREE, 0, state_gen(s) + 1);

	OW_FAULT("sweep.hold");
	if (!atomic_compare_exchange_strong(&blk->state, &s, to))
		return false;
	if (w->self != 0)
		ow_class_give(w->b, c, i);
	else
		ow_class_mark(w->b, c, i);
	return true;
}

/* Returns blocks freed: 1 or 0. */
static int sweep_block(struct sweep *w, int c, uint32_t i)
{
	struct block *blk = &w->b->block[c][i];
	uint64_t s = atomic_load(&blk->state);
	struct ow_orphan o;
	uint64_t none = 0;
	bool was_cached;

	if (state_kind(s) == OW_BLOCK_FREE) {
		repair_bits(w, c, i);
		return 0;
	}
	w->owns[state_prc(s)] = 1;
	if (!is_dead(w, state_prc(s)))
		return 0;
	was_cached = state_kind(s) == OW_BLOCK_CACHED ||
		     state_kind(s) > OW_BLOCK_NOTED; /* damaged */
	atomic_compare_exchange_strong(&blk->orphan_ns, &none, w->now);
	o = (struct ow_orphan){ .ref = ref_make(c, i, state_gen(s)),
				.state = s,
				.prc = state_prc(s),
				.kind = state_kind(s),
				.deadline_ns = atomic_load(&blk->deadline_ns),
				.since_ns = none != 0 ? none : w->now,
				.address = atomic_load(&blk->address) };
	if (!was_cached && !w->visit(&o, w->arg))
		return 0;
	return free_orphan(w, c, i, s) && !was_cached;
}

/*
 * Find some process slots of dead processes, before the blocks are looked at:
 * if no block names such a slot then, none will, because only the dead process
 * could write its number into one.
 */
static void find_dead(struct sweep *w)
{
	struct ow_tables *t = w->b->tables;
	uint32_t high = atomic_load(&t->head->prc_high), i, cost = 0;

	if (high > OW_PRC_MAX)
		high = OW_PRC_MAX;
	w->from = atomic_load(&w->b->next_slot);
	if (w->from == 0 || w->from >= high)
		w->from = 1;
	for (i = w->from; i < high && cost < SLOTS_COST; i++)
		if (ow_prc_owner(t, i) != 0)
			cost += is_dead(w, i) ? 1 : LIVING_COST;
	w->n = i - w->from;
	atomic_store(&w->b->next_slot, i);
}

static void free_slots(struct sweep *w)
{
	uint32_t i;

	for (i = w->from; i < w->from + w->n && !w->partial; i++) {
		if (w->life[i] != DEAD || w->owns[i])
			continue;
		OW_FAULT("sweep.slot");
		ow_prc_free(w->b->tables, i, w->dead[i]);
	}
}

/* The life of process slots, all UNKNOWN; `only`: all ALIVE but this one. The
 * memory is mostly not touched. */
static bool begin(struct sweep *w, uint32_t only)
{
	w->dead = calloc(OW_PRC_MAX, sizeof(*w->dead) + 2);
	if (w->dead == NULL)
		return false;
	/* Looked for once: in vain, that costs a look at every slot. */
	w->self = ow_prc_self(w->b->tables);
	w->life = (uint8_t *)(w->dead + OW_PRC_MAX);
	w->owns = w->life + OW_PRC_MAX;
	w->one = only != 0;
	if (w->one) {
		memset(w->life, ALIVE, OW_PRC_MAX);
		w->life[only] = UNKNOWN;
	} else {
		find_dead(w);
	}
	return true;
}

int ow_blocks_sweep(struct ow_blocks *b, uint32_t only,
		    bool (*visit)(const struct ow_orphan *, void *), void *arg)
{
	struct sweep w = { .b = b, .now = ow_clock_mono_ns(), .visit = visit,
			   .arg = arg };
	uint32_t i, known;
	int c, r, n = 0;

	if (!begin(&w, only))
		return 0;
	for (c = 0; c < OW_BLOCK_CLASSES; c++) {
		r = ow_class_look(b, c, &known);
		w.partial = r != 0 && r != -ENOENT; /* ENOENT: no store */
		if (r != 0)
			break;
		for (i = 0; i < known; i++)
			n += sweep_block(&w, c, i);
	}
	free_slots(&w);
	if (only == 0)
		ow_blocks_return_idle(b, w.now);
	free(w.dead);
	return n;
}

static struct block *block_of(struct ow_blocks *b, const struct ow_orphan *o)
{
	uint32_t i;
	int c;

	return ow_block_resolve(b, o->ref, &c, &i);
}

bool ow_orphan_disown(struct ow_blocks *b, const struct ow_orphan *o)
{
	struct block *blk = block_of(b, o);
	uint64_t s = o->state;

	return blk != NULL &&
	       atomic_compare_exchange_strong(
		   &blk->state, &s, state_make(o->kind, 0, state_gen(s)));
}

bool ow_orphan_inherit(struct ow_blocks *b, const struct ow_orphan *o,
		       enum ow_block_kind kind)
{
	struct block *blk = block_of(b, o);
	uint32_t prc = ow_prc_self(b->tables);
	uint64_t s = o->state;

	return blk != NULL && prc != 0 &&
	       atomic_compare_exchange_strong(
		   &blk->state, &s,
		   state_make(kind, prc, state_gen(s) + OW_GEN_POST));
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

static bool is_continued(struct ow_blocks *b, uint64_t ref)
{
	const struct ow_msg *m = ow_block_msg(b, ref);

	return m != NULL && m->continued != 0;
}

uint64_t ow_blocks_taken(struct ow_blocks *b, uint32_t prc)
{
	uint64_t ref;
	uint32_t i, known;
	uint64_t s;
	int c;

	for (c = 0; c < OW_BLOCK_CLASSES && ow_class_look(b, c, &known) == 0;
	     c++) {
		for (i = 0; i < known; i++) {
			s = ow_load_relaxed(&b->block[c][i].state);
			ref = ref_make(c, i, state_gen(s));
			if (state_kind(s) == OW_BLOCK_TAKEN &&
			    state_prc(s) == prc && !is_continued(b, ref))
				return ref;
		}
	}
	return 0;
}

void ow_blocks_usage(struct ow_blocks *b, uint64_t *ret_blocks,
		     uint64_t *ret_bytes)
{
	uint32_t i, known;
	int c;

	*ret_blocks = *ret_bytes = 0;
	for (c = 0; c < OW_BLOCK_CLASSES && ow_class_look(b, c, &known) == 0;
	     c++) {
		for (i = 0; i < known; i++) {
			struct block *blk = &b->block[c][i];

			if (state_kind(atomic_load(&blk->state)) <
			    OW_BLOCK_HELD)
				continue;
			(*ret_blocks)++;
			*ret_bytes += atomic_load(&blk->len);
		}
	}
}
