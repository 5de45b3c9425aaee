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

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/domain/nodes.h"
#include "libatmi/door/rules.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libatmi/subs/subs.h"
#include "libatmisrv/deferred.h"
#include "servers/bridge/bridge.h"
#include "servers/bridge/conversation/conversation.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/leave.h"
#include "servers/bridge/out/pause.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/peers/clock.h"
#include "servers/bridge/peers/connection.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/rows.h"
#include "servers/bridge/peers/send.h"
#include "servers/bridge/peers/twins.h"
#include "servers/bridge/transaction/transaction.h"
#include "servers/bridge/waits/waits.h"
#include "servers/bridge/wire/handover.h"
#include "servers/bridge/wire/link_settings.h"
#include "servers/bridge/wire/nats_server.h"
#include "servers/bridge/wire/renewal.h"

static struct ow_bridge bridge = {
	.peers = { .lock = PTHREAD_MUTEX_INITIALIZER },
	.dir = { .changed_fd = -1 },
};
static struct ow_br_handover_user user;
static struct ow_br_handover *handover;
static struct ow_br_renewal *renewal;
static struct ow_br_nats_server *nats_server; /* of a TCP link, passive */
static pthread_t clock_thread;
static bool clock_runs, connects;

static int fail(const char *why)
{
	userlog((char *)"ndrxbridge: %s", why);
	return -1;
}

/* In the loop: what others offer has changed, or a pause is over. */
static int changed(int fd, uint32_t events, void *arg)
{
	uint64_t n;

	(void)events;
	(void)!read(fd, &n, sizeof(n));
	ow_br_pauses_end(&bridge.calls);
	return ow_br_offers_show(arg);
}

/* The loop begins: descriptors can be watched from now on. */
static int begin(void)
{
	uint64_t one = 1;

	tpext_delb4pollcb();
	if (tpext_addpollerfd(bridge.dir.changed_fd, EPOLLIN, &bridge.dir,
			      changed) !=
	    0)
		return fail(tpstrerror(tperrno));
	(void)!write(bridge.dir.changed_fd, &one, sizeof(one));
	return 0;
}

/* ---- begin, end ---- */

static int read_options(struct ow_bridge *b, int argc, char **argv, char *why,
			size_t size)
{
	struct ow_br_options *o = &b->peers.opt;

	if (ow_br_options_read(argc, argv, b->peers.dom->nodeid, o, why,
			       size) != 0)
		return -1;
	if (o->tcp.node != 0 &&
	    ow_br_link_settings(o, b->peers.dom->nodeid, why, size) != 0)
		return -1;
	if (ow_br_imports_parse(o->imports, &b->dir.imports) == 0)
		return 0;
	snprintf(why, size, "importsvcs (-I) \"%.200s\": write "
		 "NODE:SERVICE,SERVICE;NODE:...", o->imports);
	return -1;
}

/* 0; -1: no memory. */
static int make_layers(struct ow_bridge *b)
{
	b->peers.id = ow_ctx_get()->srvid;
	ow_br_who_make(&b->peers.who);
	b->peers.session = 1;
	b->dir.changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->dir.tables = ow_br_tables_hash();
	b->dir.gen = b->dir.interest_gen = 1;
	b->dir.marks_due = true; /* those of bridges that died may stand there */
	ow_br_layers_join(b);
	ow_br_connection_user(&b->peers, &user);
	return b->dir.changed_fd >= 0 && ow_br_batch_make(&b->peers) == 0 &&
			       ow_br_convs_make(&b->peers, &b->dir, &b->calls,
						&b->convs) == 0 &&
			       ow_br_tran_make(&b->peers, &b->calls,
					       &b->tran) == 0 &&
			       ow_br_handover_make(&user, &handover) == 0
		       ? 0
		       : -1;
}

static int prepare(struct ow_bridge *b, int argc, char **argv, char *why,
		   size_t size)
{
	if (ow_domain_join(false, &b->peers.dom, why, size) != 0 ||
	    read_options(b, argc, argv, why, size) != 0)
		return -1;
	if (make_layers(b) != 0) {
		snprintf(why, size, "no memory");
		return -1;
	}
	b->peers.carrier = (struct ow_br_carrier){
		handover, ow_br_handover_send, ow_br_handover_largest
	};
	if (ow_subs_need(b->peers.dom, true) != 0) {
		snprintf(why, size, "no shared memory for subscriptions");
		return -1;
	}
	if (ow_nodes_open(b->peers.dom, b->peers.id, &b->nodes) != 0)
		b->nodes = NULL; /* listings show nothing then */
	if (ow_br_waits_make(&b->peers, &b->calls, &b->waits) != 0)
		b->waits = NULL; /* chains end at the bridge then */
	if (ow_rules_guards(b->peers.dom) != 0 &&
	    b->dir.imports.others == NULL)
		log_warn("importsvcs has no entry *: any node may offer any "
			 "service, and gets the requests for it");
	ow_br_set_self(&b->calls);
	return 0;
}

static int start_in(struct ow_bridge *b)
{
	int r = ow_br_inbound_start(&b->dir, &b->in_above, &b->in);

	ow_br_tran_serve(b->tran, b->in);
	return r;
}

int tpsvrinit(int argc, char **argv)
{
	struct ow_bridge *b = &bridge;
	char why[512] = "";

	if (prepare(b, argc, argv, why, sizeof(why)) != 0)
		return fail(why);
	ow_deferred_all();
	/* A transaction that is rolled back here is not waited for: its tmsrv
	 * may need this thread for that. */
	tpscmt(TP_CMT_LOGGED);
	ow_br_offers_look(&b->dir);
	if (start_in(b) != 0 || ow_br_waits_start(b->waits, b->in) != 0)
		return fail("no thread");
	if (ow_br_renewal_new(&b->peers.opt, &renewal) != 0)
		return fail("no memory");
	if (b->peers.opt.tcp.passive &&
	    ow_br_nats_server_start(&b->peers.opt, &nats_server, why,
				    sizeof(why)) != 0)
		return fail(why);
	if (ow_br_handover_open(handover, &b->peers.opt, b->peers.id, why,
			    sizeof(why)) != 0)
		return fail(why);
	connects = true;
	if (pthread_create(&clock_thread, NULL, ow_br_clock_run, &b->peers) != 0)
		return fail("no thread");
	clock_runs = true;
	if (ow_br_renewal_start(renewal, handover) != 0)
		return fail("no thread");
	ow_br_return(b);
	return tpext_addb4pollcb(begin);
}

void tpsvrdone(void)
{
	struct ow_bridge *b = &bridge;

	ow_br_renewal_stop(renewal);
	if (clock_runs)
		ow_br_leave(b);
	if (connects)
		ow_br_flush(&b->peers); /* one-way calls that were gathered */
	if (connects)
		ow_br_heartbeat(&b->peers, NULL, false, true);
	b->peers.ended = true;
	if (clock_runs)
		pthread_join(clock_thread, NULL);
	ow_br_waits_stop(b->waits);
	ow_br_tran_stop(b->tran);
	ow_br_inbound_stop(b->in);
	ow_br_convs_stop(b->convs);
	ow_br_handover_close(handover);
	if (clock_runs)
		ow_br_peers_end(&b->peers);
	ow_br_nats_server_stop(nats_server);
	ow_br_inbound_free(b->in);
	ow_br_convs_free(b->convs);
	ow_br_who_free(&b->peers);
	ow_nodes_close(b->nodes);
	ow_br_waits_free(b->waits);
	if (b->peers.dom != NULL)
		ow_domain_leave(b->peers.dom);
}
