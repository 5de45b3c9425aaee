/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - queues as POSIX message queues, waited on with epoll
 *
 * The kernel owns the messages, so a killed process cannot damage a queue. A
 * service queue, or the bell beside it, is in the epoll set of each of its
 * servers, registered EPOLLIN | EPOLLEXCLUSIVE: the kernel wakes the first
 * idle one. Nobody ever waits for EPOLLOUT there with EPOLLEXCLUSIVE: it could
 * swallow the wake-up of a message.
 *
 * mq_timedsend() and mq_timedreceive() take wall-clock deadlines; they are
 * computed anew from the monotonic ones at least once a second. A step of the
 * wall clock forwards ends a slice early, which nobody notices; a step
 * backwards lengthens the slices that are running by its size, so calls that
 * wait in vain at that moment learn of their time-out later. Replies come as
 * ever. An absolute time in the past makes either call return at once: that
 * is how a blocking descriptor is polled.
 */
#include "libatmi/transport/posix/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/transport/posix/bell.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"

#define NAME_MAX_ALL 160
#define SLICE_NS     UINT64_C(1000000000)
/* What the kernel adds to each message when it counts bytes. */
#define MQ_OVERHEAD 96u

static const struct ow_queue_ops ops;

/* Shapes to fall back to when bytes run out, largest first. The smallest
 * still holds a header and a block reference. Queues are made smaller before
 * the limit is reached, so that the last client to come gets one too. */
static const struct ow_queue_shape shapes[] = {
	{ 10, 1024 }, { 10, 512 }, { 6, 512 }, { 4, 256 }, { 2, 192 },
};

static int full_name(const struct ow_domain *d, const char *name, char *buf)
{
	int n = snprintf(buf, NAME_MAX_ALL, "/%s,%s", d->prefix, name);

	return n < NAME_MAX_ALL ? 0 : -ENAMETOOLONG;
}

static void account(struct ow_domain *d, const struct mq_attr *a, bool add)
{
	uint64_t n = (uint64_t)a->mq_maxmsg *
		     ((uint64_t)a->mq_msgsize + MQ_OVERHEAD);
	uint64_t used;

	if (d->tables == NULL)
		return;
	if (add) {
		atomic_fetch_add(&d->tables->head->mq_bytes, n);
		return;
	}
	/* Never below 0: the queue may be older than the tables. */
	used = atomic_load(&d->tables->head->mq_bytes);
	while (!atomic_compare_exchange_weak(&d->tables->head->mq_bytes, &used,
					     used > n ? used - n : 0))
		;
}

/* Wrap an open descriptor; takes it over, also on failure. */
static int wrap(mqd_t mq, struct mq_attr *ret_attr, struct posix_queue **ret)
{
	struct posix_queue *q;

	if (mq_getattr(mq, ret_attr) < 0) {
		mq_close(mq);
		return -errno;
	}
	q = malloc(sizeof(*q));
	if (q == NULL) {
		mq_close(mq);
		return -ENOMEM;
	}
	q->base.ops = &ops;
	q->mq = mq;
	q->bell = -1;
	q->msgsize = (size_t)ret_attr->mq_msgsize;
	*ret = q;
	return 0;
}

/* One attempt with one shape. 1: the byte limit (or the depth limit)
 * refuses this shape. */
static int try_shape(const char *name, const struct ow_queue_shape *s,
		     mqd_t *ret, bool *ret_made)
{
	struct mq_attr a = { .mq_maxmsg = s->maxmsg, .mq_msgsize = s->msgsize };
	mqd_t mq;

	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &a);
	*ret_made = mq != (mqd_t)-1;
	if (mq == (mqd_t)-1 && errno == EEXIST)
		mq = mq_open(name, O_RDWR | O_CLOEXEC);
	if (mq == (mqd_t)-1)
		return errno == EMFILE || errno == EINVAL ? 1 : -errno;
	*ret = mq;
	return 0;
}

