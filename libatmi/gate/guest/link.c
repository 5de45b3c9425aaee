/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - the connection of a guest to the gate
 */
#include "libatmi/gate/guest/link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/domain/gate.h"
#include "libatmi/transport/envelope.h"
#include "libubf/base/uncancelled.h"

#define WELCOME_NS (5 * OW_NS_PER_SEC)
/* Beyond a deadline, which the gate observes: then it is stopped or hangs. */
#define GRACE_NS (2 * OW_NS_PER_SEC)

/* It has ended: the calls that are outstanding are lost. */
static void lose(struct ow_ctx *c)
{
	struct ow_guest *g = c->guest;
	int cd;

	if (g->fd >= 0)
		close(g->fd);
	g->fd = -1;
	g->has_lost = true;
	for (cd = 1; cd < c->ncalls; cd++)
		g->theirs[cd] = 0;
}

/* Wait for `events` until `limit`: 0, -ETIMEDOUT, -EINTR, -errno. */
static int wait_fd(int fd, short events, uint64_t limit)
{
	struct pollfd p = { .fd = fd, .events = events };
	struct timespec ts;
	uint64_t now = ow_clock_mono_ns(), left = 0;
	int n;

	if (limit != OW_DEADLINE_NEVER && limit > now)
		left = limit - now;
	ts.tv_sec = (time_t)(left / OW_NS_PER_SEC);
	ts.tv_nsec = (long)(left % OW_NS_PER_SEC);
	n = ppoll(&p, 1, limit == OW_DEADLINE_NEVER ? NULL : &ts, NULL);
	if (n < 0)
		return -errno;
	return n == 0 ? -ETIMEDOUT : 0;
}

/* Send all of it; a signal does not end it. 0, -ETIMEDOUT, -errno. */
static int send_all(int fd, struct iovec *iov, size_t n, uint64_t limit)
{
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = n };
	ssize_t done;
	int r;

	while (h.msg_iovlen > 0) {
		done = sendmsg(fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (done < 0 && errno == EAGAIN) {
			r = wait_fd(fd, POLLOUT, limit);
			if (r < 0 && r != -EINTR)
				return r;
			continue;
		}
		if (done < 0 && errno != EINTR)
			return -errno;
		while (h.msg_iovlen > 0 && done >= 0 &&
		       (size_t)done >= h.msg_iov->iov_len) {
			done -= (ssize_t)h.msg_iov->iov_len;
			h.msg_iov++;
			h.msg_iovlen--;
		}
		if (h.msg_iovlen > 0 && done > 0) {
			h.msg_iov->iov_base = (char *)h.msg_iov->iov_base +
					      done;
			h.msg_iov->iov_len -= (size_t)done;
		}
	}
	return 0;
}

static int send_frame(int fd, const struct ow_frame *f,
		      const struct ow_content *data, uint64_t limit)
{
	struct iovec iov[3] = {
		{ .iov_base = (void *)f, .iov_len = sizeof(*f) } };
	size_t n = 1;

	if (data != NULL && data->sub_len > 0)
		iov[n++] = (struct iovec){ (void *)data->subtype,
					   data->sub_len };
	if (data != NULL && data->payload.len > 0)
		iov[n++] = (struct iovec){ data->payload.data,
					   data->payload.len };
	return send_all(fd, iov, n, limit);
}

/* Receive `len` bytes. `stoppable`: a signal ends the wait for the first one.
 * 0, -ETIMEDOUT, -EPIPE (end of file), -EINTR, -errno. */
