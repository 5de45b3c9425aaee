/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what the writing of a line reads of the process's log
 *
 * log.c changes it under its lock, log/emit.c reads it without.
 */
#ifndef OW_LOG_PROCESS_H
#define OW_LOG_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/log/file.h"

struct ow_log_process {
	struct ow_log_file file;
	_Atomic uint64_t module; /* 4 characters and NUL; 0: the default */
	atomic_bool json, per_thread;
	_Atomic uint32_t generation; /* counts configurations, from 1 */
};

struct ow_log_process *ow_log_process(void);

/* Copy the path of the file; false: somebody is changing it just now. */
bool ow_log_process_path(char *buf, size_t size);

#endif
