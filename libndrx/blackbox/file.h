/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - the file of the black box: records in segments, the oldest replaced
 *
 *	head (4 KiB) | segment (256 KiB) | segment | ...
 *
 * Segment n (counted for ever, from 1) lies in place (n - 1) % places, so it replaces the
 * segment `places` before it. A record does not cross the end of its segment.
 * It begins with struct ow_bb_head, at a multiple of 16 bytes; the first record
 * of a segment is whole (OW_BB_WHOLE), so each segment can be read alone. The
 * file grows as it is written; there is no word that says where the end is. A
 * segment is of one run of the wall clock: when that is set back, the next one
 * begins.
 *
 * Who writes: one process, which has a lock on the file; with pwrite(), so that
 * a full disk is an error and not a SIGBUS. Others map it, and need no help.
 *
 * What a crash leaves
 *   of the writer, in a record    its beginning, or nothing: the CRC of its
 *				   head or of its contents is wrong. It is the
 *				   last one, is dropped and told; the next
 *				   writer writes over it, with OW_BB_TORN.
 *   of the machine		   what was synced (each tenth record) is there. Of the
 *				   rest any part may be missing: such records
 *				   are dropped as damaged ones.
 *   a byte that changed later	   that record is dropped, and those after it
 *				   that build on it, to the next whole one (60
 *				   s at most). Records have numbers without
 *				   gaps, so the reader knows how many it lost.
 * What is left of an older segment behind the end of a new one is known by the
 * number of its segment.
 */
#ifndef OW_BB_FILE_H
#define OW_BB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libndrx/blackbox/layout.h"

#define OW_BB_MIB_MIN 2u
#define OW_BB_MIB	 256u /* the default */
#define OW_BB_MIB_MAX 65536u

/* What stands in the head of the file, for people and reports. */
struct ow_bb_about {
	uint32_t version, places;
	uint64_t begun_ns; /* wall clock */
	char prefix[48], host[72];
};

/* ---- writing ---- */

struct ow_bb_writer;

/* Open or make it, of `mib` MiB at most. 0; -EBUSY: another process writes;
 * -errno. A file of another size, version or domain, or with a damaged head, is kept as
 * PATH.old, in the place of the one before. */
int ow_bb_writer_open(const char *path, uint32_t mib, const char *prefix,
		      struct ow_bb_writer **ret);
struct ow_bb_writer *ow_bb_writer_close(struct ow_bb_writer *w);

enum ow_bb_append {
	OW_BB_APPENDED = 0,
	OW_BB_SEGMENT_FULL = 1, /* a whole record is wanted, and a new segment
				   begins */
	OW_BB_TOO_LONG = 2, /* longer than a segment */
};

/* So far back is a step of the wall clock, and no hair's breadth. */
#define OW_BB_BACK_NS UINT64_C(2000000000)

/* Append a record; flags, times, raw, len of *h are the caller's. Must begin
 * with a whole one. OW_BB_*; -errno, and nothing was written. */
int ow_bb_append(struct ow_bb_writer *w, struct ow_bb_head *h,
		 const void *contents);
/* Time (wall clock) of the last record, 0: none. */
uint64_t ow_bb_writer_last(const struct ow_bb_writer *w);
/* The same by CLOCK_MONOTONIC, perhaps of an earlier boot. */
uint64_t ow_bb_writer_last_mono(const struct ow_bb_writer *w);
/* Was there another file, which is PATH.old now? */
bool ow_bb_writer_replaced(const struct ow_bb_writer *w);
/* Was half a record found at the end? */
bool ow_bb_writer_torn(const struct ow_bb_writer *w);
int ow_bb_sync(struct ow_bb_writer *w);

/* ---- reading ---- */

struct ow_bb_file;

struct ow_bb_record {
	struct ow_bb_head head;
	const unsigned char *contents;
};

/* Map it: 0, -errno; -EBADMSG: it is none, or of another version. */
int ow_bb_open(const char *path, struct ow_bb_file **ret);
/* The same for an open file, which becomes the result's. */
int ow_bb_open_fd(int fd, struct ow_bb_file **ret);
struct ow_bb_file *ow_bb_close(struct ow_bb_file *f);
/* See what was written since. 0 or -errno. */
int ow_bb_refresh(struct ow_bb_file *f);
void ow_bb_about(const struct ow_bb_file *f, struct ow_bb_about *ret);

/* A place between records. */
struct ow_bb_place {
	size_t segment, at;
};

/* The place before the last whole record that is not later than `real_ns`; of
 * the first one, if all are later. A time that came twice, because the clock was
 * set back, is the second one. */
struct ow_bb_place ow_bb_seek(const struct ow_bb_file *f, uint64_t real_ns);
/* To the next segment behind this place that begins not later than `real_ns`:
 * false, there is none. */
bool ow_bb_skip(const struct ow_bb_file *f, struct ow_bb_place *at,
		uint64_t real_ns);
/* The earliest time of a segment; 0: there is none. */
uint64_t ow_bb_earliest(const struct ow_bb_file *f);
/* The next good record: true. False: the end. Skips what is damaged; numbers
 * have a gap then. The contents are valid until ow_bb_refresh(). */
bool ow_bb_next(const struct ow_bb_file *f, struct ow_bb_place *at,
		struct ow_bb_record *ret);
/* Is there half a record at the end? */
bool ow_bb_is_torn(const struct ow_bb_file *f);

#endif
