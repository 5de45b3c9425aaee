/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - tmqueue: a server that has the durable queues of one queue space
 *
 * The main thread takes requests apart and hands them to the engine
 * (engine.h), whose thread alone works on the data base and answers. So all
 * requests that come while the disk syncs share the next sync.
 * doc/design/durable_queues.md
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "libubf/base/variable.h"
#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/caller.h"
#include "servers/tmqueue/conf.h"
#include "servers/tmqueue/durable.h"
#include "servers/tmqueue/engine.h"
#include "servers/tmqueue/forward.h"
#include "servers/tmqueue/joined.h"
#include "servers/tmqueue/left.h"
#include "servers/tmqueue/options.h"
#include "servers/tmqueue/right.h"
#include "servers/tmqueue/snapshot.h"
#include "servers/tmqueue/space.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/awaited.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"
#include "libatmi/tran/tm.h"
#include "libatmi/wire/stored.h"
#include "libatmi/xa/driver.h"
#include "libatmisrv/own.h"

/* All callers of the space wait while a request joins its transaction. */
#define PATIENCE_NS (5 * OW_NS_PER_SEC)

static struct space space;
static struct engine *engine;
static struct forward *forward;
static struct left *left;

/* ---- ports of the engine ---- */

static bool is_there(const struct job *j, bool surely)
{
	return caller_is_there(space.dom, j, surely);
}

static void committed(struct space *sp)
{
	forward_look(forward, sp);
}

static const struct engine_ports ports = {
	.is_there = is_there,
	.answer = caller_answer,
	.committed = committed,
};

/* ---- services ---- */

/* A message that is forwarded in a transaction needs this server: its thread takes
 * it by a request, and tmsrv asks how its branch ends. */
static bool may_end(void)
{
	return forward_may_end(forward);
}

/* The job goes to the engine, or its caller gets `tperr`. */
static void hand_on(const TPSVCINFO *svc, struct job *j, int tperr)
{
	char *refusal;
	long len = 0;

	if (j != NULL && tperr == 0)
		tperr = caller_hand_on(j);
	if (j != NULL && tperr == 0) {
		engine_put(engine, j);
		tpcontinue();
	}
	job_free(j);
	refusal = caller_refusal(svc, tperr, &len);
	if (refusal != NULL)
		tpreturn(TPSUCCESS, 0, refusal, len, 0);
	tpreturn(TPFAIL, tperr, NULL, 0, TPSOFTERR);
}

static void serve(TPSVCINFO *svc)
{
	int tperr = 0;
	struct job *j = caller_job(space.dom, svc, &tperr);

	if (j != NULL) {
		j->xid = joined_xid();
		tperr = ow_leave_own();
	}
	hand_on(svc, j, tperr);
}

/* A one-way call of a durable service. Who may not call it may not do so by a
 * queue. */
static void store(TPSVCINFO *svc)
{
	int tperr = 0;
	struct job *j = caller_stored_job(svc, &tperr);

	if (j != NULL)
		tperr = ow_own_may_call(j->service);
	hand_on(svc, j, tperr);
}

static int advertise(void)
{
	char name[XATMI_SERVICE_NAME_LENGTH + 1];

	snprintf(name, sizeof(name), OW_MQ_SPACE, space.name);
	if (ow_advertise_alone(name, serve) != 0)
		return -1;
	snprintf(space.service, sizeof(space.service), OW_MQ_SERVER,
		 (int)tpgetnodeid(), tpgetsrvid());
	if (ow_advertise_own(space.service, serve) != 0)
		return -1;
	return durable_is_wanted(&space.queues)
		   ? ow_advertise_own(OW_STORED_SERVICE, store) : 0;
}

/* ---- start ---- */

static int fail(const char *why)
{
	userlog((char *)"tmqueue: %s", why);
	fprintf(stderr, "tmqueue: %s\n", why);
	return -1;
}

