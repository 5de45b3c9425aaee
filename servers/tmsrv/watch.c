/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - what happens by itself: time-outs, repetitions, orphans
 */
#include "servers/tmsrv/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <xatmi.h>

#include "servers/tmsrv/begin.h"
#include "servers/tmsrv/branches.h"
#include "servers/tmsrv/end.h"
#include "servers/tmsrv/last.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/snapshot.h"
#include "servers/tmsrv/subordinate.h"
#include "servers/tmsrv/table.h"
#include "servers/tmsrv/work.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/xa/rm.h"

#define LOOK_NS (20 * OW_NS_PER_MS)
#define SHOW_NS (100 * OW_NS_PER_MS)
#define AGAIN_NS OW_NS_PER_SEC /* an orphan is seen twice, so far apart */

static struct {
	pthread_t thread;
	atomic_bool stop, scanning;
	const struct tmlog *log;
	uint64_t identity, scan_ns;
	uint32_t rmid;
} w;

/* ---- orphans ---- */

enum owner { OWNER_KNOWS, OWNER_KNOWS_NOT, OWNER_SILENT };

/* Does its tmsrv know the transaction of a branch? One that may have lost the
 * decision says nothing. */
static enum owner ask_owner(const struct ow_tm *branch)
{
	struct ow_tm m = { .op = OW_TM_STATUS, .tran = branch->tran };
	bool known;

	if (branch->identity == w.identity) {
		table_lock();
		known = table_find(branch->tran) != NULL;
		table_unlock();
		return known ? OWNER_KNOWS
		       : tmlog_may_have_lost(w.log, branch->tran) ||
				 last_may_have(branch->tran)
			       ? OWNER_SILENT
			       : OWNER_KNOWS_NOT;
	}
	/* Of this one, with another log: it would ask itself, and wait in vain
	 * for the answer when it ends. */
	if (begin_is_own(branch->tran))
		return OWNER_SILENT;
	if (ow_tm_ask_owner(&m) != 0 || m.identity != branch->identity)
		return OWNER_SILENT;
	return m.result == OW_TM_UNKNOWN  ? OWNER_KNOWS_NOT
	       : m.result == OW_TM_HAZARD ? OWNER_SILENT
					  : OWNER_KNOWS;
}

/* An orphan that was seen, and when first. Of the job, one at a time. */
struct seen {
	uint64_t identity, tran, since_ns;
	uint32_t branch;
	bool still; /* in this look, too */
};

static struct seen *seen;
static uint32_t n_seen, alloc_seen;

/* Was it an orphan a while ago, too? One look may fall between two steps of a
 * tmsrv that we know nothing of. */
static bool was_seen(const struct ow_tm *m, uint64_t now)
{
	struct seen *p;
	uint32_t i;

	for (i = 0; i < n_seen; i++) {
		p = &seen[i];
		if (p->identity == m->identity && p->tran == m->tran &&
		    p->branch == m->branch) {
			p->still = true;
			return now - p->since_ns >= AGAIN_NS;
		}
	}
	if (n_seen == alloc_seen) {
		p = realloc(seen, (alloc_seen + 64) * sizeof(*p));
		if (p == NULL)
			return false;
		seen = p;
		alloc_seen += 64;
	}
	seen[n_seen++] = (struct seen){ .identity = m->identity,
					.tran = m->tran,
					.since_ns = now,
					.branch = m->branch,
					.still = true };
	return false;
}

/* Forget those that are not there any more. */
static void end_look(void)
{
	uint32_t i, n = 0;

	for (i = 0; i < n_seen; i++) {
		if (!seen[i].still)
			continue;
		seen[n] = seen[i];
		seen[n++].still = false;
	}
	n_seen = n;
}

static void look_for_orphans(struct job *j)
{
	uint64_t strays = 0, now = ow_clock_mono_ns();
	enum owner owner;
	struct ow_tm m;
	XID *xids = NULL;
	int i, n;

	(void)j;
	/* This is also how a database is missed while nobody needs it. */
	snapshot_rm_asked(now);
	n = branches_recover(&xids);
	snapshot_rm_answered(n != XAER_RMFAIL);
	for (i = 0; i < n && !w.stop; i++) {
		if (!ow_tm_read_xid(&xids[i], &m) || m.rmid != w.rmid)
			continue;
		owner = ask_owner(&m);
		strays += owner == OWNER_SILENT;
		if (owner != OWNER_KNOWS_NOT || !was_seen(&m, now))
			continue;
		log_warn("transaction %016llx: branch %u is an orphan: it is "
			 "rolled back", (unsigned long long)m.tran, m.branch);
		m.op = OW_TM_BRANCH_ROLLBACK;
		(void)branches_one(&m);
		snapshot_count(OW_TM_COUNT_ORPHANS);
	}
	if (n >= 0)
		snapshot_strays(strays, now);
	if (n >= 0)
		end_look();
	free(xids);
	w.scanning = false;
}

static void scan(void)
{
	struct job *j;

	if (!ow_rm_exists() || w.scanning)
		return;
	j = work_new(look_for_orphans, NULL);
	if (j == NULL)
		return;
	w.scanning = true;
	work_add(POOL_BRANCHES, j);
}

/* ---- the table ---- */

static void look_at(struct tran *t, void *arg)
{
	uint64_t now = *(uint64_t *)arg;
	struct job *j;

	if (t->busy || subordinate_look(t, now))
		return;
	if (t->state == TRAN_ACTIVE ? now < t->deadline_ns
	    : t->state == TRAN_HEURISTIC ? true
					 : now < t->retry_ns)
		return;
	if (t->reserved && t->n == 0) {
		table_remove(t);
		return;
	}
	j = work_new(end_run, NULL);
	if (j == NULL)
		return;
	if (t->reserved) { /* has its branch begun? */
		t->state = TRAN_ABORTING;
	} else if (t->state == TRAN_ACTIVE) {
		log_warn("transaction %016llx: not ended within %llu ms: it is "
			 "rolled back", (unsigned long long)t->id,
			 (unsigned long long)t->timeout_ms);
		t->state = TRAN_ABORTING;
		snapshot_count(OW_TM_COUNT_TIMED_OUT);
	}
	t->busy = true;
	j->t = t;
	work_add(POOL_ENDS, j);
}

static void *watch(void *arg)
{
	struct timespec pause = { .tv_nsec = LOOK_NS };
	uint64_t now, scan_ns = 0, show_ns = 0;

	(void)arg;
	while (!w.stop) {
		now = ow_clock_mono_ns();
		table_lock();
		table_each(look_at, &now);
		if (now >= show_ns) {
			snapshot_table(now);
			show_ns = now + SHOW_NS;
		}
		table_unlock();
		work_look(now);
		last_look(now);
		if (now >= scan_ns) {
			scan();
			scan_ns = now + w.scan_ns;
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int watch_start(const struct tmlog *log, uint32_t rmid, uint64_t scan_ms)
{
	sigset_t all, was;
	int r;

	w.log = log;
	w.identity = tmlog_identity(log);
	w.rmid = rmid;
	w.scan_ns = scan_ms * OW_NS_PER_MS;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	r = pthread_create(&w.thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return -r;
}

void watch_stop(void)
{
	w.stop = true;
	pthread_join(w.thread, NULL);
}
