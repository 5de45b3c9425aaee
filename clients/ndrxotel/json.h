/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - JSON text, appended to memory that grows
 *
 * Members follow each other; the writer puts the commas. When memory runs out,
 * `failed` is set and the text is not whole.
 */
#ifndef OW_OTEL_JSON_H
#define OW_OTEL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_otel_json {
	char *bytes;
	size_t len, room;
	bool comma; /* before the next value */
	bool failed;
};

/* '{' or '[' with the member `name` (NULL: none), and their ends. Names need no
 * escapes. */
void ow_otel_json_open(struct ow_otel_json *j, const char *name, char bracket);
void ow_otel_json_close(struct ow_otel_json *j, char bracket);
/* `name` NULL: an element. Any bytes: those that are no UTF-8 become '?'. */
void ow_otel_json_text(struct ow_otel_json *j, const char *name,
		       const char *value);
void ow_otel_json_number(struct ow_otel_json *j, const char *name,
			 int64_t value);
/* As a text: OTLP writes 64 bits so. */
void ow_otel_json_u64(struct ow_otel_json *j, const char *name,
		      uint64_t value);
void ow_otel_json_real(struct ow_otel_json *j, const char *name,
		       double value);
void ow_otel_json_true(struct ow_otel_json *j, const char *name);
void ow_otel_json_hex(struct ow_otel_json *j, const char *name,
		      const uint8_t *bytes, size_t len);
/* {"key":KEY,"value":{KIND: - the value is the next element (`name` NULL) - and its
 * end. Both need no escapes. */
void ow_otel_json_attribute(struct ow_otel_json *j, const char *key,
			    const char *kind);
void ow_otel_json_attribute_end(struct ow_otel_json *j);
/* Begin a new text in the same memory; free it. */
void ow_otel_json_again(struct ow_otel_json *j);
void ow_otel_json_clear(struct ow_otel_json *j);

#endif
