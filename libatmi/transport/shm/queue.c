/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - queues in shared memory
 *
 * A message is a block (block.h): header, then payload; what travels is its
 * reference. Service queues are shmq.h, replies go to mailboxes (mailbox.h).
 * Whoever sends writes the header into the block, sets its state, puts it in,
 * and wakes if there is need; who receives gets a copy of the header, and the
 * block is its own.
 */
#include "libatmi/transport/shm/queue.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/wire/msg.h"
#include "libatmi/domain/tables.h"

#define SLICE_NS OW_NS_PER_SEC	    /* one sleep for room */
#define BOTH_NS	 (2 * OW_NS_PER_MS) /* one for room or a reply */
#define QUICK_NS (20 * OW_NS_PER_US) /* sooner than a wake-up */
#define QUICK_MIN 16u /* services in a row */
#define ASIDE	 2 /* times to step aside before sleeping; measured */

static const struct ow_queue_ops ops;

/* ---- open and close ---- */

static const char *svc_of(const char *name)
{
	return strncmp(name, "svc,", 4) == 0 ? name + 4 : name;
}

static int result_of(int r)
{
	switch (r) {
	case OW_SHMQ_GONE:
		return OW_QUEUE_GONE;
	case OW_SHMQ_NOSPACE:
		return -ENOSPC;
	default:
		return r;
	}
}

static int wrap(struct ow_domain *d, struct ow_shmq *shmq, uint32_t slot,
		struct ow_queue **ret)
{
	struct shm_queue *q = calloc(1, sizeof(*q));

	if (q == NULL) {
		ow_shmq_close(shmq);
		return -ENOMEM;
	}
	q->base.ops = &ops;
	q->dom = d;
	q->shmq = shmq;
	q->slot = slot;
	*ret = &q->base;
	return 0;
}

static int shm_create(struct ow_domain *d, const char *name,
		      struct ow_queue_shape *shape, struct ow_queue **ret)
{
	struct ow_shmq *shmq = NULL;
	int r;

	if (strlen(svc_of(name)) > 31)
		return -ENAMETOOLONG;
	r = ow_shmq_create(d, svc_of(name), &shape->maxmsg, &shmq);
	if (r != 0)
		return result_of(r);
	shape->msgsize = sizeof(struct ow_msg);
	return wrap(d, shmq, 0, ret);
}

static int shm_open_queue(struct ow_domain *d, const char *name,
			  struct ow_queue **ret)
{
	struct ow_shmq *shmq = NULL;
	int r = ow_shmq_open(d, svc_of(name), &shmq);

	return r != 0 ? result_of(r) : wrap(d, shmq, 0, ret);
}

static int shm_create_reply(struct ow_domain *d, uint32_t slot,
			    struct ow_queue_shape *shape,
			    struct ow_queue **ret)
{
	int r = ow_mail_open(d, slot);

	if (r != 0)
		return r == OW_MAIL_NOSPACE ? -ENOSPC : r;
	shape->maxmsg = 64;
	shape->msgsize = sizeof(struct ow_msg);
	return wrap(d, NULL, slot, ret);
}

static int shm_open_reply(struct ow_domain *d, uint32_t slot,
			  struct ow_queue **ret)
{
	if (!ow_mail_exists(d, slot))
		return OW_QUEUE_GONE;
	return wrap(d, NULL, slot, ret);
}

static struct ow_queue *shm_close(struct ow_queue *base)
{
	struct shm_queue *q = shm_of(base);

	ow_shmq_close(q->shmq);
	free(q);
	return NULL;
}

static int shm_remove(struct ow_domain *d, const char *name)
{
	return result_of(ow_shmq_remove(d, svc_of(name)));
}

/* A mailbox has no name of its own: its slot's generation says whose it is. */
static int shm_remove_reply(struct ow_domain *d, uint32_t slot)
{
	(void)d, (void)slot;
	return 0;
}

/* ---- send ---- */

/* The block for a message: its own, or a new one that holds what came with
 * it. What is no message of ours travels as it is. */
