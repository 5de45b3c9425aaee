/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tabfile.h - the text files of field tables and views
 *
 * Shared by both: the search in folders, numbered lines, names and numbers, and
 * messages "file:line: what is wrong".
 */
#ifndef OW_UBF_TABFILE_H
#define OW_UBF_TABFILE_H

#include <stddef.h>
#include <stdio.h>

#define OW_TABFILE_ERROR_MAX 512
#define OW_TABFILE_BLANKS " \t\r\n"

struct ow_tabfile {
	FILE *file;
	const char *path;	/* the caller's, for messages */
	char *line;
	size_t cap;
	unsigned int lineno;
	char error[OW_TABFILE_ERROR_MAX];
};

/* 0 or -errno of fopen. After 0, close it. */
int ow_tabfile_open(struct ow_tabfile *f, const char *path);
void ow_tabfile_close(struct ow_tabfile *f);
/* Read the next line: 1 (f->line, with its newline), 0 the end, -EBADMSG or
 * -EIO (f->error says why), -ENOMEM. */
int ow_tabfile_next(struct ow_tabfile *f);
/* Set f->error; returns -EBADMSG. */
int __attribute__((format(printf, 2, 3)))
ow_tabfile_wrong(struct ow_tabfile *f, const char *fmt, ...);

/* Whether s is 1 to `max` letters, digits and _, no digit first. */
int ow_tabfile_is_name(const char *s, size_t max);
/* Read a number of decimal digits in min..max: 0 or -EBADMSG. NULL is no
 * number. */
int ow_tabfile_number(const char *s, long min, long max, long *ret);

/* A file that the variables name. */
struct ow_tabfile_name {
	const char *name;
	const char *path;	/* NULL: no folder has it */
	int is_second;		/* FML32's variable names it, and both are set */
};

/* The files that two environment variables name: a list of names (commas,
 * blanks) and a list of folders (colons; not set: the current folder). A name
 * that begins with / is a path. FML32 has variables of its own, whose names end
 * in 32: their files come second. If only one variable for folders is set, it
 * is that of both lists. */
struct ow_tabfile_list {
	const char *dirs_var, *names_var;
	/* The file if no variable names any, or NULL: there is none then. */
	const char *default_name;
	int (*take)(void *ctx, const struct ow_tabfile_name *name);
};
/* Call `take` for each name until it fails: 0, its result, -ENOMEM, or -ENOENT
 * (no variable names a file, and no folder has the default one: `error`, of
 * OW_TABFILE_ERROR_MAX bytes, says so). A file that both lists name is taken
 * once. */
int ow_tabfile_each(const struct ow_tabfile_list *l, void *ctx, char *error);

#endif
