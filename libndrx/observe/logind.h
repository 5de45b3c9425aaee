/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logind.h - will systemd-logind remove a user's shared memory at logout?
 *
 * With RemoveIPC=yes, the default, it removes all POSIX queues and everything
 * in /dev/shm that belongs to a user whose last session ends. System users and
 * users who linger are spared. The settings are files; the first assignment
 * wins that logind would use last: logind.conf.d/ of /etc, /run and /usr/lib,
 * then logind.conf.
 */
#ifndef OW_LOGIND_H
#define OW_LOGIND_H

#include <stdbool.h>
#include <sys/types.h>

/* `root` is "" but in tests. `user` is the name of `uid`. */
bool ow_logind_removes_ipc(const char *root, uid_t uid, const char *user);

#endif
