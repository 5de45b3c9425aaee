/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - building and placing one line of the debug log
 *
 * The process's configuration is read once, with the first line; until then
 * the levels are -1, which sends the macros of ndebug.h here. Levels are
 * relaxed atomics: a change is seen soon, not in order.
 */
#include "libatmi/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/clock.h"
#include "libatmi/env.h"
#include "libatmi/log_conf.h"
#include "libatmi/log_file.h"
#include "libatmi/log_own.h"

int ow_ndebug_levels[OW_LOG_FACS] = { -1, -1, -1 };

/* The process's log. Changed under `lock`; lines are written without it. */
static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	struct ow_log_file file;
	bool has_file; /* the configuration named one */
	_Atomic uint32_t host;
	_Atomic uint64_t module; /* 4 characters and NUL; 0: the default */
	char iflags[32];
} g_log = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.once = PTHREAD_ONCE_INIT,
	.file = OW_LOG_FILE_INIT,
};

static __thread bool t_starting;
static __thread long t_context;

/* Letter by facility, and by who logs: request, thread, process. */
static const struct {
	char letter[OW_LOG_OWN_KINDS + 1];
	char module[5];
} facs[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = { .letter = { 'm', 'n', 'N' }, .module = "NDRX" },
	[OW_LOG_UBF] = { .letter = { 'v', 'u', 'U' }, .module = "UBF" },
	[OW_LOG_TP] = { .letter = { 'R', 'T', 't' }, .module = "USER" },
};

static uint32_t crc32_of(const char *text)
{
	uint32_t crc = 0xffffffffu;

	for (; *text != '\0'; text++) {
		crc ^= (unsigned char)*text;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
	}
	return ~crc;
}

