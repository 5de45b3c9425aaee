/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - requests go into a POSIX message queue, and out of it
 *
 * A sender that waits for room waits in mq_timedsend(): there senders stand in
 * the order of their coming, and the kernel puts the message of the first into
 * the place that a receiver frees, and wakes that sender alone. It takes a
 * wall-clock deadline, computed from the monotonic one, so a sender waits in
 * slices: of 4, 16, 16, ... seconds, since with each it goes to the end of
 * the line. If the wall clock steps forward, the slice ends early. If it steps
 * back, it lasts longer by that step: a sender that waits in vain reports its
 * time-out later. With an absolute time in the past mq_timedsend() and
 * mq_timedreceive() return at once: that is how a blocking descriptor is polled.
 *
 * Servers never wait for EPOLLOUT with EPOLLEXCLUSIVE: that could swallow the
 * wake-up for a message.
 */
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/posix/announce.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/posix/run.h"

#define FIRST_SLICE_NS	 (4 * OW_NS_PER_SEC)
#define LONGEST_SLICE_NS (16 * OW_NS_PER_SEC)

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / OW_NS_PER_SEC),
				  .tv_nsec = (long)(ns % OW_NS_PER_SEC) };
}

/* The length of a wait that begins now, `most` at most. */
static uint64_t slice_left(uint64_t deadline, uint64_t now, uint64_t most)
{
	uint64_t end = ow_deadline_clamp(deadline, now + most);

	return end > now ? end - now : 0;
}

/* The system calls themselves: mq_timedsend() and mq_timedreceive() are points
 * at which a thread may be cancelled, and cost more (uncancelled.h). */
static long send_now(mqd_t mq, const void *msg, size_t len, unsigned int prio,
		     const struct timespec *until)
{
	return syscall(SYS_mq_timedsend, mq, msg, len, prio, until);
}

static long receive_now(mqd_t mq, void *room, size_t size,
			const struct timespec *until)
{
	return syscall(SYS_mq_timedreceive, mq, room, size, NULL, until);
}

/* Wait until the queue may be `ready`, for `most` at most: 0, TIMEOUT (the
 * deadline has passed), SIGNAL, -errno. */
static int wait_on(struct posix_queue *q, short ready, uint64_t deadline,
		   uint64_t most)
{
	struct pollfd p = { .fd = q->mq, .events = ready };
	uint64_t now = ow_clock_mono_ns();
	struct timespec ts;

	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	ts = to_timespec(slice_left(deadline, now, most));
	if (syscall(SYS_ppoll, &p, 1, &ts, NULL, 0) < 0)
		return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
	return 0;
}

/* Note in the block of the payload where its message goes, in case that this
 * process is killed while nobody knows whether it is there (orphans.c). */
static void address_block(const struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;

	if (m->block != 0 && e->payload.owner == OW_PAYLOAD_OWNED)
		ow_block_address(e->blocks, m->block,
				 OW_POSIX_TO_SERVICE | m->svc);
}

/* The message is queued: a server is told, the payload is the receiver's, who
 * adopts its block. */
static void hand_over(struct posix_queue *q, struct ow_envelope *e,
		      uint64_t deadline)
{
	/* A sender that may have waited was composing long ago. */
	uint64_t now = deadline == OW_DEADLINE_NOW ? e->head->sent_ns
						   : ow_clock_mono_ns();

	if (q->svc == NULL) {
		if (q->fifo >= 0)
			ow_fifo_put(q->fifo);
	} else if (!ow_announce_take(q->svc)) {
		ow_bell_ring(q, now, 0);
	}
	e->payload.owner = OW_PAYLOAD_UNOWNED;
}

/* Until when mq_timedsend() waits, by the wall clock. */
static struct timespec slice_end(uint64_t deadline, uint64_t most)
{
	return to_timespec(ow_clock_real_ns() +
			   slice_left(deadline, ow_clock_mono_ns(), most));
}

