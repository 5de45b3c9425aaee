/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exthpool.h - a pool of threads that carry out jobs in the order of their coming
 *
 * A job that makes ATMI calls runs in the context of its thread, which the first
 * call makes; tpterm() in `pf_done` ends it. All functions but
 * ndrx_thpool_destroy() may be called by any thread, jobs too.
 * (ours; names of Enduro/X)
 */
#ifndef EXTHPOOL_H
#define EXTHPOOL_H

/* A pool. Opaque. */
typedef struct thpool_ *threadpool;

/* Flags of ndrx_thpool_add_work2(), and what it returns. */
#define NDRX_THPOOL_ONEJOB 0x0001

/* Called in each thread before its first job, and at its end. */
typedef int (*ndrx_thpool_tpsvrthrinit_t)(int argc, char **argv);
typedef void (*ndrx_thpool_tpsvrthrdone_t)(void);

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A pool of `num_threads` threads, once all have run `pf_init` (NULL: nothing)
 * with argc and argv. *p_ret (or NULL) is 0 or -1: a thread could not be
 * started, or a `pf_init` returned -1. Free it by ndrx_thpool_destroy() in
 * both cases. NULL: no memory.
 */
extern threadpool ndrx_thpool_init(int num_threads, int *p_ret,
				   ndrx_thpool_tpsvrthrinit_t pf_init,
				   ndrx_thpool_tpsvrthrdone_t pf_done,
				   int argc, char **argv);

/*
 * Queue a job: function_p(arg_p, &finish). A job that sets `finish` to 1 ends
 * its thread. 0; -1: no memory. _work2: with NDRX_THPOOL_ONEJOB a job is
 * queued only if none waits, else NDRX_THPOOL_ONEJOB is returned; if `max_len`
 * is not 0, wait until fewer jobs than that wait.
 */
extern int ndrx_thpool_add_work(threadpool pool,
				void (*function_p)(void *, int *), void *arg_p);
extern int ndrx_thpool_add_work2(threadpool pool,
				 void (*function_p)(void *, int *),
				 void *arg_p, long flags, int max_len);

/* Wait until no job waits and none runs; until a thread is free. */
extern void ndrx_thpool_wait(threadpool pool);
extern void ndrx_thpool_wait_one(threadpool pool);

/* Threads that have no job; the same less the jobs that wait, not below 0. */
extern int ndrx_thpool_nr_not_working(threadpool pool);
extern int ndrx_thpool_freethreads_nr(threadpool pool);

/* Wait for the jobs that run, end the threads and free the pool; jobs that wait
 * are dropped. Not from a job. */
extern void ndrx_thpool_destroy(threadpool pool);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