static int load(struct shm_queue *q, const void *msg, size_t len,
		uint64_t *ret_ref)
{
	const struct ow_msg *m = msg;
	bool ours = len >= sizeof(*m) && m->magic == OW_MSG_MAGIC;
	size_t skip = ours ? sizeof(*m) : 0;
	struct ow_msg *head;
	void *data;
	int r;

	*ret_ref = ours ? m->block : 0;
	if (*ret_ref == 0) {
		r = ow_block_alloc(q->dom->blocks, len - skip,
				   ours ? m->deadline_ns : 0, ret_ref, &data);
		if (r != 0)
			return r == OW_BLOCK_FULL ? -ENOSPC : r;
		memcpy(data, (const char *)msg + skip, len - skip);
	}
	head = ow_block_msg(q->dom->blocks, *ret_ref);
	if (head == NULL)
		return -EBADMSG;
	if (ours) {
		memcpy(head, m, sizeof(*m));
		head->block = *ret_ref;
	} else {
		memset(head, 0, sizeof(*head));
		head->len = len;
	}
	return 0;
}

static int put_request(struct shm_queue *q, uint64_t ref, unsigned int prio,
		       uint64_t now)
{
	enum ow_block_kind was;
	int r;

	was = ow_block_turn(q->dom->blocks, ref, OW_BLOCK_QUEUED);
	if (was == OW_BLOCK_FREE)
		return -EBADMSG; /* not ours to send */
	OW_FAULT("send.queued");
	r = ow_shmq_put(q->shmq, ref, prio);
	if (r == 0) {
		OW_FAULT("send.notify");
		ow_shmq_notify(q->shmq, now);
		return 0;
	}
	ow_block_unturn(q->dom->blocks, ref, was);
	return r == OW_SHMQ_FULL ? OW_QUEUE_FULL : result_of(r);
}

static int put_reply(struct shm_queue *q, uint64_t ref)
{
	enum ow_block_kind was;
	int r;

	was = ow_block_turn(q->dom->blocks, ref, OW_BLOCK_MAILED);
	if (was == OW_BLOCK_FREE)
		return -EBADMSG;
	OW_FAULT("send.mailed");
	r = ow_mail_put(q->dom, q->slot, ref);
	if (r != 0)
		ow_block_unturn(q->dom->blocks, ref, was);
	return r == OW_MAIL_FULL ? OW_QUEUE_FULL : r;
}

