/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - jobs, and the pools of threads that do them
 *
 * ENDS: transactions end, which may wait for other tmsrv. BRANCHES: one branch
 * of our own resource manager, which waits for nobody but it: so tmsrv that ask
 * each other never wait in a circle. BELOW and further ones: a subordinate ends
 * (subordinate.h), one pool for each depth below the first transaction: it may
 * wait for those below it only, so tmsrv of two nodes do not wait in a circle
 * either. These are started when they are needed. ENDS grows when all of its
 * threads wait: a resource manager that is silent holds up the threads that
 * wait for its tmsrv, and nobody else's transactions. What was started so has
 * no connection to our resource manager: it leaves all branches to BRANCHES.
 * Each other thread has an ATMI context and has opened the resource manager. Of
 * the threads that have nothing to do the one that was last busy gets the next
 * job: its connection is the one that is warm.
 */
#ifndef OW_TMSRV_WORK_H
#define OW_TMSRV_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/tran/remote.h"
#include "libatmi/tran/tm.h"

struct branch;
struct gather;
struct question;
struct tran;

enum pool {
	POOL_ENDS,
	POOL_BRANCHES,
	POOL_BELOW,
	POOLS = POOL_BELOW + OW_TM_DEPTH,
};

struct job {
	struct job *next;
	void (*run)(struct job *j);
	char *request; /* context data of the request that it answers; NULL:
			  none, or it is answered */
	uint64_t since_ns; /* it was made */
	struct ow_tm m;
	struct tran *t; /* busy, and the job's; NULL: none */
	struct branch *b;    /* of an operation on a branch that a thread
				 of ENDS has handed on; it waits for */
	struct gather *gather; /* this */
	struct question *question; /* of work_with_rm() */
};

/* May this thread work in our resource manager? */
bool work_has_rm(void);
/* ow_rm_with(), in a thread that may: the caller waits for it. */
int work_with_rm(int (*ask)(void *arg), void *arg);
/* Start `n` threads for each of the first two pools: 0 or -errno. */
int work_start(int n);
/* End them when they have nothing to do any more. */
void work_stop(void);
/* Queue a job, which is malloc'ed; it is freed after `run`. */
void work_add(enum pool pool, struct job *j);
/* Many times a second: a job of ENDS has waited long, and all its threads are
 * busy: one more. */
void work_look(uint64_t now);
/* Take a job of `g` back that no thread has begun, and that the caller does
 * then, and frees: NULL, there is none. */
struct job *work_take_back(enum pool pool, const struct gather *g);
/* A job for run(): NULL, no memory. */
struct job *work_new(void (*run)(struct job *j), const struct ow_tm *m);
/* Hand the request that the main thread has in hand on to a job: false, it
 * cannot be; then the job is freed. Leaves the service afterwards. */
bool work_hand_on(enum pool pool, struct job *j);
/* Answer the job's request with j->m, and `text` behind it (NULL: none). */
void work_answer(struct job *j, const char *text);

#endif
