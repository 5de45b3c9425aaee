/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - a report: files in one file, as tar and gzip have it
 *
 * `tar tzf FILE` lists it on any machine. Names are short and plain.
 */
#ifndef OW_BB_ARCHIVE_H
#define OW_BB_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#define OW_BB_MEMBER "blackbox" /* its black box */

struct ow_bb_archive;
struct ow_bb_file;

/* A new file, mode 0600. 0; -EEXIST; -errno. */
int ow_bb_archive_make(const char *path, struct ow_bb_archive **ret);
/* Add a file: its name (up to 99 bytes) and contents. 0 or -errno. */
int ow_bb_archive_add(struct ow_bb_archive *a, const char *name,
		      const void *bytes, size_t n);
/* The same in pieces: the size first, then the pieces, which fill it. */
int ow_bb_archive_begin(struct ow_bb_archive *a, const char *name,
			uint64_t size);
int ow_bb_archive_more(struct ow_bb_archive *a, const void *bytes, size_t n);
/* End it, synced: 0 or -errno, and the file is not good. */
int ow_bb_archive_close(struct ow_bb_archive *a);

/* The black box in a report: 0, or a negative errno with `why`. */
int ow_bb_open_report(const char *path, struct ow_bb_file **ret, char *why,
		      size_t size);

#endif