/* The one that had it may have been killed this moment. */
static int open_store(const struct options *o, char *why, size_t size)
{
	int r, i;

	for (i = 0; i < 20; i++) {
		r = store_open(&space.store, o->folder, o->space, why, size);
		if (r != -EBUSY)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
	return r;
}

/* The server that has the service of this space, or is expected to have it again; 0:
 * there is none. */
static uint32_t other_server(uint32_t own)
{
	struct ow_tables *t = space.dom->tables;
	char name[XATMI_SERVICE_NAME_LENGTH + 1];
	uint32_t other;
	int svc;

	snprintf(name, sizeof(name), OW_MQ_SPACE, space.name);
	svc = ow_svc_find(t, name);
	if (svc < 0 || ow_tables_lock(t) != 0)
		return 0;
	other = ow_await_other(t, (uint32_t)svc, own);
	ow_tables_unlock(t);
	return other;
}

/* Two of one name would share the service @QSPNAME: half of the requests would find
 * the other one's messages. The one that was there may be about to end. Of two that
 * come at once, the first one to offer the service has it (advertise()). */
static int check_name(char *why, size_t size)
{
	char path[256] = "";
	uint32_t own = (uint32_t)tpgetsrvid(), other = other_server(own);
	int i;

	for (i = 0; other != 0 && i < 20; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		other = other_server(own);
	}
	if (other == 0)
		return 0;
	snapshot_path(&space, other, path, sizeof(path));
	snprintf(why, size, "queue space %s is that of server %u already, in "
		 "%.180s: another one, in %.180s, wants another name", space.name, other,
		 path, space.store.path);
	return -EBUSY;
}

/* Read queues, undo what transactions have left. */
static int recover(char *why, size_t size)
{
	int r = store_begin(&space.store, 0, true);

	if (r == 0)
		r = queues_load(&space.queues, &space.store);
	if (r == 0)
		r = branch_recover(&space.store, &space.queues);
	if (r == 0)
		r = right_open(&space);
	if (r == 0)
		r = queues_write(&space.queues, &space.store);
	if (r == 0)
		r = store_commit(&space.store);
	store_abort(&space.store);
	if (r != 0)
		snprintf(why, size, "%.400s: %s", space.store.path,
			 r == STORE_FULL ? "the disk is full" : strerror(-r));
	queues_keep(&space.queues);
	return r;
}

static int start(const struct options *o)
{
	char why[512] = "";

	if (ow_domain_join(false, &space.dom, why, sizeof(why)) != 0)
		return fail(why);
	strcpy(space.name, o->space);
	snprintf(space.conf, sizeof(space.conf), "%s", o->conf);
	known_init(&space.known, o->branch_seconds * OW_NS_PER_SEC,
		   o->other_seconds * OW_NS_PER_SEC);
	if (open_store(o, why, sizeof(why)) != 0 ||
	    recover(why, sizeof(why)) != 0 ||
	    conf_load(&space.queues, space.conf, true, why, sizeof(why)) != 0)
		return fail(why);
	space.snapshot = snapshot_open(&space, (uint32_t)tpgetsrvid());
	if (check_name(why, sizeof(why)) != 0)
		return fail(why);
	if (forward_start(&forward, o->forwarders) != 0 ||
	    engine_start(&engine, &space, &ports) != 0 ||
	    left_start(&left, &space, engine) != 0)
		return fail("a thread cannot be started");
	forward_set_engine(forward, engine);
	return 0;
}

/* With the id of a resource manager tmqueue takes part in transactions. */
static int take_part(void)
{
	if (ow_variable("NDRX_XA_RES_ID") == NULL)
		return 0;
	ow_xa_provide(joined_switch(&space.known));
	ow_tm_be_brief(PATIENCE_NS);
	return tpopen() == 0 ? 0 : fail(tpstrerror(tperrno));
}

int tpsvrinit(int argc, char **argv)
{
	static struct options o;
	char why[256] = "";

	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a full disk */
	if (options_read(&o, argc, argv, why, sizeof(why)) != 0)
		return fail(why);
	if (start(&o) != 0 || take_part() != 0 || advertise() != 0)
		return -1;
	ow_own_ends(may_end);
	return 0;
}

/* What cannot be written now, the journal has. */
static void finish(void)
{
	int r = space.store.env == NULL ? 0 : store_finish(&space.store);

	if (r != 0)
		userlog((char *)"tmqueue: %s: %s", space.store.path,
			r > 0 ? "the disk is full" : strerror(-r));
}

void tpsvrdone(void)
{
	forward_stop(forward);
	left = left_stop(left);
	engine = engine_stop(engine);
	forward = forward_free(forward);
	space.snapshot = snapshot_close(space.snapshot);
	finish();
	store_close(&space.store);
	queues_free(&space.queues);
	known_free(&space.known);
	if (space.dom != NULL)
		ow_domain_leave(space.dom);
}
