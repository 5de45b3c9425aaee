/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ended.c - how the last transactions have ended, for whoever asks once more
 */
#include "servers/tmsrv/ended.h"

#include <pthread.h>

#include "libatmi/tran/tm.h"

#define LAST 8192

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t ring[LAST];
static uint64_t noted; /* so many, ever */
static uint64_t first; /* number of this life; 0: none yet */
static uint64_t lost;  /* the highest one that has left the ring */

void ended_given(uint64_t tran)
{
	pthread_mutex_lock(&lock);
	if (first == 0)
		first = tran;
	pthread_mutex_unlock(&lock);
}

void ended_note(uint64_t tran, int result)
{
	uint64_t *at;

	if (result == OW_TM_ABORTED)
		return;
	pthread_mutex_lock(&lock);
	at = &ring[noted++ % LAST];
	if (*at > lost)
		lost = *at;
	*at = tran;
	pthread_mutex_unlock(&lock);
}

int ended_result(uint64_t tran)
{
	int r = OW_TM_ABORTED;
	uint64_t i;

	pthread_mutex_lock(&lock);
	if (first == 0 || tran < first || tran <= lost)
		r = OW_TM_HAZARD;
	for (i = 0; i < LAST && i < noted; i++)
		if (ring[i] == tran)
			r = OW_TM_ENDING;
	pthread_mutex_unlock(&lock);
	return r;
}
