/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - a record of what a program has written, and what it has synced
 *
 * LD_PRELOAD=libcache.so. Files below the folder OW_CACHE_FOLDER are watched,
 * and each operation is a line of the file OW_CACHE_RECORD, after it is done:
 *
 *	o INODE PATH		the file was opened, perhaps made
 *	w INODE AT HEX		written
 *	t INODE LENGTH		cut, or made longer
 *	r OLD NEW		renamed: paths
 *	s INODE LINES		a sync that began after so many lines has ended
 *	d FROM TO		the writes in these lines were synced (O_DSYNC)
 *
 * With OW_CACHE_LIES no sync is recorded: as a disk that loses its cache. With
 * OW_CACHE_CUT=N the process is killed when it begins its sync number N. What is
 * written with O_DSYNC is recorded before, page by page: a cut can tear it.
 * tests/e2e/disk.py makes files of the record as a power cut leaves them.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define FDS    4096
#define PAGE   4096u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static unsigned long lines, syncs;
static int flags_of[FDS]; /* of a watched descriptor; 0: it is not watched */

#define WATCHED 1
#define DSYNC	2

typedef int open_fn(const char *path, int flags, ...);
typedef int openat_fn(int folder, const char *path, int flags, ...);
typedef int fd_fn(int fd);
typedef ssize_t pwrite_fn(int fd, const void *data, size_t n, off_t at);
typedef ssize_t write_fn(int fd, const void *data, size_t n);
typedef ssize_t writev_fn(int fd, const struct iovec *v, int n);
typedef int ftruncate_fn(int fd, off_t length);
typedef int renameat_fn(int from, const char *old, int to, const char *new);

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static unsigned long inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (unsigned long)st.st_ino : 0;
}

/* ---- the record ---- */

static void begin_line(void)
{
	pthread_mutex_lock(&lock);
	if (out == NULL)
		out = fopen(getenv("OW_CACHE_RECORD"), "ae");
	if (out == NULL)
		abort();
}

static void end_line(void)
{
	fputc('\n', out);
	fflush(out);
	lines++;
	pthread_mutex_unlock(&lock);
}

static int is_watched(int fd)
{
	return fd >= 0 && fd < FDS && flags_of[fd] != 0;
}

static void path_of(int fd, char *to, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, to, size - 1);
	to[n > 0 ? n : 0] = '\0';
}

static int is_below(const char *path)
{
	const char *folder = getenv("OW_CACHE_FOLDER");
	size_t n = folder != NULL ? strlen(folder) : 0;

	return n > 0 && strncmp(path, folder, n) == 0 &&
	       (path[n] == '/' || path[n] == '\0');
}

static int opened(int fd, int flags)
{
	char path[PATH_MAX];

	if (fd < 0 || fd >= FDS)
		return fd;
	flags_of[fd] = 0;
	path_of(fd, path, sizeof(path));
	if (!is_below(path))
		return fd;
	begin_line();
	fprintf(out, "o %lu %s", inode_of(fd), path);
	end_line();
	if ((flags & O_TRUNC) != 0) {
		begin_line();
		fprintf(out, "t %lu 0", inode_of(fd));
		end_line();
	}
	flags_of[fd] = WATCHED | ((flags & O_DSYNC) != 0 ? DSYNC : 0);
	return fd;
}

static void wrote(int fd, const char *data, size_t n, off_t at)
{
	size_t i;

	begin_line();
	fprintf(out, "w %lu %lld ", inode_of(fd), (long long)at);
	for (i = 0; i < n; i++)
		fprintf(out, "%02x", (unsigned char)data[i]);
	end_line();
}

static unsigned long count_lines(void)
{
	unsigned long n;

	pthread_mutex_lock(&lock);
	n = lines;
	pthread_mutex_unlock(&lock);
	return n;
}

/* A sync begins: perhaps the last thing that this process does. */
static void begin_sync(int fd)
{
	const char *cut = getenv("OW_CACHE_CUT");
	unsigned long n;

	if (!is_watched(fd) || cut == NULL)
		return;
	pthread_mutex_lock(&lock);
	n = ++syncs;
	pthread_mutex_unlock(&lock);
	if (n == strtoul(cut, NULL, 10))
		kill(getpid(), SIGKILL);
}

