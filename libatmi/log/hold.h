/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.h - lines of a thread that must not write now, kept in memory
 *
 * For emit.c; others call ow_log_hold() and ow_log_release() (log.h). A signal
 * handler may log while the thread that it interrupts does: a place is taken
 * by one addition, and no memory is allocated.
 */
#ifndef OW_LOG_HOLD_H
#define OW_LOG_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/log/facility.h"

/* Lines that are kept, and bytes of each with its NUL. More lines are lost,
 * and counted in a line of their own; longer ones are cut. */
#define OW_LOG_HELD	 3
#define OW_LOG_HELD_TEXT 240

/* A line as it was logged. */
struct ow_log_entry {
	uint64_t real_ns; /* when */
	enum ow_log_fac fac;
	int lev;
	const char *file, *func;
	long line;
	const char *text;
};

/* Keep the line if this thread holds its lines back; else false. `file` and
 * `func` must stay until the release, as those of the log's macros do. */
bool ow_log_keep(const struct ow_log_entry *e);

/* Does this thread hold its lines back? */
bool ow_log_is_held(void);

/* End one hold. If it was the last: how many lines were logged, and *ret is the
 * first OW_LOG_HELD of them, until the thread's next hold. Else 0. */
unsigned int ow_log_let_go(const struct ow_log_entry **ret);

#endif
