/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxbridge: a server that joins its domain to a cluster of domains
 *
 * doc/design/cluster.md. Any number may run in a domain; each is a bridge of
 * its own to all others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "servers/bridge/bridge.h"
#include "servers/bridge/renew.h"
#include "servers/bridge/talk.h"
#include "servers/bridge/tran.h"
#include "servers/bridge/way.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/domain/nodes.h"
#include "libatmi/door/rules.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libatmi/subs/subs.h"
#include "libatmisrv/handed.h"

static struct ow_bridge bridge = { .lock = PTHREAD_MUTEX_INITIALIZER,
				   .changed_fd = -1 };
static struct ow_br_ways *ways;
static struct ow_br_renewal *renewal;
static pthread_t clock_thread;
static bool clock_runs;

static int fail(const char *why)
{
	userlog((char *)"ndrxbridge: %s", why);
	return -1;
}

/* In the loop: what others offer has changed. */
static int changed(int fd, uint32_t events, void *arg)
{
	uint64_t n;

	(void)events;
	(void)!read(fd, &n, sizeof(n));
	return ow_br_offers_show(arg);
}

/* The loop begins: descriptors can be watched from now on. */
static int begin(void)
{
	uint64_t one = 1;

	tpext_delb4pollcb();
	if (tpext_addpollerfd(bridge.changed_fd, EPOLLIN, &bridge, changed) !=
	    0)
		return fail(tpstrerror(tperrno));
	(void)!write(bridge.changed_fd, &one, sizeof(one));
	return 0;
}

static int prepare(struct ow_bridge *b, int argc, char **argv, char *why,
		   size_t size)
{
	if (ow_domain_join(false, &b->dom, why, size) != 0 ||
	    ow_br_options_read(argc, argv, b->dom->nodeid, &b->opt, why,
			       size) != 0)
		return -1;
	b->id = ow_ctx_get()->srvid;
	b->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->tables = ow_br_tables_hash();
	b->session = 1;
	b->gen = b->wants_gen = 1;
	b->marks_due = true; /* those of bridges that died may stand there */
	if (ow_br_batch_make(b) != 0 || ow_br_talks_make(b) != 0 ||
	    ow_br_tran_make(b) != 0 || b->changed_fd < 0) {
		snprintf(why, size, "no memory");
		return -1;
	}
	if (ow_subs_need(b->dom, true) != 0) {
		snprintf(why, size, "no shared memory for subscriptions");
		return -1;
	}
	if (ow_nodes_open(b->dom, b->id, &b->nodes) != 0)
		b->nodes = NULL; /* listings show nothing then */
	if (ow_rules_guards(b->dom) != 0 && b->opt.imports.others == NULL)
		log_warn("importsvcs has no entry *: nodes may offer any "
			 "service, and is sent the requests for it");
	ow_br_set_self(b);
	return 0;
}

int tpsvrinit(int argc, char **argv)
{
	struct ow_bridge *b = &bridge;
	char why[512] = "";

	if (prepare(b, argc, argv, why, sizeof(why)) != 0)
		return fail(why);
	ow_handed_all();
	/* A transaction that is rolled back here is not waited for: its tmsrv
	 * may need this thread for that. */
	tpscmt(TP_CMT_LOGGED);
	ow_br_offers_look(b);
	if (ow_br_inbound_start(b) != 0)
		return fail("no thread");
	if (ow_br_renewal_new(b, &renewal) != 0)
		return fail("no memory");
	if (ow_br_ways_open(b, &ways, why, sizeof(why)) != 0)
		return fail(why);
	if (pthread_create(&clock_thread, NULL, ow_br_clock_run, b) != 0)
		return fail("no thread");
	clock_runs = true;
	if (ow_br_renewal_start(renewal, ways) != 0)
		return fail("no thread");
	return tpext_addb4pollcb(begin);
}

void tpsvrdone(void)
{
	struct ow_bridge *b = &bridge;

	ow_br_renewal_stop(renewal);
	if (ways != NULL)
		ow_br_flush(b); /* one-way calls that were gathered */
	if (b->connected && ways != NULL)
		ow_br_beat(b, NULL, false, true);
	pthread_mutex_lock(&b->lock);
	b->ended = true;
	pthread_mutex_unlock(&b->lock);
	if (clock_runs)
		pthread_join(clock_thread, NULL);
	ow_br_tran_stop(b);
	ow_br_inbound_stop(b);
	ow_br_talks_stop(b);
	ow_br_ways_close(ways);
	ow_br_inbound_free(b);
	ow_br_talks_free(b);
	ow_nodes_close(b->nodes);
	if (b->dom != NULL)
		ow_domain_leave(b->dom);
}
