/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - messages go into a mailbox, and out of it
 *
 * The sender writes the header into the message's block, makes the block
 * MAILED, puts the reference into the mailbox, and wakes the context if it
 * sleeps. Taking the reference out makes the block the receiver's by the same
 * compare-and-swap (block.h). The header is copied out of the block before it
 * is checked: no process can change it afterwards.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/mail/mailbox.h"
#include "libatmi/transport/mail/queue.h"
#include "libubf/base/uncancelled.h"

/* ---- sending ---- */

int ow_mail_load(struct ow_domain *d, const struct ow_envelope *e,
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

/* The context for which the message is has left, and has drained its mailbox
 * before the message came: its sender frees it, unless it was taken. A client
 * may leave the domain and keep a reply that it has taken. */
static bool has_left(const struct mail_queue *q, const struct ow_msg *m)
{
	return m->clt_slot == q->slot && m->clt_gen != 0 &&
	       !ow_clt_lives(q->dom->tables, q->slot, m->clt_gen);
}

static int put(struct mail_queue *q, uint64_t ref, const struct ow_msg *m)
{
	enum ow_block_kind was;
	int r;

	was = ow_block_post_msg(q->dom->blocks, ref, m, OW_BLOCK_MAILED);
	if (was == OW_BLOCK_FREE)
		return -EBADMSG; /* this process does not own the block */
	OW_FAULT("send.mailed");
	r = ow_mail_put(q->dom, q->slot, ref);
	OW_FAULT("mail.sent");
	if (r != 0)
		ow_block_unpost(q->dom->blocks, ref, was);
	else if (has_left(q, m))
		ow_block_recall(q->dom->blocks, ref);
	return r == OW_MAIL_FULL ? OW_QUEUE_FULL : r;
}

/* A mailbox wakes no sender when it has room: sleep a moment. 0, FULL,
 * TIMEOUT, SIGNAL. */
static int await_room(struct mail_queue *q, uint64_t deadline)
{
	OW_UNCANCELLED;
	struct timespec nap = {
		.tv_nsec = (long)OW_WAKING_ROOM_NAP_NS
	};

	if (deadline == OW_DEADLINE_NOW)
		return OW_QUEUE_FULL;
	if (ow_deadline_passed(deadline, ow_clock_mono_ns()))
		return OW_QUEUE_TIMEOUT;
	return nanosleep(&nap, NULL) < 0 ? OW_QUEUE_SIGNAL : 0;
}

int ow_mail_send(struct ow_queue *base, struct ow_envelope *e,
		 unsigned int prio, uint64_t deadline)
{
	struct mail_queue *q = mail_of(base);
	uint64_t ref;
	int r = ow_mail_load(q->dom, e, &ref);

	(void)prio; /* a context takes its messages in the order of sending */
	if (r != 0)
		return r;
	while ((r = put(q, ref, e->head)) == OW_QUEUE_FULL) {
		r = await_room(q, deadline);
		if (r != 0)
			break;
	}
	return ow_mail_settle(q->dom, e, ref, r);
}

/* ---- receiving ---- */

int ow_mail_unload(struct ow_domain *d, uint64_t ref, struct ow_envelope *e)
{
	uint64_t most;
	void *data = ow_block_open(d->blocks, ref, e->head, &most);

	if (data != NULL) {
		e->head->block = ref;
		if (ow_envelope_accept_block(e, data, most) == 0)
			return 0;
	}
	ow_block_free(d->blocks, ref);
	return OW_QUEUE_GARBAGE;
}

static bool has_come(void *queue)
{
	const struct mail_queue *q = queue;

	return ow_mail_has_reply(q->dom, q->slot);
}

bool ow_mail_has_come(struct ow_queue *in)
{
	return has_come(mail_of(in));
}

/* Let other processes run before sleeping for a message. True: it has come. */
static bool yield_first(struct mail_queue *q)
{
	const struct ow_waking *k = &q->dom->waking;
	enum ow_yield_step step = ow_yield_begin(&q->yield, k);
	uint64_t i, begin = 0;
	bool came = false;

	if (step == OW_YIELD_NOT)
		return false;
	if (step == OW_YIELD_TIMED)
		begin = ow_clock_mono_ns();
	for (i = 0; i < k->yields && !came; i++) {
		sched_yield();
		came = has_come(q);
	}
	if (step == OW_YIELD_TIMED)
		ow_yield_end(&q->yield, k, ow_clock_mono_ns() - begin);
	ow_yield_found(&q->yield, k, came);
	return came;
}

/* Sleep for a message: 0 (check again), TIMEOUT, SIGNAL. The result of the
 * sleep saves reading the clock. */
static int await_message(struct mail_queue *q, uint64_t deadline)
{
	int r;

	if (ow_looker_begin(&q->looker) ? ow_looker_look(&q->looker, has_come, q)
					: yield_first(q))
		return 0;
	if (deadline == OW_DEADLINE_LOOK)
		return OW_QUEUE_TIMEOUT;
	r = ow_mail_wait(q->dom, q->slot,
			 deadline != OW_DEADLINE_NEVER
			     ? deadline
			     : ow_clock_mono_ns() + OW_WAKING_SLICE_NS);
	ow_looker_end(&q->looker);
	if (r == -ETIMEDOUT && deadline != OW_DEADLINE_NEVER &&
	    ow_mail_depth(q->dom, q->slot) == 0)
		return OW_QUEUE_TIMEOUT;
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

/* What a reply says of its service. */
static int learn(struct mail_queue *q, int r, const struct ow_envelope *e)
{
	if (r == 0 && e->head->kind == OW_MSG_REPLY)
		ow_yield_replied(&q->yield, (e->head->flags & OW_MSG_LONG) != 0);
	return r;
}

int ow_mail_recv(struct ow_queue *base, struct ow_envelope *e,
		 uint64_t deadline)
{
	struct mail_queue *q = mail_of(base);
	uint64_t ref = 0;
	int r;

	if (e->room < sizeof(*e->head))
		return -EMSGSIZE;
	for (;;) {
		r = ow_mail_take(q->dom, q->slot, &ref);
		if (r == 0)
			return learn(q, ow_mail_unload(q->dom, ref, e), e);
		if (r != OW_MAIL_EMPTY)
			return r;
		if (deadline == OW_DEADLINE_NOW)
			return OW_QUEUE_EMPTY;
		r = await_message(q, deadline);
		if (r != 0)
			return r;
	}
}

int ow_mail_nap(struct ow_queue *in, uint64_t until_ns)
{
	struct mail_queue *q = mail_of(in);

	return ow_mail_wait(q->dom, q->slot, until_ns) == -EINTR
		       ? OW_QUEUE_SIGNAL : 0;
}

/* `full` is the mailbox of another context. */
int ow_mail_wait_either(struct ow_queue *full, struct ow_queue *in,
			uint64_t deadline)
{
	uint64_t nap = OW_WAKING_ROOM_NAP_NS;
	uint64_t now = ow_clock_mono_ns();

	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	return ow_mail_nap(in, ow_deadline_clamp(deadline, now + nap));
}
