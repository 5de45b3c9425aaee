/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc.c - is the process alive whose number stands in shared memory?
 */
#include "libatmi/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Field `n` of a line of /proc/PID/stat. `p`: end of field 2. */
static unsigned long long stat_field(const char *p, int n)
{
	int field;

	for (field = 2; p != NULL && field < n; field++)
		p = strchr(p + 1, ' ');
	return p != NULL ? strtoull(p + 1, NULL, 10) : 0;
}

/* 0 with the start time and the letter of the state; -ESRCH: gone or a
 * zombie; other -errno: unknown. A zombie with threads is a living process
 * whose main thread has ended. */
static int read_stat(pid_t pid, uint64_t *ret_start, char *ret_state)
{
	char path[40], buf[1024], *p;
	ssize_t n;
	int fd, e;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, buf, sizeof(buf) - 1);
	e = n < 0 ? errno : ESRCH;
	close(fd);
	if (n <= 0)
		return -e;
	buf[n] = '\0';
	p = strrchr(buf, ')'); /* the program name may hold blanks */
	if (p == NULL || p[1] == '\0' || p[2] == 'X' ||
	    (p[2] == 'Z' && stat_field(p, 20) < 2))
		return -ESRCH;
	*ret_start = stat_field(p, 22);
	*ret_state = p[2];
	return 0;
}

static int read_start(pid_t pid, uint64_t *ret_start)
{
	char state;

	return read_stat(pid, ret_start, &state);
}

bool ow_proc_stopped(pid_t pid)
{
	uint64_t start;
	char state;

	return pid > 0 && read_stat(pid, &start, &state) == 0 &&
	       (state == 'T' || state == 't');
}

uint64_t ow_proc_start(pid_t pid)
{
	uint64_t start = 0;

	return read_start(pid, &start) == 0 ? start : 0;
}

bool ow_proc_exists(pid_t pid)
{
	uint64_t start;

	return read_start(pid, &start) != -ESRCH;
}

bool ow_proc_alive(pid_t pid, uint64_t start)
{
	uint64_t now = 0;
	int r;

	if (pid <= 0 || start == 0)
		return false;
	r = read_start(pid, &now);
	if (r == 0)
		return now == start;
	return r != -ESRCH && (kill(pid, 0) == 0 || errno == EPERM);
}

uint64_t ow_proc_start_self(void)
{
	static _Atomic int32_t pid;
	static _Atomic uint64_t start;
	uint64_t now;

	if (atomic_load(&pid) != getpid()) {
		now = ow_proc_start(getpid());
		if (now == 0)
			return 0; /* tried again at the next call */
		atomic_store(&start, now);
		atomic_store(&pid, getpid());
	}
	return atomic_load(&start);
}
