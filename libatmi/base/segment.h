/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment.h - files of shared memory: created whole, written without SIGBUS
 *
 * A segment is built under a private name and renamed when it is complete: no process ever sees a half-made one, and of two makers one wins.
 * Pages are reserved before they are first written: a full file system is an
 * error here and never a SIGBUS later.
 */
#ifndef OW_SEGMENT_H
#define OW_SEGMENT_H

#include <pthread.h>
#include <stdint.h>

/* Make `path`. `build(fd, arg)` fills it; a result other than 0 is returned
 * unchanged. 0, also when another process was faster; -ENOSPC; -errno. */
int ow_segment_create(const char *path, int (*build)(int, const void *),
		      const void *arg);
/* Give a file that is being built its size: 0; -EFBIG: this process may have no
 * file as large (ulimit -f); -errno. */
int ow_segment_size(int fd, uint64_t size);
/* Reserve memory for [off, off + len) of the file: 0, -ENOSPC, -errno. */
int ow_segment_reserve(int fd, uint64_t off, uint64_t len);
/* fallocate(), at which no thread is cancelled (uncancelled.h). */
int ow_segment_fallocate(int fd, int mode, uint64_t off, uint64_t len);
/* Initialise a mutex that processes share and that survives its holder. */
void ow_segment_init_lock(pthread_mutex_t *m);

#endif
