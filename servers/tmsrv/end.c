/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end.c - how a transaction ends: prepare, decide, commit or roll back
 */
#include "servers/tmsrv/end.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "servers/tmsrv/begin.h"
#include "servers/tmsrv/branches.h"
#include "servers/tmsrv/ended.h"
#include "servers/tmsrv/last.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/outcome.h"
#include "servers/tmsrv/snapshot.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/table.h"
#include "servers/tmsrv/vote.h"
#include "servers/tmsrv/work.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/xa/rm.h"

#define PAUSE_MS     50	  /* before the second try; doubled each time */
#define PAUSE_MAX_MS 1000
#define ABORT_TRIES  10 /* then the branches are orphans; one that somebody \
			   works in is none */

static struct tmlog *decisions;

void end_begin(struct tmlog *log, uint32_t rmid)
{
	decisions = log;
	branches_begin(log, rmid);
	outcome_begin(log);
}

int end_begins(struct tran *t, uint32_t op)
{
	if (t->state == TRAN_ABORTING)
		return OW_TM_ABORTED;
	if (t->state == TRAN_HEURISTIC && op == OW_TM_COMMIT)
		return t->mixed ? OW_TM_MIXED : OW_TM_HAZARD;
	if (t->sup.node != 0 && op == OW_TM_COMMIT)
		return OW_TM_ENDING; /* its superior alone may ask for that */
	if (t->state != TRAN_ACTIVE || t->busy)
		return OW_TM_ENDING;
	if (op != OW_TM_COMMIT || t->doomed ||
	    ow_clock_mono_ns() >= t->deadline_ns)
		t->state = TRAN_ABORTING;
	else
		t->state = TRAN_PREPARING;
	if (t->n > 0) {
		t->busy = true;
		return 0;
	}
	op = t->state == TRAN_PREPARING ? OW_TM_COMMITTED : OW_TM_ABORTED;
	ended_note(t->id, (int)op);
	snapshot_count(op == OW_TM_COMMITTED ? OW_TM_COUNT_COMMITTED
					     : OW_TM_COUNT_ROLLED_BACK);
	table_remove(t);
	return (int)op;
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
	bool remote = b->rmid == BRANCH_REMOTE;

	log_error("transaction %016llx: %s %u: %s", (unsigned long long)t->id,
		  remote ? "node" : "resource manager",
		  remote ? b->node : b->rmid, ow_rm_word(b->result));
	branch_mark(b, BRANCH_HEURISTIC);
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

/* The resource manager of the last resource, or of more than half of the
 * branches; if none has so many, of any; 0: all are of other nodes. */
static uint32_t usual_rmid(struct tran *t)
{
	uint32_t i, lead = 0, rmid = 0;

	if (last_of(t) != NULL)
		return last_of(t)->rmid;
	for (i = 0; i < t->n; i++) {
		if (t->branches[i].rmid == BRANCH_REMOTE)
			continue;
		if (lead == 0)
			rmid = t->branches[i].rmid;
		lead += t->branches[i].rmid == rmid ? 1u : -1u;
	}
	return rmid;
}

/* All that the answer says of the transaction. */
static void compose_answer(struct job *j, int result)
{
	uint32_t usual;

	if (j->request != NULL && result == OW_TM_COMMITTED)
		snapshot_commit_time(ow_clock_mono_ns() - j->since_ns);
	if (j->t->sup.node == 0 && !j->t->reserved)
		ended_note(j->t->id, result);
	j->m.result = vote_is_asked(j) ? vote_answer(j, result)
					      : result;
	j->m.identity = tmlog_identity(decisions);
	usual = usual_rmid(j->t);
	if (j->request != NULL && j->t->sup.node == 0)
		begin_reserve(j->t->client, usual, &j->m);
	j->m.rmid = usual;
}

static void answer(struct job *j, int result)
{
	compose_answer(j, result);
	work_answer(j, NULL);
}

/* What a resource manager remembers of an agreeing heuristic is not needed. */
static void forget_agreeing(struct tran *t)
{
	if (!t->mixed && !t->hazard && count(t, BRANCH_HEURISTIC) > 0)
		branches_do(t, OW_TM_BRANCH_FORGET, BRANCH_HEURISTIC);
}

/* All branches are done, or it is given up. */
static void finish(struct tran *t, bool logged)
{
	bool keep = t->mixed || t->hazard || t->hand != HAND_NONE;

	if ((t->mixed || t->hazard) && t->n > 1)
		snapshot_count(OW_TM_COUNT_UNSURE);
	forget_agreeing(t);
	if (t->row && !keep)
		last_done(t->id);
	if (((logged && !t->row) || t->logged) && !keep)
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

/* It is not there, but who was given it may be about to begin it. */
static bool may_begin(const struct branch *b)
{
	return b->result == XAER_NOTA && b->given_ns != 0 && !b->begun &&
	       ow_clock_mono_ns() < b->given_ns + OW_TM_LATE_NS;
}

/* It was begun with a number that was given ahead, and nobody has named it until
 * its time was over. */
static void note_begun(struct tran *t)
{
	log_warn("transaction %016llx: not ended within %llu ms: it is rolled "
		 "back", (unsigned long long)t->id,
		 (unsigned long long)t->timeout_ms);
	table_lock();
	begin_shown(t);
	table_unlock();
	snapshot_count(OW_TM_COUNT_TIMED_OUT);
	snapshot_count(OW_TM_COUNT_ROLLED_BACK);
}

static void note_rollback(struct tran *t, struct branch *b)
{
	int r = b->result;

	if (may_begin(b))
		return;
	if (t->reserved &&
	    (r == XA_OK || is_rolled_back(r) || is_heuristic(r)))
		note_begun(t);
	if (r == XA_OK || r == XAER_NOTA || is_rolled_back(r))
		branch_mark(b, BRANCH_ROLLED_BACK);
	else if (is_heuristic(r))
		note_heuristic(t, b, r == XA_HEURRB);
}

static void roll_back(struct job *j)
{
	struct tran *t = j->t;
	uint32_t i, open = 0, in_use = 0;

	if (t->tries == 0 && !t->reserved)
		snapshot_count(OW_TM_COUNT_ROLLED_BACK);
	if (j->m.op == OW_TM_ABORT && (j->m.flags & OW_TM_LOGGED))
		answer(j, OW_TM_ABORTED);
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == BRANCH_PREPARED)
			branch_mark(&t->branches[i], BRANCH_ACTIVE);
	branches_do(t, OW_TM_BRANCH_ROLLBACK, BRANCH_ACTIVE);
	for (i = 0; i < t->n; i++) {
		if (t->branches[i].state == BRANCH_ACTIVE)
			note_rollback(t, &t->branches[i]);
		open += t->branches[i].state == BRANCH_ACTIVE;
		in_use += t->branches[i].state == BRANCH_ACTIVE &&
			  t->branches[i].result == XAER_PROTO;
	}
	outcome_keep(t, false);
	answer(j, result_of(t, OW_TM_ABORTED));
	if (in_use > 0 || (open > 0 && t->tries < ABORT_TRIES))
		repeat_later(t);
	else
		finish(t, false);
}

/* ---- commit ---- */

static void note_commit(struct tran *t, struct branch *b)
{
	bool reached = b->reached || b->rmid == BRANCH_REMOTE;
	int r = b->result;

	b->reached = reached || r != OW_TM_NOT_SENT;
	/* It is not there any more. An earlier commit may have done that;
	 * another node may have asked how it ends before it was told. */
	if (r == XA_OK || (r == XAER_NOTA && reached)) {
		branch_mark(b, BRANCH_COMMITTED);
	} else if (r == XAER_NOTA) {
		log_error("transaction %016llx: resource manager %u has lost "
			  "a branch that it had prepared, before it was told "
			  "to commit it",
			  (unsigned long long)t->id, b->rmid);
		branch_mark(b, BRANCH_HEURISTIC);
		t->hazard = true;
	} else if (is_heuristic(r)) {
		note_heuristic(t, b, r == XA_HEURCOM);
	} else if (is_rolled_back(r)) {
		branch_mark(b, BRANCH_HEURISTIC);
		t->mixed = true;
	}
}

/* The decision is on disk. */
static void commit(struct job *j)
{
	struct tran *t = j->t;
	uint32_t i;
	bool open;

	branches_do(t, OW_TM_BRANCH_COMMIT, BRANCH_PREPARED);
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == BRANCH_PREPARED)
			note_commit(t, &t->branches[i]);
	open = count(t, BRANCH_PREPARED) > 0;
	outcome_keep(t, false);
	/* A superior forgets when all is done. */
	answer(j, open && t->sup.node != 0 ? OW_TM_ENDING
					   : result_of(t, OW_TM_COMMITTED));
	if (open)
		repeat_later(t);
	else
		finish(t, true);
}

