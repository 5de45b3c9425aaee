/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - a file that whole lines are appended to
 *
 * A full disk must not disturb a call: no write is retried or waits. Files are
 * opened with O_NONBLOCK, which matters for FIFOs whose reader is slow or
 * missing. Standard output and error are shared with other programs, so that
 * they must not be made non-blocking: a pipe is opened a second time for each
 * line (through /proc), and only that is. It is not kept open: the reader would
 * wait for the end of file of a program that has closed its own end.
 */
#include "libatmi/log/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/owned.h"
#include "libubf/base/uncancelled.h"

#define LOWEST_FD 64 /* above those that programs inherit */

static _Atomic uint64_t lost_total;

/* Make the missing folders above `path`. */
static void make_parents(const char *path)
{
	char dir[OW_LOG_PATH];

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *p = dir + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(dir, 0775); /* open() reports a failure */
		*p = '/';
	}
}

/* Make a file that is not there, for root. Another user's folder gets a file of
 * that user, whose own programs could not write to one of root. (A link in its
 * place is followed as ever, and what it leads to is root's.) */
static int make_as_root(const char *path, int flags)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	struct stat st;
	int dir, fd = -1;

	snprintf(folder, sizeof(folder), "%.*s",
		 slash != NULL ? (int)(slash - path + 1) : 1,
		 slash != NULL ? path : ".");
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && fstat(dir, &st) == 0)
		fd = openat(dir, slash != NULL ? slash + 1 : path,
			    flags | O_CREAT | O_EXCL, OW_LOG_MODE);
	if (fd >= 0 && st.st_uid != 0 && fchown(fd, st.st_uid, st.st_gid) < 0)
		errno = 0; /* a file system without owners: it is root's */
	if (dir >= 0)
		close(dir);
	return fd >= 0 ? fd : open(path, flags | O_CREAT, OW_LOG_MODE);
}

int ow_log_file_append(const char *path, int flags)
{
	int fd;

	flags |= O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY;
	if (geteuid() != 0) {
		fd = open(path, flags | O_CREAT, OW_LOG_MODE);
	} else {
		fd = open(path, flags);
		if (fd < 0 && errno == ENOENT)
			fd = make_as_root(path, flags);
	}
	return fd < 0 ? -errno : fd;
}

static int open_append(const char *path, bool make_dirs)
{
	if (make_dirs)
		make_parents(path);
	return ow_log_file_append(path, O_NONBLOCK);
}

/* Put the file behind `fd` under the number f->kept, chosen at the first
 * call; `fd` is closed. 0 or -errno. */
static int move_to_kept(struct ow_log_file *f, int fd)
{
	int r = 0;

	if (f->kept < 0) {
		f->kept = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);
		if (f->kept < 0)
			f->kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (f->kept < 0)
			r = -errno;
	} else if (dup3(fd, f->kept, O_CLOEXEC) < 0) {
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

/* `path` as an absolute path. 0 or -errno. */
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

/* Append to the file `full` from now on. 0 or -errno. */
static int switch_to(struct ow_log_file *f, const char *full, bool make_dirs)
{
	int r, fd = open_append(full, make_dirs);

	if (fd < 0)
		return fd;
	r = move_to_kept(f, fd);
	if (r == 0)
		ow_store_relaxed(&f->fd, f->kept);
	return r;
}

int ow_log_file_open(struct ow_log_file *f, const char *path, bool make_dirs)
{
	OW_UNCANCELLED;
	char full[OW_LOG_PATH] = "";
	int fd = standard_fd(path), r = 0;

	if (strlen(path) >= sizeof(f->path))
		return -ENAMETOOLONG;
	if (fd < 0) {
		r = make_full(path, full);
		if (r == 0)
			r = switch_to(f, full, make_dirs);
	} else {
		ow_store_relaxed(&f->fd, fd);
	}
	if (r < 0)
		return r;
	memcpy(f->path, path, strlen(path) + 1);
	memcpy(f->full, full, sizeof(f->full));
	return 0;
}

int ow_log_file_reopen(struct ow_log_file *f)
{
	OW_UNCANCELLED;

	return f->full[0] != '\0' ? switch_to(f, f->full, true) : 0;
}

int ow_log_file_follow(struct ow_log_file *f)
{
	struct stat named, open_now;
	int fd = ow_load_relaxed(&f->fd);

	if (f->kept < 0 || fd != f->kept || fstat(fd, &open_now) < 0)
		return 0;
	if (stat(f->full, &named) == 0 && named.st_ino == open_now.st_ino &&
	    named.st_dev == open_now.st_dev)
		return 0;
	return ow_log_file_reopen(f);
}

void ow_log_file_close(struct ow_log_file *f)
{
	OW_UNCANCELLED;

	if (f->kept >= 0)
		close(f->kept);
	f->kept = -1;
	ow_store_relaxed(&f->fd, STDERR_FILENO);
	f->path[0] = f->full[0] = '\0';
}

/* ---- lines ---- */

/* An open file of our own, non-blocking, to the pipe behind `fd`: the
 * descriptor, -errno. */
static int open_twin(int fd)
{
	char path[40];
	int twin;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	twin = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC |
			    O_NONBLOCK | O_NOCTTY);
	return twin < 0 ? -errno : twin;
}

