/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subordinate.c - transactions whose superior is at another node
 */
#include "servers/tmsrv/subordinate.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servers/tmsrv/end.h"
#include "servers/tmsrv/snapshot.h"
#include "servers/tmsrv/work.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

#define ASK_NS	  OW_NS_PER_SEC /* between two questions to the superior */
#define ASK_SECONDS 2		/* that one may take */
#define ASKING	  3		/* at the same time: a node may be silent */
#define LONGEST_MS UINT64_C(86400000)

/* Instead of a result of XA: a job answers. */
#define BEGUN 1000

static struct tmlog *decisions;
static atomic_int asking; /* jobs */

void subordinate_begin(struct tmlog *log)
{
	decisions = log;
}

/* ---- its beginning ---- */

/* Nodes above it, from 1. */
static uint32_t depth_of(const uint32_t path[OW_TM_DEPTH])
{
	uint32_t n = 1;

	while (n < OW_TM_DEPTH && path[n] != 0)
		n++;
	return n;
}

void subordinate_adopt(uint64_t id, struct ow_tm_remote *f)
{
	uint64_t now = ow_clock_mono_ns();
	struct tran *t;

	if (f->m.timeout_ms == 0 || f->m.timeout_ms > LONGEST_MS)
		f->m.timeout_ms = LONGEST_MS;
	table_lock();
	t = table_add(id, f->m.timeout_ms, now);
	if (t != NULL) {
		t->sup = (struct superior){ .node = f->from,
					    .tran = f->superior,
					    .identity = f->identity };
		memcpy(t->sup.path, f->path, sizeof(t->sup.path));
		t->sup.depth = depth_of(f->path);
		t->asked_ns = now;
		snprintf(t->client, sizeof(t->client), "clt,node %u,",
			 f->from);
		snapshot_count(OW_TM_COUNT_BEGUN);
	}
	table_unlock();
	f->m.result = t != NULL ? OW_TM_OK : OW_TM_NOSPACE;
	f->sub = id;
	f->sub_identity = tmlog_identity(decisions);
}

/* ---- what the superior asks ---- */

static bool is_of(const struct tran *t, const struct ow_tm_remote *f)
{
	return t->sup.node != 0 && t->sup.node == f->from &&
	       t->sup.tran == f->superior && t->sup.identity == f->identity;
}

/* Its end begins, in a job of the caller. */
static int begin(struct tran *t, enum tran_state state)
{
	t->state = state;
	t->busy = true;
	t->commits = state == TRAN_COMMITTING;
	return BEGUN;
}

/* No branch has joined. */
static int end_empty(struct tran *t, enum ow_tm_count count, int result)
{
	snapshot_count(count);
	table_remove(t);
	return result;
}

static int vote(struct tran *t)
{
	if (t->state == TRAN_PREPARED)
		return XA_OK;
	if (t->state == TRAN_ABORTING)
		return XA_RBROLLBACK;
	if (t->state != TRAN_ACTIVE)
		return XAER_PROTO;
	if (t->doomed || ow_clock_mono_ns() >= t->deadline_ns)
		return t->n > 0 ? begin(t, TRAN_ABORTING)
				: end_empty(t, OW_TM_COUNT_ROLLED_BACK,
					    XA_RBROLLBACK);
	return t->n > 0 ? begin(t, TRAN_PREPARING)
			: end_empty(t, OW_TM_COUNT_COMMITTED, XA_RDONLY);
}

/* It has ended, and is remembered: how? */
static int heuristic(const struct tran *t)
{
	return t->mixed			 ? XA_HEURMIX
	       : t->hazard		 ? XA_HEURHAZ
	       : t->hand == HAND_COMMIT	 ? XA_HEURCOM
					 : XA_HEURRB;
}

static int commit(struct tran *t)
{
	if (t->state == TRAN_PREPARED)
		snapshot_count(OW_TM_COUNT_COMMITTED);
	else if (t->state != TRAN_COMMITTING)
		return XAER_PROTO;
	return begin(t, TRAN_COMMITTING);
}

static int roll_back(struct tran *t)
{
	if (t->state == TRAN_ABORTING)
		return XA_OK;
	if (t->state != TRAN_PREPARED && t->state != TRAN_ACTIVE)
		return XAER_PROTO;
	if (t->n == 0)
		return end_empty(t, OW_TM_COUNT_ROLLED_BACK, XA_OK);
	return begin(t, TRAN_ABORTING);
}

