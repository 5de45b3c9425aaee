/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.c - loggers of one thread and of the request it works on
 */
#include "libatmi/log/own.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "libatmi/base/tls.h"

static OW_TLS_FAST struct ow_log_own *t_own[OW_LOG_OWN_KINDS];
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

static void end(struct ow_log_own *own)
{
	if (own == NULL)
		return;
	ow_log_file_close(&own->file);
	free(own);
}

static void set(enum ow_log_own_kind kind, struct ow_log_own *own)
{
	pthread_once(&once, make_exit_key);
	/* Any value but NULL: close_loggers() runs at the thread's end. */
	pthread_setspecific(thread_exit, own);
	t_own[kind] = own;
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
	set(kind, own);
	return own;
}

int ow_log_own_request_file(const char *name)
{
	struct ow_log_own *own = ow_log_own_need(OW_LOG_REQUEST);
	int r;

	if (own == NULL)
		return -ENOMEM;
	r = ow_log_file_open(&own->file, name, true);
	if (r == 0)
		own->has_file = true;
	return r;
}

void ow_log_own_close(enum ow_log_own_kind kind)
{
	struct ow_log_own *own = t_own[kind];

	t_own[kind] = NULL;
	end(own);
}

void ow_log_owns_take(struct ow_log_owns *s)
{
	for (int i = 0; i < OW_LOG_OWN_KINDS; i++) {
		s->own[i] = NULL;
		if (t_own[i] == NULL || t_own[i]->file_generation != 0)
			continue;
		s->own[i] = t_own[i];
		t_own[i] = NULL;
	}
}

void ow_log_owns_put(struct ow_log_owns *s)
{
	for (int i = 0; i < OW_LOG_OWN_KINDS; i++) {
		if (s->own[i] == NULL)
			continue;
		ow_log_own_close((enum ow_log_own_kind)i);
		set((enum ow_log_own_kind)i, s->own[i]);
		s->own[i] = NULL;
	}
}

void ow_log_owns_end(struct ow_log_owns *s)
{
	for (int i = 0; i < OW_LOG_OWN_KINDS; i++) {
		end(s->own[i]);
		s->own[i] = NULL;
	}
}
