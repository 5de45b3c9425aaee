/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - JSON text, appended to memory that grows
 */
#include "clients/ndrxotel/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct ow_otel_json *j, const char *bytes, size_t len)
{
	size_t room = j->room == 0 ? 4096 : j->room;
	char *p;

	while (room - j->len <= len)
		room *= 2;
	if (room != j->room) {
		p = realloc(j->bytes, room);
		if (p == NULL) {
			j->failed = true;
			return;
		}
		j->bytes = p;
		j->room = room;
	}
	memcpy(j->bytes + j->len, bytes, len);
	j->len += len;
	j->bytes[j->len] = '\0';
}

/* Bytes of the UTF-8 character at `s`; 0: it is none. */
static size_t utf8(const unsigned char *s)
{
	size_t i, n = s[0] < 0x80 ? 1
		      : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		      : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		      : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						    : 0;

	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void put_text(struct ow_otel_json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char escape[8];
	size_t n;

	put(j, "\"", 1);
	for (; *s != '\0'; s += n) {
		n = utf8(s);
		if (n == 0) {
			put(j, "?", 1);
			n = 1;
		} else if (*s < 0x20 || *s == '"' || *s == '\\') {
			snprintf(escape, sizeof(escape), "\\u%04x", *s);
			put(j, escape, 6);
		} else {
			put(j, (const char *)s, n);
		}
	}
	put(j, "\"", 1);
}

static void begin(struct ow_otel_json *j, const char *name)
{
	if (j->comma)
		put(j, ",", 1);
	j->comma = true;
	if (name == NULL)
		return;
	put_text(j, name);
	put(j, ":", 1);
}

void ow_otel_json_open(struct ow_otel_json *j, const char *name, char bracket)
{
	begin(j, name);
	put(j, &bracket, 1);
	j->comma = false;
}

void ow_otel_json_close(struct ow_otel_json *j, char bracket)
{
	put(j, &bracket, 1);
	j->comma = true;
}

void ow_otel_json_text(struct ow_otel_json *j, const char *name,
		       const char *value)
{
	begin(j, name);
	put_text(j, value);
}

void ow_otel_json_number(struct ow_otel_json *j, const char *name,
			 int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRId64, value);

	begin(j, name);
	put(j, text, (size_t)n);
}

void ow_otel_json_u64(struct ow_otel_json *j, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	ow_otel_json_text(j, name, text);
}

void ow_otel_json_real(struct ow_otel_json *j, const char *name, double value)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%.17g", value);

	begin(j, name);
	put(j, text, (size_t)n);
}

void ow_otel_json_true(struct ow_otel_json *j, const char *name)
{
	begin(j, name);
	put(j, "true", 4);
}

void ow_otel_json_hex(struct ow_otel_json *j, const char *name,
		      const uint8_t *bytes, size_t len)
{
	char text[40] = "";
	size_t i;

	for (i = 0; i < len && 2 * i + 2 < sizeof(text); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	ow_otel_json_text(j, name, text);
}

void ow_otel_json_clear(struct ow_otel_json *j)
{
	free(j->bytes);
	memset(j, 0, sizeof(*j));
}
