/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.c - send a message through shared memory
 *
 * The sender writes the header into the message's block, sets the state of
 * the block, puts the reference into the queue or mailbox, and wakes the
 * receiver if it sleeps.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/transport/shm/shm.h"
#include "libubf/base/uncancelled.h"

/* The payload into a block, if it lies in none. */
static inline int load_payload(struct ow_domain *d, const struct ow_envelope *e,
			       uint64_t *ret_ref)
{
	void *data;
	int r;

	*ret_ref = e->payload.block;
	if (*ret_ref != 0)
		return 0;
	r = ow_block_alloc(d->blocks, e->head->len, e->head->deadline_ns,
			   ret_ref, &data);
	if (r != 0)
		return r == OW_BLOCK_FULL ? -ENOSPC : r;
	memcpy(data, e->head + 1, e->head->len);
	return 0;
}

int ow_shm_load(struct ow_domain *d, const struct ow_envelope *e,
		uint64_t *ret_ref)
{
	struct ow_msg *head;
	int r = load_payload(d, e, ret_ref);

	if (r != 0)
		return r;
	head = ow_block_msg(d->blocks, *ret_ref);
	if (head == NULL)
		return -EBADMSG;
	memcpy(head, e->head, sizeof(*head));
	head->block = *ret_ref;
	return 0;
}

static int put_request(struct shm_queue *q, uint64_t ref,
		       const struct ow_msg *m, unsigned int prio, uint64_t now)
{
	enum ow_block_kind was;
	int r;

	was = ow_block_post_msg(q->dom->blocks, ref, m, OW_BLOCK_QUEUED);
	if (was == OW_BLOCK_FREE)
		return -EBADMSG; /* this process does not own the block */
	OW_FAULT("send.queued");
	r = ow_shmq_put(q->shmq, ref, prio, &q->place);
	if (r == 0) {
		OW_FAULT("send.notify");
		ow_shmq_notify(q->shmq, now);
		return 0;
	}
	ow_block_unpost(q->dom->blocks, ref, was);
	switch (r) {
	case OW_SHMQ_FULL:
		return OW_QUEUE_FULL;
	case OW_SHMQ_NOSPACE:
		return -ENOSPC;
	default:
		return r;
	}
}

/* The context for which the message is has left, and has drained its mailbox
 * before the message came: its sender frees it, unless it was taken. */
static bool has_left(const struct shm_queue *q, const struct ow_msg *m)
{
	return m->clt_slot == q->slot && m->clt_gen != 0 &&
	       !ow_clt_lives(q->dom->tables, q->slot, m->clt_gen);
}

static int put_reply(struct shm_queue *q, uint64_t ref, const struct ow_msg *m)
{
	enum ow_block_kind was;
	int r;

	was = ow_block_post_msg(q->dom->blocks, ref, m, OW_BLOCK_MAILED);
	if (was == OW_BLOCK_FREE)
		return -EBADMSG;
	OW_FAULT("send.mailed");
	r = ow_mail_put(q->dom, q->slot, ref);
	if (r != 0)
		ow_block_unpost(q->dom->blocks, ref, was);
	else if (has_left(q, m))
		ow_block_recall(q->dom->blocks, ref);
	return r == OW_MAIL_FULL ? OW_QUEUE_FULL : r;
}

/* Sleep until there may be room: 0, FULL, TIMEOUT, SIGNAL. */
static int await_room(struct shm_queue *q, uint64_t deadline)
{
	OW_UNCANCELLED;
	struct timespec nap = { .tv_nsec = (long)OW_WAKING_ROOM_NAP_NS };
	uint64_t now = ow_clock_mono_ns();
	int r;

	if (deadline == OW_DEADLINE_NOW)
		return OW_QUEUE_FULL;
	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	if (q->shmq != NULL) /* a mailbox wakes no sender when it has room */
		r = ow_shmq_wait_room(
		    q->shmq, &q->place,
		    ow_deadline_clamp(deadline, now + OW_WAKING_SLICE_NS));
	else
		r = nanosleep(&nap, NULL) < 0 ? -errno : 0;
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

int ow_shm_send(struct ow_queue *base, struct ow_envelope *e,
		unsigned int prio, uint64_t deadline)
{
	struct shm_queue *q = shm_of(base);
	uint64_t ref, now = e->head->sent_ns;
	int r = load_payload(q->dom, e, &ref);

	if (r != 0)
		return r;
	for (;;) {
		r = q->shmq != NULL ? put_request(q, ref, e->head, prio, now)
				    : put_reply(q, ref, e->head);
		if (r != OW_QUEUE_FULL)
			break;
		now = 0;
		r = await_room(q, deadline);
		if (r != 0)
			break;
	}
	if (r == 0)
		e->payload.owner = OW_PAYLOAD_UNOWNED;
	else if (e->payload.block == 0)
		ow_block_free(q->dom->blocks, ref);
	return r;
}

/* The sender waits no longer for room: others move up. */
void ow_shm_give_up(struct ow_queue *base)
{
	struct shm_queue *q = shm_of(base);

	if (q->shmq != NULL)
		ow_line_leave(q->shmq, &q->place);
}

int ow_shm_wait_either(struct ow_queue *full, struct ow_queue *in,
		       uint64_t deadline)
{
	uint64_t nap = OW_WAKING_ROOM_NAP_NS;
	uint64_t now = ow_clock_mono_ns();
	int r;

	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	if (shm_of(full)->shmq != NULL) {
		ow_line_join(shm_of(full)->shmq, &shm_of(full)->place);
		if (ow_shmq_has_room(shm_of(full)->shmq, &shm_of(full)->place))
			return 0;
	}
	r = ow_mail_wait(shm_of(in)->dom, shm_of(in)->slot,
			 ow_deadline_clamp(deadline, now + nap));
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}
