/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_files.c - what servers write about themselves in the folder of the domain
 */
#include "libndrx/observe/run_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"

/* The number behind "NAME."; -1: another file, or one that is being written. */
static long srvid_of(const char *file, const char *name)
{
	size_t n = strlen(name);
	char *end;
	long id;

	if (strncmp(file, name, n) != 0 || file[n] != '.' ||
	    strspn(file + n + 1, "0123456789") == 0)
		return -1;
	id = strtol(file + n + 1, &end, 10);
	return *end == '\0' ? id : -1;
}

void ow_run_files_each(const struct ow_domain *d, const char *name,
		       void (*fn)(long srvid, FILE *f, void *arg), void *arg)
{
	char path[sizeof(d->run_dir) + 300];
	int i, n = d->run_dir[0] == '\0' ? 0 : -1;
	struct dirent **list = NULL;
	FILE *f;
	long id;

	if (n < 0)
		n = scandir(d->run_dir, &list, NULL, alphasort);
	for (i = 0; i < n; i++) {
		id = srvid_of(list[i]->d_name, name);
		snprintf(path, sizeof(path), "%s/%.255s", d->run_dir,
			 list[i]->d_name);
		if (id >= 0 && ow_owned_fopen(path, &f) == 0) {
			fn(id, f, arg);
			fclose(f);
		}
		free(list[i]);
	}
	free(list);
}
