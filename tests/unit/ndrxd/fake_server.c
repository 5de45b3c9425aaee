/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_server.c - a server as ndrxd sees one, with faults on demand
 *
 * Sends HELLO, READY and PONG, obeys STOP, has its slot of the server table
 * and reconnects to the next ndrxd, but serves nothing. Options are those of
 * any server; faults after `--`:
 *	noready	 never says READY	die	ends with code 3 before READY
 *	nopong	 answers no ping	nostop	ignores STOP and signals
 *	noexit	 after READY: ends with code 4
 *	leave	 after READY: says LEAVING and ends
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/wire/ctl.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"

static struct ow_domain *dom;
static uint32_t srvid;
static int n_words;
static char **words;

static bool fault(const char *name)
{
	int i;

	for (i = 0; i < n_words; i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

static void say(int fd, enum ow_ctl_kind kind, uint32_t seq)
{
	union ow_ctl_msg m;

	ow_ctl_init(&m, kind, seq);
	ow_ctl_send(fd, &m);
}

static int hello(bool ready)
{
	union ow_ctl_msg m;
	int fd = ow_domain_connect(dom);

	if (fd < 0)
		return fd;
	ow_ctl_init(&m, OW_CTL_HELLO, 0);
	m.hello.srvid = srvid;
	m.hello.pid = getpid();
	m.hello.start = ow_proc_start_self();
	m.hello.ready = ready;
	snprintf(m.hello.bin, sizeof(m.hello.bin), "%s",
		 program_invocation_short_name);
	ow_ctl_send(fd, &m);
	return fd;
}

static void leave(void)
{
	if (ow_tables_lock(dom->tables) != 0)
		_exit(1);
	ow_srv_clear(dom->tables, srvid);
	ow_tables_unlock(dom->tables);
	exit(0);
}

static void obey(int fd, const union ow_ctl_msg *m)
{
	if (m->h.kind == OW_CTL_PING && !fault("nopong"))
		say(fd, OW_CTL_PONG, m->h.seq);
	if (m->h.kind == OW_CTL_STOP && !fault("nostop"))
		leave();
}

static void serve(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	union ow_ctl_msg m;
	int r;

	for (;;) {
		if (fd < 0) {
			poll(NULL, 0, 50);
			p.fd = fd = hello(true);
			continue;
		}
		poll(&p, 1, -1);
		r = ow_ctl_recv(fd, &m);
		if (r == 0) {
			obey(fd, &m);
		} else if (r != -EAGAIN) {
			close(fd);
			fd = -1;
		}
	}
}

int main(int argc, char **argv)
{
	char why[256];
	int c, fd;

	while ((c = getopt(argc, argv, "k:i:e:r")) != -1)
		if (c == 'i')
			srvid = (uint32_t)atoi(optarg);
	words = argv + optind;
	n_words = argc - optind;
	if (fault("die"))
		return 3;
	if (fault("nostop")) {
		signal(SIGTERM, SIG_IGN);
		signal(SIGINT, SIG_IGN);
	}
	if (srvid == 0 || ow_domain_join(true, &dom, why, sizeof(why)) != 0 ||
	    ow_srv_take(dom->tables, srvid,
			program_invocation_short_name) != 0)
		return 2;
	fd = hello(false);
	if (fault("noready"))
		pause();
	dom->tables->srv[srvid].state = OW_SRV_IDLE;
	say(fd, OW_CTL_READY, 0);
	if (fault("noexit"))
		return 4;
	if (fault("leave")) {
		say(fd, OW_CTL_LEAVING, 0);
		leave();
	}
	serve(fd);
}