/* Is there room now, and a reader? (Without one a write would raise
 * SIGPIPE.) */
static bool has_room(int fd)
{
	struct timespec now = { 0, 0 };
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return syscall(SYS_ppoll, &p, 1, &now, NULL, 0) == 1 &&
	       p.revents == POLLOUT;
}

/* Another program may take the room in between. */
static ssize_t write_pipe(int fd, const char *line, size_t len)
{
	int twin = open_twin(fd);
	ssize_t n;

	if (twin < 0) /* no /proc, or the pipe of another user */
		return syscall(SYS_write, fd, line, len);
	n = syscall(SYS_write, twin, line, len);
	syscall(SYS_close, twin);
	return n;
}

/* Write without waiting: the bytes written, or -1. */
static ssize_t put(const struct ow_log_file *f, int fd, const char *line,
		   size_t len)
{
	struct stat st;

	/* System calls: no cancellation points (uncancelled.h). */
	if (fd == f->kept || fstat(fd, &st) < 0 || S_ISREG(st.st_mode))
		return syscall(SYS_write, fd, line, len);
	if (S_ISSOCK(st.st_mode)) /* of journald */
		return syscall(SYS_sendto, fd, line, len,
			       MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	if (!has_room(fd))
		return -1;
	return S_ISFIFO(st.st_mode) ? write_pipe(fd, line, len)
				    : syscall(SYS_write, fd, line, len);
}

int ow_log_file_dup(const struct ow_log_file *f)
{
	int fd = ow_load_relaxed(&f->fd), twin = -1;
	struct stat st;

	if (fd != f->kept && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		twin = open_twin(fd);
	if (twin < 0)
		twin = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return twin < 0 ? -errno : twin;
}

/* Write a line about the lost lines. It begins with a newline, which ends a
 * line that was cut short. */
static void report_lost(struct ow_log_file *f, int fd)
{
	unsigned int n = atomic_exchange_explicit(&f->lost, 0,
						  memory_order_relaxed);
	char text[96];
	int len;

	if (n == 0) /* another thread has reported them */
		return;
	len = snprintf(text, sizeof(text),
		       "\nlog: %u lines of process %d could not be written\n",
		       n, (int)getpid());
	if (put(f, fd, text, (size_t)len) != len)
		ow_count_shared(&f->lost, n);
}

void ow_log_file_write(struct ow_log_file *f, const char *line, size_t len)
{
	int fd = ow_load_relaxed(&f->fd);
	int saved = errno;

	if (ow_load_relaxed(&f->lost) != 0)
		report_lost(f, fd);
	if (put(f, fd, line, len) != (ssize_t)len) {
		ow_count_shared(&f->lost, 1);
		ow_count_shared(&lost_total, 1);
	}
	errno = saved;
}

void ow_log_file_report(struct ow_log_file *f)
{
	if (ow_load_relaxed(&f->lost) != 0)
		report_lost(f, ow_load_relaxed(&f->fd));
}

uint64_t ow_log_file_lost(void)
{
	return ow_load_relaxed(&lost_total);
}
