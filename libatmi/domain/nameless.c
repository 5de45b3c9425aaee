/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nameless.c - find a running domain whose names were removed
 */
#include "libatmi/domain/nameless.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"

/* A living server or ndrxd of these tables; 0: none, or they are marked. */
static pid_t living(const struct ow_tables *t)
{
	pid_t ndrxd = atomic_load(&t->head->ndrxd_pid);
	uint32_t id;

	if (atomic_load(&t->head->gone) != 0)
		return 0;
	if (ow_proc_alive(ndrxd, atomic_load(&t->head->ndrxd_start)))
		return ndrxd;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (ow_srv_alive(t, id))
			return atomic_load(&t->srv[id].pid);
	return 0;
}

/* The tables behind a descriptor of another process. */
static pid_t look_into(int dir, const char *name)
{
	struct ow_tables *t = NULL;
	int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	pid_t pid = 0;

	if (fd < 0)
		return 0;
	if (ow_tables_attach(fd, name, &t) != 0) {
		close(fd);
		return 0;
	}
	pid = living(t);
	ow_tables_close(t);
	return pid;
}

/* Look at the descriptors of process `pid` that lead to `want`. */
static pid_t look_at(pid_t pid, const char *want)
{
	char path[64], link[256];
	struct dirent *e;
	struct stat st;
	pid_t found = 0;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if (stat(path, &st) < 0 || !ow_owned_by_us(st.st_uid))
		return 0;
	dir = opendir(path);
	while (dir != NULL && found == 0 && (e = readdir(dir)) != NULL) {
		n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = '\0';
		if (strcmp(link, want) == 0)
			found = look_into(dirfd(dir), e->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

pid_t ow_nameless_find(const struct ow_domain *d)
{
	DIR *dir = opendir("/proc");
	char tables[160], want[180];
	struct dirent *e;
	pid_t found = 0;

	ow_domain_shm_path(d, "tables", tables, sizeof(tables));
	snprintf(want, sizeof(want), "%s (deleted)", tables);
	while (dir != NULL && found == 0 && (e = readdir(dir)) != NULL)
		if (isdigit((unsigned char)e->d_name[0]))
			found = look_at((pid_t)atoi(e->d_name), want);
	if (dir != NULL)
		closedir(dir);
	return found;
}

void ow_nameless_say(const struct ow_domain *d, pid_t pid, char *buf,
		     size_t size)
{
	char path[160];

	ow_domain_shm_path(d, "tables", path, sizeof(path));
	snprintf(buf, size,
		 "domain %s runs (process %d), but %s was removed, as "
		 "systemd-logind does at logout (RemoveIPC=yes): `xadmin stop "
		 "-y` (without ndrxd: `xadmin down -y`), then `xadmin start "
		 "-y`", d->prefix, (int)pid, path);
}
