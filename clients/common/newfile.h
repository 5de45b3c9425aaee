/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newfile.h - write a file under a temporary name, then rename it
 *
 * Readers find the old file or the complete new one, never a part; on failure
 * the old file stays as it was.
 */
#ifndef OW_NEWFILE_H
#define OW_NEWFILE_H

#include <stdio.h>

/* All zero: no file. */
struct ow_newfile {
	FILE *file; /* to write to */
	char *path, *tmp;
};

/* Create the temporary file beside `path`: 0 or -errno. */
int ow_newfile_open(struct ow_newfile *f, const char *path);
/* Close it when everything is written: 0 or -errno. */
int ow_newfile_close(struct ow_newfile *f);
/* Rename the closed file to `path`: 0 or -errno. */
int ow_newfile_publish(struct ow_newfile *f);
/* Free all; a file that was not published is removed. */
void ow_newfile_drop(struct ow_newfile *f);

#endif
