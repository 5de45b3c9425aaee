/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmem.h - large memory of a thread, made when it is first used
 *
 * Texts of errors and their like. As __thread arrays they would make our
 * libraries too large for dlopen(): a library with one word of fast
 * (initial-exec) thread storage has all of it in an area of some 1,600 bytes
 * that is shared by all libraries loaded late.
 */
#ifndef OW_THREADMEM_H
#define OW_THREADMEM_H

#include <stddef.h>

#define OW_THREAD_MEMORY_MAX 1024

/* Zeroed memory of this thread, of at most OW_THREAD_MEMORY_MAX bytes; freed at
 * its end. `*at` is a thread-local pointer, NULL at first. Never NULL: without
 * memory it is a place that threads share. Keeps errno. */
void *ow_thread_memory(void **at, size_t size);

#endif
