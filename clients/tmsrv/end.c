/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end.c - how a transaction ends: prepare, decide, commit or roll back
 */
#include "clients/tmsrv/end.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "clients/tmsrv/log.h"
#include "clients/tmsrv/shown.h"
#include "clients/tmsrv/table.h"
#include "clients/tmsrv/work.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/xa/rm.h"

/* Instead of a result of XA: the request to another tmsrv was not sent; it was,
 * and no answer came. */
#define NOT_SENT (-101)
#define LOST	 (-102)

#define PAUSE_MS     50	  /* before the second try; doubled each time */
#define PAUSE_MAX_MS 1000
#define ABORT_TRIES  10 /* then the branches are orphans */

static struct tmlog *decisions;
static uint32_t own_rmid;

void end_begin(struct tmlog *log, uint32_t rmid)
{
	decisions = log;
	own_rmid = rmid;
}

/* ---- one operation on all branches of a kind ---- */

static const struct operation {
	enum ow_rm_op op;
	long flags;
} operations[OW_TM_OP_END] = {
	[OW_TM_BRANCH_PREPARE] = { OW_RM_PREPARE, TMNOFLAGS },
	[OW_TM_BRANCH_COMMIT] = { OW_RM_COMMIT, TMNOFLAGS },
	[OW_TM_BRANCH_COMMIT_ONE] = { OW_RM_COMMIT, TMONEPHASE },
	[OW_TM_BRANCH_ROLLBACK] = { OW_RM_ROLLBACK, TMNOFLAGS },
	[OW_TM_BRANCH_FORGET] = { OW_RM_FORGET, TMNOFLAGS },
};

int end_branch(const struct ow_tm *m)
{
	XID xid;

	ow_tm_xid(m->identity, m->tran, m->rmid, m->branch, &xid);
	return ow_rm_do(operations[m->op].op, &xid, operations[m->op].flags);
}

static void ask(struct branch *b, const struct ow_tm *m)
{
	char svc[OW_TM_SERVICE];
	char *data = tpalloc((char *)"CARRAY", NULL, sizeof(*m));

	ow_tm_service(b->rmid, svc);
	b->result = NOT_SENT;
	b->cd = -1;
	if (data == NULL)
		return;
	memcpy(data, m, sizeof(*m));
	b->cd = tpacall(svc, data, sizeof(*m), TPNOTRAN | TPSIGRSTRT);
	if (b->cd < 0)
		log_warn("transaction %016llx: resource manager %u: %s",
			 (unsigned long long)m->tran, b->rmid,
			 tpstrerror(tperrno));
	tpfree(data);
}

static void fetch(struct branch *b)
{
	struct ow_tm m;
	char *data = NULL;
	long len = 0;

	if (b->cd < 0)
		return;
	b->result = LOST;
	if (tpgetrply(&b->cd, &data, &len, TPNOTRAN | TPSIGRSTRT) == 0 &&
	    ow_tm_is(data, len)) {
		memcpy(&m, data, sizeof(m));
		b->result = m.result;
	} else if (tperrno == TPETIME) {
		tpcancel(b->cd);
	}
	tpfree(data);
}

/* All branches in state `which`, those of others at the same time. */
static void do_all(struct tran *t, enum ow_tm_op op, enum branch_state which)
{
	struct ow_tm m = { .magic = OW_TM_MAGIC,
			   .op = op,
			   .tran = t->id,
			   .identity = tmlog_identity(decisions) };
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		m.rmid = t->branches[i].rmid;
		m.branch = t->branches[i].number;
		if (t->branches[i].state == which && m.rmid != own_rmid)
			ask(&t->branches[i], &m);
	}
	for (i = 0; i < t->n; i++) {
		m.rmid = t->branches[i].rmid;
		m.branch = t->branches[i].number;
		if (t->branches[i].state == which && m.rmid == own_rmid)
			t->branches[i].result = end_branch(&m);
	}
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == which &&
		    t->branches[i].rmid != own_rmid)
			fetch(&t->branches[i]);
	for (i = 0; i < t->n; i++)
		t->branches[i].known = t->branches[i].result;
}

static uint32_t count(const struct tran *t, enum branch_state which)
{
	uint32_t i, n = 0;

	for (i = 0; i < t->n; i++)
		n += t->branches[i].state == which;
	return n;
}

static bool is_rolled_back(int xa)
{
	return xa >= XA_RBBASE && xa <= XA_RBEND;
}