static int forget(struct tran *t)
{
	if (t->state != TRAN_HEURISTIC)
		return XAER_PROTO;
	if (t->logged)
		tmlog_end(decisions, t->id);
	table_remove(t);
	return XA_OK;
}

/* Its superior says how it ends. After a contradiction it is not asked again:
 * its operator may have made it forget, and the answer would be "rolled back". */
static void note_told(struct tran *t, bool commits, uint32_t *ret_log)
{
	enum told told = commits == (t->hand == HAND_COMMIT) ? TOLD_SAME
							      : TOLD_OTHERWISE;

	if (t->hand == HAND_NONE || t->told == told)
		return;
	t->told = told;
	*ret_log = HAND_LOGGED(t->hand, told) | t->kept;
}

/* Lock held: what XA would return, or BEGUN. In *ret_log what is to be kept. */
static int obey(struct tran *t, uint32_t op, uint32_t *ret_log)
{
	if (t->busy || (t->hand != HAND_NONE && t->state != TRAN_HEURISTIC))
		return XAER_RMFAIL; /* later */
	switch (op) {
	case OW_TM_SUB_FORGET:
		return forget(t);
	case OW_TM_SUB_PREPARE:
		return vote(t);
	default:
		note_told(t, op == OW_TM_SUB_COMMIT, ret_log);
		if (t->state == TRAN_HEURISTIC)
			return heuristic(t);
		return op == OW_TM_SUB_COMMIT ? commit(t) : roll_back(t);
	}
}

/* A superior that has ended may be asked no more, when this tmsrv was killed. */
static void keep_told(uint64_t id, uint32_t logged)
{
	if (LOGGED_TOLD(logged) == TOLD_OTHERWISE)
		log_error("transaction %016llx: it was %s by hand, and its "
			  "superior decides otherwise", (unsigned long long)id,
			  LOGGED_HAND(logged) == HAND_COMMIT ? "committed"
							     : "rolled back");
	(void)tmlog_by_hand(decisions, id, logged);
}

/* What a superior is told of a part that is not known here. */
static int not_known(const struct ow_tm_remote *f)
{
	return f->m.op != OW_TM_SUB_PREPARE &&
			       tmlog_may_have_lost(decisions, f->m.tran)
		       ? XA_HEURHAZ
		       : XAER_NOTA;
}

bool subordinate_serve(struct ow_tm_remote *f)
{
	struct job *j = work_new(end_run, &f->m);
	uint32_t told = 0;
	struct tran *t;

	table_lock();
	t = table_find(f->m.tran);
	f->m.result = j == NULL			   ? XAER_RMFAIL
		      : t == NULL || !is_of(t, f) ? not_known(f)
						  : obey(t, f->m.op, &told);
	table_unlock();
	if (told != 0)
		keep_told(f->m.tran, told);
	if (f->m.result != BEGUN) {
		free(j);
		return true;
	}
	j->t = t;
	j->request = tpsrvgetctxdata();
	/* Without context data nobody is told: it asks again. */
	work_add(POOL_BELOW + t->sup.depth - 1, j);
	return false;
}

/* ---- it asks ---- */

/* How does it end, after this answer? TRAN_ACTIVE: nothing is known. */
static enum tran_state outcome(const struct tran *t, const struct ow_tm *m)
{
	if (m->identity != t->sup.identity)
		return TRAN_ACTIVE;
	if (m->result == OW_TM_UNKNOWN || m->result == OW_TM_ABORTED)
		return TRAN_ABORTING;
	if (m->result != OW_TM_COMMITTED)
		return TRAN_ACTIVE;
	/* The superior has committed without what is not prepared here. */
	return t->state == TRAN_ACTIVE ? TRAN_ABORTING : TRAN_COMMITTING;
}

static bool is_decided_by_hand(const struct tran *t)
{
	return t->state == TRAN_HEURISTIC && t->hand != HAND_NONE &&
	       t->told != TOLD_OTHERWISE && !t->mixed && !t->hazard;
}

/* An operator has decided, and now its superior is known to have ended. One that
 * commits says so itself. Lock held. */
