/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - the transactions that a tmsrv knows
 */
#include "servers/tmsrv/table.h"

#include <pthread.h>
#include <stdlib.h>

#include "libatmi/base/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tran *table;

void table_lock(void)
{
	pthread_mutex_lock(&lock);
}

void table_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

struct tran *table_find(uint64_t id)
{
	struct tran *t = NULL;

	HASH_FIND(hh, table, &id, sizeof(id), t);
	return t;
}

struct tran *table_add(uint64_t id, uint64_t timeout_ms, uint64_t now)
{
	struct tran *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->id = id;
	t->timeout_ms = timeout_ms;
	t->begun_ns = now;
	t->deadline_ns = now + timeout_ms * OW_NS_PER_MS;
	HASH_ADD(hh, table, id, sizeof(t->id), t);
	if (t->hh.tbl != NULL)
		return t;
	free(t);
	return NULL;
}

void table_remove(struct tran *t)
{
	HASH_DEL(table, t);
	free(t->branches);
	free(t);
}

static struct branch *add_branch(struct tran *t, uint32_t rmid)
{
	uint32_t allocated = t->allocated == 0 ? 4 : t->allocated * 2;
	struct branch *p = t->branches;

	if (t->n == t->allocated) {
		p = realloc(p, allocated * sizeof(*p));
		if (p == NULL)
			return NULL;
		t->branches = p;
		t->allocated = allocated;
	}
	p += t->n++;
	*p = (struct branch){ .rmid = rmid, .state = BRANCH_ACTIVE };
	return p;
}

struct branch *table_join(struct tran *t, uint32_t rmid, bool own,
			  bool *ret_new)
{
	struct branch *b;
	uint32_t i;

	*ret_new = false;
	for (i = 0; i < t->n && !own; i++)
		if (t->branches[i].rmid == rmid)
			return &t->branches[i];
	b = add_branch(t, rmid);
	if (b == NULL)
		return NULL;
	*ret_new = true;
	b->number = ++t->last_branch;
	return b;
}

struct branch *table_begun(struct tran *t, uint32_t rmid, uint32_t number)
{
	uint32_t i;

	for (i = 0; t != NULL && !t->busy && i < t->n; i++)
		if (t->branches[i].rmid == rmid &&
		    t->branches[i].number == number) {
			t->branches[i].begun = true;
			return &t->branches[i];
		}
	return NULL;
}

struct branch *table_branch(struct tran *t, uint32_t rmid, uint32_t number)
{
	struct branch *b = add_branch(t, rmid);

	if (b != NULL)
		b->number = number;
	return b;
}

void table_read_outcome(struct tran *t, uint32_t logged)
{
	t->kept = logged & (LOGGED_MIXED | LOGGED_HAZARD | LOGGED_COMMITS |
			    LOGGED_ENDED);
	if (t->kept == 0)
		return;
	t->mixed = (logged & LOGGED_MIXED) != 0;
	t->hazard = (logged & LOGGED_HAZARD) != 0;
	t->commits = (logged & LOGGED_COMMITS) != 0;
	t->state = logged & LOGGED_ENDED ? TRAN_HEURISTIC
		   : t->commits		 ? TRAN_COMMITTING
					 : TRAN_ABORTING;
}

void table_each(void (*found)(struct tran *t, void *arg), void *arg)
{
	struct tran *t, *next;

	HASH_ITER(hh, table, t, next)
		found(t, arg);
}

const char *table_state_word(enum tran_state state)
{
	static const char *const words[] = {
		[TRAN_ACTIVE] = "ACTIVE",
		[TRAN_PREPARING] = "PREPARING",
		[TRAN_PREPARED] = "PREPARED",
		[TRAN_COMMITTING] = "COMMITTING",
		[TRAN_ABORTING] = "ABORTING",
		[TRAN_HEURISTIC] = "HEURISTIC",
		[TRAN_DECIDING] = "DECIDING",
	};

	return words[state];
}
