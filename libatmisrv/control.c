/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - the server's end of ndrxd's control socket
 *
 * Nothing here is on the path of a call. Without ndrxd, or after its death,
 * the server goes on serving and tries to connect four times a second.
 */
#include "libatmisrv/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/ctl.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/options.h"
#include "libatmisrv/poll.h"
#include "libatmisrv/server.h"

static void disconnect(struct ow_server *s)
{
	if (s->ctl_fd < 0)
		return;
	ow_waitset_del_fd(s->waitset, s->ctl_fd, OW_FD_ALERTED);
	close(s->ctl_fd);
	s->ctl_fd = -1;
}

static void send_kind(struct ow_server *s, enum ow_ctl_kind kind, uint32_t seq)
{
	union ow_ctl_msg m;
	int r;

	if (s->ctl_fd < 0)
		return;
	ow_ctl_init(&m, kind, seq);
	r = ow_ctl_send(s->ctl_fd, &m);
	if (r < 0) {
		log_warn("ndrxd: send %s: %s", ow_ctl_kind_name(kind),
			 strerror(-r));
		disconnect(s);
	}
}

static int send_hello(struct ow_server *s)
{
	union ow_ctl_msg m;

	ow_ctl_init(&m, OW_CTL_HELLO, 0);
	m.hello.srvid = s->opt->srvid;
	m.hello.pid = getpid();
	m.hello.start = ow_proc_start_self();
	m.hello.ready = s->published;
	snprintf(m.hello.bin, sizeof(m.hello.bin), "%s", s->opt->bin);
	return ow_ctl_send(s->ctl_fd, &m);
}

void ow_control_connect(struct ow_server *s)
{
	int r, fd = ow_domain_connect(s->dom);

	if (fd < 0) {
		/* It tries four times a second. */
		if (fd == -EPERM && !s->ctl_refused)
			log_warn("ndrxd: connect: %s", ow_owned_strerror(fd));
		else
			log_debug("ndrxd: connect: %s", ow_owned_strerror(fd));
		s->ctl_refused = fd == -EPERM;
		return;
	}
	s->ctl_fd = fd;
	r = send_hello(s);
	if (r == 0)
		r = ow_waitset_add_fd(s->waitset, fd, 0, OW_TAG_CONTROL,
				      OW_FD_ALERTED);
	if (r < 0) {
		log_warn("ndrxd: hello: %s", strerror(-r));
		close(fd);
		s->ctl_fd = -1;
	}
}

void ow_control_ready(struct ow_server *s)
{
	/* Connecting may have failed: when many servers start at once, the
	 * backlog of ndrxd's socket is full. */
	if (s->ctl_fd < 0)
		ow_control_connect(s);
	send_kind(s, OW_CTL_READY, 0);
}

void ow_control_leaving(struct ow_server *s)
{
	s->leaving = true;
	send_kind(s, OW_CTL_LEAVING, 0);
}

void ow_control_tick(struct ow_server *s)
{
	if (s->ctl_fd >= 0 || ow_clock_mono_ns() < s->ctl_retry_ns)
		return;
	s->ctl_retry_ns = ow_clock_mono_ns() + OW_CONTROL_RETRY_NS / 2;
	ow_control_connect(s);
}

/* Publish or withdraw a service that ndrxd names. */
static void set_offer(struct ow_server *s, const char *svc, bool on)
{
	struct ow_offer *o = ow_offer_find(s, svc);

	if (o == NULL)
		return;
	if (!on && ow_offer_withdraw(s, (uint32_t)(o - s->offers)) != 0) {
		log_error("unadvertise %s: %s", svc, tpstrerror(tperrno));
		return;
	}
	o->wanted = on;
	if (on && ow_offer_publish(s, (uint32_t)(o - s->offers)) != 0)
		log_error("readvertise %s: %s", svc, tpstrerror(tperrno));
	if (s->hooks != NULL)
		s->hooks->offers_changed(s);
}

static void handle(struct ow_server *s, const union ow_ctl_msg *m)
{
	switch (m->h.kind) {
	case OW_CTL_PING:
		send_kind(s, OW_CTL_PONG, m->h.seq);
		break;
	case OW_CTL_STOP:
		s->stop = true;
		break;
	case OW_CTL_NUDGE:
		ow_poll_queues(s);
		break;
	case OW_CTL_ADV:
		set_offer(s, m->name.name, true);
		break;
	case OW_CTL_UNADV:
		set_offer(s, m->name.name, false);
		break;
	default:
		log_warn("ndrxd: unexpected %s", ow_ctl_kind_name(m->h.kind));
	}
}

static void read_packets(struct ow_server *s, bool in_service)
{
	union ow_ctl_msg m;
	int r;

	while (s->ctl_fd >= 0) {
		r = ow_ctl_recv(s->ctl_fd, &m);
		if (r == -EAGAIN)
			return;
		if (r == 0 && in_service && m.h.kind == OW_CTL_NUDGE) {
			s->unsure = true; /* the loop polls soon */
			continue;
		}
		if (r == 0) {
			handle(s, &m);
			continue;
		}
		if (r != -ENOTCONN)
			log_warn("ndrxd: receive: %s", strerror(-r));
		disconnect(s);
	}
}

void ow_control_input(struct ow_server *s)
{
	read_packets(s, false);
}

void ow_control_attend(void)
{
	struct ow_server *s = ow_server_host();

	if (s == NULL)
		return; /* a child that the program has forked */
	ow_control_tick(s);
	read_packets(s, true);
}
