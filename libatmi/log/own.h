/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - loggers of one thread and of the request it works on
 *
 * A line goes to the logger of the request if there is one, else to that of
 * the thread, else to the process's log. The process's level stays the upper
 * bound. A logger belongs to its thread and is closed when the thread ends.
 */
#ifndef OW_LOG_OWN_H
#define OW_LOG_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/log/facility.h"
#include "libatmi/log/file.h"

enum ow_log_own_kind {
	OW_LOG_REQUEST,
	OW_LOG_THREAD,
	OW_LOG_OWN_KINDS,
};

struct ow_log_own {
	int level[OW_LOG_FACS]; /* -1: that of the process */
	bool has_file;
	/* 0: the program has chosen the file. Else threaded=y has: the file is
	 * named after the process's file, as of this generation of the
	 * process's configuration (process.h). */
	uint32_t file_generation;
	struct ow_log_file file;
	char module[5];
};

/* This thread's logger; NULL: it has none. */
struct ow_log_own *ow_log_own_get(enum ow_log_own_kind kind);

/* This thread's logger, made when it has none; NULL: no memory. */
struct ow_log_own *ow_log_own_need(enum ow_log_own_kind kind);

void ow_log_own_close(enum ow_log_own_kind kind);

/* Send the lines of this thread's request to file `name`: 0, -ENOMEM, -errno
 * (they go where they went before). */
int ow_log_own_request_file(const char *name);

/*
 * The loggers of a context, while it is of no thread. What the program has set
 * goes with the context; the file of threaded=y stays with the thread, whose
 * number it has.
 */
struct ow_log_owns {
	struct ow_log_own *own[OW_LOG_OWN_KINDS]; /* NULL: none */
};

/* Move this thread's loggers to *s; it has none then. */
void ow_log_owns_take(struct ow_log_owns *s);
/* Make those of *s the loggers of this thread; *s has none then. */
void ow_log_owns_put(struct ow_log_owns *s);
/* Close those of *s. */
void ow_log_owns_end(struct ow_log_owns *s);

#endif
