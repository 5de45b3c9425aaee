/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - jobs, and the two pools of threads that do them
 *
 * ENDS: transactions end, which may wait for other tmsrv. BRANCHES: one branch
 * of our own resource manager, which waits for nobody but it: so tmsrv that ask
 * each other never wait in a circle. Each thread has an ATMI context and has
 * opened the resource manager.
 */
#ifndef OW_TMSRV_WORK_H
#define OW_TMSRV_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/tran/tm.h"

struct tran;

enum pool {
	POOL_ENDS,
	POOL_BRANCHES,
	POOLS,
};

struct job {
	struct job *next;
	void (*run)(struct job *j);
	char *request; /* context data of the request that it answers; NULL:
			  none, or it is answered */
	uint64_t since_ns; /* it was made */
	struct ow_tm m;
	struct tran *t; /* busy, and the job's; NULL: none */
};

/* Start `n` threads for each pool: 0 or -errno. */
int work_start(int n);
/* End them when they have nothing to do any more. */
void work_stop(void);
/* Queue a job, which is malloc'ed; it is freed after `run`. */
void work_add(enum pool pool, struct job *j);
/* A job for run(): NULL, no memory. */
struct job *work_new(void (*run)(struct job *j), const struct ow_tm *m);
/* Hand the request that the main thread has in hand on to a job: false, it
 * cannot be; then the job is freed. Leaves the service afterwards. */
bool work_hand_on(enum pool pool, struct job *j);
/* Answer the job's request with j->m, and `text` behind it (NULL: none). */
void work_answer(struct job *j, const char *text);

#endif
