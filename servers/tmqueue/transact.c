/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transact.c - the ends of branches: what the switch asks (switch.c)
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

/* Branches are looked up in the data base: what is known of them beside
 * (known.h) only says whether all of their work is there. One that is not prepared
 * and not known has lost a part of it, and can only be rolled back. */
static int drop_lost(struct space *sp, struct job *j)
{
	int r = 0;

	if (!branch_is_prepared(&sp->store, &j->head.xid))
		r = branch_end(&sp->store, &sp->queues, &j->head.xid, false);
	return r != 0 && r != STORE_ABSENT ? r : answer(j, XAER_NOTA);
}

/* A branch that has begun and done nothing takes no part in the second
 * phase. */
static int prepare(struct space *sp, struct job *j)
{
	int r;

	if (branch_is_prepared(&sp->store, &j->head.xid))
		return answer(j, XAER_PROTO);
	if (!known_leave(&sp->known, &j->head.xid))
		return drop_lost(sp, j);
	r = branch_prepare(&sp->store, &j->head.xid);
	if (r == STORE_ABSENT)
		return answer(j, XA_RDONLY);
	return r != 0 ? r : answer(j, XA_OK);
}

static int commit(struct space *sp, struct job *j)
{
	bool one_phase = (j->head.flags & TMONEPHASE) != 0;
	int r;

	if (!branch_is_prepared(&sp->store, &j->head.xid)) {
		if (!one_phase && known_has(&sp->known, &j->head.xid))
			return answer(j, XAER_PROTO);
		if (!known_leave(&sp->known, &j->head.xid))
			return drop_lost(sp, j);
	}
	r = branch_end(&sp->store, &sp->queues, &j->head.xid, true);
	return r != 0 && r != STORE_ABSENT ? r : answer(j, XA_OK);
}

static int roll_back(struct space *sp, struct job *j)
{
	bool known = known_leave(&sp->known, &j->head.xid);
	int r;

	if (!known && !branch_exists(&sp->store, &j->head.xid))
		return answer(j, XAER_NOTA);
	r = branch_end(&sp->store, &sp->queues, &j->head.xid, false);
	return r != 0 && r != STORE_ABSENT ? r : answer(j, XA_OK);
}

static int recover(struct space *sp, struct job *j)
{
	struct ow_mq_xid *rows = calloc(LIST, sizeof(*rows));
	int n;

	if (rows == NULL)
		return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory");
	n = branch_list(&sp->store, &j->head.xid, rows, LIST);
	if (n >= 0) {
		j->answer.count = (uint64_t)n;
		j->answer.len = (uint64_t)n * sizeof(*rows);
		j->reply = ow_mq_answer_write(&j->answer, rows, &j->reply_len);
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
		return commit(sp, j);
	case OW_MQ_ROLLBACK:
		return roll_back(sp, j);
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

	if (!known_leave(&sp->known, &j->head.xid))
		return 0; /* it has ended meanwhile */
	if (!branch_is_prepared(&sp->store, &j->head.xid))
		r = branch_end(&sp->store, &sp->queues, &j->head.xid, false);
	return r == STORE_ABSENT ? 0 : r;
}
