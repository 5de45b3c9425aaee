/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes.c - processes of this machine, as /proc shows them
 */
#include "clients/xadmin/domain/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libubf/base/cleanup.h"

#define ENVIRON_MAX 131072

/* A whole small file of a process; its length, -1: not readable. */
static ssize_t read_file(pid_t pid, const char *what, char *buf, size_t size)
{
	char path[64];
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (len < size - 1 &&
	       (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	buf[len] = '\0';
	return n < 0 ? -1 : (ssize_t)len;
}

/* The line of /proc/PID/status that begins with `key`, as a number. */
static uint64_t status_number(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p != NULL ? strtoull(p + strlen(key), NULL, 10) : 0;
}

/* Words apart by blanks; what a terminal could misunderstand is a '?'. */
static void make_printable(char *s, ssize_t len)
{
	ssize_t i;

	while (len > 0 && s[len - 1] == '\0')
		len--;
	for (i = 0; i < len; i++)
		if (s[i] == '\0')
			s[i] = ' ';
		else if (iscntrl((unsigned char)s[i]))
			s[i] = '?';
}

static void take_name(struct ow_process *p, const char *status)
{
	const char *base = strrchr(p->cmdline, '/');

	if (p->cmdline[0] != '\0')
		snprintf(p->name, sizeof(p->name), "%.255s",
			 base != NULL ? base + 1 : p->cmdline);
	else if (sscanf(status, "Name:\t%255s", p->name) != 1)
		p->name[0] = '\0';
}

bool ow_process_read(pid_t pid, struct ow_process *ret)
{
	char status[4096];
	ssize_t n;

	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	ret->start = ow_proc_start(pid);
	if (ret->start == 0 ||
	    read_file(pid, "status", status, sizeof(status)) < 0)
		return false;
	ret->ppid = (pid_t)status_number(status, "\nPPid:");
	ret->uid = (uid_t)status_number(status, "\nUid:");
	ret->vsz_kb = status_number(status, "\nVmSize:");
	ret->rss_kb = status_number(status, "\nVmRSS:");
	n = read_file(pid, "cmdline", ret->cmdline, sizeof(ret->cmdline));
	if (n < 0)
		return false;
	take_name(ret, status); /* the first word still ends in NUL */
	make_printable(ret->cmdline, n);
	if (ret->cmdline[0] == '\0')
		snprintf(ret->cmdline, sizeof(ret->cmdline), "[%s]",
			 ret->name);
	return true;
}

void ow_process_each(bool (*fn)(const struct ow_process *p, void *arg),
		     void *arg)
{
	DIR *dir = opendir("/proc");
	struct ow_process *p = malloc(sizeof(*p));
	struct dirent *e;

	while (dir != NULL && p != NULL && (e = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !ow_process_read((pid_t)atoi(e->d_name), p))
			continue;
		if (!fn(p, arg))
			break;
	}
	if (dir != NULL)
		closedir(dir);
	free(p);
}

static bool has_prefix(pid_t pid, const char *prefix)
{
	static const char key[] = "NDRX_QPREFIX=";
	OW_CLEANUP(ow_cleanup_freep) char *env = malloc(ENVIRON_MAX);
	const char *p, *value;
	ssize_t n = env == NULL
			? -1 : read_file(pid, "environ", env, ENVIRON_MAX);

	for (p = env; n > 0 && p < env + n; p += strlen(p) + 1) {
		if (strncmp(p, key, sizeof(key) - 1) != 0)
			continue;
		value = p + sizeof(key) - 1;
		return strcmp(value + (*value == '/'), prefix) == 0;
	}
	return false;
}

bool ow_process_maps(pid_t pid, const char *file)
{
	char path[64], line[1024], *at;
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	size_t n = strlen(file);

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		at = strchr(line, '/');
		/* A removed file is followed by " (deleted)". */
		if (at != NULL && strncmp(at, file, n) == 0 &&
		    (at[n] == '\n' || at[n] == ' '))
			return true;
	}
	return false;
}

bool ow_process_is_of(const struct ow_process *p, const struct ow_domain *d)
{
	char tables[256];

	ow_domain_shm_path(d, "tables", tables, sizeof(tables));
	return has_prefix(p->pid, d->prefix) || ow_process_maps(p->pid, tables);
}