static int open_fitting(const char *name, struct ow_queue_shape wish,
			mqd_t *ret, bool *ret_made)
{
	size_t i;
	int r = try_shape(name, &wish, ret, ret_made);

	for (i = 0; r == 1 && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (shapes[i].maxmsg > wish.maxmsg ||
		    shapes[i].msgsize > wish.msgsize)
			continue;
		r = try_shape(name, &shapes[i], ret, ret_made);
	}
	return r;
}

/* Share of the byte limit in use -> the largest shape allowed. */
static void be_modest(const struct ow_domain *d, struct ow_queue_shape *s)
{
	const struct ow_queue_shape *max = NULL;
	uint64_t used;

	if (d->tables == NULL || d->mq_limit == 0)
		return;
	used = atomic_load(&d->tables->head->mq_bytes);
	if (used > d->mq_limit / 100 * 85)
		max = &shapes[3];
	else if (used > d->mq_limit / 100 * 60)
		max = &shapes[2];
	if (max == NULL)
		return;
	if (s->maxmsg > max->maxmsg)
		s->maxmsg = max->maxmsg;
	if (s->msgsize > max->msgsize)
		s->msgsize = max->msgsize;
}

static int posix_create(struct ow_domain *d, const char *name,
			struct ow_queue_shape *shape, struct ow_queue **ret)
{
	char full[NAME_MAX_ALL];
	struct posix_queue *q;
	struct mq_attr a;
	bool made = false;
	mqd_t mq = (mqd_t)-1;
	int r = full_name(d, name, full);

	if (r < 0)
		return r;
	be_modest(d, shape);
	r = open_fitting(full, *shape, &mq, &made);
	if (r == 1 || r == -ENOSPC)
		return OW_QUEUE_LIMIT;
	if (r < 0)
		return r;
	r = wrap(mq, &a, &q);
	if (r < 0)
		return r;
	if (made)
		account(d, &a, true);
	r = ow_bell_open(d, name, true, &q->bell);
	if (r < 0) {
		ow_queue_close(&q->base);
		return r;
	}
	shape->maxmsg = (uint32_t)a.mq_maxmsg;
	shape->msgsize = (uint32_t)a.mq_msgsize;
	*ret = &q->base;
	return 0;
}

static int posix_open(struct ow_domain *d, const char *name,
		      struct ow_queue **ret)
{
	char full[NAME_MAX_ALL];
	struct posix_queue *q;
	struct mq_attr a;
	mqd_t mq;
	int r = full_name(d, name, full);

	if (r < 0)
		return r;
	mq = mq_open(full, O_RDWR | O_CLOEXEC);
	if (mq == (mqd_t)-1)
		return errno == ENOENT ? OW_QUEUE_GONE : -errno;
	r = wrap(mq, &a, &q);
	if (r < 0)
		return r;
	r = ow_bell_open(d, name, false, &q->bell);
	if (r >= 0) {
		*ret = &q->base;
		return 0;
	}
	ow_queue_close(&q->base);
	return r == -ENOENT ? OW_QUEUE_GONE : r;
}

/* The name of a reply queue, as its client has written it into its slot. */
static void reply_name(const struct ow_domain *d, uint32_t slot, char *buf)
{
	const struct ow_clt *c = &d->tables->clt[slot];

	memcpy(buf, c->queue, sizeof(c->queue));
	buf[sizeof(c->queue) - 1] = '\0';
}

static int posix_create_reply(struct ow_domain *d, uint32_t slot,
			      struct ow_queue_shape *shape,
			      struct ow_queue **ret)
{
	char name[NAME_MAX_ALL];

	reply_name(d, slot, name);
	return posix_create(d, name, shape, ret);
}

static int posix_open_reply(struct ow_domain *d, uint32_t slot,
			    struct ow_queue **ret)
{
	char name[NAME_MAX_ALL];

	reply_name(d, slot, name);
	return name[0] != '\0' ? posix_open(d, name, ret) : OW_QUEUE_GONE;
}

