/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - the debug log of this process: levels, file, format
 *
 * One configuration is in force at a time. The functions that change it take
 * its lock. Writers of lines (emit.c) read the struct without the lock: they
 * see a change soon, not at once.
 */
#ifndef OW_LOG_PROCESS_H
#define OW_LOG_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/log/conf.h"
#include "libatmi/log/facility.h"
#include "libatmi/log/file.h"

struct ow_log_process {
	struct ow_log_file file;
	_Atomic uint64_t module; /* 4 characters and NUL; 0: the default */
	atomic_bool json, per_thread, trace;
	_Atomic uint32_t generation; /* counts configurations, from 1 */
};

struct ow_log_process *ow_log_process(void);

/*
 * Put `conf` in force. `is_default`: its file is a default, which
 * ow_log_process_default_file() may still replace. 0, or -errno of the file:
 * lines go where they went before, and the rest of `conf` is in force.
 */
int ow_log_process_apply(const struct ow_log_conf *conf, bool is_default);

/* The configuration in force. */
void ow_log_process_conf(struct ow_log_conf *ret_conf);

/* Write to `path` unless a configuration has named a file. 0 or -errno. */
int ow_log_process_default_file(const char *path);

/* Open the file again by its name; or only if the name leads to another file
 * by now (see file.h). 0 or -errno. */
int ow_log_process_reopen(void);
int ow_log_process_follow(void);

/* Copy the path of the file. False: another thread changes it at this
 * moment. */
bool ow_log_process_path(char *buf, size_t size);

/* The level in force; -1: no configuration has been read yet. */
int ow_log_process_level(enum ow_log_fac fac);
void ow_log_process_set_level(enum ow_log_fac fac, int lev);

const char *ow_log_process_iflags(void);

#endif
