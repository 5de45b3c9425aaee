/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - the debug log of this process: levels, file, format
 *
 * Levels are relaxed atomics in the array that the macros of ndebug.h read.
 * They start at -1, which sends the first line to ow_ndebug_start().
 */
#include "libatmi/log/process.h"

#include <ndebug.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/forks.h"

int ow_ndebug_levels[OW_LOG_FACS] = { -1, -1, -1 };

/* Changed under `lock`. Writers of lines read `p` without it. */
static struct {
	pthread_mutex_t lock;
	struct ow_log_process p;
	bool file_is_named; /* by a configuration, not a default */
	char iflags[32];
} g_log = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.p.file = OW_LOG_FILE_INIT,
};

static void lock_log(void)
{
	pthread_mutex_lock(&g_log.lock);
}

static void unlock_log(void)
{
	pthread_mutex_unlock(&g_log.lock);
}

OW_FORKS_LOG_INNER static void watch_forks(void)
{
	pthread_atfork(lock_log, unlock_log, unlock_log);
}

struct ow_log_process *ow_log_process(void)
{
	return &g_log.p;
}

int ow_log_process_level(enum ow_log_fac fac)
{
	return __atomic_load_n(&ow_ndebug_levels[fac], __ATOMIC_RELAXED);
}

void ow_log_process_set_level(enum ow_log_fac fac, int lev)
{
	__atomic_store_n(&ow_ndebug_levels[fac], lev, __ATOMIC_RELAXED);
}

int ow_log_process_apply(const struct ow_log_conf *conf, bool is_default)
{
	uint64_t module = 0;
	int r = 0;

	memcpy(&module, conf->module, sizeof(conf->module));
	pthread_mutex_lock(&g_log.lock);
	if (strcmp(conf->file, g_log.p.file.path) != 0)
		r = ow_log_file_open(&g_log.p.file, conf->file, conf->mkdir);
	if (is_default)
		g_log.file_is_named = false;
	else if (r == 0)
		g_log.file_is_named = conf->file[0] != '\0';
	ow_store_relaxed(&g_log.p.module, module);
	memcpy(g_log.iflags, conf->iflags, sizeof(g_log.iflags));
	for (int i = 0; i < OW_LOG_FACS; i++)
		ow_log_process_set_level((enum ow_log_fac)i, conf->level[i]);
	atomic_store(&g_log.p.json, conf->json);
	atomic_store(&g_log.p.per_thread, conf->per_thread);
	atomic_store(&g_log.p.trace, conf->trace);
	atomic_fetch_add(&g_log.p.generation, 1);
	pthread_mutex_unlock(&g_log.lock);
	return r;
}

void ow_log_process_conf(struct ow_log_conf *ret_conf)
{
	uint64_t module;

	ow_log_conf_init(ret_conf);
	pthread_mutex_lock(&g_log.lock);
	for (int i = 0; i < OW_LOG_FACS; i++)
		ret_conf->level[i] = ow_log_process_level((enum ow_log_fac)i);
	memcpy(ret_conf->file, g_log.p.file.path, sizeof(ret_conf->file));
	memcpy(ret_conf->iflags, g_log.iflags, sizeof(ret_conf->iflags));
	module = ow_load_relaxed(&g_log.p.module);
	memcpy(ret_conf->module, &module, sizeof(ret_conf->module));
	ret_conf->json = atomic_load(&g_log.p.json);
	ret_conf->per_thread = atomic_load(&g_log.p.per_thread);
	ret_conf->trace = atomic_load(&g_log.p.trace);
	pthread_mutex_unlock(&g_log.lock);
}

int ow_log_process_default_file(const char *path)
{
	int r = 0;

	pthread_mutex_lock(&g_log.lock);
	if (!g_log.file_is_named)
		r = ow_log_file_open(&g_log.p.file, path, false);
	pthread_mutex_unlock(&g_log.lock);
	return r;
}

int ow_log_process_reopen(void)
{
	int r;

	pthread_mutex_lock(&g_log.lock);
	r = ow_log_file_reopen(&g_log.p.file);
	pthread_mutex_unlock(&g_log.lock);
	return r;
}

int ow_log_process_follow(void)
{
	int r;

	pthread_mutex_lock(&g_log.lock);
	r = ow_log_file_follow(&g_log.p.file);
	pthread_mutex_unlock(&g_log.lock);
	return r;
}

bool ow_log_process_path(char *buf, size_t size)
{
	if (pthread_mutex_trylock(&g_log.lock) != 0)
		return false;
	snprintf(buf, size, "%s", g_log.p.file.path);
	pthread_mutex_unlock(&g_log.lock);
	return true;
}

const char *ow_log_process_iflags(void)
{
	return g_log.iflags;
}
