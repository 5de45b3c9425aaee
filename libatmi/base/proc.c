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
#include <sys/stat.h>
#include <unistd.h>

#include "libubf/base/uncancelled.h"

/* Field `n` of a line of /proc/PID/stat. `p`: end of field 2. */
static unsigned long long stat_field(const char *p, int n)
{
	int field;

	for (field = 2; p != NULL && field < n; field++)
		p = strchr(p + 1, ' ');
	return p != NULL ? strtoull(p + 1, NULL, 10) : 0;
}

/* Read /proc/PID/stat: 0 with the end of field 2, the program name; -errno. */
static int read_stat(pid_t pid, char *buf, size_t size, char **ret_end)
{
	OW_UNCANCELLED;
	char path[40];
	ssize_t n;
	int fd, e;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, buf, size - 1);
	e = n < 0 ? errno : ESRCH;
	close(fd);
	if (n <= 0)
		return -e;
	buf[n] = '\0';
	*ret_end = strrchr(buf, ')'); /* the name may hold blanks */
	return *ret_end == NULL || (*ret_end)[1] == '\0' ? -ESRCH : 0;
}

/* 0 with the start time; -ESRCH: gone or a zombie; other -errno: unknown. A
 * zombie with threads is a living process whose main thread has ended. */
static int read_start(pid_t pid, uint64_t *ret_start)
{
	char buf[1024], *p = NULL;
	int r = read_stat(pid, buf, sizeof(buf), &p);

	if (r != 0)
		return r;
	if (p[2] == 'X' || (p[2] == 'Z' && stat_field(p, 20) < 2))
		return -ESRCH;
	*ret_start = stat_field(p, 22);
	return 0;
}

bool ow_proc_stopped(pid_t pid)
{
	char name[32], state = pid > 0 ? ow_proc_look(pid, name, sizeof(name))
				       : 0;

	return state == 'T' || state == 't';
}

/* Fields of proc(5): vsize is 0 without memory (a zombie, a kernel thread);
 * startcode is 1 if addresses may not be seen; env_end is set at the end of
 * execve(), the parent of vfork() goes on before. */
bool ow_proc_loading(pid_t pid)
{
	char buf[1024], *p = NULL;

	return read_stat(pid, buf, sizeof(buf), &p) == 0 &&
	       stat_field(p, 23) != 0 && stat_field(p, 26) != 1 &&
	       stat_field(p, 51) == 0;
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

/* The inode of the namespace behind a link of /proc: 0 or -errno. */
static int namespace_of(const char *link, uint64_t *ret)
{
	struct stat st;

	if (stat(link, &st) < 0)
		return -errno;
	*ret = st.st_ino;
	return 0;
}

uint64_t ow_proc_namespace(void)
{
	char self[24];
	uint64_t id = 0;
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);
	int r;

	if (n <= 0)
		return 0;
	self[n] = '\0';
	if (atoi(self) != getpid())
		return 0;
	r = namespace_of("/proc/self/ns/pid", &id);
	/* A kernel without namespaces has one. */
	return r == -ENOENT ? 1 : id;
}

bool ow_proc_is_near(pid_t pid)
{
	char link[40];
	uint64_t its = 0, ours = 0;

	snprintf(link, sizeof(link), "/proc/%d/ns/pid", (int)pid);
	return namespace_of(link, &its) != 0 ||
	       namespace_of("/proc/self/ns/pid", &ours) != 0 || its == ours;
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

ow_proc_id ow_proc_id_self(void)
{
	uint64_t start = ow_proc_start_self();

	return start != 0 ? ow_proc_id_make(getpid(), start) : 0;
}

bool ow_proc_id_alive(ow_proc_id id)
{
	return ow_proc_alive(ow_proc_id_pid(id), ow_proc_id_start(id));
}

char ow_proc_look(pid_t pid, char *ret_name, size_t size)
{
	char buf[1024], *p = NULL, *name;

	if (read_stat(pid, buf, sizeof(buf), &p) != 0)
		return 0;
	*p = '\0';
	name = strchr(buf, '(');
	snprintf(ret_name, size, "%s", name != NULL ? name + 1 : "?");
	return p[2];
}

bool ow_proc_continue(pid_t pid, char *ret_name, size_t size)
{
	return pid > 1 && ow_proc_look(pid, ret_name, size) == 'T' &&
	       kill(pid, SIGCONT) == 0;
}

unsigned int ow_proc_threads(void)
{
	char buf[1024], *p = NULL;

	if (read_stat(getpid(), buf, sizeof(buf), &p) != 0)
		return 0;
	return (unsigned int)stat_field(p, 20);
}
