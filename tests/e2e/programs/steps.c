/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - a wall clock that steps, for programs that are started with it
 *
 * LD_PRELOAD=libsteps.so. The file that OW_STEPS_FILE names holds the seconds
 * (8 bytes) by which CLOCK_REALTIME differs now; the test writes them. The
 * kernel would end waits by the wall clock when that has reached their time:
 * here such a wait is made of short ones.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PART_NS	   2000000 /* of a wait */
#define NS_PER_SEC 1000000000
#define EXPORT	   __attribute__((visibility("default")))

typedef int clock_fn(clockid_t id, struct timespec *ts);
typedef long syscall_fn(long nr, ...);

static const volatile int64_t none, *seconds = &none;
static clock_fn *real_clock;
static syscall_fn *real_syscall;

/* Before main(), and before whatever asks for the time earlier. */
__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("OW_STEPS_FILE");
	void *at = MAP_FAILED;
	int fd;

	if (real_syscall != NULL)
		return;
	real_clock = (clock_fn *)dlsym(RTLD_NEXT, "clock_gettime");
	real_syscall = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");
	fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		at = mmap(NULL, sizeof(*seconds), PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (at != MAP_FAILED)
		seconds = at;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ts)
{
	int r;

	start();
	r = real_clock(id, ts);
	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		ts->tv_sec += *seconds;
	return r;
}

EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

EXPORT time_t time(time_t *ret)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (ret != NULL)
		*ret = ts.tv_sec;
	return ts.tv_sec;
}

/* libnats waits so. A step in the middle of such a wait does not count. */
EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond,
				  pthread_mutex_t *restrict mutex,
				  const struct timespec *restrict until)
{
	struct timespec by_kernel = *until;

	by_kernel.tv_sec -= *seconds;
	return pthread_cond_clockwait(cond, mutex, CLOCK_REALTIME, &by_kernel);
}

/* From now to `until` by the stepping clock. */
static int64_t left_ns(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (until->tv_sec - now.tv_sec) * NS_PER_SEC + until->tv_nsec -
	       now.tv_nsec;
}

/* mq_timedsend(), mq_timedreceive(). */
static long exchange(long nr, const long a[4], const struct timespec *until)
{
	struct timespec part;
	int64_t left;
	long r;

	do {
		left = left_ns(until);
		real_clock(CLOCK_REALTIME, &part);
		part.tv_nsec += left < PART_NS ? left : PART_NS;
		if (left <= 0)
			part = (struct timespec){ 0, 0 };
		if (part.tv_nsec >= NS_PER_SEC) {
			part.tv_nsec -= NS_PER_SEC;
			part.tv_sec++;
		}
		r = real_syscall(nr, a[0], a[1], a[2], a[3], &part);
	} while (r < 0 && errno == ETIMEDOUT && left > 0);
	return r;
}

EXPORT long syscall(long nr, ...)
{
	long a[6];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	start();
	if (nr == SYS_clock_gettime)
		return clock_gettime((clockid_t)a[0],
				     (struct timespec *)a[1]);
	if ((nr == SYS_mq_timedsend || nr == SYS_mq_timedreceive) &&
	    a[4] != 0 && ((const struct timespec *)a[4])->tv_sec != 0)
		return exchange(nr, a, (const struct timespec *)a[4]);
	return real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
