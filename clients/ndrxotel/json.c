/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - JSON text, appended to memory that grows
 */
#include "clients/ndrxotel/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Have room for `len` bytes and an end: where they go; NULL: no memory. */
__attribute__((noinline)) static char *grow(struct ow_otel_json *j, size_t len)
{
	size_t room = j->room == 0 ? 4096 : j->room;
	char *p;

	while (room - j->len <= len)
		room *= 2;
	p = realloc(j->bytes, room);
	if (p == NULL) {
		j->failed = true;
		return NULL;
	}
	j->bytes = p;
	j->room = room;
	return p + j->len;
}

static inline char *need(struct ow_otel_json *j, size_t len)
{
	return j->room - j->len > len ? j->bytes + j->len : grow(j, len);
}

static inline void put(struct ow_otel_json *j, const char *bytes, size_t len)
{
	char *p = need(j, len);

	if (p == NULL)
		return;
	memcpy(p, bytes, len);
	p[len] = '\0';
	j->len += len;
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

/* A character that does not go as it is: the bytes of `s` that it takes. */
static size_t put_unusual(struct ow_otel_json *j, const unsigned char *s)
{
	size_t n = utf8(s);
	char escape[8];

	if (n > 1) {
		put(j, (const char *)s, n);
		return n;
	}
	snprintf(escape, sizeof(escape), "\\u%04x", *s);
	put(j, n == 0 ? "?" : escape, n == 0 ? 1 : 6);
	return 1;
}

static inline bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Most texts are short, and all of it is plain: it is looked at while it is copied. */
static void put_text(struct ow_otel_json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char *p = need(j, strlen(text) + 2);

	if (p == NULL)
		return;
	*p++ = '"';
	while (*s != '\0') {
		while (is_plain(*s))
			*p++ = (char)*s++;
		if (*s == '\0')
			break;
		j->len = (size_t)(p - j->bytes);
		s += put_unusual(j, s);
		p = need(j, strlen((const char *)s) + 2);
		if (p == NULL)
			return;
	}
	*p++ = '"';
	*p = '\0';
	j->len = (size_t)(p - j->bytes);
}

/* `name` is one of ours. */
static inline void begin(struct ow_otel_json *j, const char *name)
{
	size_t len = name != NULL ? strlen(name) : 0;
	char *p = need(j, len + 4);

	if (p == NULL)
		return;
	if (j->comma)
		*p++ = ',';
	j->comma = true;
	if (name != NULL) {
		*p++ = '"';
		memcpy(p, name, len);
		memcpy(p + len, "\":", 2);
		p += len + 2;
	}
	*p = '\0';
	j->len = (size_t)(p - j->bytes);
}

/* Two digits at a time: 00 to 99, 00 to ff. */
#define TEN(d)	   d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
#define SIXTEEN(d) TEN(d) d "a" d "b" d "c" d "d" d "e" d "f"
static const char decimal[] = TEN("0") TEN("1") TEN("2") TEN("3") TEN("4")
	TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");
static const char hexadecimal[] = SIXTEEN("0") SIXTEEN("1") SIXTEEN("2")
	SIXTEEN("3") SIXTEEN("4") SIXTEEN("5") SIXTEEN("6") SIXTEEN("7")
	SIXTEEN("8") SIXTEEN("9") SIXTEEN("a") SIXTEEN("b") SIXTEEN("c")
	SIXTEEN("d") SIXTEEN("e") SIXTEEN("f");

/* Its digits, at the end of `buf`. */
static char *digits(uint64_t value, char buf[24])
{
	char *p = buf + 24;

	while (value >= 10) {
		p -= 2;
		memcpy(p, decimal + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value != 0 || p == buf + 24)
		*--p = (char)('0' + value);
	return p;
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
	char buf[24];
	char *p = digits(value < 0 ? -(uint64_t)value : (uint64_t)value, buf);

	begin(j, name);
	if (value < 0)
		put(j, "-", 1);
	put(j, p, (size_t)(buf + sizeof(buf) - p));
}

void ow_otel_json_u64(struct ow_otel_json *j, const char *name, uint64_t value)
{
	char buf[24], *p = digits(value, buf);

	begin(j, name);
	put(j, "\"", 1);
	put(j, p, (size_t)(buf + sizeof(buf) - p));
	put(j, "\"", 1);
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
	size_t i;
	char *p;

	begin(j, name);
	p = need(j, 2 * len + 2);
	if (p == NULL)
		return;
	*p++ = '"';
	for (i = 0; i < len; i++, p += 2)
		memcpy(p, hexadecimal + 2 * (size_t)bytes[i], 2);
	*p++ = '"';
	*p = '\0';
	j->len = (size_t)(p - j->bytes);
}

void ow_otel_json_attribute(struct ow_otel_json *j, const char *key,
			    const char *kind)
{
	size_t len = strlen(key), n = strlen(kind);
	char *p = need(j, len + n + 32);

	if (p == NULL)
		return;
	if (j->comma)
		*p++ = ',';
	p = mempcpy(p, "{\"key\":\"", 8);
	p = mempcpy(p, key, len);
	p = mempcpy(p, "\",\"value\":{\"", 12);
	p = mempcpy(p, kind, n);
	p = mempcpy(p, "\":", 2);
	*p = '\0';
	j->len = (size_t)(p - j->bytes);
	j->comma = false;
}

void ow_otel_json_attribute_end(struct ow_otel_json *j)
{
	put(j, "}}", 2);
	j->comma = true;
}

void ow_otel_json_again(struct ow_otel_json *j)
{
	j->len = 0;
	j->comma = j->failed = false;
}

void ow_otel_json_clear(struct ow_otel_json *j)
{
	free(j->bytes);
	memset(j, 0, sizeof(*j));
}
