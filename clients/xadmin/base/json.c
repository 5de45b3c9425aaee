/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - write JSON, or have CSV written
 */
#include "clients/xadmin/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "clients/xadmin/base/csv.h"

/* Bytes of the UTF-8 character at `s`; 0: not UTF-8. A NUL ends it. */
static size_t utf8_len(const unsigned char *s)
{
	uint32_t code, min;
	size_t i, n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0) {
		n = 2, code = s[0] & 0x1f, min = 0x80;
	} else if (s[0] >= 0xe0 && s[0] < 0xf0) {
		n = 3, code = s[0] & 0x0f, min = 0x800;
	} else if (s[0] >= 0xf0 && s[0] < 0xf5) {
		n = 4, code = s[0] & 0x07, min = 0x10000;
	} else {
		return 0;
	}
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < min || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return n;
}

static void write_escaped(FILE *out, unsigned char c)
{
	static const char short_form[256] = {
		['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
		['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
	};

	if (short_form[c] != '\0')
		fprintf(out, "\\%c", short_form[c]);
	else if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		putc(c, out);
}

static void write_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	putc('"', out);
	while (*s != '\0') {
		n = utf8_len(s);
		if (n == 0)
			fputs("\\ufffd", out);
		else if (n == 1)
			write_escaped(out, *s);
		else
			fwrite(s, 1, n, out);
		s += n > 0 ? n : 1;
	}
	putc('"', out);
}

static void begin_item(struct ow_json *j, const char *key)
{
	if (j->comma[j->depth])
		putc(',', j->out);
	if (j->depth == 1 || (j->depth == 0 && j->comma[0]))
		putc('\n', j->out);
	j->comma[j->depth] = true;
	if (key != NULL) {
		write_string(j->out, key);
		putc(':', j->out);
	}
}

static void open_level(struct ow_json *j, const char *key, char c)
{
	assert(j->depth + 1 < OW_JSON_DEPTH);
	begin_item(j, key);
	putc(c, j->out);
	j->depth++;
	j->comma[j->depth] = false;
}

static void close_level(struct ow_json *j, char c)
{
	assert(j->depth > 0);
	if (j->depth == 1)
		putc('\n', j->out);
	j->depth--;
	putc(c, j->out);
	if (j->depth == 0)
		putc('\n', j->out);
}

/* ---- the listing, its rows, their members ---- */

static void begin_csv(struct ow_json *j, const char *key)
{
	if (j->depth++ == 0)
		j->csv = ow_csv_new(j->out);
	else if (j->csv != NULL)
		ow_csv_list_begin(j->csv, key);
}

static void end_csv(struct ow_json *j)
{
	if (--j->depth == 0)
		j->csv = ow_csv_free(j->csv);
	else if (j->csv != NULL)
		ow_csv_list_end(j->csv);
}

void ow_json_list_begin(struct ow_json *j, const char *key)
{
	if (j->as_csv)
		begin_csv(j, key);
	else
		open_level(j, key, '[');
}

void ow_json_list_end(struct ow_json *j)
{
	if (j->as_csv)
		end_csv(j);
	else
		close_level(j, ']');
}

void ow_json_row_begin(struct ow_json *j)
{
	if (!j->as_csv)
		open_level(j, NULL, '{');
	else if (j->csv != NULL)
		ow_csv_row_begin(j->csv);
}

void ow_json_row_end(struct ow_json *j)
{
	if (!j->as_csv)
		close_level(j, '}');
	else if (j->csv != NULL)
		ow_csv_row_end(j->csv);
}

void ow_json_str(struct ow_json *j, const char *key, const char *value)
{
	if (j->csv != NULL)
		ow_csv_cell(j->csv, key, value);
	if (j->as_csv)
		return;
	begin_item(j, key);
	write_string(j->out, value);
}

/* Text that needs no quotes in either form. */
static void write_plain(struct ow_json *j, const char *key, const char *text)
{
	if (j->csv != NULL)
		ow_csv_cell(j->csv, key, text);
	if (j->as_csv)
		return;
	begin_item(j, key);
	fputs(text, j->out);
}

void ow_json_int(struct ow_json *j, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	write_plain(j, key, text);
}

void ow_json_uint(struct ow_json *j, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	write_plain(j, key, text);
}

void ow_json_bool(struct ow_json *j, const char *key, bool value)
{
	write_plain(j, key, value ? "true" : "false");
}