static bool is_heuristic(int xa)
{
	return xa >= XA_HEURMIX && xa <= XA_HEURHAZ;
}

/* The resource manager has decided by itself. `agrees`: as we have. */
static void note_heuristic(struct tran *t, struct branch *b, bool agrees)
{
	log_error("transaction %016llx: resource manager %u: %s",
		  (unsigned long long)t->id, b->rmid, ow_rm_word(b->result));
	b->state = BRANCH_HEURISTIC;
	if (agrees)
		return;
	if (b->result == XA_HEURHAZ)
		t->hazard = true;
	else
		t->mixed = true;
}

/* ---- the end ---- */

static int result_of(const struct tran *t, int usual)
{
	return t->mixed	   ? OW_TM_MIXED
	       : t->hazard ? OW_TM_HAZARD
			   : usual;
}

static void answer(struct job *j, int result)
{
	if (j->request != NULL && result == OW_TM_COMMITTED)
		shown_commit_time(ow_clock_mono_ns() - j->since_ns);
	j->m.result = result;
	j->m.identity = tmlog_identity(decisions);
	work_answer(j, NULL);
}

/* What a resource manager remembers of an agreeing heuristic is not needed. */
static void forget_agreeing(struct tran *t)
{
	if (!t->mixed && !t->hazard && count(t, BRANCH_HEURISTIC) > 0)
		do_all(t, OW_TM_BRANCH_FORGET, BRANCH_HEURISTIC);
}

/* All branches are done, or it is given up. */
static void finish(struct tran *t, bool logged)
{
	bool keep = t->mixed || t->hazard;

	if (keep && t->n > 1)
		shown_count(OW_TM_COUNT_UNSURE);
	forget_agreeing(t);
	if (logged && !keep)
		tmlog_end(decisions, t->id);
	table_lock();
	t->busy = false;
	if (keep)
		t->state = TRAN_HEURISTIC;
	else
		table_remove(t);
	table_unlock();
}

static void repeat_later(struct tran *t)
{
	uint64_t ms = PAUSE_MS << (t->tries < 8 ? t->tries : 8);

	if (ms > PAUSE_MAX_MS)
		ms = PAUSE_MAX_MS;
	table_lock();
	t->tries++;
	t->retry_ns = ow_clock_mono_ns() + ms * OW_NS_PER_MS;
	t->busy = false;
	table_unlock();
}

static void set_state(struct tran *t, enum tran_state state)
{
	table_lock();
	t->state = state;
	t->tries = 0;
	table_unlock();
}

/* ---- rollback ---- */

static void note_rollback(struct tran *t, struct branch *b)
{
	int r = b->result;

	if (r == XA_OK || r == XAER_NOTA || is_rolled_back(r))
		b->state = BRANCH_ROLLED_BACK;
	else if (is_heuristic(r))
		note_heuristic(t, b, r == XA_HEURRB);
}

static void roll_back(struct job *j)
{
	struct tran *t = j->t;
	uint32_t i, open = 0;

	if (t->tries == 0)
		shown_count(OW_TM_COUNT_ROLLED_BACK);
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == BRANCH_PREPARED)
			t->branches[i].state = BRANCH_ACTIVE;
	do_all(t, OW_TM_BRANCH_ROLLBACK, BRANCH_ACTIVE);
	for (i = 0; i < t->n; i++) {
		if (t->branches[i].state == BRANCH_ACTIVE)
			note_rollback(t, &t->branches[i]);
		open += t->branches[i].state == BRANCH_ACTIVE;
	}
	answer(j, result_of(t, OW_TM_ABORTED));
	if (open > 0 && t->tries < ABORT_TRIES)
		repeat_later(t);
	else
		finish(t, false);
}

/* ---- commit ---- */

static void note_commit(struct tran *t, struct branch *b)
{
	int r = b->result;

	if (r == XA_OK || (r == XAER_NOTA && t->tries > 0)) {
		b->state = BRANCH_COMMITTED;
	} else if (r == XAER_NOTA) {
		log_error("transaction %016llx: resource manager %u has lost "
			  "a branch that it had prepared",
			  (unsigned long long)t->id, b->rmid);
		b->state = BRANCH_HEURISTIC;
		t->hazard = true;
	} else if (is_heuristic(r)) {
		note_heuristic(t, b, r == XA_HEURCOM);
	} else if (is_rolled_back(r)) {
		b->state = BRANCH_HEURISTIC;
		t->mixed = true;
	}
}