int ow_posix_send(struct ow_queue *base, struct ow_envelope *e,
		  unsigned int prio, uint64_t deadline)
{
	struct posix_queue *q = posix_of(base);
	const char *msg = (const char *)e->head;
	struct timespec ts = { 0, 0 }; /* does not wait */
	uint64_t slice = FIRST_SLICE_NS;
	size_t len = ow_envelope_len(e);

	address_block(e);
	for (;;) {
		if (deadline != OW_DEADLINE_NOW)
			ts = slice_end(deadline, slice);
		if (send_now(q->mq, msg, len, prio, &ts) == 0) {
			OW_FAULT("posix.sent");
			hand_over(q, e, deadline);
			return 0;
		}
		if (errno == EINTR)
			return OW_QUEUE_SIGNAL;
		if (errno != ETIMEDOUT)
			return -errno;
		if (deadline == OW_DEADLINE_NOW)
			return OW_QUEUE_FULL;
		if (ow_deadline_passed(deadline, ow_clock_mono_ns()))
			return OW_QUEUE_TIMEOUT;
		if (slice < LONGEST_SLICE_NS)
			slice *= 4;
	}
}

/* The kernel copies the message into the room. A server's room is its in-flight
 * record, so the request is on record before the first instruction after the
 * system call. */
static int receive(struct posix_queue *q, struct ow_envelope *e)
{
	static const struct timespec past = { 0, 0 };
	long n = receive_now(q->mq, e->head, e->room, &past);

	if (n >= 0)
		return ow_envelope_accept(e, (size_t)n) == 0
			       ? 0
			       : OW_QUEUE_GARBAGE;
	return errno == ETIMEDOUT ? OW_QUEUE_EMPTY
	       : errno == EINTR	  ? OW_QUEUE_SIGNAL
				  : -errno;
}

/* Servers wait in their wait set: others than NOW are for tools and tests. */
int ow_posix_recv(struct ow_queue *base, struct ow_envelope *e,
		  uint64_t deadline)
{
	struct posix_queue *q = posix_of(base);
	int r = receive(q, e), w = 0;

	if (deadline == OW_DEADLINE_NOW && q->svc != NULL) {
		while (r == OW_QUEUE_EMPTY && ow_bell_was_empty(q)) {
			r = receive(q, e);
			q->looks_on = true; /* nobody else was told */
		}
		if (q->looks_on)
			ow_bell_look_on(q);
		ow_run_attempted(q, r == 0 ? e->head : NULL);
	}
	while (r == OW_QUEUE_EMPTY && deadline != OW_DEADLINE_NOW && w == 0) {
		w = wait_on(q, POLLIN, deadline, OW_WAKING_SLICE_NS);
		if (w == 0)
			r = receive(q, e);
	}
	return w != 0 ? w : r;
}

/* Sleep for room, which may come at any moment, and look for messages each
 * OW_WAKING_ROOM_NAP_NS: mail.h. */
int ow_posix_wait_either(struct ow_queue *full, struct ow_queue *in,
			 uint64_t deadline)
{
	struct posix_queue *q = posix_of(full);

	return ow_mail_has_come(in)
		       ? 0
		       : wait_on(q, POLLOUT, deadline, OW_WAKING_ROOM_NAP_NS);
}

/* A surplus byte in the FIFO does no harm. Without a FIFO servers wait on the
 * queue itself and cannot be woken from here: polling servers find the
 * message. */
void ow_posix_nudge(struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);
	uint32_t depth = 0;

	if (q->fifo < 0 || ow_posix_depth(base, &depth) != 0 || depth == 0)
		return;
	if (q->svc != NULL)
		ow_bell_nudge(q);
	else
		ow_fifo_put(q->fifo);
}

/* Callers in a long line would write a byte each, which passes all servers that
 * work, and read the depth. */
void ow_posix_nudge_of_many(struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);

	if (q->svc == NULL || !ow_bell_is_on_way(q))
		ow_posix_nudge(base);
}
