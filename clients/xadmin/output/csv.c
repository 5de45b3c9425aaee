/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.c - listings as comma-separated values
 *
 * A row is composed in memory: the line with the column names must be written
 * before the first row.
 */
#include "clients/xadmin/output/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/printable.h"

/* Text that grows. */
struct text {
	FILE *f;
	char *data;
	size_t len;
};

struct ow_csv {
	FILE *out;
	struct text head, row, list;
	const char *key; /* of the list being written, NULL: none */
	bool headed;	 /* the line with the column names is written */
};

static bool open_text(struct text *t)
{
	t->f = open_memstream(&t->data, &t->len);
	return t->f != NULL;
}

static void close_text(struct text *t)
{
	if (t->f != NULL)
		fclose(t->f);
	free(t->data);
}

struct ow_csv *ow_csv_new(FILE *out)
{
	struct ow_csv *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->out = out;
	if (open_text(&c->head) && open_text(&c->row) && open_text(&c->list))
		return c;
	return ow_csv_free(c);
}

struct ow_csv *ow_csv_free(struct ow_csv *c)
{
	if (c == NULL)
		return NULL;
	close_text(&c->head);
	close_text(&c->row);
	close_text(&c->list);
	free(c);
	return NULL;
}

static void put_value(FILE *f, const char *value)
{
	OW_CLEANUP(ow_cleanup_freep) char *clean = strdup(value);
	const char *p;

	if (clean == NULL)
		return;
	ow_printable_lines(clean);
	if (clean[strcspn(clean, ",\"\n")] == '\0') {
		fputs(clean, f);
		return;
	}
	putc('"', f);
	for (p = clean; *p != '\0'; p++) {
		if (*p == '"')
			putc('"', f);
		putc(*p, f);
	}
	putc('"', f);
}

static void put_cell(struct text *t, const char *value)
{
	if (ftell(t->f) > 0)
		putc(',', t->f);
	put_value(t->f, value);
}

void ow_csv_row_begin(struct ow_csv *c)
{
	rewind(c->head.f);
	rewind(c->row.f);
}

/* An empty first cell is written as "", so that the row is not empty. */
static void add_cell(struct ow_csv *c, const char *key, const char *value)
{
	bool first = ftell(c->head.f) == 0;

	put_cell(&c->head, key);
	if (!first)
		put_cell(&c->row, value);
	else if (*value != '\0')
		put_value(c->row.f, value);
	else
		fputs("\"\"", c->row.f);
}

void ow_csv_row_end(struct ow_csv *c)
{
	fflush(c->head.f);
	fflush(c->row.f);
	if (!c->headed)
		fprintf(c->out, "%.*s\n", (int)ftell(c->head.f),
			c->head.data);
	c->headed = true;
	fprintf(c->out, "%.*s\n", (int)ftell(c->row.f), c->row.data);
}

void ow_csv_cell(struct ow_csv *c, const char *key, const char *value)
{
	if (c->key == NULL) {
		add_cell(c, key != NULL ? key : "value", value);
		return;
	}
	if (ftell(c->list.f) > 0)
		putc(' ', c->list.f);
	fputs(value, c->list.f);
}

void ow_csv_list_begin(struct ow_csv *c, const char *key)
{
	rewind(c->list.f);
	c->key = key;
}

void ow_csv_list_end(struct ow_csv *c)
{
	const char *key = c->key;

	if (key == NULL)
		return; /* the listing itself */
	putc('\0', c->list.f);
	fflush(c->list.f);
	c->key = NULL;
	add_cell(c, key, c->list.data);
}
