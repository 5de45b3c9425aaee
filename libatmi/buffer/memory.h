/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - where a typed buffer lies: on the heap or in a block
 *
 * A server on shm makes large buffers in blocks, so that it can send them
 * without copying. For the files of this folder alone.
 */
#ifndef OW_BUF_MEMORY_H
#define OW_BUF_MEMORY_H

#include "libatmi/buffer/registry.h"
#include "libatmi/buffer/types.h"

/* Make large buffers in blocks of this store from now on; NULL: on the
 * heap. */
void ow_mem_set_store(struct ow_blocks *blocks);

/* A descriptor without contents, for a buffer in a block; NULL: no memory. */
struct ow_buf *ow_mem_descriptor(void);

/* A registered buffer of at least `size` bytes without contents. NULL: no
 * memory. */
struct ow_buf *ow_mem_new(enum ow_buf_type type, size_t size);

/* Has the buffer room for `size` bytes where it lies? It has then, whatever
 * else is allocated. */
bool ow_mem_has_room(struct ow_buf *b, size_t size);
/* `b`, which is not registered, with room for `size` bytes, perhaps in
 * another place. Its contents and b->size stay. NULL: no memory, `b` is
 * unchanged. */
struct ow_buf *ow_mem_move(struct ow_buf *b, size_t size);

/* Free a buffer that is not registered; NULL: nothing. A lent block, or a
 * block of the parent process, is not freed. */
void ow_mem_free(struct ow_buf *b);

#endif
