/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tabfile.c - the text files of field tables and views
 */
#include "libubf/base/tabfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/uncancelled.h"

int ow_tabfile_open(struct ow_tabfile *f, const char *path)
{
	OW_UNCANCELLED;

	memset(f, 0, sizeof(*f));
	f->path = path;
	f->file = fopen(path, "re");
	return f->file == NULL ? -errno : 0;
}

void ow_tabfile_close(struct ow_tabfile *f)
{
	OW_UNCANCELLED;

	fclose(f->file);
	free(f->line);
	f->file = NULL;
	f->line = NULL;
}

int ow_tabfile_wrong(struct ow_tabfile *f, const char *fmt, ...)
{
	size_t room = sizeof(f->error), n;
	va_list ap;

	snprintf(f->error, room, "%.250s:%u: ", f->path, f->lineno);
	n = strlen(f->error);
	va_start(ap, fmt);
	vsnprintf(f->error + n, room - n, fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

int ow_tabfile_next(struct ow_tabfile *f)
{
	OW_UNCANCELLED;
	ssize_t n = getline(&f->line, &f->cap, f->file);

	if (n >= 0) {
		f->lineno++;
		if (memchr(f->line, '\0', (size_t)n) != NULL)
			return ow_tabfile_wrong(f, "a NUL byte: not a text "
						"file?");
		return 1;
	}
	if (ferror(f->file)) {
		ow_tabfile_wrong(f, "cannot be read: %s", strerror(errno));
		return -EIO;
	}
	return feof(f->file) ? 0 : -ENOMEM;
}

int ow_tabfile_is_name(const char *s, size_t max)
{
	const char *p;

	if (*s == '\0' || strnlen(s, max + 1) > max)
		return 0;
	for (p = s; *p != '\0'; p++) {
		if (!isalpha((unsigned char)*p) && *p != '_' &&
		    (p == s || !isdigit((unsigned char)*p)))
			return 0;
	}
	return 1;
}

int ow_tabfile_number(const char *s, long min, long max, long *ret)
{
	char *end;
	long n;

	if (s == NULL || !isdigit((unsigned char)*s))
		return -EBADMSG;
	errno = 0;
	n = strtol(s, &end, 10);
	if (*end != '\0' || errno != 0 || n < min || n > max)
		return -EBADMSG;
	*ret = n;
	return 0;
}

/* The path of a file in a colon-separated list of folders: malloc'ed, or NULL
 * if no folder has it. 0 or -ENOMEM. */
static int locate(const char *dirs, const char *name, char **ret_path)
{
	const char *dir = dirs, *end;
	char *path;

	*ret_path = NULL;
	for (; dir != NULL; dir = *end == ':' ? end + 1 : NULL) {
		end = strchrnul(dir, ':');
		if (end == dir)
			continue;
		if (asprintf(&path, "%.*s/%s", (int)(end - dir), dir,
			     name) < 0)
			return -ENOMEM;
		if (access(path, F_OK) == 0) {
			*ret_path = path;
			return 0;
		}
		free(path);
	}
	return 0;
}

/* Programs for FML32 set variables of the same names with 32 at the end; those
 * without 32 are used first. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);
	char longer[64];

	if (value != NULL)
		return value;
	snprintf(longer, sizeof(longer), "%s32", name);
	return getenv(longer);
}

int ow_tabfile_each(const struct ow_tabfile_list *l, void *ctx, char *error)
{
	OW_UNCANCELLED;
	const char *dirs = variable(l->dirs_var);
	const char *list = variable(l->names_var);
	OW_CLEANUP(ow_cleanup_freep) char *names = NULL;
	char *save = NULL, *name;
	int r = 0;

	if (dirs == NULL || list == NULL) {
		snprintf(error, OW_TABFILE_ERROR_MAX, "%s is not set",
			 dirs == NULL ? l->dirs_var : l->names_var);
		return -ENOENT;
	}
	names = strdup(list);
	if (names == NULL)
		return -ENOMEM;
	for (name = strtok_r(names, ", \t", &save); name != NULL && r == 0;
	     name = strtok_r(NULL, ", \t", &save)) {
		OW_CLEANUP(ow_cleanup_freep) char *path = NULL;

		r = locate(dirs, name, &path);
		if (r == 0)
			r = l->take(ctx, name, path);
	}
	return r;
}
