/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox.c - where the messages for a context lie
 */
#include "libatmi/transport/mail/mailbox.h"

#include <errno.h>
#include <stddef.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/boxes.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/ring.h"
#include "libatmi/transport/mail/socket.h"

#define LEVELS 3

/* Values of `sleeper`. */
#define AWAKE  0u
#define ASLEEP 1u
#define POLLED 2u

static const uint32_t cells[LEVELS] = { 32, 2048, 32768 };

struct mail_mark {
	_Alignas(64) _Atomic uint64_t tail;
	_Alignas(64) _Atomic uint64_t head;
};

/* The mailbox of one slot: eight to a page (mailbox.h). */
struct mailbox {
	_Alignas(512) _Atomic uint32_t sleeper; /* futex of the context */
	_Atomic uint32_t level; /* ring to put into; the context raises it */
	struct mail_mark mark;
	_Alignas(64) _Atomic uint64_t ring[32];
};
_Static_assert(sizeof(struct mailbox) == 512, "eight mailboxes are a page");

/* Its larger rings, in a segment of their own. */
struct large {
	_Alignas(4096) struct mail_mark mark[LEVELS - 1];
	_Alignas(4096) _Atomic uint64_t ring1[2048];
	_Atomic uint64_t ring2[32768];
};

static int need_map(struct ow_domain *d)
{
	return ow_boxes_need(d, &d->mail, "mail", sizeof(struct mailbox));
}

static int need_large(struct ow_domain *d)
{
	return ow_boxes_need(d, &d->mail_large, "mail_large",
			     sizeof(struct large));
}

void ow_mail_unmap(struct ow_domain *d)
{
	ow_boxes_unmap(&d->mail);
	ow_boxes_unmap(&d->mail_large);
	ow_mail_socket_forget(d);
}

/* NULL: no address space; not for a slot that ow_mail_open() has opened. */
static struct mailbox *box_of(struct ow_domain *d, uint32_t slot)
{
	return ow_box(&d->mail, sizeof(struct mailbox), slot);
}

/* The mailbox of a slot that has, or had, a context, else NULL: a mailbox that
 * was never used has no memory and must not be touched. */
static struct mailbox *used_box(struct ow_domain *d, uint32_t slot)
{
	if (slot >= OW_CLT_MAX ||
	    slot >= atomic_load(&d->tables->head->clt_high) ||
	    atomic_load(&d->tables->clt[slot].mailbox) == 0 ||
	    need_map(d) != 0)
		return NULL;
	return box_of(d, slot);
}

static struct ow_ring small_ring(struct mailbox *m)
{
	return (struct ow_ring){
		.head = &m->mark.head,
		.tail = &m->mark.tail,
		.cells = m->ring,
		.size = cells[0],
	};
}

/* The ring of a level that the context has reached. False: the larger ones
 * cannot be mapped; the context itself has mapped them. */
static bool ring_of(struct ow_domain *d, uint32_t slot, uint32_t level,
		    struct ow_ring *ret)
{
	struct large *l;

	if (level == 0) {
		*ret = small_ring(box_of(d, slot));
		return true;
	}
	l = need_large(d) == 0
		    ? ow_box(&d->mail_large, sizeof(struct large), slot)
		    : NULL;
	if (l == NULL)
		return false;
	*ret = (struct ow_ring){
		.head = &l->mark[level - 1].head,
		.tail = &l->mark[level - 1].tail,
		.cells = level == 1 ? l->ring1 : l->ring2,
		.size = cells[level],
	};
	return true;
}

static uint32_t level_of(const struct mailbox *m)
{
	uint32_t l = ow_load_relaxed(&m->level);

	return l < LEVELS ? l : LEVELS - 1;
}

/* Memory for a part of the box of a slot. */
static int reserve(const struct ow_boxes *b, size_t size, uint32_t slot,
		   size_t off, size_t len)
{
	int r = ow_segment_reserve(b->fd, slot * size + off, len);

	return r == -ENOSPC ? OW_MAIL_NOSPACE : r;
}

/* ---- called by the context ---- */

int ow_mail_open(struct ow_domain *d, uint32_t slot)
{
	uint64_t ref;
	int r = need_map(d);

	if (r == 0)
		r = box_of(d, slot) == NULL
			    ? -ENOMEM
			    : reserve(&d->mail, sizeof(struct mailbox), slot, 0,
				      sizeof(struct mailbox));
	if (r != 0)
		return r;
	OW_FAULT("mail.open");
	atomic_store(&d->tables->clt[slot].mailbox, 1);
	/* Replies of the slot's earlier context. */
	while (ow_mail_take(d, slot, &ref) == 0)
		ow_block_free(d->blocks, ref);
	atomic_store(&box_of(d, slot)->sleeper, AWAKE);
	return 0;
}

/* Memory for the ring of a level, and for the marks. */
static int reserve_large(struct ow_domain *d, uint32_t slot, uint32_t level)
{
	static const size_t off[LEVELS] = {
		0, offsetof(struct large, ring1), offsetof(struct large, ring2),
	};
	struct ow_ring ring;
	int r = need_large(d);

	if (r == 0)
		r = reserve(&d->mail_large, sizeof(struct large), slot, 0,
			    offsetof(struct large, ring1));
	if (r == 0)
		r = reserve(&d->mail_large, sizeof(struct large), slot,
			    off[level], cells[level] * sizeof(uint64_t));
	return r != 0			      ? r
	       : ring_of(d, slot, level, &ring) ? 0
						: -ENOMEM;
}