static int receive(int fd, void *to, size_t len, uint64_t limit, bool stoppable)
{
	size_t have = 0;
	ssize_t n;
	int r;

	while (have < len) {
		n = recv(fd, (char *)to + have, len - have, MSG_DONTWAIT);
		if (n == 0)
			return -EPIPE;
		if (n > 0) {
			have += (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		r = wait_fd(fd, POLLIN, limit);
		if (r == -EINTR && (!stoppable || have > 0))
			continue;
		if (r < 0)
			return r;
	}
	return 0;
}

/* One answer: 0; -EINTR, no byte of it has come; -errno. */
static int take_answer(int fd, struct ow_guest_answer *a, uint64_t limit, bool stoppable)
{
	int r = receive(fd, &a->head, sizeof(a->head), limit, stoppable);

	a->payload = NULL;
	if (r == 0)
		r = ow_frame_check(&a->head, OW_MSG_REPLY);
	if (r != 0 || a->head.msg.len == 0)
		return r;
	a->payload = malloc(a->head.msg.len);
	if (a->payload == NULL)
		return -ENOMEM;
	r = receive(fd, a->payload, a->head.msg.len, limit, false);
	if (r == 0)
		return 0;
	free(a->payload);
	a->payload = NULL;
	return r;
}

static int fail_answer(const struct ow_frame *f)
{
	int err = f->msg.tperr;

	if (err <= TPMINVAL || err > TPMAXVAL)
		err = TPESYSTEM;
	return ow_tp_fail(err, "%s", f->text);
}

/* Wait for the gate's welcome: 0, or -1 with tperrno. */
static int be_welcomed(struct ow_ctx *c)
{
	struct ow_guest *g = c->guest;
	struct ow_guest_answer a;
	int r = take_answer(g->fd, &a, ow_clock_mono_ns() + WELCOME_NS, false);

	if (r == 0 && a.head.op == OW_FRAME_WELCOME) {
		g->auth = (int)a.head.msg.urcode;
		g->logged_in = false;
		return 0;
	}
	close(g->fd);
	g->fd = -1;
	free(a.payload);
	if (r == 0)
		return fail_answer(&a.head);
	return ow_tp_fail(r == -ETIMEDOUT ? TPETIME : TPESYSTEM,
			  "the gate of domain %s does not answer: %s",
			  c->dom->prefix, strerror(-r));
}

/* Be let in: 0, UNASKED, or -1 with tperrno. */
static int enter(struct ow_ctx *c)
{
	struct ow_guest *g = c->guest;
	char why[512] = "";
	int r = ow_gate_connect(c->dom, OW_GATE_CALL, SOCK_STREAM, &g->fd, why,
				sizeof(why));

	if (r == OW_GATE_UNASKED)
		return OW_GUEST_UNASKED;
	if (r == OW_GATE_ABSENT)
		return ow_tp_fail(TPENOENT, "%s", why);
	if (r != 0)
		return ow_tp_fail(r == -EPERM ? TPEPERM
				  : r == -EINVAL ? TPEINVAL : TPESYSTEM,
				  "%s", why);
	return be_welcomed(c);
}

int ow_guest_join(struct ow_ctx *c)
{
	struct ow_guest *g = calloc(1, sizeof(*g));
	int r;

	if (g == NULL)
		return ow_tp_fail(TPEOS, "no memory for a context");
	g->fd = -1;
	c->guest = g;
	r = enter(c);
	if (r != 0) {
		c->guest = NULL;
		free(g);
		return r;
	}
	c->clt = &g->clt;
	return 0;
}

void ow_guest_leave(struct ow_ctx *c)
{
	if (c->guest == NULL)
		return;
	ow_guest_forked(c);
	free(c->guest);
	c->guest = NULL;
}

void ow_guest_forked(struct ow_ctx *c)
{
	if (c->guest != NULL && c->guest->fd >= 0)
		close(c->guest->fd);
}

/* ---- operations ---- */

int ow_guest_fail(struct ow_ctx *c, int r)
{
	lose(c);
	if (r == -ETIMEDOUT)
		return ow_tp_fail(TPETIME, "the gate did not answer in time");
	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "no memory for a reply");
	return ow_tp_fail(TPESYSTEM, "the gate of domain %s has ended: %s",
			  c->dom->prefix,
			  r == -EPIPE ? "end of file" : strerror(-r));
}

int ow_guest_ask(struct ow_ctx *c, const struct ow_frame *f,
		 const struct ow_content *data, struct ow_guest_answer *a)
{
	OW_UNCANCELLED; /* an answer would be lost half way */
	uint64_t now = ow_clock_mono_ns(), limit = f->msg.deadline_ns;
	bool stoppable = (f->msg.flags & TPSIGRSTRT) == 0;
	struct ow_frame cease;
	int r;

	if (c->guest->fd < 0 && enter(c) != 0)
		return tperrno != 0 ? -1
				    : ow_tp_fail(TPEPERM, "NDRX_OWNER is not "
						 "set any more");
	if (limit != OW_DEADLINE_NEVER)
		limit = (limit > now ? limit : now) + GRACE_NS;
	r = send_frame(c->guest->fd, f, data, limit);
	if (r == 0)
		r = take_answer(c->guest->fd, a, limit, stoppable);
	if (r == -EINTR) {
		ow_frame_init(&cease, OW_FRAME_CEASE);
		limit = ow_clock_mono_ns() + GRACE_NS;
		r = send_frame(c->guest->fd, &cease, NULL, limit);
		if (r == 0)
			r = take_answer(c->guest->fd, a, limit, false);
	}
	if (r != 0)
		return ow_guest_fail(c, r);
	if (a->head.op != OW_FRAME_FAILED)
		return 0;
	free(a->payload);
	return fail_answer(&a->head);
}

/* ---- a context of the domain's own user ---- */

/* Connect once: 0, or -1 with tperrno. *ret_again: the gate is starting, or has
 * just died. */
static int try_own(struct ow_ctx *c, bool *ret_again)
{
	char why[512] = "";
	int r = ow_gate_connect_own(c->dom, OW_GATE_CALL, SOCK_STREAM,
				    &c->guest->fd, why, sizeof(why));

	*ret_again = r == -ENOENT || r == -ECONNREFUSED;
	if (r != 0)
		return ow_tp_fail(r == -EPERM ? TPEPERM : TPESYSTEM,
				  "the gate: %s", why);
	r = be_welcomed(c);
	*ret_again = r != 0 && (tperrno == TPESYSTEM || tperrno == TPETIME);
	return r;
}

/* Connect, if need be until the limit: 0, or -1 with tperrno. */
static int enter_own(struct ow_ctx *c, uint64_t limit)
{
	struct timespec nap = { .tv_nsec = 20 * OW_NS_PER_MS };
	bool again;

	while (try_own(c, &again) != 0) {
		if (!again || ow_deadline_passed(limit, ow_clock_mono_ns()))
			return -1;
		nanosleep(&nap, NULL);
	}
	ow_tp_clear();
	return 0;
}

int ow_guest_ask_own(struct ow_ctx *c, const struct ow_frame *f,
		     const struct ow_content *data)
{
	OW_UNCANCELLED;
	struct ow_guest_answer a = { .payload = NULL };
	int r = -1;

	c->guest = calloc(1, sizeof(*c->guest));
	if (c->guest == NULL)
		return ow_tp_fail(TPEOS, "no memory for a context");
	c->guest->fd = -1;
	if (enter_own(c, f->msg.deadline_ns) == 0)
		r = ow_guest_ask(c, f, data, &a);
	if (r == 0)
		free(a.payload);
	ow_guest_leave(c);
	return r;
}
