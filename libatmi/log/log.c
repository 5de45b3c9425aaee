/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the configuration of the process's debug log, and its changes
 *
 * The configuration is read with the first line; until then the levels are
 * -1, which sends the macros of ndebug.h here. It is put together from, later
 * ones win: NDRX_DFLTLOG, the program's wish (-e), NDRX_DEBUG_CONF,
 * NDRX_DEBUG_STR, the program's level (-D), orders to the domain. A look (log.h) puts it together again when one of the
 * files has changed. Levels are relaxed atomics: a change is seen soon, not
 * in order. log/emit.c writes the lines.
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
#include "libatmi/log/conf.h"
#include "libatmi/log/file.h"
#include "libatmi/log/order.h"
#include "libatmi/log/own.h"
#include "libatmi/log/process.h"
#include "libatmi/log/watch.h"

#define LOOK_NS (900 * OW_NS_PER_MS) /* less than a server's tick */

int ow_ndebug_levels[OW_LOG_FACS] = { -1, -1, -1 };
_Atomic uint64_t ow_log_next_look;

/* Changed under `lock`; of `p`, lines are written without it. */
static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	struct ow_log_process p;
	bool has_file; /* somebody named one: not a mere default */
	char iflags[32];
	struct ow_log_watch conf, orders;
	struct ow_log_conf base; /* from all sources but the orders */
	bool named;		 /* it names a file */
	uint64_t rotated;	 /* the last order to rotate that was obeyed */
	char wish_file[OW_LOG_PATH]; /* of the program: options -e and -D */
	int wish_level;		     /* -1: none */
	int follow_error; /* why a renamed file has no successor; told once */
} g_log = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.once = PTHREAD_ONCE_INIT,
	.p.file = OW_LOG_FILE_INIT,
	.wish_level = -1,
};

static __thread bool t_starting;

const char *ow_log_progname(void)
{
	return ow_env_str("NDRX_SVPROCNAME", program_invocation_short_name);
}

struct ow_log_process *ow_log_process(void)
{
	return &g_log.p;
}

bool ow_log_process_path(char *buf, size_t size)
{
	if (pthread_mutex_trylock(&g_log.lock) != 0)
		return false;
	snprintf(buf, size, "%s", g_log.p.file.path);
	pthread_mutex_unlock(&g_log.lock);
	return true;
}

static void set_level(enum ow_log_fac fac, int lev)
{
	__atomic_store_n(&ow_ndebug_levels[fac], lev, __ATOMIC_RELAXED);
}

int ow_log_level(enum ow_log_fac fac)
{
	ow_log_start();
	return __atomic_load_n(&ow_ndebug_levels[fac], __ATOMIC_RELAXED);
}

static int apply_locked(const struct ow_log_conf *conf)
{
	uint64_t module = 0;
	int r = 0;

	if (strcmp(conf->file, g_log.p.file.path) != 0)
		r = ow_log_file_open(&g_log.p.file, conf->file, conf->mkdir);
	if (r == 0)
		g_log.has_file = conf->file[0] != '\0';
	memcpy(&module, conf->module, sizeof(conf->module));
	atomic_store_explicit(&g_log.p.module, module, memory_order_relaxed);
	memcpy(g_log.iflags, conf->iflags, sizeof(g_log.iflags));
	for (int i = 0; i < OW_LOG_FACS; i++)
		set_level((enum ow_log_fac)i, conf->level[i]);
	atomic_store(&g_log.p.json, conf->json);
	atomic_store(&g_log.p.per_thread, conf->per_thread);
	atomic_fetch_add(&g_log.p.generation, 1);
	return r;
}

int ow_log_apply(const struct ow_log_conf *conf)
{
	int r;

	pthread_mutex_lock(&g_log.lock);
	r = apply_locked(conf);
	pthread_mutex_unlock(&g_log.lock);
	return r;
}

/* ---- The sources, at the start and whenever one has changed ---- */

/* Apply the orders that mean this process to `conf`. True: one says that the
 * file is to be opened again. Lock held. */
static bool take_orders(struct ow_log_conf *conf)
{
	struct ow_log_order *orders = calloc(OW_LOG_ORDERS, sizeof(*orders));
	uint64_t before = g_log.rotated;
	int n = 0;

	if (orders != NULL && g_log.orders.path[0] != '\0')
		n = ow_log_orders_read(g_log.orders.path, orders);
	if (n < 0)
		snprintf(conf->problem, sizeof(conf->problem), "%.160s: %s",
			 g_log.orders.path,
			 n == -EPERM ? "not ours alone to write: ignored"
				     : strerror(-n));
	if (n == 0)
		g_log.rotated = 0;
	for (int i = 0; i < n; i++) {
		if (!ow_log_order_is_for(&orders[i], getpid(),
					 ow_log_progname()))
			continue;
		if (orders[i].kind == OW_LOG_ORDER_ROTATE)
			g_log.rotated = orders[i].number;
		else
			ow_log_conf_string(conf, orders[i].text);
	}
	free(orders);
	return g_log.rotated > before;
}

/* All sources but the orders. Lock held. */
static void load_base(void)
{
	struct ow_log_conf *b = &g_log.base;

	ow_log_conf_load(b, program_invocation_short_name);
	g_log.named = b->file[0] != '\0';
	if (!g_log.named)
		snprintf(b->file, sizeof(b->file), "%s",
			 g_log.wish_file[0] != '\0'
			     ? g_log.wish_file
			     : ow_env_str("NDRX_DFLTLOG", ""));
	if (g_log.wish_level >= 0)
		b->level[OW_LOG_NDRX] = g_log.wish_level;
}

