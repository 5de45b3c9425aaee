/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdutil.c - small functions for applications: files, time, stacks, strings
 */
#include <errno.h>
#include <fcntl.h>
#include <nstdutil.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/localtime.h"
#include "libubf/base/threadmem.h"
#include "libubf/base/variable.h"

#define STAMPS     20
#define STAMP_SIZE 32

int ndrx_file_exists(char *filename)
{
	struct stat st;

	return stat(filename, &st) == 0;
}

int ndrx_file_touch(char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0664);
	int r = fd >= 0 ? futimens(fd, NULL) : -1;

	if (r != 0)
		NDRX_LOG(log_error, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return r;
}

int ndrx_file_regular(char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void ndrx_utc_tstamp2(long *t, long *tusec)
{
	uint64_t now = ow_clock_ns(CLOCK_REALTIME);

	*t = (long)(now / OW_NS_PER_SEC);
	*tusec = (long)(now % OW_NS_PER_SEC / OW_NS_PER_US);
}

char *ndrx_get_strtstamp_from_sec(int slot, long ts)
{
	static __thread void *stamps;
	char *text = (char *)ow_thread_memory(&stamps, STAMPS * STAMP_SIZE) +
		     (unsigned int)slot % STAMPS * STAMP_SIZE;
	time_t t = ts;
	struct tm tm;

	ow_localtime(t, &tm);
	if (strftime(text, STAMP_SIZE, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(text, STAMP_SIZE, "%ld", ts);
	return text;
}

void ndrx_platf_stack_set(void *attr)
{
	struct rlimit limit;
	int r;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return; /* the attribute has the default already */
	r = pthread_attr_setstacksize(attr, limit.rlim_cur);
	if (r != 0)
		NDRX_LOG(log_error, "stack size of a thread, %llu bytes: %s",
			 (unsigned long long)limit.rlim_cur, strerror(r));
}

int ndrx_bench_write_stats(double msgsize, double callspersec)
{
	const char *file = ow_variable("NDRX_BENCH_FILE");
	const char *name = ow_variable("NDRX_BENCH_CONFIGNAME");
	char line[512];
	int fd, len;
	bool whole;

	if (file == NULL || name == NULL) {
		NDRX_LOG(log_error, "%s is not set",
			 file == NULL ? "NDRX_BENCH_FILE"
				      : "NDRX_BENCH_CONFIGNAME");
		return EXFAIL;
	}
	len = snprintf(line, sizeof(line), "\"%s\" %.0f %.0f\n", name, msgsize,
		       callspersec);
	if (len >= (int)sizeof(line)) {
		NDRX_LOG(log_error, "NDRX_BENCH_CONFIGNAME is too long");
		return EXFAIL;
	}
	/* One write(): lines of several processes do not mix. */
	fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0664);
	whole = fd >= 0 && write(fd, line, (size_t)len) == len;
	if (!whole)
		NDRX_LOG(log_error, "%s: %s", file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return whole ? EXSUCCEED : EXFAIL;
}

void ndrx_chomp(char *str)
{
	size_t len = strlen(str);

	if (len > 0 && str[len - 1] == '\n')
		str[--len] = '\0';
	if (len > 0 && str[len - 1] == '\r')
		str[--len] = '\0';
}

int ndrx_nr_chars(char *str, char character)
{
	int n = 0;

	for (; *str != '\0'; str++)
		n += *str == character;
	return n;
}

int ndrx_isint(char *str)
{
	if (*str == '-' || *str == '+')
		str++;
	return *str != '\0' && str[strspn(str, "0123456789")] == '\0';
}
