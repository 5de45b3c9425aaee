/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - start and signal the process of a client
 */
#ifndef OW_CLIENT_PROCESS_H
#define OW_CLIENT_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"
#include "libndrx/prepare/entry.h"

struct ow_config_client;
struct ow_launch_base;

#define OW_CLIENT_WHY OW_ENTRY_WHY

struct ow_client_start {
	const struct ow_config_client *def;
	const struct ow_launch_base *base;
	int lock_fd;
	/* results */
	pid_t pid;
	int err; /* errno, 0 */
	char why[OW_CLIENT_WHY];
};

/* 0, or the state that says why there is no process. */
enum ow_proc_state ow_client_start(struct ow_client_start *s);

/* A signal to a process, and to all its descendants if `level` (klevel) and
 * signal ask for it. */
void ow_client_signal(pid_t pid, int sig, int level);

#endif
