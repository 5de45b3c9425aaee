/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpdir.h - a temporary folder of a test
 */
#ifndef OW_UBF_TEST_TMPDIR_H
#define OW_UBF_TEST_TMPDIR_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tmpdir {
	char path[64];
};

static inline int tmpdir_make(struct tmpdir *d)
{
	strcpy(d->path, "/tmp/ow-ubf-test-XXXXXX");
	return mkdtemp(d->path) == NULL ? -1 : 0;
}

static inline const char *tmpdir_file(const struct tmpdir *d, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", d->path, name);
	return path;
}

static inline int tmpdir_write(const struct tmpdir *d, const char *name,
			       const char *text)
{
	FILE *f = fopen(tmpdir_file(d, name), "w");

	if (f == NULL)
		return -1;
	fputs(text, f);
	return fclose(f);
}

/* It is made, with a field table that is the only one. */
static inline int tmpdir_fields(struct tmpdir *d, const char *table)
{
	if (tmpdir_make(d) < 0)
		return -1;
	setenv("FLDTBLDIR", d->path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	return tmpdir_write(d, "t.fd", table);
}

static inline int tmpdir_read(const struct tmpdir *d, const char *name,
			      char *to, size_t size)
{
	FILE *f = fopen(tmpdir_file(d, name), "r");
	size_t n;

	if (f == NULL)
		return -1;
	n = fread(to, 1, size - 1, f);
	to[n] = '\0';
	return fclose(f);
}

static inline void tmpdir_remove(const struct tmpdir *d)
{
	DIR *dir = opendir(d->path);
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] != '.')
			unlink(tmpdir_file(d, e->d_name));
	}
	if (dir != NULL)
		closedir(dir);
	rmdir(d->path);
}

#endif
