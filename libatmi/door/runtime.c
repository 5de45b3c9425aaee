/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.c - is this process part of the runtime itself?
 */
#include "libatmi/door/runtime.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic bool is_runtime;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, ow_runtime_leave);
}

void ow_runtime_enter(void)
{
	pthread_once(&once, watch_forks);
	atomic_store(&is_runtime, true);
}

void ow_runtime_leave(void)
{
	atomic_store(&is_runtime, false);
}

bool ow_runtime_is(void)
{
	return atomic_load(&is_runtime);
}
