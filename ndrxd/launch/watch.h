/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - notice the end of a process
 *
 * A process is watched by a pidfd. Where no pidfd can be had (-1), the caller
 * asks every second. `ours`: a child of ndrxd, which leaves an exit status; an
 * adopted process does not, and its start time tells it from a later process
 * of the same number.
 */
#ifndef OW_WATCH_H
#define OW_WATCH_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The loop calls `gone` when `pid` ends: the pidfd, or -1 with errno. */
int ow_watch_start(struct ev_loop *loop, ev_io *gone, pid_t pid);
/* -1: nothing to do. Returns -1. */
int ow_watch_stop(struct ev_loop *loop, ev_io *gone, int pidfd);

/* Has the process ended? Its exit status is not taken yet: as long as it is
 * a zombie, its number is not given to another process. */
bool ow_watch_ended(pid_t pid, uint64_t start, int pidfd, bool ours);
/* Take the wait status of a process that has ended. False: not known, 0. */
bool ow_watch_reap(pid_t pid, bool ours, int *ret_status);

/* "killed by signal 11 (...)", "ended with exit code 3", "ended". */
void ow_watch_explain(bool known, int status, char *buf, size_t size);

#endif
