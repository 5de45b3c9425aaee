/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - JSON text as a stream of events
 *
 * yajl crashes when an allocation fails. So it gets all the memory that it may
 * need for a text in one piece before it starts: its two token buffers double
 * up to the size of the text, its stack has one byte per level, and levels are
 * limited. Pages of that memory that it does not use are never touched.
 */
#include "libubf/json/parse.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "libubf/base/cleanup.h"

#define ARENA_MIN 32768
#define ARENA_PER_BYTE 8	/* two buffers, doubled, copied to grow */
#define HEAD 16			/* bytes before each piece, for its size */

#define TEXT_MAX (1u << 30)	/* bytes; doubled, they still fit 32 bits */

struct arena {
	char *at, *end;
};

struct parse {
	ow_json_handler *handler;
	void *ctx;
	yajl_handle yajl;
	int depth;
	int r;		/* why the handler or a limit stopped it */
};

/* ---- memory ---- */

static void *arena_alloc(void *ctx, size_t n)
{
	struct arena *a = ctx;
	char *p = a->at + HEAD;

	n = (n + HEAD - 1) & ~(size_t)(HEAD - 1);
	assert(n + HEAD <= (size_t)(a->end - a->at));
	memcpy(a->at, &n, sizeof(n));
	a->at = p + n;
	return p;
}

static size_t piece_size(const char *p)
{
	size_t n;

	memcpy(&n, p - HEAD, sizeof(n));
	return n;
}

/* Only the last piece can be reused; others are freed at the end. */
static void arena_free(void *ctx, void *ptr)
{
	struct arena *a = ctx;
	char *p = ptr;

	if (p != NULL && p + piece_size(p) == a->at)
		a->at = p - HEAD;
}

static void *arena_realloc(void *ctx, void *ptr, size_t n)
{
	size_t was = ptr == NULL ? 0 : piece_size(ptr);
	void *to;

	if (n <= was)
		return ptr;
	arena_free(ctx, ptr);
	to = arena_alloc(ctx, n);
	if (ptr != NULL && to != ptr)
		memcpy(to, ptr, was);
	return to;
}

/* ---- events ---- */

static int event(struct parse *p, enum ow_json_kind kind, const void *text,
		 size_t len)
{
	struct ow_json_event ev = { kind, text, len,
				    yajl_get_bytes_consumed(p->yajl) };

	p->r = p->handler(p->ctx, &ev);
	return p->r == 0;
}

static int deeper(struct parse *p, enum ow_json_kind kind)
{
	if (++p->depth > OW_JSON_DEPTH_MAX) {
		p->r = -ELOOP;
		return 0;
	}
	return event(p, kind, NULL, 0);
}

static int on_null(void *p)
{
	return event(p, OW_JSON_NULL, NULL, 0);
}

static int on_boolean(void *p, int v)
{
	return event(p, v ? OW_JSON_TRUE : OW_JSON_FALSE, v ? "1" : "0", 1);
}

static int on_number(void *p, const char *s, size_t n)
{
	return event(p, OW_JSON_NUMBER, s, n);
}

static int on_string(void *p, const unsigned char *s, size_t n)
{
	return event(p, OW_JSON_STRING, s, n);
}

static int on_key(void *p, const unsigned char *s, size_t n)
{
	return event(p, OW_JSON_KEY, s, n);
}

static int on_object(void *p)
{
	return deeper(p, OW_JSON_OBJECT);
}

static int on_object_end(void *p)
{
	((struct parse *)p)->depth--;
	return event(p, OW_JSON_OBJECT_END, NULL, 0);
}

static int on_array(void *p)
{
	return deeper(p, OW_JSON_ARRAY);
}

static int on_array_end(void *p)
{
	((struct parse *)p)->depth--;
	return event(p, OW_JSON_ARRAY_END, NULL, 0);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_object_end,
	.yajl_start_array = on_array,
	.yajl_end_array = on_array_end,
};

/* The first line of yajl's message, and where it stopped. */
static void describe(yajl_handle h, char *error)
{
	size_t at = yajl_get_bytes_consumed(h);
	unsigned char *why = yajl_get_error(h, 0, NULL, 0);
	const char *s = why != NULL ? (const char *)why : "malformed";

	snprintf(error, OW_JSON_ERROR_MAX, "not JSON near byte %zu: %.*s", at,
		 (int)strcspn(s, "\n"), s);
	if (why != NULL)
		yajl_free_error(h, why);
}

static int outcome(yajl_handle h, yajl_status st, const struct parse *p,
		   char *error)
{
	if (st == yajl_status_ok)
		return 0;
	if (p->r == -ELOOP)
		snprintf(error, OW_JSON_ERROR_MAX,
			 "more than %d levels of arrays and objects",
			 OW_JSON_DEPTH_MAX);
	if (p->r == -ELOOP)
		return -EBADMSG;
	if (p->r != 0)
		return p->r;
	describe(h, error);
	return -EBADMSG;
}

int ow_json_parse(const char *text, size_t len, ow_json_handler *handler,
		  void *ctx, char *error)
{
	struct parse p = { .handler = handler, .ctx = ctx };
	OW_CLEANUP(ow_cleanup_freep) char *mem = NULL;
	struct arena arena;
	yajl_alloc_funcs funcs = { arena_alloc, arena_realloc, arena_free,
				   &arena };
	yajl_handle h;
	yajl_status st;
	int r;

	if (len > TEXT_MAX) {
		snprintf(error, OW_JSON_ERROR_MAX,
			 "%zu bytes of JSON, at most %u", len, TEXT_MAX);
		return -EBADMSG;
	}
	arena.at = mem = malloc(ARENA_MIN + ARENA_PER_BYTE * len);
	if (mem == NULL)
		return -ENOMEM;
	arena.end = mem + ARENA_MIN + ARENA_PER_BYTE * len;
	h = yajl_alloc(&callbacks, &funcs, &p);
	if (h == NULL)
		return -ENOMEM;
	p.yajl = h;
	st = yajl_parse(h, (const unsigned char *)text, len);
	if (st == yajl_status_ok)
		st = yajl_complete_parse(h);
	r = outcome(h, st, &p, error);
	yajl_free(h);
	return r;
}
