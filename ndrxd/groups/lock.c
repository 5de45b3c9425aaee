/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.c - the lock file of a group
 */
#include "ndrxd/groups/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"

bool ow_group_lock_valid(int fd, const char *path)
{
	struct stat mine, now;

	return fstat(fd, &mine) == 0 && stat(path, &now) == 0 &&
	       mine.st_ino == now.st_ino && mine.st_dev == now.st_dev;
}

/* Whoever can open the file can hold its lock. 0, -EPERM, -errno. */
static int check_file(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && ow_owned_by_us(st.st_uid) &&
	    fchmod(fd, 0600) < 0)
		return -errno;
	return ow_owned_check(fd, path, S_IFREG, NULL);
}

int ow_group_lock_take(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY |
				O_NOFOLLOW | O_NONBLOCK, 0600);
	int e;

	if (fd < 0)
		return -errno;
	e = check_file(fd, path);
	if (e < 0) {
		close(fd);
		return e;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		e = -errno;
		close(fd);
		return e;
	}
	/* The file was replaced before it was locked: try again later. */
	if (!ow_group_lock_valid(fd, path)) {
		close(fd);
		return -EWOULDBLOCK;
	}
	return fd;
}

/* The number of a descriptor of `pid` that is open on `path`. */
static int find_fd(pid_t pid, const char *path)
{
	char name[64];
	struct stat want, st;
	struct dirent *e;
	DIR *dir;
	int n = -1;

	snprintf(name, sizeof(name), "/proc/%d/fd", (int)pid);
	dir = stat(path, &want) == 0 ? opendir(name) : NULL;
	while (dir != NULL && n < 0 && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.' &&
		    fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
		    st.st_ino == want.st_ino && st.st_dev == want.st_dev)
			n = atoi(e->d_name);
	if (dir != NULL)
		closedir(dir);
	return n;
}

int ow_group_lock_fetch(pid_t pid, const char *path)
{
	int theirs = find_fd(pid, path), fd = -1, p;

	if (theirs < 0)
		return -1;
	p = pidfd_open(pid, 0);
	if (p < 0)
		return -1;
	fd = pidfd_getfd(p, theirs, 0);
	close(p);
	/* The lock belongs to the open file: fails if `pid` opened it anew. */
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}
