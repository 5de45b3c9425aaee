/* SPDX-License-Identifier: Apache-2.0 */
/*
 * badsv.c - a server whose services do what sanitizers report
 */
#include <atmi.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

void GOOD(TPSVCINFO *s)
{
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
}

#ifdef ADDRESS
/* It ends at the report. */
void BEYOND(TPSVCINFO *s)
{
	char *volatile p = malloc(4);

	p[4] = s->name[0];
	free(p);
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
}

/* It goes on after the report. */
void OVERFLOW(TPSVCINFO *s)
{
	volatile int most = INT_MAX;

	most = most + 1;
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
}
#else
static int shared;

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++)
		shared++;
	return NULL;
}

void RACE(TPSVCINFO *s)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
}
#endif
