/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - loggers of one thread and of the request it works on
 *
 * They take the place of the process's log: request before thread before
 * process. The process's level stays the upper bound. A logger belongs to
 * its thread and is closed when the thread ends.
 */
#ifndef OW_LOG_OWN_H
#define OW_LOG_OWN_H

#include "libatmi/log/log.h"
#include "libatmi/log/file.h"

enum ow_log_own_kind {
	OW_LOG_REQUEST,
	OW_LOG_THREAD,
	OW_LOG_OWN_KINDS,
};

struct ow_log_own {
	int level[OW_LOG_FACS]; /* -1: as the process */
	bool has_file;
	uint32_t split; /* 0: set by the program; else named after the process's
			   file, at that generation of its configuration */
	struct ow_log_file file;
	char module[5];
};

/* This thread's logger, NULL: none. */
struct ow_log_own *ow_log_own_get(enum ow_log_own_kind kind);

/* The same, made if there is none; NULL: no memory. */
struct ow_log_own *ow_log_own_need(enum ow_log_own_kind kind);

void ow_log_own_close(enum ow_log_own_kind kind);

#endif
