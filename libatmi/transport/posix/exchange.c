/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - messages go into a POSIX message queue, and out of it
 *
 * mq_timedsend() and mq_timedreceive() take wall-clock deadlines, computed
 * from the monotonic one, for the first part of a wait; after that, ppoll()
 * waits by the monotonic clock. If the wall clock steps forward, the first
 * part ends early, without effect. If it steps back, it lasts longer by that
 * step: a call that waits in vain, and is in its first part at that moment,
 * reports the time-out later. Replies are not delayed. For a reply that part is
 * short.
 * Senders who wait for room take their turns in the kernel, while ppoll() would
 * wake all of them for each message taken out: theirs is a second. With an
 * absolute time in the past either call returns at once: that is how a blocking
 * descriptor is polled.
 *
 * Servers never wait for EPOLLOUT with EPOLLEXCLUSIVE: that could swallow the
 * wake-up for a message.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/posix/announce.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/posix/run.h"

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

/* Wall-clock time for a monotonic deadline, `most` ahead at most. */
static struct timespec slice_end(uint64_t deadline, uint64_t most)
{
	uint64_t left = slice_left(deadline, ow_clock_mono_ns(), most);

	return to_timespec(ow_clock_real_ns() + left);
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

/* The first slice is over. Wait until the queue may be `ready`, or the next
 * slice is over: 0, TIMEOUT (the deadline has passed), SIGNAL, -errno. */
static int wait_on(struct posix_queue *q, short ready, uint64_t deadline)
{
	struct pollfd p = { .fd = q->mq, .events = ready };
	uint64_t now = ow_clock_mono_ns();
	struct timespec ts;

	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	ts = to_timespec(slice_left(deadline, now, OW_WAKING_SLICE_NS));
	if (syscall(SYS_ppoll, &p, 1, &ts, NULL, 0) < 0)
		return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
	return 0;
}

/* Note in the block of the payload where its message goes, in case that this
 * process is killed while nobody knows whether it is there (orphans.c). */
static void address_block(const struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;

	if (m->block == 0 || e->payload.owner != OW_PAYLOAD_OWNED)
		return;
	ow_block_address(e->blocks, m->block,
			 m->kind == OW_MSG_REQUEST
			     ? OW_POSIX_TO_SERVICE | m->svc
			     : OW_POSIX_TO_CLIENT |
				   (uint64_t)m->clt_slot << 32 | m->clt_gen);
}

/* The message is queued: a server is told, the payload is the receiver's.
 * The block of a reply becomes its client's at once, so that it goes with the
 * client (that of a postponed reply already is); the block of a request
 * becomes the server's that adopts it. */
static void hand_over(struct posix_queue *q, struct ow_envelope *e)
{
	if (q->fifo >= 0 && (q->svc == NULL || !ow_announce_take(q->svc)))
		ow_fifo_put(q->fifo);
	e->payload.owner = OW_PAYLOAD_UNOWNED;
	if (q->client != NULL && e->head->block != 0 && !e->head->resent)
		ow_block_pass_on(e->blocks, e->head->block,
				 atomic_load(&q->client->prc));
}

int ow_posix_send(struct ow_queue *base, struct ow_envelope *e,
		  unsigned int prio, uint64_t deadline)
{
	struct posix_queue *q = posix_of(base);
	const char *msg = (const char *)e->head;
	struct timespec ts = { 0, 0 }; /* the first try does not wait */
	size_t len = ow_envelope_len(e);
	int tries, r;

	address_block(e);
	for (tries = 0;; tries++) {
		if (send_now(q->mq, msg, len, prio, &ts) == 0) {
			OW_FAULT("posix.sent");
			hand_over(q, e);
			return 0;
		}
		if (errno == EINTR)
			return OW_QUEUE_SIGNAL;
		if (errno != ETIMEDOUT)
			return -errno;
		if (deadline == OW_DEADLINE_NOW)
			return OW_QUEUE_FULL;
		r = tries > 0 ? wait_on(q, POLLOUT, deadline) : 0;
		if (r != 0)
			return r;
		ts = tries > 0 ? (struct timespec){ 0, 0 }
			       : slice_end(deadline, OW_WAKING_SLICE_NS);
	}
}

/* Let other processes run before sleeping for a reply, without a check for it:
 * that would cost as much as it may save. */
static void yield_first(struct posix_queue *q)
{
	enum ow_yield_step step = ow_yield_begin(&q->yield, q->waking);
	uint64_t i, begin = 0;

	if (step == OW_YIELD_NOT)
		return;
	if (step == OW_YIELD_TIMED)
		begin = ow_clock_mono_ns();
	for (i = 0; i < q->waking->yields_blind; i++)
		sched_yield();
	if (step == OW_YIELD_TIMED)
		ow_yield_end(&q->yield, q->waking, ow_clock_mono_ns() - begin);
}

/* One call of the kernel that receives. It copies the message into the room. A
 * server's room is its in-flight record, so the request is on record before
 * the first instruction after the system call. */
struct attempt {
	struct posix_queue *q;
	struct ow_envelope *e;
	ssize_t n;
	int error; /* errno, 0: none */
};

static void attempt(struct attempt *a, const struct timespec *until)
{
	a->n = receive_now(a->q->mq, a->e->head, a->e->room, until);
	a->error = a->n < 0 ? errno : 0;
}

static int result_of(const struct attempt *a)
{
	switch (a->error) {
	case 0:
		return ow_envelope_accept(a->e, (size_t)a->n) == 0
			       ? 0
			       : OW_QUEUE_GARBAGE;
	case EINTR:
		return OW_QUEUE_SIGNAL;
	case ETIMEDOUT:
		return OW_QUEUE_EMPTY;
	default:
		return -a->error;
	}
}

/* For a look: a time in the past does not wait. */
static bool is_received(void *arg)
{
	static const struct timespec past = { 0, 0 };
	struct attempt *a = arg;

	attempt(a, &past);
	return a->error != ETIMEDOUT;
}

/* Sleep in the kernel until there is a message: as ow_posix_recv(). */
static int receive_asleep(struct attempt *a, uint64_t deadline)
{
	const struct ow_waking *k = a->q->waking;
	struct timespec ts = slice_end(deadline, k->first_wait_ns);
	int r;

	for (;;) {
		attempt(a, &ts);
		if (a->error != ETIMEDOUT)
			return result_of(a);
		r = wait_on(a->q, POLLIN, deadline);
		if (r != 0)
			return r;
		ts = (struct timespec){ 0, 0 };
	}
}

int ow_posix_recv(struct ow_queue *base, struct ow_envelope *e,
		  uint64_t deadline)
{
	struct posix_queue *q = posix_of(base);
	struct attempt a = { .q = q, .e = e };
	int r;

	if (deadline == OW_DEADLINE_NOW) {
		is_received(&a);
		r = result_of(&a);
		if (q->svc != NULL)
			ow_run_attempted(q, r == 0 ? e->head : NULL);
		return r;
	}
	if (!ow_looker_begin(&q->looker))
		yield_first(q);
	else if (ow_looker_look(&q->looker, is_received, &a))
		return result_of(&a);
	r = receive_asleep(&a, deadline);
	ow_looker_end(&q->looker);
	return r;
}

int ow_posix_wait_either(struct ow_queue *full, struct ow_queue *in,
			 uint64_t deadline)
{
	struct pollfd p[2] = { { .fd = posix_of(full)->mq,
				 .events = POLLOUT },
			       { .fd = posix_of(in)->mq, .events = POLLIN } };
	uint64_t now = ow_clock_mono_ns();
	struct timespec ts;

	if (ow_deadline_passed(deadline, now))
		return OW_QUEUE_TIMEOUT;
	ts = to_timespec(slice_left(deadline, now, OW_WAKING_SLICE_NS));
	if (syscall(SYS_ppoll, p, 2, &ts, NULL, 0) < 0)
		return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
	return 0; /* also after a slice: the caller tries again */
}

/* A surplus byte in the FIFO does no harm. Without a FIFO servers wait on the
 * queue itself and cannot be woken from here: polling servers find the
 * message. */
void ow_posix_nudge(struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);
	uint32_t depth = 0;

	if (q->fifo >= 0 && ow_posix_depth(base, &depth) == 0 && depth > 0)
		ow_fifo_put(q->fifo);
}
