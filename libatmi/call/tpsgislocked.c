/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsgislocked.c - is a process group locked in this domain?
 *
 * ndrxd knows: it holds the lock file and watches the lock provider
 * (ndrxd/groups/groups.h). It is asked, as `xadmin psg` asks it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/log/setting.h"
#include "libatmi/wire/ctl.h"
#include "libubf/base/uncancelled.h"

#define PATIENCE_NS (5 * OW_NS_PER_SEC) /* until ndrxd has answered */
#define GROUP_MAX   64

struct answer {
	bool found;
	struct ow_ctl_group group;
};

static int ask(int fd)
{
	union ow_ctl_msg m;

	ow_ctl_init(&m, OW_CTL_CMD, 1);
	m.cmd.verb = OW_VERB_GROUPS;
	return ow_ctl_send(fd, &m);
}

/* Wait until there is a packet: 0, -ETIMEDOUT. */
static int wait_for_packet(int fd, uint64_t until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = ow_clock_mono_ns();

	if (now >= until)
		return -ETIMEDOUT;
	if (poll(&p, 1, (int)((until - now) / OW_NS_PER_MS) + 1) < 0 &&
	    errno != EINTR)
		return -errno;
	return 0;
}

/* Read what ndrxd says of its groups until it is done: 0, -errno. */
static int read_groups(int fd, uint32_t grpno, struct answer *ret)
{
	uint64_t until = ow_clock_mono_ns() + PATIENCE_NS;
	union ow_ctl_msg m;
	int r;

	for (;;) {
		r = ow_ctl_recv(fd, &m);
		if (r == -EAGAIN)
			r = wait_for_packet(fd, until);
		else if (r == 0 && m.h.kind == OW_CTL_DONE)
			return 0;
		else if (r == 0 && m.h.kind == OW_CTL_GROUP &&
			 m.group.grpno == grpno) {
			ret->found = true;
			ret->group = m.group;
		}
		if (r < 0)
			return r;
	}
}

static int look_up(const struct ow_domain *d, uint32_t grpno,
		   struct answer *ret)
{
	OW_UNCANCELLED;
	int r, fd = ow_domain_connect(d);

	if (fd < 0)
		return fd;
	r = ask(fd);
	if (r == 0)
		r = read_groups(fd, grpno, ret);
	close(fd);
	return r;
}

/* The group that is asked about: 0 stands for this process's. -1: tperrno. */
static int number_of(int grpno)
{
	long own = 0;

	if (grpno == 0 &&
	    ow_setting_long("NDRX_PROCGRP_NO", 0, 0, GROUP_MAX, &own) == 0)
		grpno = (int)own;
	if (grpno < 1 || grpno > GROUP_MAX)
		return ow_tp_fail(TPEINVAL, "group %d: a number from 1 to %d, "
				  "or 0 in a process of a group", grpno,
				  GROUP_MAX);
	return grpno;
}

static long judge(const struct answer *a, int grpno, long flags,
		  long *grp_flags)
{
	if (!a->found)
		return ow_tp_fail(TPENOENT, "there is no group %d", grpno);
	if (grp_flags != NULL)
		*grp_flags = a->group.singleton ? TPPG_SINGLETON : 0;
	if (a->group.singleton)
		return a->group.locked != 0;
	if (flags & TPPG_NONSGSUCC)
		return 1;
	return ow_tp_fail(TPEINVAL, "group %d is no singleton", grpno);
}

long tpsgislocked(int grpno, long flags, long *grp_flags)
{
	OW_SHARED;
	struct answer a = { .found = false };
	struct ow_ctx *c;
	int r, n;

	ow_tp_clear();
	if (flags & ~(long)(TPPG_NONSGSUCC | TPPG_SGVERIFY))
		return ow_tp_fail(TPEINVAL, "unknown flags");
	n = number_of(grpno);
	if (n < 0)
		return -1;
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (ow_ctx_need_domain(c) != 0)
		return c->guest == NULL ? -1
					: ow_tp_fail(TPEPERM, "a guest does not "
						     "see process groups");
	r = look_up(c->dom, (uint32_t)n, &a);
	if (r < 0)
		return ow_tp_fail(TPESYSTEM, "ndrxd, which holds the locks of "
				  "groups, does not answer: %s",
				  ow_owned_strerror(r));
	return judge(&a, n, flags, grp_flags);
}
