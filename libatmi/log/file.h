/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - a file that whole lines are appended to
 *
 * One write(2) per line, O_APPEND. A line whose write fails is lost and
 * counted; the next line that can be written is preceded by one that reports
 * the loss. The process has one such file; threads and requests may have
 * their own.
 */
#ifndef OW_LOG_FILE_H
#define OW_LOG_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/log/conf.h"

/*
 * Writers need no lock: reopening puts another file under the same descriptor
 * number (dup3). That number, `kept`, belongs to the struct until it is
 * closed. Lines go to `fd`: `kept`, 1 or 2.
 */
struct ow_log_file {
	atomic_int fd;
	int kept;		/* -1: none yet */
	atomic_uint lost;	/* lines lost and not reported yet */
	char path[OW_LOG_PATH]; /* as given; "": standard error */
	char full[OW_LOG_PATH]; /* absolute path: programs call chdir() */
};

#define OW_LOG_FILE_INIT { .fd = 2, .kept = -1 }

/*
 * Append to `path` from now on; "" and /dev/stderr mean standard error,
 * /dev/stdout standard output. 0 or -errno, then lines go to the old file.
 * One caller at a time; writers may run meanwhile.
 */
int ow_log_file_open(struct ow_log_file *f, const char *path, bool make_dirs);

/* Open the same path again. */
int ow_log_file_reopen(struct ow_log_file *f);

/*
 * Open the same path again if it leads to another file or to none: logrotate
 * has renamed or removed the file. Lines written before went into the renamed
 * file, none is lost. 0 or -errno, then lines go to the old file.
 */
int ow_log_file_follow(struct ow_log_file *f);

/* Close. No thread may write to it any more. */
void ow_log_file_close(struct ow_log_file *f);

/* Open for appending, with more `flags`; make it if it is not there. The
 * descriptor, or -errno. */
int ow_log_file_append(const char *path, int flags);

/* Another descriptor for the same file, CLOEXEC; to a pipe, non-blocking:
 * the descriptor, -errno. */
int ow_log_file_dup(const struct ow_log_file *f);

/* Report lost lines if there is room again. */
void ow_log_file_report(struct ow_log_file *f);

/* Append `len` bytes that end with a newline. Never waits: what finds no room
 * is lost. Keeps errno. */
void ow_log_file_write(struct ow_log_file *f, const char *line, size_t len);

/* Lines lost by all files of this process. */
uint64_t ow_log_file_lost(void);

#endif
