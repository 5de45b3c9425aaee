/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newfile.c - write a file under a temporary name, then rename it
 */
#include "clients/common/newfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ow_newfile_open(struct ow_newfile *f, const char *path)
{
	memset(f, 0, sizeof(*f));
	f->path = strdup(path);
	if (f->path == NULL)
		return -ENOMEM;
	if (asprintf(&f->tmp, "%s.tmp%ld", path, (long)getpid()) < 0) {
		f->tmp = NULL;
		return -ENOMEM;
	}
	f->file = fopen(f->tmp, "we");
	return f->file == NULL ? -errno : 0;
}

int ow_newfile_close(struct ow_newfile *f)
{
	int failed = ferror(f->file), r;

	r = fclose(f->file) != 0 ? -errno : 0;
	f->file = NULL;
	return failed && r == 0 ? -EIO : r;
}

int ow_newfile_publish(struct ow_newfile *f)
{
	if (rename(f->tmp, f->path) < 0)
		return -errno;
	free(f->tmp);
	f->tmp = NULL;
	return 0;
}

void ow_newfile_drop(struct ow_newfile *f)
{
	if (f->file != NULL)
		fclose(f->file);
	if (f->tmp != NULL)
		unlink(f->tmp);
	free(f->tmp);
	free(f->path);
	memset(f, 0, sizeof(*f));
}
