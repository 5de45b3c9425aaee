/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndebug.c - the families tplog*, ndrxlog* and ubflog* of ndebug.h
 *
 * The families differ by facility only. tplogconfig.c, tplogreqfile.c,
 * ndebug_dump.c and print_ubf.c have the rest of the functions.
 */
#include <ndebug.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/forks.h"
#include "libatmi/base/nerror.h"
#include "libatmi/log/emit.h"
#include "libatmi/log/log.h"
#include "libatmi/log/process.h"
#include "libubf/base/uncancelled.h"

static void put_line(enum ow_log_fac fac, int lev, const char *file, long line,
		     const char *message)
{
	if (message != NULL && ow_ndebug_on(fac, lev))
		ow_log_emit(fac, lev, file != NULL ? file : "", line, "",
			    message);
}

static const char *iflags(void)
{
	ow_log_start();
	return ow_log_process_iflags();
}

int debug_get_ndrx_level(void)
{
	return ow_log_level(OW_LOG_NDRX);
}

int debug_get_ubf_level(void)
{
	return ow_log_level(OW_LOG_UBF);
}

int debug_get_tp_level(void)
{
	return ow_log_level(OW_LOG_TP);
}

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
	    strstr(iflags(), "detailed") != NULL)
		result |= TPLOGQI_RET_HAVDETAILED;
	return result | (long)level << 24;
}

/* ---- the log as a stdio stream, for one thread at a time ---- */

struct ndrx_debug {
	pthread_mutex_t lock;
	FILE *fp; /* while locked */
};

static struct ndrx_debug g_stdio = { .lock = PTHREAD_MUTEX_INITIALIZER };
static __thread bool t_has_stdio;

/* In a forked child. A thread may fork while it has the stream; what another
 * thread had is lost. */
static void forked(void)
{
	if (!t_has_stdio)
		pthread_mutex_init(&g_stdio.lock, NULL);
}

OW_FORKS_LOG static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static ndrx_debug_t *stdio_lock(enum ow_log_fac fac, int lev)
{
	OW_UNCANCELLED;
	int fd;

	if (lev != -1 && !ow_ndebug_on(fac, lev))
		return NULL;
	pthread_mutex_lock(&g_stdio.lock);
	fd = ow_log_dup(fac);
	g_stdio.fp = fd >= 0 ? fdopen(fd, "a") : NULL;
	t_has_stdio = g_stdio.fp != NULL;
	if (t_has_stdio)
		return &g_stdio;
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&g_stdio.lock);
	return NULL;
}

static void stdio_unlock(ndrx_debug_t *dbg)
{
	OW_UNCANCELLED;
	int saved = errno;

	if (dbg == NULL)
		return;
	fclose(dbg->fp);
	dbg->fp = NULL;
	t_has_stdio = false;
	pthread_mutex_unlock(&dbg->lock);
	errno = saved;
}

/* ---- the three families ---- */

#define FAMILY(p, fac)                                                     \
	void p(int lev, const char *message)                               \
	{                                                                  \
		put_line(fac, lev, NULL, 0, message);                      \
	}                                                                  \
	void p##ex(int lev, const char *file, long line,                   \
		   const char *message)                                    \
	{                                                                  \
		put_line(fac, lev, file, line, message);                   \
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
		return (char *)iflags();                                   \
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
