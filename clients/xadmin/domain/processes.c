/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes.c - processes of this machine, as /proc shows them
 */
#include "clients/xadmin/domain/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/procfile.h"
#include "libatmi/base/masked.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libubf/base/cleanup.h"

#define ENVIRON_MAX 131072

/* Put blanks between the words; control characters become '?'. */
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
	    ow_procfile_read(pid, "status", status, sizeof(status)) < 0)
		return false;
	ret->ppid = (pid_t)ow_procfile_number(status, "\nPPid:");
	ret->uid = (uid_t)ow_procfile_number(status, "\nUid:");
	ret->vsz_kb = ow_procfile_number(status, "\nVmSize:");
	ret->rss_kb = ow_procfile_number(status, "\nVmRSS:");
	n = ow_procfile_read(pid, "cmdline", ret->cmdline, sizeof(ret->cmdline));
	if (n < 0)
		return false;
	take_name(ret, status); /* while the first word ends in NUL */
	if (strlen(ret->cmdline) + 1 < (size_t)n && ow_masked_words(pid))
		n = snprintf(ret->cmdline, sizeof(ret->cmdline), "%.255s %s",
			     ret->name, OW_MASKED);
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
			? -1 : ow_procfile_read(pid, "environ", env, ENVIRON_MAX);

	for (p = env; n > 0 && p < env + n; p += strlen(p) + 1) {
		if (strncmp(p, key, sizeof(key) - 1) != 0)
			continue;
		value = p + sizeof(key) - 1;
		return strcmp(value + (*value == '/'), prefix) == 0;
	}
	return false;
}

/* Is `at` the path of tables in `folder`? A folder that was removed has been
 * renamed to FOLDER.PID before, and the name of a removed file is followed by
 * " (deleted)". */
static bool is_tables(const char *at, const char *folder)
{
	size_t n = strlen(folder);

	if (strncmp(at, folder, n) != 0)
		return false;
	at += n;
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	return strncmp(at, "/tables", 7) == 0 &&
	       (at[7] == '\n' || at[7] == ' ');
}

bool ow_process_maps(pid_t pid, const struct ow_domain *d)
{
	char path[64], folder[160], line[1024], *at;
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;

	ow_domain_folder(d, folder, sizeof(folder));
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		at = strchr(line, '/');
		if (at != NULL && is_tables(at, folder))
			return true;
	}
	return false;
}

bool ow_process_is_of(const struct ow_process *p, const struct ow_domain *d)
{
	return ow_owned_by_us(p->uid) &&
	       (has_prefix(p->pid, d->prefix) || ow_process_maps(p->pid, d));
}
