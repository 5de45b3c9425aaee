/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.h - the lock file of a group
 */
#ifndef OW_GROUP_LOCK_H
#define OW_GROUP_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

/* Lock the file, create it if it is absent: a close-on-exec descriptor,
 * -EWOULDBLOCK (held elsewhere), -errno. */
int ow_group_lock_take(const char *path);

/* Does the path still name the file that is locked? */
bool ow_group_lock_valid(int fd, const char *path);

/* Duplicate the descriptor of the lock that process `pid` has inherited; -1:
 * it has none, or ndrxd may not look into it. */
int ow_group_lock_fetch(pid_t pid, const char *path);

#endif