static void compare(struct tran *t, const struct ow_tm *m)
{
	if (outcome(t, m) != TRAN_ABORTING)
		return;
	if (t->hand == HAND_ROLLBACK || t->told == TOLD_SAME) {
		(void)forget(t);
		return;
	}
	t->mixed = true;
	log_error("transaction %016llx: it was committed by hand, and its "
		  "superior at node %u was rolled back",
		  (unsigned long long)t->id, t->sup.node);
}

/* Its superior says that it ends in this state. True: the job has to do
 * that. */
static bool begin_after(struct tran *t, enum tran_state state)
{
	if (state == TRAN_ACTIVE)
		return false;
	log_info("transaction %016llx: its superior at node %u %s",
		 (unsigned long long)t->id, t->sup.node,
		 state == TRAN_COMMITTING ? "has committed"
					  : "was rolled back, or forgot it");
	if (state == TRAN_COMMITTING)
		snapshot_count(OW_TM_COUNT_COMMITTED);
	if (t->n == 0) {
		(void)end_empty(t, OW_TM_COUNT_ROLLED_BACK, 0);
		return false;
	}
	(void)begin(t, state);
	return true;
}

/* Lock held: true, the job is to end it. */
static bool follow(struct tran *t, const struct ow_tm *m)
{
	if (t != NULL && !t->busy && is_decided_by_hand(t))
		compare(t, m);
	else if (t != NULL && !t->busy &&
		 (t->state == TRAN_ACTIVE || t->state == TRAN_PREPARED))
		return begin_after(t, outcome(t, m));
	return false;
}

/* Ask for transaction `id`: 0, and f->m is the answer; -1: there is none. */
static int ask_superior(uint64_t id, struct ow_tm_remote *f)
{
	struct tran *t;
	char name[16];

	table_lock();
	t = table_find(id);
	if (t != NULL) {
		f->m.tran = t->sup.tran;
		f->node = t->sup.node;
	}
	table_unlock();
	return t == NULL ? -1
			 : ow_tm_remote_ask(ow_tm_remote_service(f->node,
								 &name),
					    f, ASK_SECONDS);
}

static void ask(struct job *j)
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_REMOTE_STATUS } };
	int r = ask_superior(j->m.tran, &f);
	struct tran *t;
	bool ends;

	atomic_fetch_sub(&asking, 1);
	if (r != 0)
		return;
	table_lock();
	t = table_find(j->m.tran);
	ends = follow(t, &f.m);
	table_unlock();
	if (!ends)
		return;
	j->t = t;
	end_run(j);
}

bool subordinate_look(struct tran *t, uint64_t now)
{
	const struct ow_tm m = { .tran = t->id };
	struct job *j;

	if (t->sup.node == 0 ||
	    (t->state != TRAN_ACTIVE && t->state != TRAN_PREPARED &&
	     !is_decided_by_hand(t)))
		return false;
	if (now - t->asked_ns >= ASK_NS && atomic_load(&asking) < ASKING &&
	    (j = work_new(ask, &m)) != NULL) {
		t->asked_ns = now;
		atomic_fetch_add(&asking, 1);
		work_add(POOL_ENDS, j);
	}
	return t->state == TRAN_PREPARED;
}

/* ---- an operator ---- */

bool subordinate_by_hand(uint64_t id, bool commits)
{
	enum by_hand hand = commits ? HAND_COMMIT : HAND_ROLLBACK;
	struct job *j = work_new(end_run, NULL);
	struct tran *t;
	bool may;

	table_lock();
	t = table_find(id);
	may = j != NULL && t != NULL && t->state == TRAN_PREPARED && !t->busy;
	if (may)
		t->busy = true;
	table_unlock();
	if (may && tmlog_by_hand(decisions, id, hand) != 0) {
		table_lock();
		t->busy = may = false;
		table_unlock();
	}
	if (!may) {
		free(j);
		return false;
	}
	log_warn("transaction %016llx: by hand: %s: its superior at node %u "
		 "will be told", (unsigned long long)id,
		 commits ? "committed" : "rolled back", t->sup.node);
	table_lock();
	t->hand = hand;
	(void)begin(t, commits ? TRAN_COMMITTING : TRAN_ABORTING);
	table_unlock();
	j->t = t;
	work_add(POOL_ENDS, j);
	return true;
}
