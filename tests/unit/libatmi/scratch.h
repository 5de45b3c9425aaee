/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scratch.h - a folder for one test program, removed with what is in it
 *
 * The folder goes at exit(), and so after a failed assertion too.
 */
#ifndef OW_TEST_SCRATCH_H
#define OW_TEST_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_dir[64] = "/tmp/ow-test-XXXXXX";
static pid_t scratch_owner;

static inline int scratch_remove_one(const char *path, const struct stat *st,
				     int kind, struct FTW *ftw)
{
	return remove(path);
}

static inline void scratch_remove(void)
{
	if (getpid() == scratch_owner) /* not in a child that exits */
		nftw(scratch_dir, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void scratch_make(void)
{
	/* As domains do: a disk would read ahead in large sparse files. */
	if (access("/dev/shm", W_OK) == 0)
		strcpy(scratch_dir, "/dev/shm/ow-test-XXXXXX");
	if (mkdtemp(scratch_dir) == NULL)
		abort();
	scratch_owner = getpid();
	atexit(scratch_remove);
}

/* A path in the folder; valid until the call after the next three. */
static inline const char *scratch_path(const char *name)
{
	static char paths[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", scratch_dir, name);
	return paths[turn];
}

/* The file's text, to free(); "" if there is none. */
static inline char *scratch_read(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *fp = fopen(path, "re");

	if (text == NULL)
		abort();
	if (fp != NULL) {
		text[fread(text, 1, (1 << 20) - 1, fp)] = '\0';
		fclose(fp);
	}
	return text;
}

static inline void scratch_write(const char *path, const char *text)
{
	FILE *fp = fopen(path, "we");

	if (fp == NULL || fputs(text, fp) < 0 || fclose(fp) != 0)
		abort();
}

/* The program's only view file, and the variables that name it. */
static inline void scratch_views(const char *text)
{
	scratch_make();
	scratch_write(scratch_path("t.v"), text);
	setenv("VIEWDIR", scratch_dir, 1);
	setenv("VIEWFILES", "t.v", 1);
}

#endif
