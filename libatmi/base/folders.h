/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folders.h - folders whose names are on disk
 *
 * A file in a new folder is there after a power cut only if the name of the
 * folder is: the folder above is synced, too, for each that was made.
 */
#ifndef OW_FOLDERS_H
#define OW_FOLDERS_H

#include <sys/types.h>

/* Have the folder, and those above it, and what was made on disk: 0 or
 * -errno. */
int ow_folders_make(const char *path, mode_t mode);
/* What was made, renamed or removed in it is on disk: 0 or -errno. */
int ow_folders_sync(const char *path);

#endif