static struct ow_queue *posix_close(struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);

	mq_close(q->mq);
	if (q->bell >= 0)
		close(q->bell);
	free(q);
	return NULL;
}

static int posix_remove(struct ow_domain *d, const char *name)
{
	char full[NAME_MAX_ALL];
	struct mq_attr a;
	mqd_t mq;
	int r = full_name(d, name, full);

	if (r < 0)
		return r;
	mq = mq_open(full, O_RDONLY | O_CLOEXEC);
	if (mq_unlink(full) < 0)
		r = errno == ENOENT ? OW_QUEUE_GONE : -errno;
	else if (mq != (mqd_t)-1 && mq_getattr(mq, &a) == 0)
		account(d, &a, false);
	if (mq != (mqd_t)-1)
		mq_close(mq);
	ow_bell_remove(d, name);
	return r;
}

/* Wall-clock time for a monotonic deadline, at most a slice ahead;
 * `*ret_last`: the deadline itself lies within the slice. */
static struct timespec slice_end(uint64_t deadline_ns, bool *ret_last)
{
	uint64_t ns, left = SLICE_NS, now;

	*ret_last = false;
	if (deadline_ns != OW_QUEUE_FOREVER) {
		now = ow_clock_mono_ns();
		left = deadline_ns > now ? deadline_ns - now : 0;
		*ret_last = left <= SLICE_NS;
		if (left > SLICE_NS)
			left = SLICE_NS;
	}
	ns = ow_clock_real_ns() + left;
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
}

static int posix_remove_reply(struct ow_domain *d, uint32_t slot)
{
	char name[NAME_MAX_ALL];

	reply_name(d, slot, name);
	return name[0] != '\0' ? posix_remove(d, name) : OW_QUEUE_GONE;
}

static int posix_send(struct ow_queue *base, const void *msg, size_t len,
		      unsigned int prio, uint64_t deadline_ns)
{
	struct posix_queue *q = posix_of(base);
	struct timespec ts = { 0, 0 }; /* the first try never waits */
	bool last = deadline_ns == OW_QUEUE_NOWAIT;

	for (;;) {
		if (mq_timedsend(q->mq, msg, len, prio, &ts) == 0) {
			if (q->bell >= 0)
				ow_bell_ring(q->bell);
			return 0;
		}
		if (errno == EINTR)
			return OW_QUEUE_SIGNAL;
		if (errno != ETIMEDOUT)
			return -errno;
		if (deadline_ns == OW_QUEUE_NOWAIT)
			return OW_QUEUE_FULL;
		if (last)
			return OW_QUEUE_TIMEOUT;
		ts = slice_end(deadline_ns, &last);
	}
}

static int posix_recv(struct ow_queue *base, void *buf, size_t size,
		      uint64_t deadline_ns, size_t *ret_len)
{
	struct posix_queue *q = posix_of(base);
	struct timespec ts = { 0, 0 };
	bool last = deadline_ns == OW_QUEUE_NOWAIT;
	ssize_t n;

	/* Once, without looking: a look costs as much as it may save. */
	if (deadline_ns != OW_QUEUE_NOWAIT && ow_patience_begin(&q->patience)) {
		sched_yield();
		ow_patience_end(&q->patience, true);
	}
	for (;;) {
		if (deadline_ns != OW_QUEUE_NOWAIT)
			ts = slice_end(deadline_ns, &last);
		n = mq_timedreceive(q->mq, buf, size, NULL, &ts);
		if (n >= 0) {
			*ret_len = (size_t)n;
			return 0;
		}
		if (errno == EINTR)
			return OW_QUEUE_SIGNAL;
		if (errno != ETIMEDOUT)
			return -errno;
		if (deadline_ns == OW_QUEUE_NOWAIT)
			return OW_QUEUE_EMPTY;
		if (last)
			return OW_QUEUE_TIMEOUT;
	}
}