const char *ow_log_progname(void)
{
	return ow_env_str("NDRX_SVPROCNAME", program_invocation_short_name);
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

	if (strcmp(conf->file, g_log.file.path) != 0)
		r = ow_log_file_open(&g_log.file, conf->file, conf->mkdir);
	if (r == 0)
		g_log.has_file = conf->file[0] != '\0';
	memcpy(&module, conf->module, sizeof(conf->module));
	atomic_store_explicit(&g_log.module, module, memory_order_relaxed);
	memcpy(g_log.iflags, conf->iflags, sizeof(g_log.iflags));
	for (int i = 0; i < OW_LOG_FACS; i++)
		set_level((enum ow_log_fac)i, conf->level[i]);
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

static void start_once(void)
{
	struct ow_log_conf conf;
	char host[256] = "";
	int r;

	t_starting = true;
	gethostname(host, sizeof(host) - 1);
	atomic_store_explicit(&g_log.host, crc32_of(host),
			      memory_order_relaxed);
	ow_log_conf_load(&conf, program_invocation_short_name);
	r = ow_log_apply(&conf);
	if (r < 0)
		log_error("log: %s: %s; lines go to standard error", conf.file,
			  strerror(-r));
	if (conf.problem[0] != '\0')
		log_error("log: %s", conf.problem);
	t_starting = false;
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

void ow_log_set_context(long number)
{
	t_context = number;
}

void ow_log_set_level(int lev)
{
	ow_log_start();
	set_level(OW_LOG_NDRX, lev);
}

void ow_log_default_file(const char *path)
{
	int r = 0;

	ow_log_start();
	pthread_mutex_lock(&g_log.lock);
	if (!g_log.has_file)
		r = ow_log_file_open(&g_log.file, path, false);
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
	r = ow_log_file_reopen(&g_log.file);
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
	memcpy(ret_conf->file, g_log.file.path, sizeof(ret_conf->file));
	memcpy(ret_conf->iflags, g_log.iflags, sizeof(ret_conf->iflags));
	module = atomic_load_explicit(&g_log.module, memory_order_relaxed);
	memcpy(ret_conf->module, &module, sizeof(ret_conf->module));
	pthread_mutex_unlock(&g_log.lock);
}

/* ---- One line ---- */

/* Who writes: the logger that is in force for this thread. */
struct writer {
	struct ow_log_file *file;
	char letter;
	char module[5];
};

/* False: the line's level is above that of the thread's own logger. */
static bool choose_writer(enum ow_log_fac fac, int lev, struct writer *ret)
{
	uint64_t module = atomic_load_explicit(&g_log.module,
					       memory_order_relaxed);
	int kind;

	ret->file = &g_log.file;
	memcpy(ret->module, module != 0 ? (char *)&module : facs[fac].module,
	       sizeof(ret->module));
	for (kind = 0; kind < OW_LOG_OWN_KINDS; kind++) {
		struct ow_log_own *own;

		own = ow_log_own_get((enum ow_log_own_kind)kind);
		if (own == NULL || (!own->has_file && own->level[fac] < 0))
			continue;
		if (own->level[fac] >= 0 && lev > own->level[fac])
			return false;
		if (own->has_file)
			ret->file = &own->file;
		if (own->module[0] != '\0')
			memcpy(ret->module, own->module, sizeof(ret->module));
		break;
	}
	ret->letter = facs[fac].letter[kind];
	return true;
}

int ow_log_dup(enum ow_log_fac fac)
{
	struct writer w;
	int fd;

	ow_log_start();
	choose_writer(fac, 0, &w);
	fd = atomic_load_explicit(&w.file->fd, memory_order_relaxed);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : fd;
}

/* The last `max` characters. */
static const char *tail(const char *text, size_t max)
{
	size_t len = strlen(text);

	return len > max ? text + (len - max) : text;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Time of day; localtime is costly and takes a lock: once a second. */
static void local_time(time_t sec, struct tm *ret_tm)
{
	static __thread time_t t_sec = -1;
	static __thread struct tm t_tm;

	if (sec != t_sec) {
		localtime_r(&sec, &t_tm);
		t_sec = sec;
	}
	*ret_tm = t_tm;
}

static int format_head(const struct writer *w, int lev, const char *place[2],
		       long line, char *buf, size_t size)
{
	uint64_t now = ow_clock_real_ns();
	struct tm tm;

	local_time((time_t)(now / OW_NS_PER_SEC), &tm);
	return snprintf(
	    buf, size,
	    "%c:%s:%d:%08x:%05d:%08llx:%03ld:%08ld:%06ld%06d:%-12.12s:"
	    "%-8.8s:%04ld:",
	    w->letter, w->module, lev,
	    (unsigned int)atomic_load_explicit(&g_log.host,
					       memory_order_relaxed),
	    (int)getpid(), (unsigned long long)syscall(SYS_gettid), t_context,
	    (tm.tm_year + 1900L) * 10000 + (tm.tm_mon + 1L) * 100 + tm.tm_mday,
	    tm.tm_hour * 10000L + tm.tm_min * 100L + tm.tm_sec,
	    (int)(now % OW_NS_PER_SEC / OW_NS_PER_US), tail(place[0], 12),
	    tail(base_name(place[1]), 8), line);
}

void ow_log_emit(enum ow_log_fac fac, int lev, const char *file, long line,
		 const char *func, const char *text)
{
	const char *place[2] = { func, file };
	char buf[OW_LOG_LINE];
	struct writer w;
	size_t used, len = strlen(text);

	if (!choose_writer(fac, lev, &w))
		return;
	used = (size_t)format_head(&w, lev, place, line, buf, sizeof(buf));
	if (len > sizeof(buf) - used - 1)
		len = sizeof(buf) - used - 1;
	memcpy(buf + used, text, len);
	buf[used + len] = '\n';
	ow_log_file_write(w.file, buf, used + len + 1);
}

void ow_ndebug_write(int fac, int lev, const char *file, long line,
		     const char *func, const char *fmt, ...)
{
	char text[OW_LOG_LINE];
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ow_log_emit((enum ow_log_fac)fac, lev, file, line, func, text);
	errno = saved;
}
