/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folders.c - folders whose names are on disk
 */
#include "libatmi/base/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ow_folders_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = fsync(fd) != 0 ? -errno : 0;
	close(fd);
	return r;
}

/* The folder that holds `path`, whose last part begins at `at`. */
static int sync_above(const char *path, size_t at)
{
	char above[4096];

	if (at == 0)
		return ow_folders_sync(".");
	memcpy(above, path, at);
	above[at] = '\0';
	return ow_folders_sync(above);
}

int ow_folders_make(const char *path, mode_t mode)
{
	char part[4096];
	size_t at = 0, end, len = strlen(path);
	int r = 0;

	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	while (r == 0 && at < len) {
		while (path[at] == '/')
			at++;
		end = at + strcspn(path + at, "/");
		if (end == at)
			break;
		memcpy(part, path, end);
		part[end] = '\0';
		if (mkdir(part, mode) == 0)
			r = sync_above(path, at);
		else if (errno != EEXIST)
			r = -errno;
		at = end;
	}
	return r;
}
