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
#include "libubf/base/variable.h"

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

/* Folders where no variable names any. */
#define HERE "."

/* The path of a file in a colon-separated list of folders, or of a name that is
 * a path: malloc'ed, or NULL if there is no such file. 0 or -ENOMEM. */
static int locate(const char *dirs, const char *name, char **ret_path)
{
	const char *dir = dirs, *end;
	char *path;

	*ret_path = NULL;
	if (*name == '/') {
		if (access(name, F_OK) < 0)
			return 0;
		*ret_path = strdup(name);
		return *ret_path == NULL ? -ENOMEM : 0;
	}
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

/* The variable that programs for FML32 set. */
static const char *variable32(const char *name)
{
	char longer[64];

	snprintf(longer, sizeof(longer), "%s32", name);
	return ow_variable(longer);
}

/* One list of names and its folders. */
struct family {
	const char *dirs, *names;
};

static int is_named(const struct family *f, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) char *names = strdup(f->names);
	char *save = NULL, *name;
	int r = 0;

	if (names == NULL)
		return -ENOMEM;
	for (name = strtok_r(names, ", \t", &save); name != NULL && r == 0;
	     name = strtok_r(NULL, ", \t", &save)) {
		OW_CLEANUP(ow_cleanup_freep) char *other = NULL;

		r = locate(f->dirs, name, &other);
		if (r == 0)
			r = other != NULL && strcmp(other, path) == 0;
	}
	return r;
}

/* `first`: the family whose files are taken already, or NULL. */
static int take_names(const struct ow_tabfile_list *l, void *ctx,
		      const struct family *f, const struct family *first)
{
	OW_CLEANUP(ow_cleanup_freep) char *names = strdup(f->names);
	char *save = NULL, *name;
	int r = 0;

	if (names == NULL)
		return -ENOMEM;
	for (name = strtok_r(names, ", \t", &save); name != NULL && r >= 0;
	     name = strtok_r(NULL, ", \t", &save)) {
		OW_CLEANUP(ow_cleanup_freep) char *path = NULL;

		r = locate(f->dirs, name, &path);
		if (r == 0 && first != NULL && path != NULL)
			r = is_named(first, path);
		if (r == 0)
			r = l->take(ctx, &(struct ow_tabfile_name){
				.name = name, .path = path,
				.is_second = first != NULL });
	}
	return r < 0 ? r : 0;
}

static int take_default(const struct ow_tabfile_list *l, void *ctx,
			const char *dirs, char *error)
{
	OW_CLEANUP(ow_cleanup_freep) char *path = NULL;
	const char *name = l->default_name;
	int r = name == NULL ? 0 : locate(dirs, name, &path);

	if (r < 0)
		return r;
	if (path != NULL)
		return l->take(ctx, &(struct ow_tabfile_name){
			.name = name, .path = path });
	snprintf(error, OW_TABFILE_ERROR_MAX, "%s is not set%s%s%s",
		 l->names_var, name == NULL ? "" : ", and there is no ",
		 name == NULL ? "" : name,
		 name == NULL ? "" : " either");
	return -ENOENT;
}

int ow_tabfile_each(const struct ow_tabfile_list *l, void *ctx, char *error)
{
	OW_UNCANCELLED;
	const char *dirs = ow_variable(l->dirs_var);
	const char *dirs32 = variable32(l->dirs_var);
	struct family f = { .names = ow_variable(l->names_var) };
	struct family f32 = { .names = variable32(l->names_var) };
	int r = 0;

	f.dirs = dirs != NULL ? dirs : dirs32 != NULL ? dirs32 : HERE;
	f32.dirs = dirs32 != NULL ? dirs32 : f.dirs;
	if (f.names == NULL && f32.names == NULL)
		return take_default(l, ctx, f.dirs, error);
	if (f.names != NULL)
		r = take_names(l, ctx, &f, NULL);
	if (r == 0 && f32.names != NULL)
		r = take_names(l, ctx, &f32, f.names == NULL ? NULL : &f);
	return r;
}
