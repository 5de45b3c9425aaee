/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_posix.c - queues as POSIX message queues, waited on with epoll
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
#include "libatmi/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/bell.h"
#include "libatmi/clock.h"
#include "libatmi/tables.h"

#define NAME_MAX_ALL 160
#define SLICE_NS     UINT64_C(1000000000)
/* What the kernel adds to each message when it counts bytes. */
#define MQ_OVERHEAD 96u

struct ow_queue {
	mqd_t mq;
	int bell; /* see bell.h; -1: none */
	size_t msgsize;
};

struct ow_waitset {
	int ep;
	uint32_t events;
};

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
static int wrap(mqd_t mq, struct mq_attr *ret_attr, struct ow_queue **ret)
{
	struct ow_queue *q;

	if (mq_getattr(mq, ret_attr) < 0) {
		mq_close(mq);
		return -errno;
	}
	q = malloc(sizeof(*q));
	if (q == NULL) {
		mq_close(mq);
		return -ENOMEM;
	}
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

int ow_queue_create(struct ow_domain *d, const char *name,
		    struct ow_queue_shape *shape, struct ow_queue **ret)
{
	char full[NAME_MAX_ALL];
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
	r = wrap(mq, &a, ret);
	if (r < 0)
		return r;
	if (made)
		account(d, &a, true);
	r = ow_bell_open(d, name, true, &(*ret)->bell);
	if (r < 0) {
		*ret = ow_queue_close(*ret);
		return r;
	}
	shape->maxmsg = (uint32_t)a.mq_maxmsg;
	shape->msgsize = (uint32_t)a.mq_msgsize;
	return 0;
}

int ow_queue_open(struct ow_domain *d, const char *name, struct ow_queue **ret)
{
	char full[NAME_MAX_ALL];
	struct mq_attr a;
	mqd_t mq;
	int r = full_name(d, name, full);

	if (r < 0)
		return r;
	mq = mq_open(full, O_RDWR | O_CLOEXEC);
	if (mq == (mqd_t)-1)
		return errno == ENOENT ? OW_QUEUE_GONE : -errno;
	r = wrap(mq, &a, ret);
	if (r < 0)
		return r;
	r = ow_bell_open(d, name, false, &(*ret)->bell);
	if (r >= 0)
		return 0;
	*ret = ow_queue_close(*ret);
	return r == -ENOENT ? OW_QUEUE_GONE : r;
}

struct ow_queue *ow_queue_close(struct ow_queue *q)
{
	if (q != NULL) {
		mq_close(q->mq);
		if (q->bell >= 0)
			close(q->bell);
		free(q);
	}
	return NULL;
}

int ow_queue_remove(struct ow_domain *d, const char *name)
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

int ow_queue_send(struct ow_queue *q, const void *msg, size_t len,
		  unsigned int prio, uint64_t deadline_ns)
{
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

int ow_queue_recv(struct ow_queue *q, void *buf, size_t size,
		  uint64_t deadline_ns, size_t *ret_len)
{
	struct timespec ts = { 0, 0 };
	bool last = deadline_ns == OW_QUEUE_NOWAIT;
	ssize_t n;

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

int ow_queue_depth(struct ow_queue *q, uint32_t *ret_depth)
{
	struct mq_attr a;

	if (mq_getattr(q->mq, &a) < 0)
		return -errno;
	*ret_depth = (uint32_t)a.mq_curmsgs;
	return 0;
}

int ow_queue_peek(struct ow_domain *d, const char *name, uint32_t *ret_depth)
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

size_t ow_queue_msgsize(const struct ow_queue *q)
{
	return q->msgsize;
}

int ow_queue_wait_either(struct ow_queue *full, struct ow_queue *in,
			 uint64_t deadline_ns)
{
	struct pollfd p[2] = { { .fd = full->mq, .events = POLLOUT },
			       { .fd = in->mq, .events = POLLIN } };
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

/* ---- waiting ---- */

int ow_waitset_open(enum ow_wake wake, struct ow_waitset **ret)
{
	struct ow_waitset *w = malloc(sizeof(*w));

	if (w == NULL)
		return -ENOMEM;
	w->events = EPOLLIN;
	if (wake != OW_WAKE_HERD)
		w->events |= EPOLLEXCLUSIVE;
	w->ep = epoll_create1(EPOLL_CLOEXEC);
	if (w->ep < 0) {
		int e = -errno;

		free(w);
		return e;
	}
	*ret = w;
	return 0;
}

struct ow_waitset *ow_waitset_close(struct ow_waitset *w)
{
	if (w != NULL) {
		close(w->ep);
		free(w);
	}
	return NULL;
}

/* What epoll gives back: the tag, and 1 + the bell to take a byte from. */
static int add(struct ow_waitset *w, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event ev = { .events = events, .data.u64 = data };

	return epoll_ctl(w->ep, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

int ow_waitset_add_queue(struct ow_waitset *w, struct ow_queue *q,
			 uint32_t tag)
{
	if (q->bell < 0)
		return add(w, q->mq, w->events, tag);
	return add(w, q->bell, w->events,
		   (uint64_t)(q->bell + 1) << 32 | tag);
}

int ow_waitset_del_queue(struct ow_waitset *w, struct ow_queue *q)
{
	return ow_waitset_del_fd(w, q->bell < 0 ? q->mq : q->bell);
}

int ow_waitset_add_fd(struct ow_waitset *w, int fd, uint32_t tag)
{
	return add(w, fd, EPOLLIN, tag);
}

int ow_waitset_del_fd(struct ow_waitset *w, int fd)
{
	return epoll_ctl(w->ep, EPOLL_CTL_DEL, fd, NULL) < 0 ? -errno : 0;
}

int ow_waitset_wait(struct ow_waitset *w, int timeout_ms, uint32_t *ret_tag)
{
	struct epoll_event ev;
	int n, bell;

	for (;;) {
		n = epoll_wait(w->ep, &ev, 1, timeout_ms);
		if (n == 0)
			return OW_QUEUE_TIMEOUT;
		if (n < 0)
			return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
		bell = (int)(ev.data.u64 >> 32) - 1;
		if (bell >= 0 && ow_bell_take(bell) != 0)
			continue; /* somebody else has the message */
		*ret_tag = (uint32_t)ev.data.u64;
		return 0;
	}
}
