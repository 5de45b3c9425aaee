/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusing.c - a disk that refuses to write
 *
 * LD_PRELOAD=librefusing.so. What a program does to files below the folder
 * OW_REFUSING_FOLDER is counted: writes, syncs, allocations, cuts, renames, new
 * files. Operation number OW_REFUSING_AT, and OW_REFUSING_TIMES (1) in all, fail
 * with the errno OW_REFUSING_ERROR, and nothing is done. The number of the last
 * one is in the file OW_REFUSING_COUNT, as text.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static unsigned long number_of(const char *variable, unsigned long none)
{
	const char *text = getenv(variable);

	return text != NULL ? strtoul(text, NULL, 10) : none;
}

/* ---- counted ---- */

static bool is_below(const char *path)
{
	const char *folder = getenv("OW_REFUSING_FOLDER");
	size_t n = folder != NULL ? strlen(folder) : 0;

	return n > 0 && strncmp(path, folder, n) == 0 &&
	       (path[n] == '/' || path[n] == '\0');
}

static bool is_file(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return is_below(path);
}

static void tell(unsigned long n)
{
	const char *path = getenv("OW_REFUSING_COUNT");
	FILE *out = path != NULL ? fopen(path, "we") : NULL;

	if (out == NULL)
		return;
	fprintf(out, "%lu\n", n);
	fclose(out);
}

/* Is this one refused? errno says why. */
static bool is_refused(bool counts)
{
	unsigned long at = number_of("OW_REFUSING_AT", 0), n;

	if (!counts)
		return false;
	pthread_mutex_lock(&lock);
	n = ++count;
	tell(n);
	pthread_mutex_unlock(&lock);
	if (at == 0 || n < at || n - at >= number_of("OW_REFUSING_TIMES", 1))
		return false;
	errno = (int)number_of("OW_REFUSING_ERROR", EIO);
	return true;
}

/* ---- what programs call ---- */

EXPORT ssize_t write(int fd, const void *data, size_t n)
{
	ssize_t (*f)(int, const void *, size_t) = real("write");

	return is_refused(is_file(fd)) ? -1 : f(fd, data, n);
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	ssize_t (*f)(int, const struct iovec *, int) = real("writev");

	return is_refused(is_file(fd)) ? -1 : f(fd, v, n);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	ssize_t (*f)(int, const void *, size_t, off_t) = real("pwrite");

	return is_refused(is_file(fd)) ? -1 : f(fd, data, n, at);
}

EXPORT int fsync(int fd)
{
	int (*f)(int) = real("fsync");

	return is_refused(is_file(fd)) ? -1 : f(fd);
}

EXPORT int fdatasync(int fd)
{
	int (*f)(int) = real("fdatasync");

	return is_refused(is_file(fd)) ? -1 : f(fd);
}

EXPORT int fallocate(int fd, int mode, off_t at, off_t n)
{
	int (*f)(int, int, off_t, off_t) = real("fallocate");

	return is_refused(is_file(fd)) ? -1 : f(fd, mode, at, n);
}

EXPORT int ftruncate(int fd, off_t n)
{
	int (*f)(int, off_t) = real("ftruncate");

	return is_refused(is_file(fd)) ? -1 : f(fd, n);
}

EXPORT int rename(const char *old, const char *new)
{
	int (*f)(const char *, const char *) = real("rename");

	return is_refused(is_below(new)) ? -1 : f(old, new);
}

EXPORT int renameat(int from, const char *old, int to, const char *new)
{
	int (*f)(int, const char *, int, const char *) = real("renameat");

	return is_refused(is_file(to)) ? -1 : f(from, old, to, new);
}

/* A new file. */
static bool makes(int flags, bool below)
{
	return (flags & O_CREAT) != 0 && below;
}

EXPORT int open(const char *path, int flags, ...)
{
	int (*f)(const char *, int, ...) = real("open");
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return is_refused(makes(flags, is_below(path))) ? -1
							: f(path, flags, mode);
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
	int (*f)(int, const char *, int, ...) = real("openat");
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return is_refused(makes(flags, folder >= 0 && is_file(folder)))
		       ? -1 : f(folder, path, flags, mode);
}
