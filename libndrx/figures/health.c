/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.c - run the checks of xadmin's doctor once a minute
 */
#include "libndrx/figures/health.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libndrx/observe/doctor.h"
#include "libatmi/member/join.h"

struct ow_health {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool threaded, stop;
	unsigned int period_s;
	struct ow_health_finding found[OW_HEALTH_MAX];
	int n;
};

/* The findings of one round of checks. */
struct round {
	struct ow_health_finding found[OW_HEALTH_MAX];
	int n;
};

/* If several checks grade the same thing, the worst grade counts. */
static void collect(const struct ow_doctor_finding *f, void *arg)
{
	struct round *r = arg;
	int i;

	for (i = 0; i < r->n; i++)
		if (strncmp(r->found[i].what, f->what,
			    OW_HEALTH_NAME - 1) == 0)
			break;
	if (i == OW_HEALTH_MAX)
		return;
	if (i == r->n) {
		snprintf(r->found[i].what, OW_HEALTH_NAME, "%s", f->what);
		r->n++;
	}
	if ((uint32_t)f->grade > r->found[i].grade)
		r->found[i].grade = (uint32_t)f->grade;
}

static void ask(struct ow_health *h)
{
	struct round r = { .n = 0 };
	struct ow_doctor doc = { .on_finding = collect, .arg = &r };
	char why[512];

	if (ow_domain_read_env(&doc.env, why, sizeof(why)) != 0)
		return;
	doc.env_good = true;
	ow_doctor_limits(&doc);
	ow_doctor_domain(&doc);
	pthread_mutex_lock(&h->lock);
	memcpy(h->found, r.found, sizeof(h->found));
	h->n = r.n;
	pthread_mutex_unlock(&h->lock);
}

static void *run(void *arg)
{
	struct ow_health *h = arg;
	struct timespec until;

	pthread_mutex_lock(&h->lock);
	while (!h->stop) {
		pthread_mutex_unlock(&h->lock);
		ask(h);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += h->period_s;
		pthread_mutex_lock(&h->lock);
		while (!h->stop && pthread_cond_timedwait(&h->wake, &h->lock,
							  &until) == 0)
			continue;
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* A condition variable waits by the wall clock unless told otherwise: a step
 * back by an hour would end the checks for an hour. */
static void make_wake(struct ow_health *h)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->wake, &attr);
	pthread_condattr_destroy(&attr);
}

int ow_health_open(unsigned int period_s, struct ow_health **ret)
{
	struct ow_health *h = calloc(1, sizeof(*h));
	int r = 0;

	if (h == NULL)
		return -ENOMEM;
	pthread_mutex_init(&h->lock, NULL);
	make_wake(h);
	h->period_s = period_s;
	if (period_s == 0)
		ask(h);
	else
		r = -pthread_create(&h->thread, NULL, run, h);
	h->threaded = period_s != 0 && r == 0;
	if (r == 0)
		*ret = h;
	else
		ow_health_close(h);
	return r;
}

struct ow_health *ow_health_close(struct ow_health *h)
{
	if (h == NULL)
		return NULL;
	if (h->threaded) {
		pthread_mutex_lock(&h->lock);
		h->stop = true;
		pthread_cond_signal(&h->wake);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->thread, NULL);
	}
	pthread_cond_destroy(&h->wake);
	pthread_mutex_destroy(&h->lock);
	free(h);
	return NULL;
}

int ow_health_get(struct ow_health *h, struct ow_health_finding *ret)
{
	int n;

	pthread_mutex_lock(&h->lock);
	n = h->n;
	memcpy(ret, h->found, sizeof(h->found));
	pthread_mutex_unlock(&h->lock);
	return n;
}
