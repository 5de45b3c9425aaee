/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the transactions that a tmsrv knows
 *
 * From tpbegin() until every branch has confirmed. One lock guards all. A
 * transaction that is busy belongs to one thread of the first pool, which alone
 * touches its branches; nothing joins it then.
 */
#ifndef OW_TMSRV_TABLE_H
#define OW_TMSRV_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/tran/remote.h"
#include "libatmi/tran/tm.h"

enum tran_state {
	TRAN_ACTIVE,
	TRAN_PREPARING,
	TRAN_PREPARED, /* a subordinate, whose superior decides */
	TRAN_COMMITTING, /* the decision is on disk */
	TRAN_ABORTING,
	TRAN_HEURISTIC, /* its outcome waits to be forgotten */
	TRAN_DECIDING, /* whether its last resource is committed is not
			  known: its database is asked */
};

/* What a branch has come to: as the listing shows it. */
enum branch_state {
	BRANCH_ACTIVE = 'a',
	BRANCH_PREPARED = 'p',
	BRANCH_COMMITTED = 'c',
	BRANCH_ROLLED_BACK = 'r',
	BRANCH_READ_ONLY = 'o',
	BRANCH_HEURISTIC = 'h',
	BRANCH_LAST = 'l', /* its commit decides; while the others prepare */
};

/* Instead of the id of a resource manager: the branch is another node's. */
#define BRANCH_REMOTE UINT32_MAX

struct branch {
	uint32_t rmid, number;
	enum branch_state state; /* branch_mark() */
	int result; /* of the last operation: XA_*, or OW_TM_NO_ANSWER ... */
	int known;  /* the same, of the last one that is done */
	int cd;	    /* of the operation under way at another tmsrv */
	bool reached; /* a commit can have reached its resource manager */
	bool begun; /* certainly: who was given it has said so */
	bool last; /* the last resource (last.h) */
	uint64_t given_ns; /* to a new one that may begin it yet; 0: to none */
	uint32_t node; /* of BRANCH_REMOTE; below: its number there, 0: it has
			  none yet, and the identity of that tmsrv's log */
	uint64_t sub, sub_identity;
};

/* A branch of a busy transaction belongs to the thread that ends it; these two of
 * its words are shown meanwhile (snapshot.h, list.h). */
static inline void branch_mark(struct branch *b, enum branch_state state)
{
	__atomic_store_n(&b->state, state, __ATOMIC_RELAXED);
}

static inline enum branch_state branch_state(const struct branch *b)
{
	return __atomic_load_n(&b->state, __ATOMIC_RELAXED);
}

static inline void branch_done(struct branch *b)
{
	__atomic_store_n(&b->known, b->result, __ATOMIC_RELAXED);
}

static inline int branch_known(const struct branch *b)
{
	return __atomic_load_n(&b->known, __ATOMIC_RELAXED);
}

/* Of a subordinate transaction: whose it is. */
struct superior {
	uint32_t node; /* 0: not a subordinate */
	uint64_t tran, identity;
	uint32_t depth; /* nodes above, from 1 */
	uint32_t path[OW_TM_DEPTH]; /* nodes from the first to that one */
};

/* What an operator has decided for a subordinate. */
enum by_hand { HAND_NONE, HAND_COMMIT, HAND_ROLLBACK };

/* How its superior has told it to end, beside that. */
enum told { TOLD_NOTHING, TOLD_SAME, TOLD_OTHERWISE };

/* Both in a number of the log. */
#define HAND_LOGGED(hand, told) ((uint32_t)(hand) | (uint32_t)(told) << 2)
#define LOGGED_HAND(n)		((enum by_hand)((n) & 3u))
#define LOGGED_TOLD(n)		((enum told)((n) >> 2 & 3u))
/* And in the same: the outcome waits to be forgotten (outcome.h). */
#define LOGGED_MIXED   16u
#define LOGGED_HAZARD  32u
#define LOGGED_COMMITS 64u
#define LOGGED_ENDED   128u /* nothing is to be repeated */

struct tran {
	UT_hash_handle hh;
	uint64_t id;
	enum tran_state state;
	bool doomed, busy;
	bool reserved; /* nobody has said that it has begun (begin.h) */
	uint64_t timeout_ms, begun_ns, deadline_ns;
	char client[96]; /* id of who has begun it */
	uint64_t retry_ns;
	uint32_t tries;
	bool mixed, hazard;
	struct branch *branches;
	uint32_t n, allocated;
	uint32_t last_branch; /* number */
	struct superior sup;
	bool logged;	   /* it is in the log as prepared */
	bool row;	   /* its decision is a row in a database (last.h) */
	bool commits;	   /* it is, or was, to be committed */
	enum by_hand hand;
	enum told told;
	uint32_t kept; /* LOGGED_MIXED to LOGGED_ENDED, as the log has it */
	uint64_t asked_ns; /* its superior, the last time */
};

/* Lock and unlock the table; the functions below are called with the lock. */
void table_lock(void);
void table_unlock(void);

struct tran *table_find(uint64_t id);
/* A new one, active; NULL: no memory. */
struct tran *table_add(uint64_t id, uint64_t timeout_ms, uint64_t now);
void table_remove(struct tran *t);
/* A branch of `rmid`: the shared one, or a new one of its own: NULL, no
 * memory. */
struct branch *table_join(struct tran *t, uint32_t rmid, bool own,
			  bool *ret_new);
/* A branch has begun, says who was given it: it; NULL: there is none, or no `t`,
 * or `t` is busy. */
struct branch *table_begun(struct tran *t, uint32_t rmid, uint32_t number);
/* The branch that a decision names. */
struct branch *table_branch(struct tran *t, uint32_t rmid, uint32_t number);
/* After a restart: what the log has of its outcome (LOGGED_MIXED ...). */
void table_read_outcome(struct tran *t, uint32_t logged);
/* Each transaction; `found` may remove the one that it gets. */
void table_each(void (*found)(struct tran *t, void *arg), void *arg);
const char *table_state_word(enum tran_state state);

#endif
