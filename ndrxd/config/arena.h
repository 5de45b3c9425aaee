/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is given back all at once
 *
 * A configuration is hundreds of small strings with one lifetime. Memory from
 * here is zeroed and lives until the arena is freed; NULL means no memory.
 * An all-zero struct is an empty arena. Not for use by two threads at once.
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
 * Make room for element `count` of an array that was only ever grown here.
 * Gives the array, moved or not; the old one stays readable.
 */
void *ow_arena_push(struct ow_arena *arena, void *array, size_t count,
		    size_t size);

void ow_arena_free(struct ow_arena *arena);

#endif