/* One branch: its resource manager decides. */
static void commit_one(struct job *j)
{
	struct tran *t = j->t;
	struct branch *b = &t->branches[0];
	bool prepared = b->state == BRANCH_PREPARED;
	int r, result;

	branch_mark(b, BRANCH_ACTIVE); /* even if it is prepared */
	branches_do(t, OW_TM_BRANCH_COMMIT_ONE, BRANCH_ACTIVE);
	r = b->result;
	/* Somebody still works in it; or nobody has asked for its commit. */
	if (r == XAER_PROTO || (r == OW_TM_NOT_SENT && b->last)) {
		set_state(t, TRAN_ABORTING);
		roll_back(j);
		return;
	}
	if (r == XA_OK || r == XA_RDONLY || r == XA_HEURCOM)
		result = OW_TM_COMMITTED;
	else if (prepared && r == XAER_NOTA)
		result = OW_TM_HAZARD; /* somebody else has ended it */
	else if (is_rolled_back(r) || r == XA_HEURRB || r == XAER_NOTA ||
		 r == XAER_RMERR || r == XAER_INVAL || r == OW_TM_NOT_SENT)
		result = OW_TM_ABORTED;
	else
		result = r == XA_HEURMIX ? OW_TM_MIXED : OW_TM_HAZARD;
	snapshot_count(result == OW_TM_COMMITTED ? OW_TM_COUNT_COMMITTED
		    : result == OW_TM_ABORTED ? OW_TM_COUNT_ROLLED_BACK
					      : OW_TM_COUNT_UNSURE);
	t->mixed = result == OW_TM_MIXED;
	t->hazard = result == OW_TM_HAZARD;
	branch_mark(b, is_heuristic(r) || t->hazard ? BRANCH_HEURISTIC
						    : BRANCH_COMMITTED);
	outcome_keep(t, true);
	answer(j, result);
	finish(t, false);
}

