/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the sources of the log's configuration, read at the start and again
 * after each change
 *
 * The first line logged, or ow_log_start(), reads them. Sources, later ones
 * win: NDRX_DFLTLOG, the program's file (option -e), NDRX_DEBUG_CONF,
 * NDRX_DEBUG_STR, the program's level (option -D), orders to the domain. All
 * but the orders are kept as the base, to which a change of the orders is
 * applied. ow_log_look() reads a source again when its file has changed.
 *
 * `lock` below is taken before that of process.c. Nothing logs under it.
 */
#include "libatmi/log/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/forks.h"
#include "libatmi/base/pages.h"
#include "libatmi/log/conf.h"
#include "libatmi/log/file.h"
#include "libatmi/log/order.h"
#include "libatmi/log/own.h"
#include "libatmi/log/process.h"
#include "libatmi/log/watch.h"

#define LOOK_NS (900 * OW_NS_PER_MS) /* less than a server's tick */

_Atomic uint64_t ow_log_next_look;

static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	struct ow_log_watch conf, orders;
	struct ow_log_conf base; /* from all sources but the orders */
	bool base_names_file;
	uint64_t rotated; /* number of the last logrotate order obeyed */
	char program_file[OW_LOG_PATH]; /* option -e, "": none */
	int program_level;		/* option -D, -1: none */
	int follow_error; /* of the last attempt to follow a renamed file */
} g_sources = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.once = PTHREAD_ONCE_INIT,
	.program_level = -1,
};

static __thread bool t_starting;

static void lock_sources(void)
{
	pthread_mutex_lock(&g_sources.lock);
}

static void unlock_sources(void)
{
	pthread_mutex_unlock(&g_sources.lock);
}

OW_FORKS_LOG static void watch_forks(void)
{
	pthread_atfork(lock_sources, unlock_sources, unlock_sources);
}

const char *ow_log_progname(void)
{
	return ow_env_str("NDRX_SVPROCNAME", program_invocation_short_name);
}

/* Apply the orders for this process to `conf`. True: a new one asks to open
 * the file again. Lock held. */
static bool apply_orders(struct ow_log_conf *conf)
{
	const size_t size = OW_LOG_ORDERS * sizeof(struct ow_log_order);
	struct ow_log_order *orders = ow_pages_take(size);
	const char *path = g_sources.orders.path;
	uint64_t before = g_sources.rotated;
	int n = 0;

	if (orders != NULL && path[0] != '\0')
		n = ow_log_orders_read(path, orders);
	if (n < 0)
		snprintf(conf->problem, sizeof(conf->problem), "%.160s: %s",
			 path,
			 n == -EPERM ? "not ours alone to write: ignored"
				     : strerror(-n));
	if (n == 0)
		g_sources.rotated = 0;
	for (int i = 0; i < n; i++) {
		if (!ow_log_order_is_for(&orders[i], getpid(),
					 ow_log_progname()))
			continue;
		if (orders[i].kind == OW_LOG_ORDER_ROTATE)
			g_sources.rotated = orders[i].number;
		else
			ow_log_conf_string(conf, orders[i].text);
	}
	ow_pages_give(orders, size);
	return g_sources.rotated > before;
}

/* Read all sources but the orders. Lock held. */
static void load_base(void)
{
	struct ow_log_conf *b = &g_sources.base;

	ow_log_conf_load(b, program_invocation_short_name);
	g_sources.base_names_file = b->file[0] != '\0';
	if (!g_sources.base_names_file)
		snprintf(b->file, sizeof(b->file), "%s",
			 g_sources.program_file[0] != '\0'
			     ? g_sources.program_file
			     : ow_env_str("NDRX_DFLTLOG", ""));
	if (g_sources.program_level >= 0)
		b->level[OW_LOG_NDRX] = g_sources.program_level;
}

/* Put base and orders in force together; *ret_conf is what came out. 0 or
 * -errno of the file. Lock held. */
static int apply_all(struct ow_log_conf *ret_conf, bool *ret_rotate)
{
	bool is_default;

	*ret_conf = g_sources.base;
	g_sources.base.problem[0] = '\0'; /* reported once */
	*ret_rotate = apply_orders(ret_conf);
	is_default = !g_sources.base_names_file &&
		     strcmp(ret_conf->file, g_sources.base.file) == 0;
	return ow_log_process_apply(ret_conf, is_default);
}

/* Log what was wrong with a configuration. No lock held. */
static void report(const struct ow_log_conf *conf, int r)
{
	if (r < 0)
		log_error("log: %s: %s; lines go where they went before",
			  conf->file, strerror(-r));
	if (conf->problem[0] != '\0')
		log_error("log: %s", conf->problem);
}

