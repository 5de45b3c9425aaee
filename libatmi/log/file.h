/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - a file that lines are appended to, whole or not at all
 *
 * One write(2) per line, O_APPEND. A write that fails loses its line and
 * counts it; the next line that works is preceded by one that tells. The
 * process has one such file; threads and requests may have their own.
 */
#ifndef OW_LOG_FILE_H
#define OW_LOG_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/log/conf.h"

/*
 * `own` is a descriptor number that stays ours once taken: reopening puts
 * another file under the same number (dup3), so that writers need no lock.
 * `fd` is what is written to: `own`, 1 or 2.
 */
struct ow_log_file {
	atomic_int fd;
	int own;		/* -1: none yet */
	atomic_uint broken;	/* lines lost since the last success */
	char path[OW_LOG_PATH]; /* as given; "": standard error */
	char full[OW_LOG_PATH]; /* the same from the root: programs chdir() */
};

#define OW_LOG_FILE_INIT { .fd = 2, .own = -1 }

/*
 * Append to `path` from now on ("" and /dev/stderr, /dev/stdout: those).
 * 0 or -errno, then the old file stays. One caller at a time; writers may
 * go on meanwhile.
 */
int ow_log_file_open(struct ow_log_file *f, const char *path, bool make_dirs);

/* Open the same path again. */
int ow_log_file_reopen(struct ow_log_file *f);

/*
 * Open it again if its name leads elsewhere now, or nowhere: it was renamed
 * or removed, as logrotate does. Until then lines went into the renamed file,
 * so none is lost. 0 or -errno, then the old file stays.
 */
int ow_log_file_follow(struct ow_log_file *f);

/* Close. No writer may be left. */
void ow_log_file_close(struct ow_log_file *f);

/* Append `len` bytes that end with a newline. Keeps errno. */
void ow_log_file_write(struct ow_log_file *f, const char *line, size_t len);

/* Lines lost by all files of this process. */
uint64_t ow_log_file_lost(void);

#endif