/* Prepare all: true, all agree. */
static bool prepare(struct tran *t)
{
	bool agreed = true;
	uint32_t i;

	branches_do(t, OW_TM_BRANCH_PREPARE, BRANCH_ACTIVE);
	for (i = 0; i < t->n; i++) {
		struct branch *b = &t->branches[i];

		if (b->state == BRANCH_LAST)
			continue;
		if (b->result == XA_OK)
			branch_mark(b, BRANCH_PREPARED);
		else if (b->result == XA_RDONLY)
			branch_mark(b, BRANCH_READ_ONLY);
		else if (is_rolled_back(b->result))
			branch_mark(b, BRANCH_ROLLED_BACK);
		agreed &= b->result == XA_OK || b->result == XA_RDONLY;
	}
	table_lock();
	agreed &= !t->doomed; /* an operator has decided meanwhile */
	table_unlock();
	return agreed;
}

static uint32_t prepared_words(struct tran *t, struct tmlog_branch *list)
{
	uint32_t i, n = 0;

	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == BRANCH_PREPARED)
			n += superior_words(&t->branches[i], list + n);
	return n;
}

/* Write the decision, or the vote of a subordinate: 0 or -errno. */
static int decide(struct tran *t)
{
	struct tmlog_branch *list;
	uint32_t n;
	int r;

	list = calloc(t->n, SUPERIOR_WORDS * sizeof(*list));
	if (list == NULL)
		return -1;
	n = prepared_words(t, list);
	r = t->sup.node != 0 ? vote_log(decisions, t, list, n)
			     : tmlog_commit(decisions, t->id, list, n);
	free(list);
	if (r != 0)
		log_error("transaction %016llx: no decision can be written: "
			  "%s: it is rolled back", (unsigned long long)t->id,
			  strerror(-r));
	return r;
}