static void start_once(void)
{
	struct ow_log_conf conf;
	bool rotate;
	int r;

	t_starting = true;
	pthread_mutex_lock(&g_sources.lock);
	ow_log_watch_set(&g_sources.conf, ow_env_str("NDRX_DEBUG_CONF", NULL));
	load_base();
	r = apply_all(&conf, &rotate);
	pthread_mutex_unlock(&g_sources.lock);
	report(&conf, r);
	t_starting = false;
}

void ow_log_start(void)
{
	int saved = errno;

	if (!t_starting)
		pthread_once(&g_sources.once, start_once);
	errno = saved;
}

bool ow_log_traces(void)
{
	ow_log_start();
	return atomic_load(&ow_log_process()->trace);
}

int ow_log_level(enum ow_log_fac fac)
{
	ow_log_start();
	return ow_log_process_level(fac);
}

int ow_ndebug_start(int fac)
{
	if (t_starting)
		return log_error;
	return ow_log_level((enum ow_log_fac)fac);
}

/* ---- changes ---- */

/* Has a source changed? When the configuration file is missing, *ret_lost is
 * its path and its settings stay: it may be about to be replaced. Lock
 * held. */
static bool sources_changed(const char **ret_lost)
{
	enum ow_log_watch_result conf = ow_log_watch_look(&g_sources.conf);

	if (conf == OW_LOG_WATCH_LOST)
		*ret_lost = g_sources.conf.path;
	if (conf == OW_LOG_WATCH_CHANGED)
		load_base();
	return ow_log_watch_look(&g_sources.orders) != OW_LOG_WATCH_SAME ||
	       conf == OW_LOG_WATCH_CHANGED;
}

/* Open a new file in place of a renamed one. -errno if that fails and did not
 * fail in the same way before. Lock held. */
static int follow_file(bool rotate)
{
	int before = g_sources.follow_error, r;

	r = rotate ? ow_log_process_reopen() : ow_log_process_follow();
	g_sources.follow_error = r;
	return r != before ? r : 0;
}

static void follow_own_files(void)
{
	for (int i = 0; i < OW_LOG_OWN_KINDS; i++) {
		struct ow_log_own *own;

		own = ow_log_own_get((enum ow_log_own_kind)i);
		if (own != NULL && own->has_file)
			ow_log_file_follow(&own->file);
	}
}

void ow_log_look(uint64_t now_ns)
{
	uint64_t due = atomic_load(&ow_log_next_look);
	const char *lost = NULL;
	struct ow_log_conf conf = { .problem = "" };
	bool rotate = false;
	int saved = errno, r = 0, follow;

	if (now_ns < due || t_starting ||
	    !atomic_compare_exchange_strong(&ow_log_next_look, &due,
					    now_ns + LOOK_NS))
		return;
	ow_log_start();
	if (pthread_mutex_trylock(&g_sources.lock) != 0)
		return; /* another thread changes it; look again next time */
	if (sources_changed(&lost))
		r = apply_all(&conf, &rotate);
	follow = follow_file(rotate);
	pthread_mutex_unlock(&g_sources.lock);
	follow_own_files();
	ow_log_file_report(&ow_log_process()->file);
	report(&conf, r);
	if (lost != NULL)
		log_warn("log: %s is gone; its settings stay", lost);
	if (follow < 0)
		log_error("log: %s: %s; lines go into the renamed file",
			  ow_log_process()->file.path, strerror(-follow));
	errno = saved;
}

void ow_log_obey(const char *path)
{
	struct ow_log_conf conf = { .problem = "" };
	bool rotate;
	int r = 0;

	ow_log_start();
	pthread_mutex_lock(&g_sources.lock);
	if (strcmp(g_sources.orders.path, path) != 0) {
		ow_log_watch_set(&g_sources.orders, path);
		if (g_sources.orders.state.there)
			r = apply_all(&conf, &rotate);
	}
	pthread_mutex_unlock(&g_sources.lock);
	report(&conf, r);
}

void ow_log_set_level(int lev)
{
	ow_log_start();
	pthread_mutex_lock(&g_sources.lock);
	g_sources.program_level = g_sources.base.level[OW_LOG_NDRX] = lev;
	ow_log_process_set_level(OW_LOG_NDRX, lev);
	pthread_mutex_unlock(&g_sources.lock);
}

void ow_log_default_file(const char *path)
{
	int r;

	ow_log_start();
	pthread_mutex_lock(&g_sources.lock);
	snprintf(g_sources.program_file, sizeof(g_sources.program_file), "%s",
		 path);
	if (!g_sources.base_names_file)
		memcpy(g_sources.base.file, g_sources.program_file,
		       sizeof(g_sources.base.file));
	r = ow_log_process_default_file(path);
	pthread_mutex_unlock(&g_sources.lock);
	if (r < 0)
		log_error("log: %s: %s", path, strerror(-r));
}

uint64_t ow_log_lost(void)
{
	return ow_log_file_lost();
}
