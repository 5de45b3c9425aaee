/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox.c - where the unsolicited messages for a context lie
 */
#include "libatmi/transport/inbox.h"

#include <errno.h>
#include <stdatomic.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/boxes.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/block/ring.h"
#include "libatmi/wire/msg.h"

/* Values of `armed`. */
enum {
	AWAKE = 0,
	AT_REPLY_QUEUE = 1, /* wants a notice */
	AT_FUTEX = 2,	    /* a thread sleeps on `armed` */
};

/* The inbox of one slot: one page. */
struct inbox {
	_Alignas(4096) _Atomic uint32_t armed;
	_Alignas(64) _Atomic uint64_t tail;
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t cells[OW_INBOX_CELLS];
};
_Static_assert(sizeof(struct inbox) == 4096, "an inbox is one page");

static int need_map(struct ow_domain *d)
{
	return ow_boxes_need(d, &d->inboxes, "inbox", sizeof(struct inbox));
}

void ow_inbox_unmap(struct ow_domain *d)
{
	ow_boxes_unmap(&d->inboxes);
}

/* NULL: no address space, or the segment cannot be mapped. */
static struct inbox *box_of(struct ow_domain *d, uint32_t slot)
{
	return need_map(d) == 0
		       ? ow_box(&d->inboxes, sizeof(struct inbox), slot)
		       : NULL;
}

/* The inbox of a slot whose inbox has memory, else NULL: others must not be
 * touched. */
static struct inbox *used_box(struct ow_domain *d, uint32_t slot)
{
	if (slot >= OW_CLT_MAX ||
	    slot >= atomic_load(&d->tables->head->clt_high) ||
	    atomic_load(&d->tables->clt[slot].inbox) == 0)
		return NULL;
	return box_of(d, slot);
}

static struct ow_ring ring_of(struct inbox *b)
{
	return (struct ow_ring){ .head = &b->head,
				 .tail = &b->tail,
				 .cells = b->cells,
				 .size = OW_INBOX_CELLS };
}

static int take(struct ow_domain *d, struct inbox *b, uint64_t *ret_ref)
{
	struct ow_ring ring = ring_of(b);
	enum ow_ring_result r = ow_ring_take(
	    &ring, d->blocks, OW_BLOCK_NOTED, OW_BLOCK_HELD, ret_ref);

	return r == OW_RING_DONE    ? 0
	       : r == OW_RING_EMPTY ? OW_INBOX_EMPTY
				    : -EBADMSG;
}

static void empty(struct ow_domain *d, struct inbox *b)
{
	uint64_t ref = 0;

	while (take(d, b, &ref) == 0)
		ow_block_free(d->blocks, ref);
}

/* ---- called by the context ---- */

int ow_inbox_open(struct ow_domain *d, uint32_t slot, uint32_t gen)
{
	struct inbox *b;
	int r = need_map(d);

	if (r != 0)
		return r;
	b = box_of(d, slot);
	if (b == NULL)
		return -ENOMEM;
	r = ow_segment_reserve(d->inboxes.fd, slot * sizeof(struct inbox),
			       sizeof(struct inbox));
	if (r != 0)
		return r;
	/* Messages for the slot's earlier context. */
	empty(d, b);
	atomic_store(&b->armed, AWAKE);
	OW_FAULT("inbox.open");
	atomic_store(&d->tables->clt[slot].inbox, gen);
	return 0;
}

/* An even generation is nobody's, and not 0: the inbox has memory. */
void ow_inbox_close(struct ow_domain *d, uint32_t slot)
{
	struct inbox *b = used_box(d, slot);

	if (b == NULL)
		return;
	atomic_store(&d->tables->clt[slot].inbox, 2);
	atomic_thread_fence(memory_order_seq_cst);
	empty(d, b);
}

int ow_inbox_take(struct ow_domain *d, uint32_t slot, uint64_t *ret_ref)
{
	struct inbox *b = used_box(d, slot);

	return b != NULL ? take(d, b, ret_ref) : OW_INBOX_EMPTY;
}

static bool arm(struct ow_domain *d, uint32_t slot, uint32_t how)
{
	struct inbox *b = used_box(d, slot);
	struct ow_ring ring;

	if (b == NULL)
		return false;
	ow_store_relaxed(&b->armed, how);
	/* A sender puts its message, then reads `armed`. */
	atomic_thread_fence(memory_order_seq_cst);
	ring = ring_of(b);
	return ow_ring_has_message(&ring);
}

