/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receive.c - receive a request through shared memory
 *
 * Taking the reference out of a queue makes the block the receiver's by the
 * same compare-and-swap (block.h).
 */
#include <errno.h>
#include <time.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/shm/shm.h"
#include "libubf/base/uncancelled.h"

#define NAP_NS (2 * OW_NS_PER_MS) /* between two polls of a service queue */

/* Take a message if there is one. A server that was woken for this queue ends
 * its pending wake-up, and then takes a message that came meanwhile: no other
 * server was woken for it. */
static int take(struct shm_queue *q, uint64_t *ret_ref)
{
	int r;

	r = ow_shmq_take(q->shmq, ret_ref);
	if (q->woken) {
		ow_shm_finish_wake(q);
		if (r == OW_SHMQ_EMPTY)
			r = ow_shmq_take(q->shmq, ret_ref);
	}
	return r == OW_SHMQ_EMPTY ? OW_QUEUE_EMPTY : r;
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
			return ow_mail_unload(q->dom, ref, e);
		if (r != OW_QUEUE_EMPTY || deadline == OW_DEADLINE_NOW)
			return r;
		r = await_request(deadline);
		if (r != 0)
			return r;
	}
}
