/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - a file that lines are appended to, whole or not at all
 *
 * A full disk must not disturb a call: nothing is retried, nothing waits.
 * Files are opened O_NONBLOCK, which matters for FIFOs without a reader.
 */
#include "libatmi/log/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOWEST_FD 64 /* out of the way of descriptors that programs inherit */

static _Atomic uint64_t lost_total;

/* Make the folders above `path`; what is there already is fine. */
static void make_parents(const char *path)
{
	char dir[OW_LOG_PATH];

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *p = dir + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(dir, 0775); /* open() tells if it did not work */
		*p = '/';
	}
}

static int open_append(const char *path, bool make_dirs)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK |
		    O_NOCTTY;
	int fd;

	if (make_dirs)
		make_parents(path);
	fd = open(path, flags, 0664);
	return fd < 0 ? -errno : fd;
}

/* Bring `fd` under the number f->own, which is taken if there is none. */
static int adopt(struct ow_log_file *f, int fd)
{
	int r = 0;

	if (f->own < 0) {
		f->own = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);
		if (f->own < 0)
			f->own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (f->own < 0)
			r = -errno;
	} else if (dup3(fd, f->own, O_CLOEXEC) < 0) {
		r = -errno;
	}
	close(fd);
	return r;
}

/* The standard descriptor that `path` means, or -1. */
static int standard_fd(const char *path)
{
	if (path[0] == '\0' || strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	return strcmp(path, "/dev/stdout") == 0 ? STDOUT_FILENO : -1;
}

/* `path` from the root. 0 or -errno. */
static int make_full(const char *path, char full[OW_LOG_PATH])
{
	size_t used = 0;

	if (path[0] != '/') {
		if (getcwd(full, OW_LOG_PATH) == NULL)
			return -errno;
		used = strlen(full);
		full[used++] = '/';
	}
	if (strlen(path) >= OW_LOG_PATH - used)
		return -ENAMETOOLONG;
	memcpy(full + used, path, strlen(path) + 1);
	return 0;
}

/* Write to the file of that name from now on. */
static int turn_to(struct ow_log_file *f, const char *full, bool make_dirs)
{
	int r, fd = open_append(full, make_dirs);

	if (fd < 0)
		return fd;
	r = adopt(f, fd);
	if (r == 0)
		atomic_store_explicit(&f->fd, f->own, memory_order_relaxed);
	return r;
}

int ow_log_file_open(struct ow_log_file *f, const char *path, bool make_dirs)
{
	char full[OW_LOG_PATH] = "";
	int fd = standard_fd(path), r = 0;

	if (strlen(path) >= sizeof(f->path))
		return -ENAMETOOLONG;
	if (fd < 0) {
		r = make_full(path, full);
		if (r == 0)
			r = turn_to(f, full, make_dirs);
	} else {
		atomic_store_explicit(&f->fd, fd, memory_order_relaxed);
	}
	if (r < 0)
		return r;
	memcpy(f->path, path, strlen(path) + 1);
	memcpy(f->full, full, sizeof(f->full));
	return 0;
}

int ow_log_file_reopen(struct ow_log_file *f)
{
	return f->full[0] != '\0' ? turn_to(f, f->full, true) : 0;
}

int ow_log_file_follow(struct ow_log_file *f)
{
	struct stat named, open_now;
	int fd = atomic_load_explicit(&f->fd, memory_order_relaxed);

	if (f->own < 0 || fd != f->own || fstat(fd, &open_now) < 0)
		return 0;
	if (stat(f->full, &named) == 0 && named.st_ino == open_now.st_ino &&
	    named.st_dev == open_now.st_dev)
		return 0;
	return ow_log_file_reopen(f);
}

void ow_log_file_close(struct ow_log_file *f)
{
	if (f->own >= 0)
		close(f->own);
	f->own = -1;
	atomic_store_explicit(&f->fd, STDERR_FILENO, memory_order_relaxed);
	f->path[0] = f->full[0] = '\0';
}

/* Say that lines were lost. The newline ends a line that was cut short. */
static void confess(struct ow_log_file *f, int fd)
{
	unsigned int n = atomic_exchange_explicit(&f->broken, 0,
						  memory_order_relaxed);
	char text[96];
	int len;

	if (n == 0) /* another thread was faster */
		return;
	len = snprintf(text, sizeof(text),
		       "\nlog: %u lines of process %d could not be written\n",
		       n, (int)getpid());
	if (write(fd, text, (size_t)len) != len)
		atomic_fetch_add_explicit(&f->broken, n, memory_order_relaxed);
}

void ow_log_file_write(struct ow_log_file *f, const char *line, size_t len)
{
	int fd = atomic_load_explicit(&f->fd, memory_order_relaxed);
	int saved = errno;

	if (atomic_load_explicit(&f->broken, memory_order_relaxed) != 0)
		confess(f, fd);
	if (write(fd, line, len) != (ssize_t)len) {
		atomic_fetch_add_explicit(&f->broken, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&lost_total, 1, memory_order_relaxed);
	}
	errno = saved;
}

uint64_t ow_log_file_lost(void)
{
	return atomic_load_explicit(&lost_total, memory_order_relaxed);
}