int ow_mail_expect(struct ow_domain *d, uint32_t slot, uint32_t replies)
{
	struct mailbox *m;
	uint32_t l;
	int r;

	/* Twice the replies wanted: late replies come too. */
	if (replies <= cells[0] / 2)
		return 0;
	m = box_of(d, slot);
	l = level_of(m);
	while (l < LEVELS - 1 && replies > cells[l] / 2) {
		r = reserve_large(d, slot, l + 1);
		if (r != 0)
			return r;
		OW_FAULT("mail.level");
		atomic_store(&m->level, ++l);
	}
	return 0;
}

static inline enum ow_ring_result take_from(struct ow_domain *d, uint32_t slot,
					    uint32_t level, uint64_t *ret_ref)
{
	struct ow_ring ring;

	return ring_of(d, slot, level, &ring)
		       ? ow_ring_take(&ring, d->blocks, OW_BLOCK_MAILED,
				      OW_BLOCK_HELD, ret_ref)
		       : OW_RING_EMPTY;
}

/* The rings in turn, `last` the largest one that is in use. */
__attribute__((noinline)) static int take_any(struct ow_domain *d,
					      uint32_t slot, uint32_t last,
					      uint64_t *ret_ref)
{
	enum ow_ring_result r = take_from(d, slot, 0, ret_ref);
	uint32_t l;

	for (l = 1; l <= last && r == OW_RING_EMPTY; l++)
		r = take_from(d, slot, l, ret_ref);
	return r == OW_RING_DONE    ? 0
	       : r == OW_RING_EMPTY ? OW_MAIL_EMPTY
				    : -EBADMSG;
}

int ow_mail_take(struct ow_domain *d, uint32_t slot, uint64_t *ret_ref)
{
	struct mailbox *m = box_of(d, slot);
	struct ow_ring small = small_ring(m);
	uint32_t last = level_of(m);

	/* Often a caller comes too early. */
	if (last == 0 && ow_ring_is_empty(&small))
		return OW_MAIL_EMPTY;
	return take_any(d, slot, last, ret_ref);
}

static bool is_empty(struct ow_domain *d, uint32_t slot)
{
	uint32_t l, last = level_of(box_of(d, slot));
	struct ow_ring ring;

	for (l = 0; l <= last; l++)
		if (ring_of(d, slot, l, &ring) && ow_ring_has_message(&ring))
			return false;
	return true;
}

bool ow_mail_has_reply(struct ow_domain *d, uint32_t slot)
{
	return !is_empty(d, slot);
}

void ow_mail_arm(struct ow_domain *d, uint32_t slot)
{
	struct mailbox *m = box_of(d, slot);

	ow_store_relaxed(&m->sleeper, POLLED);
	atomic_thread_fence(memory_order_seq_cst); /* mailbox.h */
	OW_FAULT("mail.armed");
	if (!is_empty(d, slot) && atomic_exchange(&m->sleeper, AWAKE) == POLLED)
		ow_mail_socket_write(d, slot);
}

int ow_mail_wait(struct ow_domain *d, uint32_t slot, uint64_t until_ns)
{
	struct mailbox *m = box_of(d, slot);
	bool polled = ow_load_relaxed(&m->sleeper) == POLLED;
	int r = 0;

	ow_store_relaxed(&m->sleeper, ASLEEP);
	atomic_thread_fence(memory_order_seq_cst); /* mailbox.h */
	if (is_empty(d, slot))
		r = ow_futex_wait(&m->sleeper, ASLEEP, until_ns);
	if (polled)
		ow_mail_arm(d, slot);
	else
		ow_store_relaxed(&m->sleeper, AWAKE);
	return r;
}

/* ---- called by any process ---- */

bool ow_mail_exists(struct ow_domain *d, uint32_t slot)
{
	return used_box(d, slot) != NULL;
}

/* The context does not look by itself. The swap: mailbox.h. */
__attribute__((noinline)) static void
rouse(struct ow_domain *d, uint32_t slot, struct mailbox *m)
{
	uint32_t was;

	OW_FAULT("mail.rouse");
	was = atomic_exchange(&m->sleeper, AWAKE);
	OW_FAULT("mail.swapped");
	if (was == ASLEEP)
		ow_futex_wake(&m->sleeper, 1);
	else if (was == POLLED)
		ow_mail_socket_write(d, slot);
}

int ow_mail_put(struct ow_domain *d, uint32_t slot, uint64_t ref)
{
	struct mailbox *m = used_box(d, slot);
	struct ow_ring ring;
	int r;

	if (m == NULL)
		return -EBADMSG;
	if (!ring_of(d, slot, level_of(m), &ring))
		return -ENOMEM;
	OW_FAULT("mail.put");
	r = ow_ring_put(&ring, ref);
	if (r != 0)
		return r == OW_RING_FULL ? OW_MAIL_FULL : -EBADMSG;
	OW_FAULT("mail.wake");
	atomic_thread_fence(memory_order_seq_cst);
	if (ow_load_relaxed(&m->sleeper) != AWAKE)
		rouse(d, slot, m);
	return 0;
}

uint32_t ow_mail_depth(struct ow_domain *d, uint32_t slot)
{
	struct mailbox *m = used_box(d, slot);
	struct ow_ring ring;
	uint64_t n = 0;
	uint32_t l;

	for (l = 0; m != NULL && l <= level_of(m); l++)
		if (ring_of(d, slot, l, &ring))
			n += ow_ring_depth(&ring);
	return (uint32_t)n;
}

bool ow_mail_holds(struct ow_domain *d, uint32_t slot, uint64_t ref)
{
	struct mailbox *m = used_box(d, slot);
	struct ow_ring ring;
	uint32_t l;

	for (l = 0; m != NULL && l <= level_of(m); l++)
		if (ring_of(d, slot, l, &ring) && ow_ring_holds(&ring, ref))
			return true;
	return false;
}
