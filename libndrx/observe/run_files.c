/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_files.c - what servers write about themselves in the folder of the domain
 */
#include "libndrx/observe/run_files.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"

/* The number at the end; -1: it is a file that is being written. */
static long srvid_of(const char *path)
{
	char *end;
	long id = strtol(strrchr(path, '.') + 1, &end, 10);

	return *end == '\0' ? id : -1;
}

void ow_run_files_each(const struct ow_domain *d, const char *name,
		       void (*fn)(long srvid, FILE *f, void *arg), void *arg)
{
	char pattern[sizeof(d->run_dir) + 32];
	glob_t found = { 0 };
	FILE *f;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/%s.[0-9]*", d->run_dir, name);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (i = 0; i < found.gl_pathc; i++) {
			if (srvid_of(found.gl_pathv[i]) < 0 ||
			    ow_owned_fopen(found.gl_pathv[i], &f) != 0)
				continue;
			fn(srvid_of(found.gl_pathv[i]), f, arg);
			fclose(f);
		}
	}
	globfree(&found);
}
