/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndebug.c - the public functions of ndebug.h: lines, levels, files
 *
 * The three families tplog*, ndrxlog*, ubflog* differ by facility only.
 * Dumps are in ndebug_dump.c.
 */
#include <ndebug.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "libatmi/log/conf.h"
#include "libatmi/log/own.h"
#include "libatmi/base/nerror.h"

struct ndrx_debug {
	pthread_mutex_t lock;
	FILE *fp; /* while locked */
};

static struct ndrx_debug g_stdio = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Bits of the LOG_FACILITY_* mask: by who logs, by facility. */
static const int request_bits[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = LOG_FACILITY_NDRX_REQUEST,
	[OW_LOG_UBF] = LOG_FACILITY_UBF_REQUEST,
	[OW_LOG_TP] = LOG_FACILITY_TP_REQUEST,
};
static const int thread_bits[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = LOG_FACILITY_NDRX_THREAD,
	[OW_LOG_UBF] = LOG_FACILITY_UBF_THREAD,
	[OW_LOG_TP] = LOG_FACILITY_TP_THREAD,
};
static const int process_bits[OW_LOG_FACS] = {
	[OW_LOG_NDRX] = LOG_FACILITY_NDRX,
	[OW_LOG_UBF] = LOG_FACILITY_UBF,
	[OW_LOG_TP] = LOG_FACILITY_TP,
};

static void say(enum ow_log_fac fac, int lev, const char *file, long line,
		const char *message)
{
	if (message != NULL && ow_ndebug_on(fac, lev))
		ow_log_emit(fac, lev, file != NULL ? file : "", line, "",
			    message);
}

/* ---- Configuration ---- */

struct change {
	int lev;
	const char *string, *module, *file;
};

/* Levels of facilities outside of the mask stay as they are. */
static int make_conf(const struct change *ch, int logger, const int *bits,
		     struct ow_log_conf *conf)
{
	struct ow_log_conf was = *conf;
	int r = 0;

	for (int i = 0; i < OW_LOG_FACS; i++)
		if (ch->lev >= 0)
			conf->level[i] = ch->lev;
	if (ch->string != NULL)
		r = ow_log_conf_string(conf, ch->string);
	for (int i = 0; i < OW_LOG_FACS; i++)
		if ((logger & bits[i]) == 0)
			conf->level[i] = was.level[i];
	if (ch->module != NULL && ch->module[0] != '\0')
		snprintf(conf->module, sizeof(conf->module), "%.4s",
			 ch->module);
	if (ch->file != NULL && ch->file[0] != '\0')
		snprintf(conf->file, sizeof(conf->file), "%s", ch->file);
	return r;
}

static bool mask_has(int logger, const int *bits)
{
	return (logger & (bits[0] | bits[1] | bits[2])) != 0;
}

static int config_process(const struct change *ch, int logger)
{
	struct ow_log_conf conf;
	int r;

	ow_log_snapshot(&conf);
	if (make_conf(ch, logger, process_bits, &conf) < 0)
		return ow_n_fail(NEFORMAT, "%s", conf.problem);
	r = ow_log_apply(&conf);
	if (r < 0)
		return ow_n_fail(NESYSTEM, "%s: %s", conf.file, strerror(-r));
	return 0;
}

static int config_own(const struct change *ch, int logger,
		      enum ow_log_own_kind kind, const int *bits)
{
	struct ow_log_own *own = ow_log_own_need(kind);
	struct ow_log_conf conf;
	int r;

	if (own == NULL)
		return ow_n_fail(NEMALLOC, "no memory");
	ow_log_conf_init(&conf);
	memcpy(conf.level, own->level, sizeof(conf.level));
	if (make_conf(ch, logger, bits, &conf) < 0)
		return ow_n_fail(NEFORMAT, "%s", conf.problem);
	if (conf.file[0] != '\0') {
		r = ow_log_file_open(&own->file, conf.file, conf.mkdir);
		if (r < 0)
			return ow_n_fail(NESYSTEM, "%s: %s", conf.file,
					 strerror(-r));
		own->has_file = true;
		own->split = 0;
	}
	memcpy(own->level, conf.level, sizeof(own->level));
	if (conf.module[0] != '\0')
		memcpy(own->module, conf.module, sizeof(own->module));
	return 0;
}

int tplogconfig(int logger, int lev, const char *debug_string,
		const char *module, const char *new_file)
{
	const struct change ch = { .lev = lev,
				   .string = debug_string,
				   .module = module,
				   .file = new_file };
	int r = 0;

	if (mask_has(logger, process_bits))
		r = config_process(&ch, logger);
	if (r == 0 && mask_has(logger, thread_bits))
		r = config_own(&ch, logger, OW_LOG_THREAD, thread_bits);
	if (r == 0 && mask_has(logger, request_bits))
		r = config_own(&ch, logger, OW_LOG_REQUEST, request_bits);
	return r;
}

int tplogreopen(void)
{
	int r = ow_log_reopen();

	for (int i = 0; i < OW_LOG_OWN_KINDS; i++) {
		struct ow_log_own *own;
		int s = 0;

		own = ow_log_own_get((enum ow_log_own_kind)i);
		if (own != NULL && own->has_file)
			s = ow_log_file_reopen(&own->file);
		r = r < 0 ? r : s;
	}
	if (r < 0)
		return ow_n_fail(NESYSTEM, "reopen: %s", strerror(-r));
	return 0;
}

