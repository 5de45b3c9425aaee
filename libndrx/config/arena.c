/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - memory that is freed all at once
 *
 * Chunks of 16 KiB, larger requests in a chunk of their own.
 */
#include "libndrx/config/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)16384)

struct ow_arena_chunk {
	struct ow_arena_chunk *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char data[];
};

static size_t round_up(size_t size)
{
	size_t a = alignof(max_align_t);

	return (size + a - 1) / a * a;
}

static struct ow_arena_chunk *add_chunk(struct ow_arena *arena, size_t size)
{
	struct ow_arena_chunk *c;

	if (size < CHUNK_SIZE)
		size = CHUNK_SIZE;
	c = calloc(1, sizeof(*c) + size);
	if (c == NULL)
		return NULL;
	c->size = size;
	c->next = arena->chunks;
	arena->chunks = c;
	return c;
}

void *ow_arena_alloc(struct ow_arena *arena, size_t size)
{
	struct ow_arena_chunk *c = arena->chunks;
	void *p;

	if (size > (size_t)1 << 40)
		return NULL;
	size = round_up(size == 0 ? 1 : size);
	if (c == NULL || c->size - c->used < size)
		c = add_chunk(arena, size);
	if (c == NULL)
		return NULL;
	p = c->data + c->used;
	c->used += size;
	return p;
}

char *ow_arena_strndup(struct ow_arena *arena, const char *s, size_t len)
{
	char *p = ow_arena_alloc(arena, len + 1);

	if (p != NULL)
		memcpy(p, s, len);
	return p;
}

char *ow_arena_strdup(struct ow_arena *arena, const char *s)
{
	return ow_arena_strndup(arena, s, strlen(s));
}

void *ow_arena_push(struct ow_arena *arena, void *array, size_t count,
		    size_t size)
{
	void *p;

	/* Capacity is always the next power of two above the count. */
	if ((count & (count - 1)) != 0)
		return array;
	p = ow_arena_alloc(arena, (count == 0 ? 1 : count * 2) * size);
	if (p != NULL && count > 0)
		memcpy(p, array, count * size);
	return p;
}

void ow_arena_free(struct ow_arena *arena)
{
	struct ow_arena_chunk *c = arena->chunks;

	while (c != NULL) {
		struct ow_arena_chunk *next = c->next;

		free(c);
		c = next;
	}
	arena->chunks = NULL;
}
