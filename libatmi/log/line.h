/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - format one line of the debug log, as text or as JSON
 *
 * Both formats tell when (to the microsecond), which process and thread, where
 * in the source, for which request, and the message. Text has the fields that
 * existing tools cut at colons; the request stands before the message, as
 *	[req=<16 hex digits> trace=<32 hex digits>]
 * JSON is one object per line, valid whatever bytes a program logs. The
 * functions depend on their arguments only, except for the time zone, looked
 * up once a second, and the host's name, looked up once per thread.
 */
#ifndef OW_LOG_LINE_H
#define OW_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_LOG_SPAN  8	/* bytes of a request's id: W3C parent-id */
#define OW_LOG_TRACE 16 /* bytes of a W3C trace-id */

struct ow_log_line {
	uint64_t real_ns; /* since 1970 */
	char letter;	  /* facility and logger */
	const char *module;
	const char *program;
	int lev;
	long context;
	const char *func, *file;
	long line;
	const uint8_t *span, *trace; /* of the request served; NULL: none */
	const char *text;
};

/* Write the line with its newline, cut to `size` bytes. Its length. */
size_t ow_log_line_text(const struct ow_log_line *l, char *buf, size_t size);
size_t ow_log_line_json(const struct ow_log_line *l, char *buf, size_t size);

/* Is any byte of an id set? All zeros mean no id (W3C). */
bool ow_log_id_set(const uint8_t *id, size_t len);
/* Write lower-case hex digits and a NUL: 2 * len + 1 bytes. Returns `hex`. */
char *ow_log_id_hex(const uint8_t *id, size_t len, char *hex);

#endif
