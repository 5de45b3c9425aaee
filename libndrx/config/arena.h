/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is freed all at once
 *
 * For the hundreds of small strings of a configuration, or of an import by
 * xadmin, which have one lifetime. Memory is zeroed and valid until the arena
 * is freed; NULL: out of memory. An all-zero struct is an empty arena. An arena
 * belongs to one thread.
 */
#ifndef OW_CONFIG_ARENA_H
#define OW_CONFIG_ARENA_H

#include <stddef.h>

struct ow_arena_chunk;

struct ow_arena {
	struct ow_arena_chunk *chunks; /* newest first */
};

void *ow_arena_alloc(struct ow_arena *arena, size_t size);
char *ow_arena_strndup(struct ow_arena *arena, const char *s, size_t len);
char *ow_arena_strdup(struct ow_arena *arena, const char *s);

/*
 * Make space for element `count` of an array that grows by this function only.
 * Returns the array, moved or not; the old one stays readable.
 */
void *ow_arena_push(struct ow_arena *arena, void *array, size_t count,
		    size_t size);

void ow_arena_free(struct ow_arena *arena);

#endif
