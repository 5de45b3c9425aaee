/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.c - jobs, and the two pools of threads that do them
 */
#include "clients/tmsrv/work.h"

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

static struct line {
	pthread_cond_t more;
	struct job *first, **last;
	pthread_t *threads;
	int n;
} lines[POOLS];

static bool stopping;

static struct job *take(struct line *line)
{
	struct job *j;

	pthread_mutex_lock(&lock);
	while (line->first == NULL && !stopping)
		pthread_cond_wait(&line->more, &lock);
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
	struct job *j;

	if (ow_rm_exists())
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

static int start(struct line *line, int n)
{
	int r = 0;

	line->last = &line->first;
	pthread_cond_init(&line->more, NULL);
	line->threads = calloc((size_t)n, sizeof(*line->threads));
	if (line->threads == NULL)
		return -ENOMEM;
	for (; r == 0 && line->n < n; line->n += r == 0)
		r = pthread_create(&line->threads[line->n], NULL, work, line);
	return -r;
}

int work_start(int n)
{
	sigset_t all, was;
	int i, r = 0;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	for (i = 0; i < POOLS && r == 0; i++)
		r = start(&lines[i], n);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return r;
}

void work_stop(void)
{
	int i, k;

	pthread_mutex_lock(&lock);
	stopping = true;
	for (i = 0; i < POOLS; i++)
		pthread_cond_broadcast(&lines[i].more);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < POOLS; i++) {
		for (k = 0; k < lines[i].n; k++)
			pthread_join(lines[i].threads[k], NULL);
		free(lines[i].threads);
	}
}

void work_add(enum pool pool, struct job *j)
{
	struct line *line = &lines[pool];

	j->next = NULL;
	pthread_mutex_lock(&lock);
	*line->last = j;
	line->last = &j->next;
	pthread_cond_signal(&line->more);
	pthread_mutex_unlock(&lock);
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
