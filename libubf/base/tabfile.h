/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tabfile.h - text files that describe: field tables and view files
 *
 * What both have in common: where they are looked for, lines with numbers,
 * words on a line, and messages "file:line: what is wrong".
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

/* 0 or -errno of fopen. Close it in any case of success. */
int ow_tabfile_open(struct ow_tabfile *f, const char *path);
void ow_tabfile_close(struct ow_tabfile *f);
/* The next line: 1 and f->line, with its newline; 0 the end; -EBADMSG, -EIO
 * (f->error says what), -ENOMEM. */
int ow_tabfile_next(struct ow_tabfile *f);
/* Set f->error; returns -EBADMSG. */
int __attribute__((format(printf, 2, 3)))
ow_tabfile_wrong(struct ow_tabfile *f, const char *fmt, ...);

/* Letters, digits and _, no digit first, 1 to `max` bytes. */
int ow_tabfile_is_name(const char *s, size_t max);
/* Decimal digits only, in min..max: 0 or -EBADMSG. NULL is no number. */
int ow_tabfile_number(const char *s, long min, long max, long *ret);

/* The files that two variables name: a list of names (commas, blanks) and a
 * list of folders (colons). Where one is not set, the one with 32 behind it
 * is good enough. */
struct ow_tabfile_list {
	const char *dirs_var, *names_var;
	/* For each name, with NULL when no folder has it. 0 or -errno. */
	int (*take)(void *ctx, const char *name, const char *path);
};
/* Walk the list until `take` fails: 0; its result; -ENOENT (`error`, of
 * OW_TABFILE_ERROR_MAX bytes, says which variable is not set); -ENOMEM. */
int ow_tabfile_each(const struct ow_tabfile_list *l, void *ctx, char *error);

#endif
