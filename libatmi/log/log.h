/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - diagnostics of the runtime itself: who: what: why
 *
 *	log_warn("queue %s: send: %s", name, strerror(e));
 *
 * Facility NDRX of the debug log. The level is checked before the arguments
 * are evaluated: off costs one relaxed load. A line is one write(2) to a file
 * opened with O_APPEND, so lines of several processes never mix. Logging
 * never fails, keeps errno, and takes no lock that the caller could hold.
 *
 * What may change while a process runs, it notices by itself within about a
 * second, with the next call or line: NDRX_DEBUG_CONF was written, the log
 * file was renamed (logrotate), orders to the domain (log/order.h). The
 * configuration is then read anew from all its sources; what the program set
 * by tplogconfig() meanwhile is overruled by that.
 */
#ifndef OW_LOG_H
#define OW_LOG_H

#include <ndebug.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_LOG_LINE 8192 /* bytes of a line, with newline; more is cut */

enum ow_log_fac {
	OW_LOG_NDRX,
	OW_LOG_UBF,
	OW_LOG_TP,
	OW_LOG_FACS,
};

#define log_error(...) OW_NDEBUG_LOG(OW_LOG_NDRX, 2, __VA_ARGS__)
#define log_warn(...)  OW_NDEBUG_LOG(OW_LOG_NDRX, 3, __VA_ARGS__)
#define log_info(...)  OW_NDEBUG_LOG(OW_LOG_NDRX, 4, __VA_ARGS__)
#define log_debug(...) OW_NDEBUG_LOG(OW_LOG_NDRX, 5, __VA_ARGS__)

struct ow_log_conf;

#pragma GCC visibility push(default)

/* In our own code formats are checked; applications may not like that. */
void ow_ndebug_write(int fac, int lev, const char *file, long line,
		     const char *func, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/*
 * Read the configuration now; otherwise the first line logged does. Repeated
 * calls change nothing. Any thread.
 */
void ow_log_start(void);

/* The number shown as context of this thread's lines. */
void ow_log_set_context(long number);

/*
 * The ids of the request that this thread works on, for its lines: 8 and 16
 * bytes that are looked at with each line, all zero while there is none.
 * NULL: no more. The caller's memory, until then.
 */
void ow_log_bind_request(const uint8_t *span, const uint8_t *trace);

/* Obey the orders in file `path` (log/order.h) from now on. */
void ow_log_obey(const char *path);

/* Look for changes now and then: costs a comparison. `now_ns`: monotonic. */
void ow_log_look(uint64_t now_ns);
extern _Atomic uint64_t ow_log_next_look;
static inline void ow_log_tick(uint64_t now_ns)
{
	if (now_ns >=
	    atomic_load_explicit(&ow_log_next_look, memory_order_relaxed))
		ow_log_look(now_ns);
}

/* Log to `path` unless the configuration names a file (server option -e);
 * NDRX_DFLTLOG counts less. */
void ow_log_default_file(const char *path);

/* Facility NDRX logs at `lev` (option -D). */
void ow_log_set_level(int lev);

/* The program's name in log lines and matches: NDRX_SVPROCNAME or argv[0]. */
const char *ow_log_progname(void);

/* Lines that could not be written since the process started. */
uint64_t ow_log_lost(void);

/* ---- Inside of the log: log.c, ndebug.c ---- */

/* Take levels, module, file over; 0 or -errno of the file (not switched). */
int ow_log_apply(const struct ow_log_conf *conf);

/* The configuration in force. */
void ow_log_snapshot(struct ow_log_conf *ret_conf);

/* Open the process's file again by name. 0 or -errno. */
int ow_log_reopen(void);

int ow_log_level(enum ow_log_fac fac);
const char *ow_log_iflags(void);

/* A duplicate of the descriptor this thread's lines go to, or -errno. */
int ow_log_dup(enum ow_log_fac fac);

/* One line, whole, to the current logger of this thread. */
void ow_log_emit(enum ow_log_fac fac, int lev, const char *file, long line,
		 const char *func, const char *text);

#pragma GCC visibility pop
#endif
