/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiters.c - requests that wait for a message (TPQWAIT), in order of arrival
 */
#include "servers/tmqueue/waiters.h"

#include <stddef.h>

#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/execute.h"

void waiters_add(struct queue *q, struct job *j)
{
	j->next = NULL;
	if (q->first_waiter == NULL)
		q->first_waiter = j;
	else
		q->last_waiter->next = j;
	q->last_waiter = j;
	q->waiting++;
}

static void unlink_waiter(struct queue *q, struct job *j)
{
	struct job **at = &q->first_waiter, *before = NULL;

	while (*at != j) {
		before = *at;
		at = &before->next;
	}
	*at = j->next;
	if (q->last_waiter == j)
		q->last_waiter = before;
	q->waiting--;
	j->next = NULL;
}

/* A queue of which nothing is taken any more ends the round early: all its
 * waiters want any message. */
static bool wants_any(const struct job *j)
{
	return (j->head.ctl.flags & (TPQGETBYMSGIDOLD | TPQGETBYCORRIDOLD)) ==
	       0;
}

/* What waits for a branch that has ended gets nothing: a message would be in it
 * for good. */
static void refuse_ended(struct space *sp, struct queue *q)
{
	struct job *j;

	for (j = q->first_waiter; j != NULL; j = j->next) {
		if (!j->waits || xid_is_none(&j->xid) ||
		    known_has(&sp->known, &j->xid))
			continue;
		j->waits = false;
		job_fail(j, TPEDIAGNOSTIC, QMEABORTED,
			 "the transaction has ended");
		q->fresh = true; /* so the next look removes it */
	}
}

static int serve(struct space *sp, struct queue *q,
		 const struct engine_ports *ports)
{
	struct job *j;
	bool empty = false;
	int r = 0;

	for (j = q->first_waiter; j != NULL && r == 0; j = j->next) {
		if (!j->waits || (empty && wants_any(j)) ||
		    !ports->is_there(j, true))
			continue;
		r = execute_again(sp, q, j);
		empty = empty || (j->waits && wants_any(j));
	}
	return r;
}

int waiters_serve(struct space *sp, const struct engine_ports *ports)
{
	bool ends = known_any_leaves(&sp->known), fresh;
	struct queue *q;
	int r = 0;

	for (q = sp->queues.first; q != NULL && r == 0; q = q->next) {
		fresh = q->fresh;
		if ((ends || fresh) && q->first_waiter != NULL)
			refuse_ended(sp, q);
		if (fresh && q->first_waiter != NULL)
			r = serve(sp, q, ports);
	}
	return r;
}

void waiters_undo(struct queues *qs, void (*reset)(struct job *))
{
	struct queue *q;
	struct job *j;

	for (q = qs->first; q != NULL; q = q->next) {
		for (j = q->first_waiter; j != NULL; j = j->next) {
			reset(j);
			j->waits = true;
		}
	}
}

struct job *waiters_served(struct queues *qs)
{
	struct queue *q;
	struct job *j;

	for (q = qs->first; q != NULL; q = q->next) {
		if (!q->fresh)
			continue;
		for (j = q->first_waiter; j != NULL && j->waits;)
			j = j->next;
		if (j != NULL) {
			unlink_waiter(q, j);
			return j;
		}
		q->fresh = false;
	}
	return NULL;
}

struct job *waiters_late(struct queues *qs, uint64_t now,
			 const struct engine_ports *ports)
{
	struct queue *q;
	struct job *j;

	for (q = qs->first; q != NULL; q = q->next) {
		for (j = q->first_waiter; j != NULL; j = j->next) {
			if ((j->head.deadline_ns != 0 &&
			     j->head.deadline_ns <= now) ||
			    !ports->is_there(j, true)) {
				unlink_waiter(q, j);
				return j;
			}
		}
	}
	return NULL;
}

uint64_t waiters_next(const struct queues *qs, uint64_t most)
{
	const struct queue *q;
	const struct job *j;
	uint64_t at = 0;

	for (q = qs->first; q != NULL; q = q->next) {
		for (j = q->first_waiter; j != NULL; j = j->next) {
			if (at == 0)
				at = most;
			if (j->head.deadline_ns != 0 &&
			    j->head.deadline_ns < at)
				at = j->head.deadline_ns;
		}
	}
	return at;
}

static bool is_same(const struct job *a, const struct job *b)
{
	return a != b && a->head.op == OW_MQ_DEQUEUE &&
	       a->slot == b->slot && a->gen == b->gen &&
	       a->head.token == b->head.token;
}

void waiters_cancel(struct queues *qs, struct job *batch, struct job *j)
{
	struct queue *q;
	struct job *w;

	for (w = batch; w != NULL && w != j; w = w->next) {
		if (is_same(w, j) && w->waits) {
			w->waits = false;
			j->answer.count = 1;
		}
	}
	for (q = qs->first; q != NULL; q = q->next) {
		for (w = q->first_waiter; w != NULL; w = w->next) {
			if (!is_same(w, j) || !w->waits)
				continue;
			w->waits = false;
			q->fresh = true; /* so the next look removes it */
			j->answer.count = 1;
		}
	}
}

void waiters_free(struct queues *qs)
{
	struct queue *q;
	struct job *j;

	for (q = qs->first; q != NULL; q = q->next) {
		while ((j = q->first_waiter) != NULL) {
			unlink_waiter(q, j);
			job_free(j);
		}
	}
}
