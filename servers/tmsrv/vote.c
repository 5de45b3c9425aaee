/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vote.c - what a subordinate answers its superior, and has on disk
 */
#include "servers/tmsrv/vote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/work.h"
#include "libatmi/base/clock.h"

/* Words before those of the branches in a record. */
#define HEAD_WORDS 3

/* ---- answers ---- */

bool vote_is_asked(const struct job *j)
{
	return j->m.op >= OW_TM_SUB_PREPARE && j->m.op <= OW_TM_SUB_FORGET;
}

int vote_answer(const struct job *j, int result)
{
	switch (result) {
	case OW_TM_OK: /* read only */
		return XA_RDONLY;
	case OW_TM_COMMITTED:
		return XA_OK;
	case OW_TM_ABORTED:
		return j->m.op == OW_TM_SUB_PREPARE ? XA_RBROLLBACK : XA_OK;
	case OW_TM_MIXED:
		return XA_HEURMIX;
	case OW_TM_HAZARD:
		return XA_HEURHAZ;
	default:
		return XAER_RMFAIL; /* not all is done */
	}
}

/* ---- in the log ---- */

static struct tmlog_branch split(uint64_t v)
{
	return (struct tmlog_branch){ (uint32_t)(v >> 32), (uint32_t)v };
}

static uint64_t join(struct tmlog_branch w)
{
	return (uint64_t)w.rmid << 32 | w.branch;
}

int vote_log(struct tmlog *decisions, struct tran *t,
	     const struct tmlog_branch *words, uint32_t n)
{
	struct tmlog_branch *all = calloc(HEAD_WORDS + n, sizeof(*all));
	int r;

	if (all == NULL)
		return -ENOMEM;
	all[0] = (struct tmlog_branch){ t->sup.node, t->sup.depth };
	all[1] = split(t->sup.tran);
	all[2] = split(t->sup.identity);
	if (n > 0)
		memcpy(all + HEAD_WORDS, words, n * sizeof(*words));
	r = tmlog_prepared(decisions, t->id, all, HEAD_WORDS + n);
	free(all);
	t->logged = r == 0;
	return r;
}

static void recovered(uint64_t id, const struct tmlog_branch *w, uint32_t n,
		      uint32_t by_hand, void *arg)
{
	struct tran *t = table_add(id, 0, ow_clock_mono_ns());
	uint32_t at = HEAD_WORDS, used = 1;
	bool *ok = arg;

	*ok &= t != NULL && n >= HEAD_WORDS;
	if (!*ok)
		return;
	t->sup = (struct superior){ .node = w[0].rmid, .tran = join(w[1]),
				    .identity = join(w[2]),
				    .depth = w[0].branch };
	*ok &= t->sup.node == 0 ||
	       (t->sup.depth >= 1 && t->sup.depth <= OW_TM_DEPTH);
	while (at < n && used > 0) {
		used = superior_read(t, w + at, n - at);
		at += used;
	}
	*ok &= used > 0;
	if (t->sup.node != 0)
		snprintf(t->client, sizeof(t->client), "clt,node %u,",
			 t->sup.node);
	t->logged = true;
	t->tries = 1; /* perhaps it was told, and some are done */
	t->hand = LOGGED_HAND(by_hand);
	t->told = LOGGED_TOLD(by_hand);
	t->commits = t->hand == HAND_COMMIT;
	t->state = t->hand == HAND_NONE	    ? TRAN_PREPARED
		   : t->hand == HAND_COMMIT ? TRAN_COMMITTING
					    : TRAN_ABORTING;
	table_read_outcome(t, by_hand);
	if (t->sup.node == 0 && t->kept == 0)
		t->state = TRAN_ABORTING; /* killed between two records */
}

bool vote_recover(struct tmlog *decisions)
{
	bool ok = true;

	tmlog_each_prepared(decisions, recovered, &ok);
	return ok;
}

