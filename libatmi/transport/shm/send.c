/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.c - send a request through shared memory
 *
 * The sender writes the header into the message's block, sets the state of
 * the block, puts the reference into the queue, and wakes a server.
 */
#include <errno.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/shm/shm.h"

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

/* Sleep until there may be room: 0, FULL, TIMEOUT, SIGNAL. */
static int await_room(struct shm_queue *q, uint64_t deadline)
{
	uint64_t now = ow_clock_mono_ns();
	int r;

	if (deadline == OW_DEADLINE_NOW)
		return OW_QUEUE_FULL;
	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	r = ow_shmq_wait_room(q->shmq, &q->place,
			      ow_deadline_clamp(deadline,
						now + OW_WAKING_SLICE_NS));
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

int ow_shm_send(struct ow_queue *base, struct ow_envelope *e,
		unsigned int prio, uint64_t deadline)
{
	struct shm_queue *q = shm_of(base);
	uint64_t ref, now = e->head->sent_ns;
	int r = ow_mail_load(q->dom, e, &ref);

	if (r != 0)
		return r;
	for (;;) {
		r = put_request(q, ref, e->head, prio, now);
		if (r != OW_QUEUE_FULL)
			break;
		now = 0;
		r = await_room(q, deadline);
		if (r != 0)
			break;
	}
	return ow_mail_settle(q->dom, e, ref, r);
}

/* The sender waits no longer for room: others move up. */
void ow_shm_give_up(struct ow_queue *base)
{
	struct shm_queue *q = shm_of(base);

	ow_line_leave(q->shmq, &q->place);
}

int ow_shm_wait_either(struct ow_queue *full, struct ow_queue *in,
		       uint64_t deadline)
{
	struct shm_queue *q = shm_of(full);
	uint64_t nap = OW_WAKING_ROOM_NAP_NS;
	uint64_t now = ow_clock_mono_ns();

	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	ow_line_join(q->shmq, &q->place);
	if (ow_shmq_has_room(q->shmq, &q->place))
		return 0;
	return ow_mail_nap(in, ow_deadline_clamp(deadline, now + nap));
}
