/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin.c - client programs of the domain, found in /proc
 */
#include "libatmi/domain/kin.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"

enum { PREFIX, PID, TAG, SUBSECT, WORDS };

static const char *const names[WORDS] = {
	[PREFIX] = "NDRX_QPREFIX=",
	[PID] = OW_KIN_PID "=",
	[TAG] = "NDRX_CLTTAG=",
	[SUBSECT] = "NDRX_CLTSUBSECT=",
};

struct kin {
	char *value[WORDS];
};

static void clear(struct kin *k)
{
	for (int i = 0; i < WORDS; i++)
		free(k->value[i]);
}

/* As getenv() would, the first of a name counts. */
static void take(struct kin *k, const char *entry)
{
	for (int i = 0; i < WORDS; i++) {
		size_t n = strlen(names[i]);

		if (k->value[i] == NULL && strncmp(entry, names[i], n) == 0)
			k->value[i] = strdup(entry + n);
	}
}

/* False: gone, of another user, without one of the names, or no memory. */
static bool read_kin(pid_t pid, struct kin *k)
{
	char path[64];
	OW_CLEANUP(ow_cleanup_freep) char *entry = NULL;
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	size_t size = 0;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && getdelim(&entry, &size, '\0', f) > 0)
		take(k, entry);
	for (int i = 0; i < WORDS; i++)
		if (k->value[i] == NULL)
			return false;
	return true;
}

void ow_kin_each(const char *prefix,
		 void (*found)(void *arg, pid_t pid, const char *tag,
			       const char *subsect),
		 void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		OW_CLEANUP(clear) struct kin k = { .value = { NULL } };
		pid_t pid = (pid_t)atoi(e->d_name);

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !read_kin(pid, &k) || atol(k.value[PID]) != pid)
			continue;
		if (strcmp(k.value[PREFIX] + (*k.value[PREFIX] == '/'),
			   prefix) == 0)
			found(arg, pid, k.value[TAG], k.value[SUBSECT]);
	}
	if (dir != NULL)
		closedir(dir);
}
