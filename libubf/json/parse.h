/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.h - JSON text as a stream of events
 *
 * The parser is yajl; only parse.c includes its headers. Events instead of a
 * tree: building a tree would cost more than all the rest of reading a buffer.
 * Numbers come as text, so a long keeps all its digits. Exported for libatmi;
 * not part of the public interface.
 */
#ifndef OW_JSON_PARSE_H
#define OW_JSON_PARSE_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define OW_JSON_ERROR_MAX 512	/* as OW_TABFILE_ERROR_MAX */
#define OW_JSON_DEPTH_MAX 512	/* nesting of arrays and objects */

enum ow_json_kind {
	OW_JSON_NULL,
	OW_JSON_TRUE,
	OW_JSON_FALSE,
	OW_JSON_NUMBER,
	OW_JSON_STRING,
	OW_JSON_KEY,
	OW_JSON_OBJECT,
	OW_JSON_OBJECT_END,
	OW_JSON_ARRAY,
	OW_JSON_ARRAY_END,
};

/* The text of numbers, strings and keys: `len` bytes without NUL, unescaped,
 * valid during the call. Strings are UTF-8 and may contain NULs. */
struct ow_json_event {
	enum ow_json_kind kind;
	const char *text;
	size_t len;
	size_t end; /* of the event: its place in the text that is parsed */
};

/* Copy the text of a key or string to `size` bytes, with a NUL: 0, or -ENOENT
 * if it is longer or holds NULs, as no name does. */
static inline int ow_json_name(const struct ow_json_event *ev, char *to,
			       size_t size)
{
	if (ev->len >= size || memchr(ev->text, '\0', ev->len) != NULL)
		return -ENOENT;
	memcpy(to, ev->text, ev->len);
	to[ev->len] = '\0';
	return 0;
}

/* Return 0 to go on, -errno to stop. */
typedef int ow_json_handler(void *ctx, const struct ow_json_event *ev);

/* Parse one JSON value of `len` bytes. 0; -EBADMSG: not JSON, `error`
 * (OW_JSON_ERROR_MAX bytes) says where; -ENOMEM; or the result of the handler,
 * which then sets `error`. */
int ow_json_parse(const char *text, size_t len, ow_json_handler *handler,
		  void *ctx, char *error);

#endif
