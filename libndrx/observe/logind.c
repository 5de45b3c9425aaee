/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logind.c - will systemd-logind remove a user's shared memory at logout?
 */
#include "libndrx/observe/logind.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "libubf/base/cleanup.h"

#define SYSTEM_UIDS 1000 /* lower ones are spared */

static bool is_there(const char *root, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return access(full, F_OK) == 0;
}

/* The value of RemoveIPC in a file: 1 yes, 0 no, -1 not set. */
static int setting_of(const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	char line[512], value[16];
	int set = -1;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, " RemoveIPC = %15s", value) == 1)
			set = strcasecmp(value, "no") != 0 &&
			      strcasecmp(value, "false") != 0 &&
			      strcasecmp(value, "off") != 0 &&
			      strcmp(value, "0") != 0;
	return set;
}

/* The last value set in the files of a pattern; -1: none. */
static int setting_in(const char *root, const char *pattern)
{
	char full[512];
	int one, set = -1;
	glob_t g;
	size_t i;

	snprintf(full, sizeof(full), "%s%s", root, pattern);
	if (glob(full, 0, NULL, &g) != 0)
		return -1;
	for (i = 0; i < g.gl_pathc; i++) {
		one = setting_of(g.gl_pathv[i]);
		set = one >= 0 ? one : set;
	}
	globfree(&g);
	return set;
}

bool ow_logind_removes_ipc(const char *root, uid_t uid, const char *user)
{
	static const char *const files[] = {
		"/etc/systemd/logind.conf.d/*.conf",
		"/run/systemd/logind.conf.d/*.conf",
		"/usr/lib/systemd/logind.conf.d/*.conf",
		"/etc/systemd/logind.conf",
		"/usr/lib/systemd/logind.conf",
	};
	char linger[300];
	int set = -1;
	size_t i;

	snprintf(linger, sizeof(linger), "/var/lib/systemd/linger/%.200s",
		 user);
	if (uid < SYSTEM_UIDS || !is_there(root, "/run/systemd/system") ||
	    !is_there(root, "/run/systemd/seats") ||
	    is_there(root, linger))
		return false;
	for (i = 0; i < sizeof(files) / sizeof(files[0]) && set < 0; i++)
		set = setting_in(root, files[i]);
	return set != 0;
}