bool ow_inbox_arm(struct ow_domain *d, uint32_t slot)
{
	return arm(d, slot, AT_REPLY_QUEUE);
}

bool ow_inbox_arm_thread(struct ow_domain *d, uint32_t slot)
{
	return arm(d, slot, AT_FUTEX);
}

void ow_inbox_sleep(struct ow_domain *d, uint32_t slot, uint64_t until_ns)
{
	struct inbox *b = used_box(d, slot);

	if (b != NULL)
		ow_futex_wait(&b->armed, AT_FUTEX, until_ns);
}

void ow_inbox_rouse(struct ow_domain *d, uint32_t slot)
{
	struct inbox *b = used_box(d, slot);

	if (b == NULL)
		return;
	atomic_store(&b->armed, AWAKE);
	ow_futex_wake(&b->armed, 1);
}

/* ---- called by any process ---- */

int ow_inbox_wants(const struct ow_domain *d, uint32_t slot, uint32_t gen)
{
	const struct ow_tables *t = d->tables;

	if (!ow_clt_lives(t, slot, gen))
		return OW_INBOX_GONE;
	return atomic_load(&t->clt[slot].inbox) == gen ? 0 : OW_INBOX_UNWANTED;
}

static bool has_room(const struct ow_ring *ring, uint64_t bytes)
{
	uint64_t n = ow_ring_depth(ring);

	return n == 0 || (n < ring->size &&
			  ow_ring_bytes(ring) + bytes <= OW_INBOX_BYTES);
}

int ow_inbox_put(struct ow_domain *d, uint32_t slot, uint32_t gen,
		 uint64_t ref, bool *ret_notice)
{
	struct inbox *b = used_box(d, slot);
	uint32_t sleeper = AWAKE;
	struct ow_ring ring;
	int r;

	if (b == NULL)
		return -ENOMEM;
	ring = ring_of(b);
	if (!has_room(&ring, ow_block_room(d->blocks, ref)))
		return OW_INBOX_FULL;
	if (ow_block_post(d->blocks, ref, OW_BLOCK_NOTED) == OW_BLOCK_FREE)
		return -EBADMSG; /* this process does not own the block */
	OW_FAULT("inbox.noted");
	r = ow_ring_put(&ring, ref);
	if (r != 0) {
		ow_block_unpost(d->blocks, ref, OW_BLOCK_HELD);
		return r == OW_RING_FULL ? OW_INBOX_FULL : -EBADMSG;
	}
	OW_FAULT("inbox.put");
	if (ow_inbox_wants(d, slot, gen) != 0) {
		/* It left, or its handler did, and the inbox was emptied
		 * before. A block that was taken is not recalled. */
		ow_block_recall(d->blocks, ref);
		return OW_INBOX_GONE;
	}
	atomic_thread_fence(memory_order_seq_cst);
	if (ow_load_relaxed(&b->armed) != AWAKE)
		sleeper = atomic_exchange(&b->armed, AWAKE);
	OW_FAULT("inbox.notice");
	if (sleeper == AT_FUTEX)
		ow_futex_wake(&b->armed, 1);
	*ret_notice = sleeper == AT_REPLY_QUEUE;
	return 0;
}

void ow_inbox_discard(struct ow_domain *d, uint32_t slot)
{
	struct inbox *b = used_box(d, slot);

	if (b != NULL)
		empty(d, b);
}

bool ow_inbox_reclaim(struct ow_domain *d, const struct ow_orphan *o)
{
	const struct ow_msg *m = ow_block_msg(d->blocks, o->ref);
	struct inbox *b;
	struct ow_ring ring;
	uint32_t slot;

	if (m == NULL)
		return true;
	slot = m->clt_slot;
	if (ow_inbox_wants(d, slot, m->clt_gen) != 0)
		return true;
	b = used_box(d, slot);
	if (b == NULL)
		return false; /* it cannot be looked at now */
	OW_FAULT("inbox.reclaim");
	ring = ring_of(b);
	if (!ow_ring_holds(&ring, o->ref))
		return true;
	ow_orphan_disown(d->blocks, o);
	return false;
}

uint32_t ow_inbox_depth(struct ow_domain *d, uint32_t slot)
{
	struct inbox *b = used_box(d, slot);
	struct ow_ring ring;

	if (b == NULL)
		return 0;
	ring = ring_of(b);
	return (uint32_t)ow_ring_depth(&ring);
}
