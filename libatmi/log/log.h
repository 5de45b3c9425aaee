/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - diagnostics of the runtime itself: who: what: why
 *
 *	log_warn("queue %s: send: %s", name, strerror(e));
 *
 * Facility NDRX of the debug log. The level is checked before the arguments
 * are evaluated: a level that is off costs one relaxed load. A line is one
 * write(2) to a file opened with O_APPEND, so lines of several processes never
 * mix. Logging never fails, keeps errno, and takes no lock that the caller
 * could hold.
 *
 * A running process notices three changes by itself, with the first call or
 * line about a second later: NDRX_DEBUG_CONF was written, the log file was
 * renamed (logrotate), there are new orders to the domain (log/order.h). It
 * then reads all sources of the configuration again, which overrules what the
 * program has set by tplogconfig() meanwhile.
 */
#ifndef OW_LOG_H
#define OW_LOG_H

#include <ndebug.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/log/facility.h"

#define OW_LOG_LINE 8192 /* bytes of a line, with newline; more is cut */

#define log_error(...) OW_NDEBUG_LOG(OW_LOG_NDRX, 2, __VA_ARGS__)
#define log_warn(...)  OW_NDEBUG_LOG(OW_LOG_NDRX, 3, __VA_ARGS__)
#define log_info(...)  OW_NDEBUG_LOG(OW_LOG_NDRX, 4, __VA_ARGS__)
#define log_debug(...) OW_NDEBUG_LOG(OW_LOG_NDRX, 5, __VA_ARGS__)

/* Again, with the attribute by which our own formats are checked;
 * applications may not want it. */
void ow_ndebug_write(int fac, int lev, const char *file, long line,
		     const char *func, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/*
 * Read the configuration now; otherwise the first line logged does. Repeated
 * calls change nothing. Any thread.
 */
void ow_log_start(void);

/* The number shown as context in this thread's lines. */
void ow_log_set_context(long number);

/*
 * Show the ids of a request in this thread's lines: `span` of 8 bytes and
 * `trace` of 16, read with each line; all zero: no request. The caller keeps
 * the memory until it calls this again, with NULL to end it.
 */
void ow_log_bind_request(const uint8_t *span, const uint8_t *trace);

/* Obey the orders in the file `path` (log/order.h) from now on. */
void ow_log_obey(const char *path);

/*
 * Who holds a lock that other processes wait for must not write to a file: the
 * disk may take its time. Between these two each line of this thread is kept in
 * memory, whichever function logs it; release writes them, with the times at
 * which they were logged. So what runs under such a lock need not know of it.
 * May be nested: the last release writes.
 */
void ow_log_hold(void);
void ow_log_release(void);

/* Look for changes if the last look was a second ago, else compare two
 * numbers. `now_ns`: monotonic. */
void ow_log_look(uint64_t now_ns);
extern _Atomic uint64_t ow_log_next_look;
static inline void ow_log_tick(uint64_t now_ns)
{
	if (now_ns >= ow_load_relaxed(&ow_log_next_look))
		ow_log_look(now_ns);
}

/* Log to `path` unless the configuration names a file. Goes before
 * NDRX_DFLTLOG. For option -e. */
void ow_log_default_file(const char *path);

/* Set the level of facility NDRX. For option -D. */
void ow_log_set_level(int lev);

/* The level of a facility; reads the configuration if no one has. */
int ow_log_level(enum ow_log_fac fac);

/* Is each call and each service to be a line (trace=y)? span/note.h asks. */
bool ow_log_traces(void);

/* The program's name in log lines and in lines of NDRX_DEBUG_CONF:
 * NDRX_SVPROCNAME or argv[0]. */
const char *ow_log_progname(void);

/* Lines that could not be written since the process started. */
uint64_t ow_log_lost(void);

#endif
