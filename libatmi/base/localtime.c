/* SPDX-License-Identifier: Apache-2.0 */
/*
 * localtime.c - local time that a forked child can ask for
 */
#include "libatmi/base/localtime.h"

#include <pthread.h>

#include "libatmi/base/forks.h"

static pthread_mutex_t zone_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_zone(void)
{
	pthread_mutex_lock(&zone_lock);
}

static void unlock_zone(void)
{
	pthread_mutex_unlock(&zone_lock);
}

OW_FORKS_LOG_INNER static void watch_forks(void)
{
	pthread_atfork(lock_zone, unlock_zone, unlock_zone);
}

void ow_localtime(time_t sec, struct tm *ret_tm)
{
	pthread_mutex_lock(&zone_lock);
	localtime_r(&sec, ret_tm);
	pthread_mutex_unlock(&zone_lock);
}
