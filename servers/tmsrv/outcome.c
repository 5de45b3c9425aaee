/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - outcomes that wait to be forgotten, over restarts
 */
#include "servers/tmsrv/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/table.h"
#include "servers/tmsrv/vote.h"

static struct tmlog *decisions;

void outcome_begin(struct tmlog *log)
{
	decisions = log;
}

/* A record with all of its branches: where a row decided (`decision`), the log
 * gets a decision, too; else there is none. */
static int write_branches(struct tran *t, bool decision)
{
	struct tmlog_branch *list;
	uint32_t i, n = 0;
	int r;

	list = calloc(t->n, SUPERIOR_WORDS * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	for (i = 0; i < t->n; i++)
		n += superior_words(&t->branches[i], list + n);
	r = decision ? tmlog_commit(decisions, t->id, list, n)
		     : vote_log(decisions, t, list, n);
	free(list);
	t->logged |= decision && r == 0;
	return r;
}

void outcome_keep(struct tran *t, bool ended)
{
	uint32_t now = (t->mixed ? LOGGED_MIXED : 0) |
		       (t->hazard ? LOGGED_HAZARD : 0) |
		       (t->commits ? LOGGED_COMMITS : 0) |
		       (ended ? LOGGED_ENDED : 0);
	bool decided = t->logged ||
		       (t->commits && t->sup.node == 0 && !t->row);
	int r = 0;

	if ((!t->mixed && !t->hazard) || now == t->kept)
		return;
	if (t->row && !t->logged)
		r = write_branches(t, true);
	else if (!decided)
		r = write_branches(t, false);
	if (r == 0)
		r = tmlog_by_hand(decisions, t->id,
				  HAND_LOGGED(t->hand, t->told) | now);
	if (r == 0)
		t->kept = now;
	else
		log_error("transaction %016llx: its outcome cannot be written: "
			  "%s: it is forgotten when this tmsrv ends",
			  (unsigned long long)t->id, strerror(-r));
}
