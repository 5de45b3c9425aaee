/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transact.c - the ends of branches: what the switch asks (xa_switch.c)
 *
 * The result for the switch is the number `count` of the answer
 * (OW_MQ_XA_BASE).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xa.h>

#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/execute.h"

#define LIST 200 /* branches in an answer */

static int answer(struct job *j, int code)
{
	j->answer.count = (uint64_t)(code + OW_MQ_XA_BASE);
	return 0;
}

/* A branch that has begun and done nothing takes no part in the second
 * phase. */
static int prepare(struct space *sp, struct job *j)
{
	bool known = known_has(&sp->known, &j->head.xid);
	int r;

	if (!known)
		return answer(j, branch_is_prepared(&sp->store, &j->head.xid)
				     ? XAER_PROTO : XAER_NOTA);
	r = branch_prepare(&sp->store, &j->head.xid);
	if (r == STORE_ABSENT)
		return answer(j, XA_RDONLY);
	return r != 0 ? r : answer(j, XA_OK);
}

static int end(struct space *sp, struct job *j, bool commit)
{
	bool known = known_has(&sp->known, &j->head.xid);
	bool one_phase = (j->head.flags & TMONEPHASE) != 0;
	int r;

	if (!known && !branch_is_prepared(&sp->store, &j->head.xid))
		return answer(j, XAER_NOTA);
	if (commit && known && !one_phase)
		return answer(j, XAER_PROTO); /* it is not prepared */
	r = branch_end(&sp->store, &sp->queues, &j->head.xid, commit);
	return r != 0 && r != STORE_ABSENT ? r : answer(j, XA_OK);
}

static int recover(struct space *sp, struct job *j)
{
	struct ow_mq_xid *rows = calloc(LIST, sizeof(*rows));
	int n;

	if (rows == NULL)
		return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory");
	n = branch_list(&sp->store, rows, LIST);
	if (n >= 0) {
		j->answer.count = (uint64_t)n;
		j->answer.len = (uint64_t)n * sizeof(*rows);
		j->letter = ow_mq_answer_write(&j->answer, rows,
					       &j->letter_len);
	}
	free(rows);
	return n < 0 ? n : 0;
}

int execute_transact(struct space *sp, struct job *j)
{
	switch (j->head.op) {
	case OW_MQ_PREPARE:
		return prepare(sp, j);
	case OW_MQ_COMMIT:
		return end(sp, j, true);
	case OW_MQ_ROLLBACK:
		return end(sp, j, false);
	case OW_MQ_BEGIN:
		return answer(j, known_add(&sp->known, &j->head.xid) == 0
				     ? XA_OK : XAER_RMERR);
	default:
		return recover(sp, j);
	}
}

int execute_abandoned(struct space *sp, struct job *j)
{
	int r = 0;

	if (!branch_is_prepared(&sp->store, &j->head.xid))
		r = branch_end(&sp->store, &sp->queues, &j->head.xid, false);
	return r == STORE_ABSENT ? 0 : r;
}

void transact_done(struct space *sp, struct job *j)
{
	int code = (int)j->answer.count - OW_MQ_XA_BASE;

	if (j->kind == JOB_ABANDONED)
		known_remove(&sp->known, &j->head.xid);
	if (j->kind != JOB_REQUEST || j->head.op < OW_MQ_PREPARE ||
	    j->head.op >= OW_MQ_RECOVER || j->answer.tperr != 0)
		return;
	/* Prepared, or ended: no more work comes. */
	if (code == XA_OK || code == XA_RDONLY)
		known_remove(&sp->known, &j->head.xid);
}
