/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - a pool of threads that carry out jobs in the order of their coming
 *
 * One mutex guards the queue and the numbers; `more` tells threads of jobs and of
 * the end, `less` tells those who wait that a job was taken or has ended. Jobs
 * run without the mutex.
 */
#include <exthpool.h>
#include <ndebug.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct job {
	struct job *next;
	void (*run)(void *, int *);
	void *arg;
};

struct thpool_ {
	pthread_mutex_t lock;
	pthread_cond_t more, less;
	struct job *first, **last;
	int n_jobs; /* that wait */
	int n_free; /* threads without a job */
	int n_begun; /* threads that have run `init` */
	int n_alive;
	bool failed; /* an `init` returned -1 */
	bool ends;
	pthread_t *threads;
	int n_threads;
	ndrx_thpool_tpsvrthrinit_t init;
	ndrx_thpool_tpsvrthrdone_t done;
	int argc;
	char **argv;
};

/* ---- a thread ---- */

/* The next job; NULL: the pool ends. The lock is held. */
static struct job *next_job(struct thpool_ *p)
{
	struct job *job;

	while (p->first == NULL && !p->ends)
		pthread_cond_wait(&p->more, &p->lock);
	if (p->ends)
		return NULL;
	job = p->first;
	p->first = job->next;
	if (p->first == NULL)
		p->last = &p->first;
	p->n_jobs--;
	p->n_free--;
	pthread_cond_broadcast(&p->less);
	return job;
}

static void carry_out(struct thpool_ *p)
{
	struct job *job;
	int finish = 0;

	pthread_mutex_lock(&p->lock);
	while (!finish && (job = next_job(p)) != NULL) {
		pthread_mutex_unlock(&p->lock);
		job->run(job->arg, &finish);
		free(job);
		pthread_mutex_lock(&p->lock);
		p->n_free++;
		pthread_cond_broadcast(&p->less);
	}
	pthread_mutex_unlock(&p->lock);
}

static void *thread(void *arg)
{
	struct thpool_ *p = arg;
	bool good = p->init == NULL || p->init(p->argc, p->argv) != EXFAIL;

	pthread_mutex_lock(&p->lock);
	p->n_begun++;
	p->n_free += good;
	p->failed |= !good;
	pthread_cond_broadcast(&p->less);
	pthread_mutex_unlock(&p->lock);
	if (good) {
		carry_out(p);
		if (p->done != NULL)
			p->done();
	}
	pthread_mutex_lock(&p->lock);
	p->n_free -= good;
	p->n_alive--;
	pthread_cond_broadcast(&p->less);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- the pool ---- */

/* Start the threads, with stacks as programs expect: how many. */
static int start(struct thpool_ *p, int n)
{
	pthread_attr_t attr;
	int i, r = 0;

	pthread_attr_init(&attr);
	for (i = 0; i < n && r == 0; i++) {
		r = pthread_create(&p->threads[i], &attr, thread, p);
		if (r != 0)
			break;
		pthread_mutex_lock(&p->lock);
		p->n_alive++;
		pthread_mutex_unlock(&p->lock);
	}
	if (r != 0)
		NDRX_LOG(log_error, "pool: thread %d of %d: %s", i + 1, n,
			 strerror(r));
	pthread_attr_destroy(&attr);
	return i;
}

threadpool ndrx_thpool_init(int num_threads, int *p_ret,
			    ndrx_thpool_tpsvrthrinit_t pf_init,
			    ndrx_thpool_tpsvrthrdone_t pf_done, int argc,
			    char **argv)
{
	int n = num_threads > 0 ? num_threads : 0;
	struct thpool_ *p = calloc(1, sizeof(*p));
	bool failed;

	if (p_ret != NULL)
		*p_ret = EXFAIL;
	if (p != NULL)
		p->threads = calloc((size_t)n + 1, sizeof(*p->threads));
	if (p == NULL || p->threads == NULL) {
		NDRX_LOG(log_error, "pool of %d threads: no memory", n);
		free(p);
		return NULL;
	}
	p->init = pf_init;
	p->done = pf_done;
	p->argc = argc;
	p->argv = argv;
	p->last = &p->first;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	pthread_cond_init(&p->less, NULL);
	p->n_threads = start(p, n);
	pthread_mutex_lock(&p->lock);
	while (p->n_begun < p->n_threads)
		pthread_cond_wait(&p->less, &p->lock);
	failed = p->failed || p->n_threads < n;
	pthread_mutex_unlock(&p->lock);
	if (p_ret != NULL && !failed)
		*p_ret = EXSUCCEED;
	return p;
}

void ndrx_thpool_destroy(threadpool pool)
{
	struct job *job;

	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ends = true;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
	while ((job = pool->first) != NULL) {
		pool->first = job->next;
		free(job);
	}
	pthread_cond_destroy(&pool->less);
	pthread_cond_destroy(&pool->more);
	pthread_mutex_destroy(&pool->lock);
	free(pool->threads);
	free(pool);
}

/* ---- jobs ---- */

int ndrx_thpool_add_work(threadpool pool, void (*function_p)(void *, int *),
			 void *arg_p)
{
	return ndrx_thpool_add_work2(pool, function_p, arg_p, 0, 0);
}

int ndrx_thpool_add_work2(threadpool pool, void (*function_p)(void *, int *),
			  void *arg_p, long flags, int max_len)
{
	struct job *job = malloc(sizeof(*job));
	bool take;

	if (job == NULL) {
		NDRX_LOG(log_error, "a job: no memory");
		return EXFAIL;
	}
	*job = (struct job){ .run = function_p, .arg = arg_p };
	pthread_mutex_lock(&pool->lock);
	take = !(flags & NDRX_THPOOL_ONEJOB) || pool->n_jobs == 0;
	while (take && max_len > 0 && pool->n_jobs >= max_len)
		pthread_cond_wait(&pool->less, &pool->lock);
	if (take) {
		*pool->last = job;
		pool->last = &job->next;
		pool->n_jobs++;
		pthread_cond_signal(&pool->more);
	}
	pthread_mutex_unlock(&pool->lock);
	if (!take)
		free(job);
	return take ? EXSUCCEED : NDRX_THPOOL_ONEJOB;
}

void ndrx_thpool_wait(threadpool pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->n_alive > 0 &&
	       (pool->n_jobs > 0 || pool->n_free < pool->n_alive))
		pthread_cond_wait(&pool->less, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void ndrx_thpool_wait_one(threadpool pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->n_alive > 0 && pool->n_free <= pool->n_jobs)
		pthread_cond_wait(&pool->less, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

int ndrx_thpool_nr_not_working(threadpool pool)
{
	int n;

	pthread_mutex_lock(&pool->lock);
	n = pool->n_free;
	pthread_mutex_unlock(&pool->lock);
	return n;
}

int ndrx_thpool_freethreads_nr(threadpool pool)
{
	int n;

	pthread_mutex_lock(&pool->lock);
	n = pool->n_free - pool->n_jobs;
	pthread_mutex_unlock(&pool->lock);
	return n > 0 ? n : 0;
}
