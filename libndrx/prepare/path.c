/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - find a program, as a shell does
 */
#include "libndrx/prepare/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	int err;
	enum ow_proc_state state;
} errno_states[] = {
	{ ENOENT, OW_PROC_NO_BINARY },	{ ENOTDIR, OW_PROC_NO_BINARY },
	{ EACCES, OW_PROC_NO_ACCESS },	{ EPERM, OW_PROC_NO_ACCESS },
	{ E2BIG, OW_PROC_ARGS },	{ EAGAIN, OW_PROC_LIMITS },
	{ ENOMEM, OW_PROC_LIMITS },	{ EMFILE, OW_PROC_LIMITS },
	{ ENFILE, OW_PROC_LIMITS },	{ ENOEXEC, OW_PROC_BAD_FILE },
	{ ELIBBAD, OW_PROC_BAD_FILE },	{ EISDIR, OW_PROC_BAD_FILE },
	{ EINVAL, OW_PROC_BAD_FILE },	{ ETXTBSY, OW_PROC_BAD_FILE },
};

enum ow_proc_state ow_path_state(int err)
{
	size_t i;

	for (i = 0; i < sizeof(errno_states) / sizeof(errno_states[0]); i++)
		if (errno_states[i].err == err)
			return errno_states[i].state;
	return OW_PROC_SYSTEM;
}

/* 0: the file can be executed; otherwise errno. */
static int try_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* As a shell does; a file that may not be executed is a better reason than
 * ENOENT. */
static int search_path(const char *name, const char *dirs, char *buf,
		       size_t size)
{
	int err, best = ENOENT;
	size_t n;

	for (; dirs != NULL; dirs = *dirs == ':' ? dirs + 1 : NULL) {
		n = strcspn(dirs, ":");
		if (snprintf(buf, size, "%.*s/%s", n == 0 ? 1 : (int)n,
			     n == 0 ? "." : dirs, name) < (int)size) {
			err = try_path(buf);
			if (err == 0)
				return 0;
			if (err != ENOENT && err != ENOTDIR)
				best = err;
		}
		dirs += n;
	}
	snprintf(buf, size, "%s", name);
	return best;
}

int ow_path_find(const char *name, const char *dirs, char *buf, size_t size)
{
	if (strchr(name, '/') == NULL)
		return search_path(name, dirs == NULL ? "/usr/bin:/bin" : dirs,
				   buf, size);
	if (snprintf(buf, size, "%s", name) >= (int)size)
		return ENOENT;
	return try_path(buf);
}
