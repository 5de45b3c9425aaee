/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment.c - files of shared memory: created whole, written without SIGBUS
 */
#include "libatmi/base/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libubf/base/uncancelled.h"

int ow_segment_create(const char *path, int (*build)(int, const void *),
		      const void *arg)
{
	OW_UNCANCELLED;
	uint64_t unique;
	char tmp[512];
	int fd, r;

	/* Not the pid: a process of another container may have the same. */
	if (getrandom(&unique, sizeof(unique), 0) != sizeof(unique))
		return -EAGAIN;
	if (snprintf(tmp, sizeof(tmp), "%s.%016llx", path,
		     (unsigned long long)unique) >= (int)sizeof(tmp))
		return -ENAMETOOLONG;
	fd = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = build(fd, arg);
	/* Not link(): a process that opens it then would see two names. */
	if (r == 0 && renameat2(AT_FDCWD, tmp, AT_FDCWD, path,
				RENAME_NOREPLACE) == 0) {
		close(fd);
		return 0;
	}
	if (r == 0 && errno != EEXIST)
		r = -errno;
	unlink(tmp);
	close(fd);
	return r;
}

int ow_segment_size(int fd, uint64_t size)
{
	struct rlimit most;

	/* The kernel would send SIGXFSZ, which ends the process. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < size)
		return -EFBIG;
	return ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
}

int ow_segment_fallocate(int fd, int mode, uint64_t off, uint64_t len)
{
	return (int)syscall(SYS_fallocate, fd, mode, off, len);
}

int ow_segment_reserve(int fd, uint64_t off, uint64_t len)
{
	int r;

	do {
		r = ow_segment_fallocate(fd, FALLOC_FL_KEEP_SIZE, off, len);
	} while (r < 0 && errno == EINTR);
	return r == 0 || errno == EOPNOTSUPP ? 0 : -errno;
}

void ow_segment_init_lock(pthread_mutex_t *m)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(m, &a);
	pthread_mutexattr_destroy(&a);
}