/* A subordinate has voted: yes. Another job has it when the table is unlocked, and
 * may end it before the answer goes. */
static void await_superior(struct job *j)
{
	compose_answer(j, OW_TM_COMMITTED);
	table_lock();
	j->t->state = TRAN_PREPARED;
	j->t->asked_ns = ow_clock_mono_ns();
	j->t->busy = false;
	table_unlock();
	work_answer(j, NULL);
}

static void end_two_phases(struct job *j);

/* ---- the last resource decides ---- */

/* As its last resource has ended; as long as that is not known nobody is told an
 * outcome, and nothing is done to the others. */
static void follow_last(struct job *j, enum last_result how)
{
	struct tran *t = j->t;
	struct branch *last = last_of(t);

	switch (how) {
	case LAST_COMMITTED:
		branch_mark(last, BRANCH_COMMITTED);
		snapshot_count(OW_TM_COUNT_COMMITTED);
		t->row = t->commits = true;
		set_state(t, TRAN_COMMITTING);
		if (j->m.flags & OW_TM_LOGGED)
			answer(j, OW_TM_COMMITTED);
		commit(j);
		break;
	case LAST_READ_ONLY: /* the log decides */
		last->state = BRANCH_READ_ONLY;
		last->result = XA_RDONLY;
		end_two_phases(j);
		break;
	case LAST_ROLLED_BACK:
	case LAST_NOT_ASKED:
		branch_mark(last, how == LAST_ROLLED_BACK ? BRANCH_ROLLED_BACK
							     : BRANCH_ACTIVE);
		set_state(t, TRAN_ABORTING);
		roll_back(j);
		break;
	default:
		if (t->state != TRAN_DECIDING)
			set_state(t, TRAN_DECIDING);
		answer(j, OW_TM_HAZARD);
		repeat_later(t);
	}
}

static void end_by_last(struct job *j)
{
	struct tran *t = j->t;
	struct branch *last = last_of(t);
	enum last_result how = LAST_ROLLED_BACK;
	struct tmlog_branch *list;

	list = calloc(t->n, SUPERIOR_WORDS * sizeof(*list));
	branch_mark(last, BRANCH_LAST);
	if (list == NULL || !prepare(t)) {
		branch_mark(last, BRANCH_ACTIVE);
		set_state(t, TRAN_ABORTING);
		roll_back(j);
	} else {
		how = last_decide(t, last, list, prepared_words(t, list));
		follow_last(j, how);
	}
	free(list);
}

/* ---- the log decides ---- */

static void end_two_phases(struct job *j)
{
	struct tran *t = j->t;

	if (!prepare(t) ||
	    (count(t, BRANCH_PREPARED) > 0 && decide(t) != 0)) {
		set_state(t, TRAN_ABORTING);
		roll_back(j);
		return;
	}
	if (t->sup.node == 0 || count(t, BRANCH_PREPARED) == 0)
		snapshot_count(OW_TM_COUNT_COMMITTED);
	if (count(t, BRANCH_PREPARED) == 0) {
		answer(j, t->sup.node != 0 ? OW_TM_OK : OW_TM_COMMITTED);
		finish(t, false);
		return;
	}
	if (t->sup.node != 0) {
		await_superior(j);
		return;
	}
	t->commits = true;
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
	case TRAN_DECIDING:
		follow_last(j, last_outcome(j->t->id));
		break;
	default:
		/* No other node decides, so that its answer cannot get lost. */
		if (j->t->n == 1 && j->t->sup.node == 0 &&
		    j->t->branches[0].rmid != BRANCH_REMOTE)
			commit_one(j);
		else if (last_of(j->t) != NULL)
			end_by_last(j);
		else
			end_two_phases(j);
	}
}
