/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.c - loggers of one thread and of the request it works on
 */
#include "libatmi/log/own.h"

#include <pthread.h>
#include <stdlib.h>

static __thread struct ow_log_own *t_own[OW_LOG_OWN_KINDS];
static pthread_key_t thread_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void close_loggers(void *unused)
{
	for (int i = 0; i < OW_LOG_OWN_KINDS; i++)
		ow_log_own_close((enum ow_log_own_kind)i);
}

static void make_exit_key(void)
{
	pthread_key_create(&thread_exit, close_loggers);
}

struct ow_log_own *ow_log_own_get(enum ow_log_own_kind kind)
{
	return t_own[kind];
}

struct ow_log_own *ow_log_own_need(enum ow_log_own_kind kind)
{
	struct ow_log_own *own = t_own[kind];
	struct ow_log_file fresh = OW_LOG_FILE_INIT;

	if (own != NULL)
		return own;
	own = calloc(1, sizeof(*own));
	if (own == NULL)
		return NULL;
	for (int i = 0; i < OW_LOG_FACS; i++)
		own->level[i] = -1;
	own->file = fresh;
	pthread_once(&once, make_exit_key);
	/* Any value but NULL: close_loggers() runs at the thread's end. */
	pthread_setspecific(thread_exit, own);
	t_own[kind] = own;
	return own;
}

void ow_log_own_close(enum ow_log_own_kind kind)
{
	struct ow_log_own *own = t_own[kind];

	if (own == NULL)
		return;
	t_own[kind] = NULL;
	ow_log_file_close(&own->file);
	free(own);
}
