/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watermark.h - how much of another file is known to be on disk
 *
 * A file that is written at its end and synced may lose its last bytes in a
 * power cut: what was not synced. It must lose none that were. From the file
 * alone nobody can tell the two apart, nor an older copy of it from the newest.
 * So a small file beside it has the number of the last record that was synced.
 *
 * The watermark itself is written after each sync, and not synced: a killed
 * process leaves it exact; after a power cut it may be an older one, and says
 * less, never more. It is 32 bytes in one sector, which a disk writes whole or
 * not at all: one that is not whole is damaged. It is synced where it is made
 * and where watermark_sync() is called. Of one thread, or under a lock.
 */
#ifndef OW_WATERMARK_H
#define OW_WATERMARK_H

#include <stdint.h>

enum watermark_result {
	WATERMARK_MISSING = 1,
	WATERMARK_DAMAGED,
};

struct watermark {
	int fd;		 /* -1: it is not open */
	uint64_t id;	 /* of what it belongs to */
	uint64_t number; /* of the last record that is on disk */
};

/* Open `name` in `folder`: 0, MISSING, DAMAGED, -errno. */
int watermark_open(struct watermark *w, int folder, const char *name);
/* Make it anew, on disk, in the place of one that is there: 0 or -errno. */
int watermark_make(struct watermark *w, int folder, const char *name,
		   uint64_t id, uint64_t number);
/* The record `number` is on disk: 0 or -errno. */
int watermark_raise(struct watermark *w, uint64_t number);
/* What was raised is on disk itself: 0 or -errno. */
int watermark_sync(struct watermark *w);
void watermark_close(struct watermark *w);

#endif
