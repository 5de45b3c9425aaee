/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_admin.c - send ndrxd one command, print its replies
 *
 *	fake_admin VERB [-f FLAGS] [-i ID] [-s NAME] [-t TEXT]
 *
 * Prints `sent`, then EVENT, ROW and DONE as lines of words; ends with DONE's
 * status.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/wire/ctl.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"

#define WAIT_MS 20000

static void print(const union ow_ctl_msg *m)
{
	if (m->h.kind == OW_CTL_EVENT)
		printf("event %s %s id=%u pid=%d begun=%u %s: %s\n",
		       ow_ctl_verb_word(m->event.verb), m->event.bin,
		       m->event.srvid, m->event.pid, m->event.begun,
		       ow_proc_state_word(m->event.state), m->event.text);
	if (m->h.kind == OW_CTL_ROW)
		printf("row %s id=%u pid=%d %s want=%s restarts=%u tries=%u "
		       "signals=%u: %s\n",
		       m->row.bin, m->row.srvid, m->row.pid,
		       ow_proc_state_word(m->row.state),
		       ow_proc_state_word(m->row.requested), m->row.restarts,
		       m->row.exec_seq, m->row.num_term, m->row.reason);
	if (m->h.kind == OW_CTL_DONE)
		printf("done status=%u count=%u: %s\n", m->done.status,
		       m->done.count, m->done.text);
	fflush(stdout);
}

static int receive(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	union ow_ctl_msg m;
	int r;

	for (;;) {
		r = ow_ctl_recv(fd, &m);
		if (r == 0) {
			print(&m);
			if (m.h.kind == OW_CTL_DONE)
				return m.done.status != 0;
		} else if (r != -EAGAIN || poll(&p, 1, WAIT_MS) <= 0) {
			fprintf(stderr, "no reply: %s\n", strerror(-r));
			return 9;
		}
	}
}

int main(int argc, char **argv)
{
	struct ow_domain d;
	union ow_ctl_msg m;
	char why[256];
	int c, fd;

	ow_ctl_init(&m, OW_CTL_CMD, 7);
	while ((c = getopt(argc, argv, "f:i:s:t:")) != -1) {
		if (c == 'f')
			m.cmd.flags = (uint32_t)atoi(optarg);
		else if (c == 'i')
			m.cmd.srvid = (uint32_t)atoi(optarg);
		else
			snprintf(c == 's' ? m.cmd.name : m.cmd.text,
				 sizeof(m.cmd.name), "%s", optarg);
	}
	m.cmd.verb = optind < argc ? ow_ctl_verb_find(argv[optind]) : 0;
	if (m.cmd.verb == OW_VERB_NONE ||
	    ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return 8;
	fd = ow_domain_connect(&d);
	if (fd < 0 || ow_ctl_send(fd, &m) != 0) {
		fprintf(stderr, "connect: %s\n", strerror(-fd));
		return 9;
	}
	puts("sent");
	fflush(stdout);
	return receive(fd);
}
