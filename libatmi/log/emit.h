/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - write one line of the debug log
 *
 * For ndebug.h's functions. The caller has compared the line's level with
 * that of the process. Any thread; no lock is taken.
 */
#ifndef OW_LOG_EMIT_H
#define OW_LOG_EMIT_H

#include "libatmi/log/facility.h"

/* Write one whole line to the logger in force for this thread: now, or at
 * ow_log_release(). */
void ow_log_emit(enum ow_log_fac fac, int lev, const char *file, long line,
		 const char *func, const char *text);

/* A duplicate of the descriptor this thread's lines go to, or -errno. The
 * caller closes it. */
int ow_log_dup(enum ow_log_fac fac);

#endif
