/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.c - jobs, and the pools of threads that do them
 */
#include "servers/tmsrv/work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/xa/rm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define EXTRA_MOST 1000 /* threads of ENDS, beside the first ones */
#define WAITED_NS  (100 * OW_NS_PER_MS)

struct worker {
	pthread_t thread;
	pthread_cond_t wake;
	struct line *line;
	bool idle;
	bool extra; /* has no connection to the resource manager */
	struct worker *next; /* the one that was idle before it */
	struct worker *more; /* extra: the one that was started before it */
};

static struct line {
	struct job *first, **last;
	struct worker *workers, *idle;
	int n;
	struct worker *extra;
	int n_extra;
	bool stops;
} lines[POOLS];

static __thread bool is_extra;

static int size; /* of a pool */

/* The lock is held. */
static void wait_for_job(struct worker *w)
{
	w->idle = true;
	w->next = w->line->idle;
	w->line->idle = w;
	while (w->idle)
		pthread_cond_wait(&w->wake, &lock);
}

static void wake_one(struct line *line)
{
	struct worker *w = line->idle;

	if (w == NULL)
		return;
	line->idle = w->next;
	w->idle = false;
	pthread_cond_signal(&w->wake);
}

static struct job *take(struct worker *w)
{
	struct line *line = w->line;
	struct job *j;

	pthread_mutex_lock(&lock);
	while (line->first == NULL && !line->stops)
		wait_for_job(w);
	j = line->first;
	if (j != NULL) {
		line->first = j->next;
		if (line->first == NULL)
			line->last = &line->first;
	}
	pthread_mutex_unlock(&lock);
	return j;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct job *j;

	is_extra = w->extra;
	if (!w->extra && ow_rm_exists())
		(void)ow_rm_open(); /* or with the first operation */
	while ((j = take(arg)) != NULL) {
		j->run(j);
		free(j->request);
		free(j);
	}
	(void)ow_rm_close();
	tpterm();
	return NULL;
}

/* One more thread for a line of which all wait. Lock held. */
static void start_extra(struct line *line)
{
	struct worker *w = NULL;
	sigset_t all, was;
	int r;

	if (line->n_extra < EXTRA_MOST)
		w = calloc(1, sizeof(*w));
	if (w == NULL)
		return;
	w->line = line;
	w->extra = true;
	pthread_cond_init(&w->wake, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	r = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (r != 0) {
		free(w);
		return;
	}
	w->more = line->extra;
	line->extra = w;
	line->n_extra++;
}

static int start(struct line *line)
{
	sigset_t all, was;
	struct worker *w;
	int r = 0;

	line->workers = calloc((size_t)size, sizeof(*line->workers));
	if (line->workers == NULL)
		return -ENOMEM;
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	for (; r == 0 && line->n < size; line->n += r == 0) {
		w = &line->workers[line->n];
		w->line = line;
		pthread_cond_init(&w->wake, NULL);
		r = pthread_create(&w->thread, NULL, work, w);
	}
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return -r;
}

int work_start(int n)
{
	int i, r = 0;

	size = n;
	for (i = 0; i < POOLS; i++)
		lines[i] = (struct line){ .last = &lines[i].first };
	for (i = 0; i < POOL_BELOW && r == 0; i++)
		r = start(&lines[i]);
	return r;
}

bool work_has_rm(void)
{
	return !is_extra;
}

static void stop(struct line *line)
{
	struct worker *w;
	int i;

	pthread_mutex_lock(&lock);
	line->stops = true;
	while (line->idle != NULL)
		wake_one(line);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < line->n; i++)
		pthread_join(line->workers[i].thread, NULL);
	free(line->workers);
	while ((w = line->extra) != NULL) {
		line->extra = w->more;
		pthread_join(w->thread, NULL);
		free(w);
	}
}

/* BRANCHES are the last: the others wait for them. */
void work_stop(void)
{
	int i;

	for (i = 0; i < POOLS; i++)
		if (i != POOL_BRANCHES)
			stop(&lines[i]);
	stop(&lines[POOL_BRANCHES]);
}