static void synced(int fd, unsigned long since)
{
	if (!is_watched(fd) || getenv("OW_CACHE_LIES") != NULL)
		return;
	begin_line();
	fprintf(out, "s %lu %lu", inode_of(fd), since);
	end_line();
}

/* A write that is synced at once. */
static ssize_t write_through(int fd, const char *data, size_t n, off_t at)
{
	pwrite_fn *f = (pwrite_fn *)real("pwrite");
	unsigned long from = count_lines();
	size_t done, part;
	ssize_t r;

	for (done = 0; done < n; done += part) {
		part = n - done < PAGE ? n - done : PAGE;
		wrote(fd, data + done, part, at + (off_t)done);
	}
	begin_sync(fd);
	r = f(fd, data, n, at);
	if (r != (ssize_t)n)
		abort(); /* the record says that all was written */
	if (getenv("OW_CACHE_LIES") == NULL) {
		begin_line();
		fprintf(out, "d %lu %lu", from, from + (n + PAGE - 1) / PAGE);
		end_line();
	}
	return r;
}

/* ---- what programs call ---- */

EXPORT int open(const char *path, int flags, ...)
{
	open_fn *f = (open_fn *)real("open");
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return opened(f(path, flags, mode), flags);
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
	openat_fn *f = (openat_fn *)real("openat");
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return opened(f(folder, path, flags, mode), flags);
}

EXPORT int close(int fd)
{
	fd_fn *f = (fd_fn *)real("close");

	if (fd >= 0 && fd < FDS)
		flags_of[fd] = 0;
	return f(fd);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	pwrite_fn *f = (pwrite_fn *)real("pwrite");
	ssize_t r;

	if (is_watched(fd) && (flags_of[fd] & DSYNC))
		return write_through(fd, data, n, at);
	r = f(fd, data, n, at);
	if (r > 0 && is_watched(fd))
		wrote(fd, data, (size_t)r, at);
	return r;
}

EXPORT ssize_t write(int fd, const void *data, size_t n)
{
	write_fn *f = (write_fn *)real("write");
	off_t at = is_watched(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
	ssize_t r = f(fd, data, n);

	if (r > 0 && is_watched(fd))
		wrote(fd, data, (size_t)r, at);
	return r;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	writev_fn *f = (writev_fn *)real("writev");
	off_t at = is_watched(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
	ssize_t r = f(fd, v, n), left = r;
	size_t part;
	int i;

	for (i = 0; is_watched(fd) && left > 0; i++) {
		part = v[i].iov_len < (size_t)left ? v[i].iov_len
						   : (size_t)left;
		wrote(fd, v[i].iov_base, part, at);
		at += (off_t)part;
		left -= (ssize_t)part;
	}
	return r;
}

EXPORT int ftruncate(int fd, off_t length)
{
	ftruncate_fn *f = (ftruncate_fn *)real("ftruncate");
	int r = f(fd, length);

	if (r == 0 && is_watched(fd)) {
		begin_line();
		fprintf(out, "t %lu %lld", inode_of(fd), (long long)length);
		end_line();
	}
	return r;
}

EXPORT int renameat(int from, const char *old, int to, const char *new)
{
	renameat_fn *f = (renameat_fn *)real("renameat");
	char a[PATH_MAX], b[PATH_MAX];
	int r = f(from, old, to, new);

	path_of(from, a, sizeof(a));
	path_of(to, b, sizeof(b));
	if (r == 0 && is_below(a)) {
		begin_line();
		fprintf(out, "r %s/%s %s/%s", a, old, b, new);
		end_line();
	}
	return r;
}

static int sync_by(const char *name, int fd)
{
	fd_fn *f = (fd_fn *)real(name);
	unsigned long since = count_lines();
	int r;

	begin_sync(fd);
	r = f(fd);
	if (r == 0)
		synced(fd, since);
	return r;
}

EXPORT int fsync(int fd)
{
	return sync_by("fsync", fd);
}

EXPORT int fdatasync(int fd)
{
	return sync_by("fdatasync", fd);
}
