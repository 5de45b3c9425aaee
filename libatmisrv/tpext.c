/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpext.c - a program's own descriptors and callbacks in the server's loop
 *
 * Descriptors are members of the wait set, with tags from OW_TAG_USER on. A
 * callback that does not return 0 stops the server.
 */
#include "libatmisrv/tpext.h"

#include <errno.h>
#include <stdlib.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <tpbind.h>
#include <xatmi.h>
#include <xatmi_srv.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/log/log.h"
#include "libatmisrv/server.h"

struct ow_poller {
	int fd; /* -1: free */
	void *ptr1;
	int (*p_pollevent)(int, uint32_t, void *);
};

static struct ow_server *server_or_fail(void)
{
	struct ow_server *s = ow_server_host();

	ow_tp_clear();
	if (s == NULL)
		ow_tp_fail(TPEPROTO, "this process is not a server");
	if (s == NULL || s->main == NULL)
		return s;
	ow_tp_fail(TPEPROTO, "not in a dispatch thread: the main thread runs "
		   "callbacks");
	return NULL;
}

/* ---- descriptors ---- */

static struct ow_poller *find(struct ow_server *s, int fd)
{
	uint32_t i;

	for (i = 0; i < s->ext.npollers; i++)
		if (s->ext.pollers[i].fd == fd)
			return &s->ext.pollers[i];
	return NULL;
}

/* A free element; pointers to other elements become invalid. */
static struct ow_poller *add_poller(struct ow_server *s)
{
	struct ow_poller *p = find(s, -1);

	if (p != NULL)
		return p;
	p = realloc(s->ext.pollers, (s->ext.npollers + 1) * sizeof(*p));
	if (p == NULL)
		return NULL;
	s->ext.pollers = p;
	p += s->ext.npollers++;
	p->fd = -1;
	return p;
}

int tpext_addpollerfd(int fd, uint32_t events, void *ptr1,
		      int (*p_pollevent)(int, uint32_t, void *))
{
	struct ow_server *s = server_or_fail();
	struct ow_poller *p;
	int r;

	if (s == NULL)
		return -1;
	if (!s->published)
		return ow_tp_fail(TPEPROTO, "not in tpsvrinit(): when it is "
				  "over, in tpext_addb4pollcb()'s callback "
				  "for example");
	if (fd < 0 || p_pollevent == NULL)
		return ow_tp_fail(TPEINVAL, fd < 0 ? "descriptor is negative"
						   : "callback is NULL");
	if (find(s, fd) != NULL)
		return ow_tp_fail(TPEMATCH, "descriptor %d is waited on "
				  "already", fd);
	p = add_poller(s);
	if (p == NULL)
		return ow_tp_fail(TPEOS, "no memory for a descriptor");
	r = ow_waitset_add_fd(s->waitset, fd, events,
			      OW_TAG_USER + (uint32_t)(p - s->ext.pollers),
			      OW_FD_WATCHED);
	if (r < 0)
		return ow_tp_fail_errno(r, "waiting on a descriptor");
	*p = (struct ow_poller){ fd, ptr1, p_pollevent };
	return 0;
}

int tpext_delpollerfd(int fd)
{
	struct ow_server *s = server_or_fail();
	struct ow_poller *p;

	if (s == NULL)
		return -1;
	p = fd >= 0 ? find(s, fd) : NULL;
	if (p == NULL)
		return ow_tp_fail(TPEMATCH, "descriptor %d is not waited on",
				  fd);
	/* It fails if it is closed already. */
	ow_waitset_del_fd(s->waitset, fd, OW_FD_WATCHED);
	p->fd = -1;
	return 0;
}

void ow_ext_ready(struct ow_server *s, uint32_t n, uint32_t events)
{
	struct ow_poller p;
	int r;

	if (n >= s->ext.npollers || s->ext.pollers[n].fd < 0)
		return;
	p = s->ext.pollers[n]; /* a copy: the callback may add elements */
	r = p.p_pollevent(p.fd, events, p.ptr1);
	ow_server_end_child(s, "callback of a descriptor");
	if (r == 0)
		return;
	log_warn("callback of descriptor %d stops the server", p.fd);
	s->stop = true;
}

/* ---- callbacks ---- */

/* A callback without a pointer is the pointer of one that calls it. */
static int call_plain(void *fn)
{
	return ((int (*)(void))fn)();
}

static int add_b4poll(int (*fn)(void *), void *data)
{
	struct ow_server *s = server_or_fail();

	if (s == NULL)
		return -1;
	if (fn == NULL || (fn == call_plain && data == NULL))
		return ow_tp_fail(TPEINVAL, "callback is NULL");
	s->ext.b4poll = fn;
	s->ext.b4poll_data = data;
	return 0;
}

int tpext_addb4pollcb(int (*p_b4pollcb)(void))
{
	return add_b4poll(call_plain, (void *)p_b4pollcb);
}

int tpext_addb4poll_cb(int (*fn)(void *), void *data)
{
	return add_b4poll(fn, data);
}

int tpext_delb4pollcb(void)
{
	struct ow_server *s = server_or_fail();

	if (s == NULL)
		return -1;
	s->ext.b4poll = NULL;
	return 0;
}

static int add_period(int secs, int (*fn)(void *), void *data)
{
	struct ow_server *s = server_or_fail();
	bool none = fn == NULL || (fn == call_plain && data == NULL);

	if (s == NULL)
		return -1;
	if (secs <= 0 || none)
		return ow_tp_fail(TPEINVAL, secs <= 0 ? "period is not positive"
						      : "callback is NULL");
	s->ext.period = fn;
	s->ext.period_data = data;
	s->seconds |= OW_SECONDS_PERIOD;
	s->ext.period_ns = (uint64_t)secs * OW_NS_PER_SEC;
	s->ext.due_ns = ow_clock_mono_ns() + s->ext.period_ns;
	return 0;
}

int tpext_addperiodcb(int secs, int (*p_periodcb)(void))
{
	return add_period(secs, call_plain, (void *)p_periodcb);
}

int tpext_addperiod_cb(int secs, int (*fn)(void *), void *data)
{
	return add_period(secs, fn, data);
}

int tpext_delperiodcb(void)
{
	struct ow_server *s = server_or_fail();

	if (s == NULL)
		return -1;
	s->ext.period = NULL;
	s->seconds &= ~(uint32_t)OW_SECONDS_PERIOD;
	return 0;
}

void ow_ext_before_wait(struct ow_server *s)
{
	int r;

	if (s->ext.b4poll == NULL)
		return;
	r = s->ext.b4poll(s->ext.b4poll_data);
	ow_server_end_child(s, "callback before waiting");
	if (r == 0)
		return;
	log_warn("callback before waiting stops the server");
	s->stop = true;
}

/* Ticks come once a second: a callback due within 1/8 s runs now. */
void ow_ext_tick(struct ow_server *s, uint64_t now)
{
	int r;

	if (s->ext.period == NULL ||
	    now + OW_NS_PER_SEC / 8 < s->ext.due_ns)
		return;
	s->ext.due_ns += s->ext.period_ns;
	if (s->ext.due_ns <= now) /* late: no burst to catch up */
		s->ext.due_ns = now + s->ext.period_ns;
	r = s->ext.period(s->ext.period_data);
	ow_server_end_child(s, "periodic callback");
	if (r == 0)
		return;
	log_warn("periodic callback stops the server");
	s->stop = true;
}
