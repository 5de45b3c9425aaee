/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owned.h - nothing that belongs to another user is used
 *
 * Anybody may make a name in /dev/shm, in the queue file system or in a folder
 * that many write to. So whatever is opened by a name is checked afterwards,
 * on its descriptor, before a byte of it is used:
 *
 *   owner   this process's effective user. Root is no exception: what a user
 *           writes into tables would make root kill processes.
 *   mode    nobody else may open it, or, of what is only read, write to it
 *   type    a file, a folder, a FIFO
 *   links   one: a second name would be a way around the folder it lies in
 *
 * The caller checks the size, which says whether the object is whole.
 * doc/design/trust.md has the reasons.
 *
 * A refusal is -EPERM; ow_owned_strerror() then says whose the object is and
 * what to do. The text belongs to the thread that was refused.
 */
#ifndef OW_OWNED_H
#define OW_OWNED_H

/* Of every file that a process writes lines to: logs, outputs, the history. For
 * the user and its group, less the umask. */
#define OW_LOG_MODE 0660

#include <mqueue.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Are objects, processes and peers of user `uid` ours? The one place that
 * decides it. */
bool ow_owned_by_us(uid_t uid);

/* Check what `fd` is open on: 0 with *ret (may be NULL), or -EPERM. `name` is
 * for the text; `type` is S_IFREG, S_IFDIR or S_IFIFO. */
int ow_owned_check(int fd, const char *name, mode_t type, struct stat *ret);
/* Open `path`, which must be there, and check it. Symbolic links are not
 * followed, and a FIFO in place of a file does not block. Others may be able to
 * read what is opened with O_RDONLY. The descriptor, or -EPERM, -errno. */
int ow_owned_open(const char *path, int flags, mode_t type, struct stat *ret);
/* The same for reading text. 0, -ENOENT, -EPERM, -errno. */
int ow_owned_fopen(const char *path, FILE **ret);
/* Is `path` a folder of ours? `make`: make it if it is not there. 0, -ENOENT,
 * -EPERM, -errno. */
int ow_owned_folder(const char *path, bool make);
/* Does the folder belong to us, whatever its mode? 0, -ENOENT, -EPERM,
 * -errno. */
int ow_owned_folder_owner(const char *path);
/* Is the process at the other end of a Unix socket ours? 0 with its pid, or
 * -EPERM. `name` is for the text. */
int ow_owned_peer(int fd, const char *name, pid_t *ret_pid);
/* Open the POSIX message queue `name` (with "/"), which must be there, and
 * check it: 0; -ENOENT, -EPERM, -errno. */
int ow_owned_mq_open(const char *name, int flags, mqd_t *ret);
/* Remove a queue, if it is ours: 0; -ENOENT, -EPERM, -errno. */
int ow_owned_mq_unlink(const char *name);

/* The reason of `r`: after -EPERM from above, whose the object is. */
const char *ow_owned_strerror(int r);

/* "NAME (UID)" of a user. */
void ow_owned_user(uid_t uid, char *buf, size_t size);

#endif
