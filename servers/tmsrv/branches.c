/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branches.c - one operation on all branches of a transaction, at the same time
 */
#include "servers/tmsrv/branches.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "servers/tmsrv/last.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/table.h"
#include "servers/tmsrv/work.h"
#include "libatmi/log/log.h"
#include "libatmi/xa/rm.h"

#define RECOVER 1000 /* branches, at first */

/* What is under way for a thread of POOL_ENDS. */
struct gather {
	/* operations that threads of POOL_BRANCHES do for it */
	pthread_mutex_t lock;
	pthread_cond_t all_done;
	uint32_t open;
	/* a commit that it has begun itself, beside what it does; NULL: none */
	struct branch *aside;
	int handle;
	XID xid;
};

static const struct tmlog *decisions;
static uint32_t own_rmid;

void branches_begin(const struct tmlog *log, uint32_t rmid)
{
	decisions = log;
	own_rmid = rmid;
}

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

int branches_one(const struct ow_tm *m)
{
	XID xid;
	int r;

	if (m->flags & OW_TM_IS_LAST)
		return last_do(m);
	ow_tm_xid(m->identity, m->tran, m->rmid, m->branch, &xid);
	r = ow_rm_do(operations[m->op].op, &xid, operations[m->op].flags);
	return ow_rm_has_reached() ? r : OW_TM_NOT_SENT;
}

/* A list that is full may go on. */
int branches_recover(XID **ret)
{
	int max = RECOVER, n;
	XID *xids;

	for (;;) {
		xids = calloc((size_t)max, sizeof(*xids));
		if (xids == NULL)
			return XAER_RMERR;
		n = ow_rm_recover(xids, max);
		if (n < max)
			break;
		free(xids);
		max *= 4;
	}
	if (n >= 0)
		*ret = xids;
	else
		free(xids);
	return n;
}

/* ---- of another tmsrv of this node ---- */

static void ask(struct branch *b, const struct ow_tm *m)
{
	char svc[OW_TM_SERVICE];
	char *data = tpalloc((char *)"CARRAY", NULL, sizeof(*m));

	ow_tm_service(b->rmid, svc);
	b->result = OW_TM_NOT_SENT;
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
	b->result = OW_TM_NO_ANSWER;
	if (tpgetrply(&b->cd, &data, &len, TPNOTRAN | TPSIGRSTRT) == 0 &&
	    ow_tm_is(data, len)) {
		memcpy(&m, data, sizeof(m));
		b->result = b->rmid == BRANCH_REMOTE ? superior_result(b, &m)
						     : m.result;
	} else if (tperrno == TPETIME) {
		tpcancel(b->cd);
	}
	tpfree(data);
}

/* ---- of our own resource manager ---- */

static void run_part(struct job *j)
{
	struct gather *g = j->gather;

	j->b->result = branches_one(&j->m);
	pthread_mutex_lock(&g->lock);
	if (--g->open == 0)
		pthread_cond_signal(&g->all_done);
	pthread_mutex_unlock(&g->lock);
}

/* Hand an operation to another thread: false, no memory. */
static bool share(struct branch *b, const struct ow_tm *m, struct gather *g)
{
	struct job *j = work_new(run_part, m);

	if (j == NULL)
		return false;
	j->b = b;
	j->gather = g;
	pthread_mutex_lock(&g->lock);
	g->open++;
	pthread_mutex_unlock(&g->lock);
	work_add(POOL_BRANCHES, j);
	return true;
}

/* Begin a commit and go on: false, that cannot be. */
static bool begin_aside(struct branch *b, const struct ow_tm *m,
			struct gather *g)
{
	if (m->op != OW_TM_BRANCH_COMMIT || g->aside != NULL ||
	    !work_has_rm())
		return false;
	ow_tm_xid(m->identity, m->tran, m->rmid, m->branch, &g->xid);
	g->handle = ow_rm_commit_begin(&g->xid);
	if (g->handle < 0)
		return false;
	g->aside = b;
	return true;
}

static void end_aside(struct gather *g)
{
	if (g->aside != NULL)
		g->aside->result = ow_rm_commit_end(g->handle, &g->xid);
}

static void wait_for_all(struct gather *g)
{
	pthread_mutex_lock(&g->lock);
	while (g->open > 0)
		pthread_cond_wait(&g->all_done, &g->lock);
	pthread_mutex_unlock(&g->lock);
	pthread_cond_destroy(&g->all_done);
	pthread_mutex_destroy(&g->lock);
}

/* ---- all ---- */

/* The branch in state `which` that this thread sees to itself; t->n: none. The
 * last resource, since it waits for a process, which may be stopped, and not for
 * our resource manager; else the last one of that. */
static uint32_t find_own(const struct tran *t, enum branch_state which)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == which && t->branches[i].last)
			return i;
	while (work_has_rm() && i-- > 0)
		if (t->branches[i].state == which &&
		    t->branches[i].rmid == own_rmid)
			return i;
	return t->n;
}

static void name(struct ow_tm *m, const struct branch *b)
{
	m->rmid = b->rmid;
	m->branch = b->number;
	m->flags = b->last ? OW_TM_IS_LAST : 0;
}

/* To others, all but `here`; without memory here and now. */
static void hand_out(struct tran *t, enum branch_state which, uint32_t here,
		     struct ow_tm *m, struct gather *g)
{
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		struct branch *b = &t->branches[i];

		b->cd = -1;
		if (b->state != which || i == here)
			continue;
		name(m, b);
		if (b->rmid == BRANCH_REMOTE)
			superior_ask(b, m);
		else if (b->rmid != own_rmid)
			ask(b, m);
		else if (!begin_aside(b, m, g) && !share(b, m, g))
			b->result = branches_one(m);
	}
}

void branches_do(struct tran *t, enum ow_tm_op op, enum branch_state which)
{
	struct gather g = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .all_done = PTHREAD_COND_INITIALIZER };
	struct ow_tm m = { .magic = OW_TM_MAGIC,
			   .op = op,
			   .tran = t->id,
			   .identity = tmlog_identity(decisions) };
	uint32_t i, here = find_own(t, which);
	struct job *j;

	hand_out(t, which, here, &m, &g);
	if (here < t->n) {
		name(&m, &t->branches[here]);
		t->branches[here].result = branches_one(&m);
	}
	while (work_has_rm() &&
	       (j = work_take_back(POOL_BRANCHES, &g)) != NULL) {
		run_part(j);
		free(j);
	}
	end_aside(&g);
	wait_for_all(&g);
	for (i = 0; i < t->n; i++)
		if (t->branches[i].state == which)
			fetch(&t->branches[i]);
	for (i = 0; i < t->n; i++)
		branch_done(&t->branches[i]);
}
