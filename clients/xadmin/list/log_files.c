/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_files.c - which files are logs of the domain
 */
#include "clients/xadmin/list/log_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/proc.h"
#include "libndrx/blackbox/archive.h"
#include "libndrx/observe/observer.h"
#include "libndrx/observe/procfile.h"

#define FILES_MOST 4096

struct file {
	char *path;
	dev_t dev;
	ino_t ino;
};

struct ow_log_files {
	struct file list[FILES_MOST];
	size_t n;
	bool more, failed;
};

/* A regular file that is not there yet. A FIFO or a device is not opened. */
static void add(struct ow_log_files *f, const char *path)
{
	struct stat st;
	size_t i;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (i = 0; i < f->n; i++)
		if (f->list[i].ino == st.st_ino && f->list[i].dev == st.st_dev)
			return;
	if (f->n == FILES_MOST) {
		f->more = true;
		return;
	}
	f->list[f->n] = (struct file){ strdup(path), st.st_dev, st.st_ino };
	if (f->list[f->n].path == NULL)
		f->failed = true;
	else
		f->n++;
}

static void add_folder(struct ow_log_files *f, const char *path)
{
	DIR *d = opendir(path);
	char file[PATH_MAX + 256];
	struct dirent *e;

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' ||
		    strcmp(e->d_name, OW_BB_MEMBER) == 0 ||
		    strcmp(e->d_name, OW_BB_MEMBER ".old") == 0 ||
		    strlen(path) >= PATH_MAX)
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		add(f, file);
	}
	closedir(d);
}

static void add_folder_of(struct ow_log_files *f, const char *file)
{
	char copy[PATH_MAX];

	if (file == NULL || strlen(file) >= sizeof(copy))
		return;
	strcpy(copy, file);
	add_folder(f, dirname(copy));
}

/* ---- what processes have open ---- */

/* Was it opened to append, and is it a log by its name or its number? */
static bool is_log(pid_t pid, const char *fd, const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[64], info[512];

	if (path[0] != '/' || (strcmp(fd, "1") != 0 && strcmp(fd, "2") != 0 &&
			       strcasestr(slash, "log") == NULL))
		return false;
	snprintf(name, sizeof(name), "fdinfo/%.20s", fd);
	if (ow_procfile_read(pid, name, info, sizeof(info)) < 0)
		return false;
	slash = strstr(info, "flags:");
	return slash != NULL && (strtoul(slash + 6, NULL, 8) & O_APPEND) != 0;
}

static void add_process(struct ow_log_files *f, pid_t pid)
{
	char folder[64], name[320], path[PATH_MAX];
	struct dirent *e;
	ssize_t n;
	DIR *d;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	d = opendir(folder);
	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		snprintf(name, sizeof(name), "%s/%.200s", folder, e->d_name);
		n = readlink(name, path, sizeof(path) - 1);
		if (n <= 0)
			continue;
		path[n] = '\0';
		if (is_log(pid, e->d_name, path))
			add(f, path);
	}
	closedir(d);
}

static void add_processes(struct ow_log_files *f)
{
	const struct ow_tables *t;
	struct ow_observer v;
	char why[256];
	uint32_t i;

	if (ow_observer_open(&v, why, sizeof(why)) != 0)
		return; /* there is no domain: its files are there still */
	t = v.d.tables;
	for (i = ow_srv_next(t, 1); i != 0; i = ow_srv_next(t, i + 1))
		if (ow_srv_alive(t, i) && ow_observer_srvid(&v, i) == i)
			add_process(f, atomic_load(&t->srv[i].pid));
	for (i = 0; i < ow_observer_clients(&v); i++)
		if (ow_observer_client(&v, i) && t->clt[i].srvid == 0)
			add_process(f, ow_proc_id_pid(
					   atomic_load(&t->clt[i].owner)));
	ow_observer_close(&v);
}

/* ---- all of them ---- */

struct ow_log_files *ow_log_files_find(void)
{
	struct ow_log_files *f = calloc(1, sizeof(*f));
	const char *home = ow_env_str("NDRX_APPHOME", NULL);
	const char *ulog = ow_env_str("NDRX_ULOG", NULL);
	char path[PATH_MAX];

	if (f == NULL)
		return NULL;
	if (home != NULL && strlen(home) + 5 < sizeof(path)) {
		snprintf(path, sizeof(path), "%s/log", home);
		add_folder(f, path);
	}
	add_folder_of(f, ow_env_str("NDRX_DMNLOG", NULL));
	if (ulog != NULL)
		add_folder(f, ulog);
	add_folder_of(f, ow_env_str("ULOGPFX", NULL));
	add_processes(f);
	if (!f->failed)
		return f;
	ow_log_files_free(f);
	return NULL;
}

void ow_log_files_free(struct ow_log_files *f)
{
	size_t i;

	for (i = 0; f != NULL && i < f->n; i++)
		free(f->list[i].path);
	free(f);
}

size_t ow_log_files_count(const struct ow_log_files *f)
{
	return f->n;
}

bool ow_log_files_more(const struct ow_log_files *f)
{
	return f->more;
}

const char *ow_log_files_path(const struct ow_log_files *f, size_t i)
{
	return f->list[i].path;
}

FILE *ow_log_files_open(const struct ow_log_files *f, size_t i)
{
	int fd = open(f->list[i].path,
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *file = NULL;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		file = fdopen(fd, "r");
	if (file == NULL && fd >= 0)
		close(fd);
	return file;
}
