/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out.h - append JSON text to memory
 *
 * The memory belongs to the caller; it has a fixed size or grows. All functions
 * return 0, -ENOSPC (fixed), -ENOMEM (grows), or -EILSEQ: JSON has no text for
 * the value. Exported for libatmi; not part of the public interface.
 */
#ifndef OW_JSON_OUT_H
#define OW_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ow_json_pointers;	/* json/ubf.h */

struct ow_json_out {
	char *text;	/* no NUL at the end until ow_json_end() */
	size_t len, cap;
	bool grows;	/* `text` is malloc'ed or NULL; the caller frees it */
	bool escape;	/* json_escape of NDRX_APIFLAGS: bytes as \xx */
	const struct ow_json_pointers *pointers;	/* NULL: addresses */
};

/* Make room for n more bytes. */
int ow_json_reserve(struct ow_json_out *o, size_t n);
/* Append a string in quotes. */
int ow_json_string(struct ow_json_out *o, const char *s, size_t n);
/* Append bytes as base64, in quotes. */
int ow_json_base64(struct ow_json_out *o, const void *p, size_t n);
/* Append a number: integers without decimals, others with six. */
int ow_json_real(struct ow_json_out *o, double v);
int ow_json_long(struct ow_json_out *o, long v);
/* Append the NUL at the end; `len` does not count it. */
int ow_json_end(struct ow_json_out *o);

static inline int ow_json_raw(struct ow_json_out *o, const char *s, size_t n)
{
	if (o->cap - o->len < n) {
		int r = ow_json_reserve(o, n);

		if (r < 0)
			return r;
	}
	memcpy(o->text + o->len, s, n);
	o->len += n;
	return 0;
}

static inline int ow_json_text(struct ow_json_out *o, const char *s)
{
	return ow_json_raw(o, s, strlen(s));
}

#endif
