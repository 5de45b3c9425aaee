/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - listings for programs: one JSON array of objects, or CSV
 */
#include "clients/xadmin/output/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "clients/xadmin/output/csv.h"
#include "libubf/base/jsonchar.h"

static void write_string(FILE *out, const char *text)
{
	size_t left = strlen(text), used, n;
	char c[OW_JSONCHAR_MAX];

	putc('"', out);
	for (; left > 0; left -= used, text += used) {
		n = ow_jsonchar(text, left,
				OW_JSONCHAR_DEL | OW_JSONCHAR_REPLACE, c,
				&used);
		fwrite(c, 1, n, out);
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

/* Write a value that needs no quotes in JSON or CSV. */
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