/* Sleep until there may be room: 0, TIMEOUT, SIGNAL. */
static int await_room(struct shm_queue *q, uint64_t deadline_ns)
{
	uint64_t now = ow_clock_mono_ns(), until = now + SLICE_NS;
	int r;

	if (deadline_ns == OW_QUEUE_NOWAIT)
		return OW_QUEUE_FULL;
	if (deadline_ns != OW_QUEUE_FOREVER) {
		if (deadline_ns <= now)
			return OW_QUEUE_TIMEOUT;
		if (deadline_ns < until)
			until = deadline_ns;
	}
	if (q->shmq != NULL) {
		r = ow_shmq_wait_room(q->shmq, until);
	} else { /* nobody says when a mailbox has room again */
		struct timespec nap = { .tv_nsec = BOTH_NS };

		r = nanosleep(&nap, NULL) < 0 ? -errno : 0;
	}
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

static int shm_send(struct ow_queue *base, const void *msg, size_t len,
		    unsigned int prio, uint64_t deadline_ns)
{
	struct shm_queue *q = shm_of(base);
	const struct ow_msg *m = msg;
	bool ours = len >= sizeof(*m) && m->magic == OW_MSG_MAGIC;
	bool own = !ours || m->block == 0;
	uint64_t ref, now = ours ? m->sent_ns : 0;
	int r;

	r = load(q, msg, len, &ref);
	if (r != 0)
		return r;
	for (;;) {
		r = q->shmq != NULL ? put_request(q, ref, prio, now)
				    : put_reply(q, ref);
		if (r != OW_QUEUE_FULL)
			break;
		now = 0;
		r = await_room(q, deadline_ns);
		if (r != 0)
			break;
	}
	if (r != 0 && own)
		ow_block_free(q->dom->blocks, ref);
	return r;
}

/* ---- receive ---- */

/* Hand out what lies in block `ref`. */
static int unload(struct shm_queue *q, uint64_t ref, void *buf, size_t size,
		  size_t *ret_len)
{
	const struct ow_msg *head = ow_block_msg(q->dom->blocks, ref);
	size_t len;

	if (head == NULL)
		return -EBADMSG;
	if (head->magic == OW_MSG_MAGIC) {
		if (size < sizeof(*head))
			return -EMSGSIZE;
		memcpy(buf, head, sizeof(*head));
		((struct ow_msg *)buf)->block = ref;
		*ret_len = sizeof(*head);
		return 0;
	}
	len = head->len;
	if (len > size || ow_block_adopt(q->dom->blocks, ref, len) == NULL)
		len = 0;
	memcpy(buf, (const char *)head + OW_BLOCK_HEAD, len);
	ow_block_free(q->dom->blocks, ref);
	*ret_len = len;
	return 0;
}

/* One look. A server that was woken for this queue says so when it has
 * looked; a message that came in between is not left to others. */
static int take(struct shm_queue *q, uint64_t *ret_ref)
{
	int r;

	if (q->shmq == NULL) {
		r = ow_mail_take(q->dom, q->slot, ret_ref);
		return r == OW_MAIL_EMPTY ? OW_QUEUE_EMPTY : r;
	}
	r = ow_shmq_take(q->shmq, ret_ref);
	if (q->woken) {
		q->woken = false;
		ow_shmq_arrived(q->shmq, q->rank);
		if (r == OW_SHMQ_EMPTY)
			r = ow_shmq_take(q->shmq, ret_ref);
	}
	return r == OW_SHMQ_EMPTY ? OW_QUEUE_EMPTY : r;
}

/* A reply will come: let others run first. True: it has come. */
static bool step_aside(struct shm_queue *q)
{
	bool good = false;
	int i;

	if (!ow_patience_begin(&q->patience))
		return false;
	for (i = 0; i < ASIDE && !good; i++) {
		sched_yield();
		good = ow_mail_waits(q->dom, q->slot);
	}
	ow_patience_end(&q->patience, good);
	return good;
}

/* Nothing is there: 0 to look again, EMPTY, TIMEOUT, SIGNAL. */
static int await_message(struct shm_queue *q, uint64_t deadline_ns)
{
	struct timespec nap = { .tv_nsec = BOTH_NS };
	int r;

	if (deadline_ns == OW_QUEUE_NOWAIT)
		return OW_QUEUE_EMPTY;
	if (q->shmq == NULL) {
		if (step_aside(q))
			return 0;
		/* Without looking at the clock: the sleep does it. */
		r = ow_mail_wait(q->dom, q->slot,
				 deadline_ns != OW_QUEUE_FOREVER
				     ? deadline_ns
				     : ow_clock_mono_ns() + OW_NS_PER_SEC);
		if (r == -ETIMEDOUT && deadline_ns != OW_QUEUE_FOREVER)
			return ow_mail_depth(q->dom, q->slot) > 0
				   ? 0
				   : OW_QUEUE_TIMEOUT;
	} else { /* servers wait in a wait set; this is for tools and tests */
		if (deadline_ns != OW_QUEUE_FOREVER &&
		    deadline_ns <= ow_clock_mono_ns())
			return OW_QUEUE_TIMEOUT;
		r = nanosleep(&nap, NULL) < 0 ? -errno : 0;
	}
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

static int shm_recv(struct ow_queue *base, void *buf, size_t size,
		    uint64_t deadline_ns, size_t *ret_len)
{
	struct shm_queue *q = shm_of(base);
	uint64_t ref = 0;
	int r;

	for (;;) {
		r = take(q, &ref);
		if (r == 0)
			return unload(q, ref, buf, size, ret_len);
		if (r != OW_QUEUE_EMPTY)
			return r;
		r = await_message(q, deadline_ns);
		if (r != 0)
			return r;
	}
}

/* ---- the rest ---- */

static int shm_depth(struct ow_queue *base, uint32_t *ret_depth)
{
	struct shm_queue *q = shm_of(base);

	*ret_depth = q->shmq != NULL ? ow_shmq_depth(q->shmq)
				     : ow_mail_depth(q->dom, q->slot);
	return 0;
}

static int shm_peek(struct ow_domain *d, const char *name,
		    uint32_t *ret_depth)
{
	struct ow_shmq *shmq = NULL;
	int r = ow_shmq_open(d, svc_of(name), &shmq);

	if (r != 0)
		return result_of(r);
	*ret_depth = ow_shmq_depth(shmq);
	ow_shmq_close(shmq);
	return 0;
}

static int shm_peek_reply(struct ow_domain *d, uint32_t slot,
			  uint32_t *ret_depth)
{
	if (!ow_mail_exists(d, slot))
		return OW_QUEUE_GONE;
	*ret_depth = ow_mail_depth(d, slot);
	return 0;
}

/* Every payload goes into the block. */
static size_t shm_msgsize(const struct ow_queue *q)
{
	(void)q;
	return sizeof(struct ow_msg);
}

static void shm_nudge(struct ow_queue *base)
{
	if (shm_of(base)->shmq != NULL)
		ow_shmq_nudge(shm_of(base)->shmq);
}

static enum ow_queue_care shm_care(struct ow_queue *base)
{
	struct shm_queue *q = shm_of(base);
	uint64_t taken;

	if (q->shmq == NULL)
		return OW_QUEUE_LEFT;
	if (ow_shmq_expects(q->shmq, ow_clock_mono_ns()))
		return OW_QUEUE_CARED;
	taken = ow_shmq_taken(q->shmq);
	if (taken == q->taken)
		return OW_QUEUE_LEFT;
	q->taken = taken;
	return OW_QUEUE_DOUBT;
}

/* One that took longer is an exception: perhaps it lost its CPU. Two are not.
 * Those that call others depend on them; their time says little. */
static void shm_served(struct ow_queue *base, uint64_t took_ns, bool called)
{
	struct shm_queue *q = shm_of(base);

	if (took_ns < QUICK_NS && !called)
		q->quick += q->quick < QUICK_MIN;
	else if (q->quick > 0)
		q->quick = q->quick == QUICK_MIN ? 1 : 0;
	if (q->quick == 0 || q->quick == QUICK_MIN)
		ow_shmq_say_quick(q->shmq, q->quick != 0);
}

static int shm_expect(struct ow_queue *base, uint32_t replies)
{
	struct shm_queue *q = shm_of(base);
	int r = ow_mail_expect(q->dom, q->slot, replies);

	return r == OW_MAIL_NOSPACE ? OW_QUEUE_LIMIT : r;
}

static int shm_wait_either(struct ow_queue *full, struct ow_queue *in,
			   uint64_t deadline_ns)
{
	uint64_t now = ow_clock_mono_ns(), until = now + BOTH_NS;
	int r;

	if (deadline_ns != OW_QUEUE_FOREVER && deadline_ns <= now)
		return OW_QUEUE_TIMEOUT;
	if (deadline_ns != OW_QUEUE_FOREVER && deadline_ns < until)
		until = deadline_ns;
	if (ow_shmq_depth(shm_of(full)->shmq) == 0)
		return 0;
	r = ow_mail_wait(shm_of(in)->dom, shm_of(in)->slot, until);
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

static const struct ow_queue_ops ops = {
	.close = shm_close,
	.send = shm_send,
	.recv = shm_recv,
	.depth = shm_depth,
	.msgsize = shm_msgsize,
	.nudge = shm_nudge,
	.care = shm_care,
	.served = shm_served,
	.expect = shm_expect,
	.wait_either = shm_wait_either,
};

const struct ow_transport ow_transport_shm = {
	.create = shm_create,
	.open = shm_open_queue,
	.create_reply = shm_create_reply,
	.open_reply = shm_open_reply,
	.remove = shm_remove,
	.remove_reply = shm_remove_reply,
	.peek = shm_peek,
	.peek_reply = shm_peek_reply,
	.waitset_open = ow_waitset_shm_open,
	.srv_ring = ow_srv_shm_ring,
};