/* The base and the orders together, applied. Lock held. */
static int load_locked(struct ow_log_conf *conf, bool *ret_rotate)
{
	int r;

	*conf = g_log.base;
	g_log.base.problem[0] = '\0'; /* told once */
	*ret_rotate = take_orders(conf);
	r = apply_locked(conf);
	if (!g_log.named && strcmp(conf->file, g_log.base.file) == 0)
		g_log.has_file = false; /* -e may come yet */
	return r;
}

static void complain(const struct ow_log_conf *conf, int r)
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
	pthread_mutex_lock(&g_log.lock);
	ow_log_watch_set(&g_log.conf, ow_env_str("NDRX_DEBUG_CONF", NULL));
	load_base();
	r = load_locked(&conf, &rotate);
	pthread_mutex_unlock(&g_log.lock);
	complain(&conf, r);
	t_starting = false;
}

/* Has one of the sources changed? A configuration file that is gone is being
 * replaced, perhaps: what was read from it stays in force. Lock held. */
static bool sources_changed(const char **ret_lost)
{
	int conf = ow_log_watch_look(&g_log.conf);

	if (conf == OW_LOG_WATCH_LOST)
		*ret_lost = g_log.conf.path;
	if (conf == OW_LOG_WATCH_CHANGED)
		load_base();
	return ow_log_watch_look(&g_log.orders) != 0 ||
	       conf == OW_LOG_WATCH_CHANGED;
}

/* Go on in a new file where the old one was renamed. Lock held. Why not, if
 * that is news. */
static int follow_locked(bool rotate)
{
	int was = g_log.follow_error, r;

	r = rotate ? ow_log_file_reopen(&g_log.p.file)
		   : ow_log_file_follow(&g_log.p.file);
	g_log.follow_error = r;
	return r != was ? r : 0;
}

static void look_at_own_files(void)
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
	if (pthread_mutex_trylock(&g_log.lock) != 0)
		return; /* somebody is changing it; next time */
	if (sources_changed(&lost))
		r = load_locked(&conf, &rotate);
	follow = follow_locked(rotate);
	pthread_mutex_unlock(&g_log.lock);
	look_at_own_files();
	complain(&conf, r);
	if (lost != NULL)
		log_warn("log: %s is gone; its settings stay", lost);
	if (follow < 0)
		log_error("log: %s: %s; lines go into the renamed file",
			  g_log.p.file.path, strerror(-follow));
	errno = saved;
}

void ow_log_obey(const char *path)
{
	struct ow_log_conf conf = { .problem = "" };
	bool rotate;
	int r = 0;

	ow_log_start();
	pthread_mutex_lock(&g_log.lock);
	if (strcmp(g_log.orders.path, path) != 0) {
		ow_log_watch_set(&g_log.orders, path);
		if (g_log.orders.state.there)
			r = load_locked(&conf, &rotate);
	}
	pthread_mutex_unlock(&g_log.lock);
	complain(&conf, r);
}

void ow_log_start(void)
{
	int saved = errno;

	if (!t_starting)
		pthread_once(&g_log.once, start_once);
	errno = saved;
}

int ow_ndebug_start(int fac)
{
	if (t_starting)
		return log_error;
	return ow_log_level((enum ow_log_fac)fac);
}

void ow_log_set_level(int lev)
{
	ow_log_start();
	pthread_mutex_lock(&g_log.lock);
	g_log.wish_level = g_log.base.level[OW_LOG_NDRX] = lev;
	set_level(OW_LOG_NDRX, lev);
	pthread_mutex_unlock(&g_log.lock);
}

void ow_log_default_file(const char *path)
{
	int r = 0;

	ow_log_start();
	pthread_mutex_lock(&g_log.lock);
	snprintf(g_log.wish_file, sizeof(g_log.wish_file), "%s", path);
	if (!g_log.named)
		memcpy(g_log.base.file, g_log.wish_file,
		       sizeof(g_log.base.file));
	if (!g_log.has_file)
		r = ow_log_file_open(&g_log.p.file, path, false);
	pthread_mutex_unlock(&g_log.lock);
	if (r < 0)
		log_error("log: %s: %s", path, strerror(-r));
}

const char *ow_log_iflags(void)
{
	ow_log_start();
	return g_log.iflags;
}

uint64_t ow_log_lost(void)
{
	return ow_log_file_lost();
}

int ow_log_reopen(void)
{
	int r;

	ow_log_start();
	pthread_mutex_lock(&g_log.lock);
	r = ow_log_file_reopen(&g_log.p.file);
	pthread_mutex_unlock(&g_log.lock);
	return r;
}

void ow_log_snapshot(struct ow_log_conf *ret_conf)
{
	uint64_t module;

	ow_log_start();
	ow_log_conf_init(ret_conf);
	pthread_mutex_lock(&g_log.lock);
	for (int i = 0; i < OW_LOG_FACS; i++)
		ret_conf->level[i] = ow_log_level((enum ow_log_fac)i);
	memcpy(ret_conf->file, g_log.p.file.path, sizeof(ret_conf->file));
	memcpy(ret_conf->iflags, g_log.iflags, sizeof(ret_conf->iflags));
	module = atomic_load_explicit(&g_log.p.module, memory_order_relaxed);
	memcpy(ret_conf->module, &module, sizeof(ret_conf->module));
	ret_conf->json = atomic_load(&g_log.p.json);
	ret_conf->per_thread = atomic_load(&g_log.p.per_thread);
	pthread_mutex_unlock(&g_log.lock);
}
