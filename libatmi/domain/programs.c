/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.c - the client programs that ndrxd has started, found in /proc
 */
#include "libatmi/domain/programs.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/proc.h"
#include "libubf/base/cleanup.h"

enum { PREFIX, PID, TAG, SUBSECT, VARIABLES };

static const char *const names[VARIABLES] = {
	[PREFIX] = "NDRX_QPREFIX=",
	[PID] = OW_PROGRAM_PID "=",
	[TAG] = "NDRX_CLTTAG=",
	[SUBSECT] = "NDRX_CLTSUBSECT=",
};

/* Processes inside execve() are waited for so long in one search. */
#define LOADING_NS (2 * OW_NS_PER_SEC)

struct program {
	char *value[VARIABLES];
};

static void clear(struct program *p)
{
	for (int i = 0; i < VARIABLES; i++)
		free(p->value[i]);
}

/* Keep a variable; as with getenv(), the first of a name counts. */
static void keep_variable(struct program *p, const char *entry)
{
	for (int i = 0; i < VARIABLES; i++) {
		size_t n = strlen(names[i]);

		if (p->value[i] == NULL && strncmp(entry, names[i], n) == 0)
			p->value[i] = strdup(entry + n);
	}
}

/* Read the environment of a process of this user: the number of variables.
 * Root can read every environment, and anybody can put these variables into
 * his own. */
static int read_environment(pid_t pid, struct program *p)
{
	struct stat st;
	char path[64];
	OW_CLEANUP(ow_cleanup_freep) char *entry = NULL;
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	size_t size = 0;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	if (f == NULL || fstat(fileno(f), &st) < 0 ||
	    !ow_owned_by_us(st.st_uid))
		return 0;
	for (; getdelim(&entry, &size, '\0', f) > 0; n++)
		keep_variable(p, entry);
	return n;
}

/* False: the process is gone or another user's, a variable is missing, or
 * there is no memory. A process that ndrxd has just started may not have its
 * environment yet: it is waited for until `end`. */
static bool read_program(pid_t pid, struct program *p, uint64_t end)
{
	const struct timespec pause = { .tv_nsec = 1000 * 1000 };

	while (read_environment(pid, p) == 0 && ow_proc_loading(pid) &&
	       ow_clock_mono_ns() < end)
		nanosleep(&pause, NULL);
	for (int i = 0; i < VARIABLES; i++)
		if (p->value[i] == NULL)
			return false;
	return true;
}

void ow_programs_each(const char *prefix,
		      void (*found)(void *arg, pid_t pid, const char *tag,
				    const char *subsect),
		      void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	uint64_t end = ow_clock_mono_ns() + LOADING_NS;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		OW_CLEANUP(clear) struct program p = { .value = { NULL } };
		pid_t pid = (pid_t)atoi(e->d_name);

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !ow_proc_is_near(pid) ||
		    !read_program(pid, &p, end) ||
		    atol(p.value[PID]) != pid)
			continue;
		if (strcmp(p.value[PREFIX] + (*p.value[PREFIX] == '/'),
			   prefix) == 0)
			found(arg, pid, p.value[TAG], p.value[SUBSECT]);
	}
	if (dir != NULL)
		closedir(dir);
}