void work_add(enum pool pool, struct job *j)
{
	struct line *line = &lines[pool];

	j->next = NULL;
	pthread_mutex_lock(&lock);
	if (line->n == 0) {
		/* Without threads of its own it has to wait with the others. */
		free(line->workers);
		if (start(line) != 0 && line->n == 0)
			line = &lines[POOL_ENDS];
	}
	*line->last = j;
	line->last = &j->next;
	wake_one(line);
	pthread_mutex_unlock(&lock);
}

void work_look(uint64_t now)
{
	struct line *line = &lines[POOL_ENDS];

	pthread_mutex_lock(&lock);
	if (!line->stops && line->first != NULL && line->idle == NULL &&
	    now > line->first->since_ns + WAITED_NS)
		start_extra(line);
	pthread_mutex_unlock(&lock);
}

struct job *work_take_back(enum pool pool, const struct gather *g)
{
	struct line *line = &lines[pool];
	struct job *j, **at = &line->first;

	pthread_mutex_lock(&lock);
	while (*at != NULL && (*at)->gather != g)
		at = &(*at)->next;
	j = *at;
	if (j != NULL) {
		*at = j->next;
		if (*at == NULL)
			line->last = at;
	}
	pthread_mutex_unlock(&lock);
	return j;
}

struct job *work_new(void (*run)(struct job *j), const struct ow_tm *m)
{
	struct job *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return NULL;
	j->run = run;
	j->since_ns = ow_clock_mono_ns();
	if (m != NULL)
		j->m = *m;
	return j;
}

bool work_hand_on(enum pool pool, struct job *j)
{
	char *data = tpsrvgetctxdata();

	if (data == NULL) {
		log_error("a request cannot be handed on: %s",
			  tpstrerror(tperrno));
		free(j);
		return false;
	}
	j->request = data;
	work_add(pool, j);
	return true;
}

/* ---- questions to our resource manager ---- */

struct question {
	int (*ask)(void *arg);
	void *arg;
	int result;
	bool done;
	pthread_cond_t is_done;
};

static void answer_question(struct job *j)
{
	struct question *q = j->question;
	int r = ow_rm_with(q->ask, q->arg);

	pthread_mutex_lock(&lock);
	q->result = r;
	q->done = true;
	pthread_cond_signal(&q->is_done);
	pthread_mutex_unlock(&lock);
}

int work_with_rm(int (*ask)(void *arg), void *arg)
{
	struct question q = { .ask = ask,
			      .arg = arg,
			      .is_done = PTHREAD_COND_INITIALIZER };
	struct job *j;

	if (work_has_rm())
		return ow_rm_with(ask, arg);
	j = work_new(answer_question, NULL);
	if (j == NULL)
		return XAER_RMFAIL;
	j->question = &q;
	work_add(POOL_BRANCHES, j);
	pthread_mutex_lock(&lock);
	while (!q.done)
		pthread_cond_wait(&q.is_done, &lock);
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&q.is_done);
	return q.result;
}

/* ---- answers ---- */

void work_answer(struct job *j, const char *text)
{
	size_t more = text != NULL ? strlen(text) + 1 : 0;
	long len = (long)(sizeof(j->m) + more);
	char *data;

	if (j->request == NULL)
		return;
	if (tpsrvsetctxdata(j->request, 0) != 0) {
		log_error("an answer cannot be sent: %s", tpstrerror(tperrno));
	} else {
		data = tpalloc((char *)"CARRAY", NULL, len);
		if (data != NULL) {
			memcpy(data, &j->m, sizeof(j->m));
			if (more > 0)
				memcpy(data + sizeof(j->m), text, more);
		}
		tpreturn(data != NULL ? TPSUCCESS : TPFAIL, 0, data,
			 data != NULL ? len : 0, 0);
	}
	tpsrvfreectxdata(j->request);
	j->request = NULL;
}
