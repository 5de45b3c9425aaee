/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment.h - files of shared memory: made whole, filled without SIGBUS
 *
 * A segment is built under a private name and linked into place when it is
 * complete: nobody ever sees a half-made one, and of two makers one wins.
 * Pages are reserved before they are first written, so that a full file
 * system is an error here and never a SIGBUS later.
 */
#ifndef OW_SEGMENT_H
#define OW_SEGMENT_H

#include <pthread.h>
#include <stdint.h>

/* Make `path`, filled by `build(fd, arg)`, whose result is passed on. 0 also
 * when somebody else was quicker; -ENOSPC, -errno. */
int ow_segment_create(const char *path, int (*build)(int, const void *),
		      const void *arg);
/* Give [off, off + len) of the file its memory: 0, -ENOSPC, -errno. */
int ow_segment_reserve(int fd, uint64_t off, uint64_t len);
/* A mutex that processes share and that survives its holder's death. */
void ow_segment_init_lock(pthread_mutex_t *m);

#endif
