/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procdir.c - read /proc: parent, memory, signals of a process
 */
#include "ndrxd/launch/procdir.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"

#define FILE_MAX (4u << 20)

void ow_procdir_each(void (*fn)(void *arg, pid_t pid), void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (isdigit((unsigned char)e->d_name[0]))
			fn(arg, (pid_t)atoi(e->d_name));
	if (dir != NULL)
		closedir(dir);
}

/* A file of /proc/PID, whole, with a NUL after its end; free() it. NULL: the
 * process is gone, or it may not be read, or there is no memory. */
static char *read_file(pid_t pid, const char *file)
{
	size_t len = 0, cap = 8192;
	char path[64], *buf = malloc(cap), *more;
	ssize_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && buf != NULL && n > 0 && cap < FILE_MAX) {
		if (len + 1 == cap) {
			more = realloc(buf, cap *= 2);
			if (more == NULL)
				break;
			buf = more;
		}
		n = read(fd, buf + len, cap - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (fd < 0 || n != 0) {
		free(buf);
		return NULL;
	}
	if (buf != NULL)
		buf[len] = '\0';
	return buf;
}

pid_t ow_procdir_parent(pid_t pid)
{
	OW_CLEANUP(ow_cleanup_freep) char *s = read_file(pid, "stat");
	char *p = s != NULL ? strrchr(s, ')') : NULL;
	int parent = 0;

	/* After the name: state, parent. */
	if (p == NULL || sscanf(p + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Address space of mappings of files whose path begins with `apart`. */
static int64_t mapped_apart(pid_t pid, const char *apart)
{
	OW_CLEANUP(ow_cleanup_freep) char *s = read_file(pid, "maps");
	char *line, *path, *save = NULL;
	uint64_t from, to;
	int64_t sum = 0;

	if (s == NULL)
		return 0;
	for (line = strtok_r(s, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		path = strchr(line, '/');
		if (path != NULL && strncmp(path, apart, strlen(apart)) == 0 &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2)
			sum += (int64_t)(to - from);
	}
	return sum;
}

bool ow_procdir_exceeds(pid_t pid, const struct ow_procdir_limits *l,
			char *why, size_t size)
{
	OW_CLEANUP(ow_cleanup_freep) char *s = NULL;
	int64_t vsz, rss, page = sysconf(_SC_PAGESIZE);

	if (l->rssmax == OW_CONFIG_NO_LIMIT && l->vszmax == OW_CONFIG_NO_LIMIT)
		return false;
	s = read_file(pid, "statm");
	if (s == NULL || sscanf(s, "%" SCNd64 " %" SCNd64, &vsz, &rss) != 2)
		return false;
	vsz *= page;
	rss *= page;
	if (l->rssmax != OW_CONFIG_NO_LIMIT && rss > l->rssmax) {
		snprintf(why, size, "memory %" PRId64 " bytes, rssmax %" PRId64,
			 rss, l->rssmax);
		return true;
	}
	if (l->vszmax == OW_CONFIG_NO_LIMIT || vsz <= l->vszmax)
		return false;
	vsz -= mapped_apart(pid, l->apart);
	snprintf(why, size, "address space %" PRId64 " bytes, vszmax %" PRId64,
		 vsz, l->vszmax);
	return vsz > l->vszmax;
}

char *ow_procdir_variable(pid_t pid, const char *name)
{
	OW_CLEANUP(ow_cleanup_freep) char *s = read_file(pid, "environ");
	size_t n = strlen(name);
	char *p;

	/* An empty text ends it. */
	for (p = s; p != NULL && *p != '\0'; p += strlen(p) + 1)
		if (strncmp(p, name, n) == 0 && p[n] == '=')
			return strdup(p + n + 1);
	return NULL;
}

bool ow_procdir_catches(pid_t pid, int sig)
{
	OW_CLEANUP(ow_cleanup_freep) char *s = read_file(pid, "status");
	char *p = s != NULL ? strstr(s, "\nSigCgt:") : NULL;
	uint64_t mask = 0;

	if (p == NULL || sscanf(p + 8, "%" SCNx64, &mask) != 1)
		return false;
	return (mask >> (sig - 1) & 1) != 0;
}
