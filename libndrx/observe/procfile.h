/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procfile.h - small files of /proc/PID
 */
#ifndef OW_PROCFILE_H
#define OW_PROCFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read /proc/PID/`name` up to size - 1 bytes and add a NUL. The length;
 * -ESRCH: there is no such process; -errno: it cannot be looked at. */
ssize_t ow_procfile_read(pid_t pid, const char *name, char *buf, size_t size);

/* The number behind `key`, such as "\nPPid:", in a file read; 0: no key. */
uint64_t ow_procfile_number(const char *text, const char *key);

#endif