/* The decision is on disk. */
static void commit(struct job *j)
{
	struct tran *t = j->t;
	uint32_t i;

	do_all(t, OW_TM_BRANCH_COMMIT, BRANCH_PREPARED);
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == BRANCH_PREPARED)
			note_commit(t, &t->branches[i]);
	answer(j, result_of(t, OW_TM_COMMITTED));
	if (count(t, BRANCH_PREPARED) > 0)
		repeat_later(t);
	else
		finish(t, true);
}

/* One branch: its resource manager decides. */
static void commit_one(struct job *j)
{
	struct tran *t = j->t;
	struct branch *b = &t->branches[0];
	int r, result;

	do_all(t, OW_TM_BRANCH_COMMIT_ONE, BRANCH_ACTIVE);
	r = b->result;
	if (r == XAER_PROTO) { /* somebody still works in it */
		set_state(t, TRAN_ABORTING);
		roll_back(j);
		return;
	}
	if (r == XA_OK || r == XA_RDONLY || r == XA_HEURCOM)
		result = OW_TM_COMMITTED;
	else if (is_rolled_back(r) || r == XA_HEURRB || r == XAER_NOTA ||
		 r == XAER_RMERR || r == XAER_INVAL || r == NOT_SENT)
		result = OW_TM_ABORTED;
	else
		result = r == XA_HEURMIX ? OW_TM_MIXED : OW_TM_HAZARD;
	shown_count(result == OW_TM_COMMITTED ? OW_TM_COUNT_COMMITTED
		    : result == OW_TM_ABORTED ? OW_TM_COUNT_ROLLED_BACK
					      : OW_TM_COUNT_UNSURE);
	b->state = BRANCH_COMMITTED;
	if (is_heuristic(r)) {
		b->state = BRANCH_HEURISTIC;
		t->mixed = r == XA_HEURMIX;
		t->hazard = r == XA_HEURHAZ;
	}
	answer(j, result);
	finish(t, false);
}

/* Prepare all: true, all agree. */
static bool prepare(struct tran *t)
{
	bool agreed = true;
	uint32_t i;

	do_all(t, OW_TM_BRANCH_PREPARE, BRANCH_ACTIVE);
	for (i = 0; i < t->n; i++) {
		struct branch *b = &t->branches[i];

		if (b->result == XA_OK)
			b->state = BRANCH_PREPARED;
		else if (b->result == XA_RDONLY)
			b->state = BRANCH_READ_ONLY;
		else if (is_rolled_back(b->result))
			b->state = BRANCH_ROLLED_BACK;
		agreed &= b->result == XA_OK || b->result == XA_RDONLY;
	}
	table_lock();
	agreed &= !t->doomed; /* an operator has decided meanwhile */
	table_unlock();
	return agreed;
}

/* Write the decision: 0 or -errno. */
static int decide(struct tran *t)
{
	struct tmlog_branch *list;
	uint32_t i, n = 0;
	int r;

	list = calloc(t->n, sizeof(*list));
	if (list == NULL)
		return -1;
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == BRANCH_PREPARED)
			list[n++] = (struct tmlog_branch){
				t->branches[i].rmid, t->branches[i].number
			};
	r = tmlog_commit(decisions, t->id, list, n);
	free(list);
	if (r != 0)
		log_error("transaction %016llx: no decision can be written: "
			  "%s: it is rolled back", (unsigned long long)t->id,
			  strerror(-r));
	return r;
}

static void end_two_phases(struct job *j)
{
	struct tran *t = j->t;

	if (!prepare(t) ||
	    (count(t, BRANCH_PREPARED) > 0 && decide(t) != 0)) {
		set_state(t, TRAN_ABORTING);
		roll_back(j);
		return;
	}
	shown_count(OW_TM_COUNT_COMMITTED);
	if (count(t, BRANCH_PREPARED) == 0) {
		answer(j, OW_TM_COMMITTED);
		finish(t, false);
		return;
	}
	set_state(t, TRAN_COMMITTING);
	if (j->m.flags & OW_TM_LOGGED)
		answer(j, OW_TM_COMMITTED);
	commit(j);
}

void end_run(struct job *j)
{
	switch (j->t->state) {
	case TRAN_COMMITTING:
		commit(j);
		break;
	case TRAN_ABORTING:
		roll_back(j);
		break;
	default:
		if (j->t->n == 1)
			commit_one(j);
		else
			end_two_phases(j);
	}
}
