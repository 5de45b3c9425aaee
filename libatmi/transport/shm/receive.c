/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receive.c - receive a message through shared memory
 *
 * Taking the reference out of a queue makes the block the receiver's by the
 * same compare-and-swap (block.h). The header is copied out of the block
 * before it is checked: no process can change it afterwards.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/transport/shm/shm.h"
#include "libubf/base/uncancelled.h"

#define NAP_NS (2 * OW_NS_PER_MS) /* between two polls of a service queue */

static int unload(struct shm_queue *q, uint64_t ref, struct ow_envelope *e)
{
	uint64_t most;
	void *data = ow_block_open(q->dom->blocks, ref, e->head, &most);

	if (data != NULL) {
		e->head->block = ref;
		if (ow_envelope_accept_block(e, data, most) == 0)
			return 0;
	}
	ow_block_free(q->dom->blocks, ref);
	return OW_QUEUE_GARBAGE;
}

/* Take a message if there is one. A server that was woken for this queue ends
 * its pending wake-up, and then takes a message that came meanwhile: no other
 * server was woken for it. */
static int take(struct shm_queue *q, uint64_t *ret_ref)
{
	int r;

	if (q->shmq == NULL) {
		r = ow_mail_take(q->dom, q->slot, ret_ref);
		return r == OW_MAIL_EMPTY ? OW_QUEUE_EMPTY : r;
	}
	r = ow_shmq_take(q->shmq, ret_ref);
	if (q->woken) {
		ow_shm_finish_wake(q);
		if (r == OW_SHMQ_EMPTY)
			r = ow_shmq_take(q->shmq, ret_ref);
	}
	return r == OW_SHMQ_EMPTY ? OW_QUEUE_EMPTY : r;
}

/* Let other processes run before sleeping for a reply. True: it has come. */
static bool yield_first(struct shm_queue *q)
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
		came = ow_mail_has_reply(q->dom, q->slot);
	}
	if (step == OW_YIELD_TIMED)
		ow_yield_end(&q->yield, k, ow_clock_mono_ns() - begin);
	return came;
}

static bool has_reply(void *queue)
{
	const struct shm_queue *q = queue;

	return ow_mail_has_reply(q->dom, q->slot);
}

/* Sleep for a reply: 0 (check again), TIMEOUT, SIGNAL. The result of the
 * sleep saves reading the clock. */
static int await_reply(struct shm_queue *q, uint64_t deadline)
{
	int r;

	if (ow_looker_begin(&q->looker) ? ow_looker_look(&q->looker, has_reply, q)
					: yield_first(q))
		return 0;
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

/* For tools and tests: servers wait in their wait set. */
static int await_request(uint64_t deadline)
{
	OW_UNCANCELLED;
	struct timespec nap = { .tv_nsec = NAP_NS };

	if (ow_deadline_passed(deadline, ow_clock_mono_ns()))
		return OW_QUEUE_TIMEOUT;
	return nanosleep(&nap, NULL) < 0 ? OW_QUEUE_SIGNAL : 0;
}

int ow_shm_recv(struct ow_queue *base, struct ow_envelope *e,
		uint64_t deadline)
{
	struct shm_queue *q = shm_of(base);
	uint64_t ref = 0;
	int r;

	if (e->room < sizeof(*e->head))
		return -EMSGSIZE;
	for (;;) {
		r = take(q, &ref);
		if (r == 0)
			return unload(q, ref, e);
		if (r != OW_QUEUE_EMPTY || deadline == OW_DEADLINE_NOW)
			return r;
		r = q->shmq == NULL ? await_reply(q, deadline)
				    : await_request(deadline);
		if (r != 0)
			return r;
	}
}