/* ---- Files of requests and threads ---- */

void tplogsetreqfile_direct(const char *filename)
{
	struct ow_log_own *own = NULL;
	int r = -EINVAL;

	if (filename != NULL && filename[0] != '\0')
		own = ow_log_own_need(OW_LOG_REQUEST);
	if (own != NULL)
		r = ow_log_file_open(&own->file, filename, true);
	if (r == 0)
		own->has_file = true;
	else
		log_error("request log %s: %s", filename != NULL ? filename : "",
			  strerror(-r));
}

int tploggetreqfile(char *filename, int bufsize)
{
	const struct ow_log_own *own = ow_log_own_get(OW_LOG_REQUEST);

	if (own == NULL || !own->has_file)
		return 0;
	if (filename != NULL && bufsize > 0)
		snprintf(filename, (size_t)bufsize, "%s", own->file.path);
	return 1;
}

void tplogclosereqfile(void)
{
	ow_log_own_close(OW_LOG_REQUEST);
}

void tplogclosethread(void)
{
	ow_log_own_close(OW_LOG_THREAD);
}

/* ---- Questions ---- */

static long query(int lev, long flags)
{
	static const long bits[OW_LOG_FACS] = {
		[OW_LOG_NDRX] = TPLOGQI_GET_NDRX,
		[OW_LOG_UBF] = TPLOGQI_GET_UBF,
		[OW_LOG_TP] = TPLOGQI_GET_TP,
	};
	long asked = flags & 7, result = asked;
	int level = -1;

	for (int i = 0; i < OW_LOG_FACS; i++)
		if (asked == bits[i])
			level = ow_log_level((enum ow_log_fac)i);
	if (level < 0)
		return ow_n_fail(NEINVAL, "flags 0x%lx: one TPLOGQI_GET_*",
				 flags);
	if (lev > level && (flags & TPLOGQI_EVAL_RETURN) == 0)
		return 0;
	if ((flags & TPLOGQI_EVAL_DETAILED) != 0 &&
	    strstr(ow_log_iflags(), "detailed") != NULL)
		result |= TPLOGQI_RET_HAVDETAILED;
	return result | (long)level << 24;
}

/* ---- stdio ---- */

static ndrx_debug_t *stdio_lock(enum ow_log_fac fac, int lev)
{
	int fd;

	if (lev != -1 && !ow_ndebug_on(fac, lev))
		return NULL;
	pthread_mutex_lock(&g_stdio.lock);
	fd = ow_log_dup(fac);
	g_stdio.fp = fd >= 0 ? fdopen(fd, "a") : NULL;
	if (g_stdio.fp != NULL)
		return &g_stdio;
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&g_stdio.lock);
	return NULL;
}

static void stdio_unlock(ndrx_debug_t *dbg)
{
	int saved = errno;

	if (dbg == NULL)
		return;
	fclose(dbg->fp);
	dbg->fp = NULL;
	pthread_mutex_unlock(&dbg->lock);
	errno = saved;
}

/* ---- The three families ---- */

#define FAMILY(p, fac)                                                     \
	void p(int lev, const char *message)                               \
	{                                                                  \
		say(fac, lev, NULL, 0, message);                           \
	}                                                                  \
	void p##ex(int lev, const char *file, long line,                   \
		   const char *message)                                    \
	{                                                                  \
		say(fac, lev, file, line, message);                        \
	}                                                                  \
	void p##dump(int lev, const char *comment, void *ptr, int len)     \
	{                                                                  \
		OW_NDEBUG_DUMP(fac, lev, comment, ptr, len);               \
	}                                                                  \
	void p##dumpdiff(int lev, const char *comment, void *ptr,          \
			 void *ptr2, int len)                              \
	{                                                                  \
		OW_NDEBUG_DIFF(fac, lev, comment, ptr, ptr2, len);         \
	}                                                                  \
	long p##qinfo(int lev, long flags)                                 \
	{                                                                  \
		return query(lev, flags);                                  \
	}                                                                  \
	char *p##getiflags(void)                                           \
	{                                                                  \
		return (char *)ow_log_iflags();                            \
	}                                                                  \
	ndrx_debug_t *p##fplock(int lev, long flags)                       \
	{                                                                  \
		return stdio_lock(fac, lev);                               \
	}                                                                  \
	FILE *p##fpget(ndrx_debug_t *dbg, long flags)                      \
	{                                                                  \
		return dbg != NULL ? dbg->fp : NULL;                       \
	}                                                                  \
	void p##fpunlock(ndrx_debug_t *dbg)                                \
	{                                                                  \
		stdio_unlock(dbg);                                         \
	}

FAMILY(tplog, OW_LOG_TP)
FAMILY(ndrxlog, OW_LOG_NDRX)
FAMILY(ubflog, OW_LOG_UBF)

int ndrxlogconfig(int logger, int lev, const char *debug_string,
		  const char *module, const char *new_file)
{
	return tplogconfig(logger, lev, debug_string, module, new_file);
}

int ubflogconfig(int logger, int lev, const char *debug_string,
		 const char *module, const char *new_file)
{
	return tplogconfig(logger, lev, debug_string, module, new_file);
}
