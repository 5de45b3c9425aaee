/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapped.h - how much of the data base counts as memory of this process
 *
 * LMDB reads its file through a map, and the kernel counts what was read there
 * as memory of the process: <rssmax> looks at it, and so does whoever ends
 * processes when memory is short. One page fault maps from 4 KB to 2 MB (a
 * window) around the page, as the cache of the kernel has it. So what is read is
 * counted by windows, and the oldest one is given back when there are
 * MAPPED_WINDOWS. The page under a record that is written cannot be known; such
 * pages, with their neighbours some 100 KB each, are given back with all others
 * after MAPPED_WRITES.
 *
 * What was given back is mapped again when it is read: records that callers still
 * look at stay what they are. One thread uses it, that of the store.
 */
#ifndef OW_TMQUEUE_MAPPED_H
#define OW_TMQUEUE_MAPPED_H

#include <stddef.h>

#define MAPPED_WINDOW  ((size_t)2 << 20)
#define MAPPED_WINDOWS 32
#define MAPPED_WRITES  512

struct mapped {
	char *from; /* the map; NULL: not known, and nothing is given back */
	size_t size;
	unsigned int oldest, writes;
	char *window[MAPPED_WINDOWS]; /* the beginnings; NULL: none */
};

/* The map of the file `fd` was made: look where it is, `size` bytes. */
void mapped_begin(struct mapped *m, int fd, size_t size);
/* It moves, or ends: before that. */
void mapped_end(struct mapped *m);

/* A record was read, which may lie outside of the map, too. */
void mapped_read(struct mapped *m, const void *data, size_t len);
/* One was written, anywhere. */
void mapped_written(struct mapped *m);

#endif
