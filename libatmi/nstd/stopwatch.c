/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stopwatch.c - measure durations for applications
 */
#include <nstopwatch.h>
#include <stdio.h>

#include "libatmi/base/clock.h"
#include "libubf/base/threadmem.h"

#define MS_PER_SEC 1000LL
#define SLOTS	   10
#define TEXT_SIZE  64

static long long ms_of(const struct timespec *t)
{
	return t->tv_sec * MS_PER_SEC + t->tv_nsec / (long)OW_NS_PER_MS;
}

/* Nanoseconds stay from 0 to 999,999,999, whatever the sign of `msec`. */
static void move(struct timespec *t, long long msec)
{
	t->tv_sec += msec / MS_PER_SEC;
	t->tv_nsec += (long)(msec % MS_PER_SEC * (long long)OW_NS_PER_MS);
	if (t->tv_nsec < 0) {
		t->tv_nsec += (long)OW_NS_PER_SEC;
		t->tv_sec--;
	} else if (t->tv_nsec >= (long)OW_NS_PER_SEC) {
		t->tv_nsec -= (long)OW_NS_PER_SEC;
		t->tv_sec++;
	}
}

void ndrx_stopwatch_reset(ndrx_stopwatch_t *timer)
{
	clock_gettime(CLOCK_MONOTONIC, &timer->t);
}

void ndrx_stopwatch_timer_set(ndrx_stopwatch_t *timer, int timeout_ms)
{
	ndrx_stopwatch_reset(timer);
	move(&timer->t, timeout_ms);
}

long long ndrx_stopwatch_diff(ndrx_stopwatch_t *t1, ndrx_stopwatch_t *t2)
{
	return ms_of(&t1->t) - ms_of(&t2->t);
}

long ndrx_stopwatch_get_delta(ndrx_stopwatch_t *timer)
{
	ndrx_stopwatch_t now;

	ndrx_stopwatch_reset(&now);
	return (long)ndrx_stopwatch_diff(&now, timer);
}

long ndrx_stopwatch_get_delta_sec(ndrx_stopwatch_t *timer)
{
	return ndrx_stopwatch_get_delta(timer) / (long)MS_PER_SEC;
}

void ndrx_stopwatch_plus(ndrx_stopwatch_t *t1, long long msec)
{
	move(&t1->t, msec);
}

void ndrx_stopwatch_minus(ndrx_stopwatch_t *t1, long long msec)
{
	move(&t1->t, -msec);
}

/* ---- as text ---- */

static const struct unit {
	const char *name;
	long long ms;
} units[] = {
	{ "d", 86400 * MS_PER_SEC },
	{ "h", 3600 * MS_PER_SEC },
	{ "m", 60 * MS_PER_SEC },
	{ "s", MS_PER_SEC },
	{ "ms", 1 },
};

#define LAST (&units[sizeof(units) / sizeof(units[0]) - 1])

char *ndrx_stopwatch_decode(ndrx_stopwatch_t *timer, int slot)
{
	static __thread void *t_texts;
	char *texts = ow_thread_memory(&t_texts, (size_t)SLOTS * TEXT_SIZE);
	char *text = texts +
		     (slot >= 0 && slot < SLOTS ? slot : 0) * TEXT_SIZE;
	long long ms = ndrx_stopwatch_get_delta(timer);
	const char *sign = ms < 0 ? "-" : "";
	const struct unit *u = units;

	if (ms < 0)
		ms = -ms;
	while (u < LAST && ms < u->ms)
		u++;
	if (u == LAST)
		snprintf(text, TEXT_SIZE, "%s%lldms", sign, ms);
	else
		snprintf(text, TEXT_SIZE, "%s%lld%s %lld%s", sign, ms / u->ms,
			 u->name, ms % u->ms / u[1].ms, u[1].name);
	return text;
}