static int posix_depth(struct ow_queue *q, uint32_t *ret_depth)
{
	struct mq_attr a;

	if (mq_getattr(posix_of(q)->mq, &a) < 0)
		return -errno;
	*ret_depth = (uint32_t)a.mq_curmsgs;
	return 0;
}

static int posix_peek(struct ow_domain *d, const char *name,
		      uint32_t *ret_depth)
{
	char full[NAME_MAX_ALL];
	struct mq_attr a;
	mqd_t mq;
	int r = full_name(d, name, full);

	if (r < 0)
		return r;
	mq = mq_open(full, O_RDONLY | O_CLOEXEC);
	if (mq == (mqd_t)-1)
		return errno == ENOENT ? OW_QUEUE_GONE : -errno;
	if (mq_getattr(mq, &a) == 0)
		*ret_depth = (uint32_t)a.mq_curmsgs;
	else
		r = -errno;
	mq_close(mq);
	return r;
}

static int posix_peek_reply(struct ow_domain *d, uint32_t slot,
			    uint32_t *ret_depth)
{
	char name[NAME_MAX_ALL];

	reply_name(d, slot, name);
	return name[0] != '\0' ? posix_peek(d, name, ret_depth)
			       : OW_QUEUE_GONE;
}

static size_t posix_msgsize(const struct ow_queue *q)
{
	return ((const struct posix_queue *)q)->msgsize;
}

/* A byte too many in the bell does no harm; a queue that is waited on by
 * itself has nothing that could be rung: the servers' sweep finds it. */
static void posix_nudge(struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);
	uint32_t depth = 0;

	if (q->bell >= 0 && posix_depth(base, &depth) == 0 && depth > 0)
		ow_bell_ring(q->bell);
}

static enum ow_queue_care posix_care(struct ow_queue *q)
{
	(void)q;
	return OW_QUEUE_LEFT;
}

/* The kernel decides who is woken. */
static void posix_served(struct ow_queue *q, uint64_t took_ns, bool called)
{
	(void)q;
	(void)took_ns;
	(void)called;
}

/* A queue that is full makes servers park what comes. */
static int posix_expect(struct ow_queue *q, uint32_t replies)
{
	(void)q, (void)replies;
	return 0;
}

static int posix_wait_either(struct ow_queue *full, struct ow_queue *in,
			     uint64_t deadline_ns)
{
	struct pollfd p[2] = { { .fd = posix_of(full)->mq,
				 .events = POLLOUT },
			       { .fd = posix_of(in)->mq, .events = POLLIN } };
	uint64_t now = ow_clock_mono_ns(), left = SLICE_NS;
	struct timespec ts;
	int n;

	if (deadline_ns != OW_QUEUE_FOREVER) {
		if (deadline_ns <= now)
			return OW_QUEUE_TIMEOUT;
		if (deadline_ns - now < left)
			left = deadline_ns - now;
	}
	ts.tv_sec = (time_t)(left / 1000000000);
	ts.tv_nsec = (long)(left % 1000000000);
	n = ppoll(p, 2, &ts, NULL);
	if (n < 0)
		return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
	return 0; /* also after a slice: the caller looks again */
}

static const struct ow_queue_ops ops = {
	.close = posix_close,
	.send = posix_send,
	.recv = posix_recv,
	.depth = posix_depth,
	.msgsize = posix_msgsize,
	.nudge = posix_nudge,
	.care = posix_care,
	.served = posix_served,
	.expect = posix_expect,
	.wait_either = posix_wait_either,
};

const struct ow_transport ow_transport_posix = {
	.create = posix_create,
	.open = posix_open,
	.create_reply = posix_create_reply,
	.open_reply = posix_open_reply,
	.remove = posix_remove,
	.remove_reply = posix_remove_reply,
	.peek = posix_peek,
	.peek_reply = posix_peek_reply,
	.waitset_open = ow_waitset_posix_open,
	.srv_ring = ow_srv_posix_ring,
};
