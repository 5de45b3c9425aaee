/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - OpenMetrics text, appended to memory that grows
 */
#include "libndrx/figures/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool room(struct ow_text *t, size_t n)
{
	size_t cap = t->cap != 0 ? t->cap : 16384;
	char *p;

	while (cap - t->len < n)
		cap *= 2;
	if (cap == t->cap || t->failed)
		return !t->failed;
	p = realloc(t->bytes, cap);
	if (p == NULL) {
		t->failed = true;
		return false;
	}
	t->bytes = p;
	t->cap = cap;
	return true;
}

static void put(struct ow_text *t, const char *s, size_t n)
{
	if (!room(t, n))
		return;
	memcpy(t->bytes + t->len, s, n);
	t->len += n;
}

void ow_text_bytes(struct ow_text *t, const char *bytes, size_t len)
{
	put(t, bytes, len);
}

static void put_text(struct ow_text *t, const char *s)
{
	put(t, s, strlen(s));
}

/* Escape a label value as OpenMetrics demands. Bytes that are not printable
 * ASCII become a question mark: names hold any bytes, readers want UTF-8. */
static void put_value(struct ow_text *t, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\\' || *s == '"')
			put(t, (char[]){ '\\', *s }, 2);
		else if (*s == '\n')
			put(t, "\\n", 2);
		else if (*s >= ' ' && *s <= '~')
			put(t, s, 1);
		else
			put(t, "?", 1);
	}
}

void ow_text_family(struct ow_text *t, const char *name, const char *type,
		    const char *unit, const char *help)
{
	const char *const lines[][2] = { { "TYPE", type },
					 { "UNIT", unit },
					 { "HELP", help } };

	if (t->sink != NULL) {
		t->sink->family(t->sink->arg, name, type, unit, help);
		return;
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i][1] == NULL)
			continue;
		put_text(t, "# ");
		put_text(t, lines[i][0]);
		put_text(t, " ");
		put_text(t, name);
		put_text(t, " ");
		put_text(t, lines[i][1]);
		put_text(t, "\n");
	}
}

static void put_sample(struct ow_text *t, const char *const name[2],
		       const struct ow_text_label *l, const char *value)
{
	bool first = true;

	put_text(t, name[0]);
	put_text(t, name[1]);
	for (; l != NULL && l->name != NULL; l++, first = false) {
		put_text(t, first ? "{" : ",");
		put_text(t, l->name);
		put_text(t, "=\"");
		put_value(t, l->value);
		put_text(t, "\"");
	}
	put_text(t, first ? " " : "} ");
	put_text(t, value);
}

static void put_hex(struct ow_text *t, const uint8_t *bytes, size_t n)
{
	char text[3];

	for (; n > 0; n--, bytes++) {
		snprintf(text, sizeof(text), "%02x", *bytes);
		put(t, text, 2);
	}
}

static void put_exemplar(struct ow_text *t, const struct ow_text_exemplar *e)
{
	char text[64];

	put_text(t, " # {trace_id=\"");
	put_hex(t, e->trace_id, 16);
	put_text(t, "\",span_id=\"");
	put_hex(t, e->id, 8);
	snprintf(text, sizeof(text), "\"} %.9g %.3f", e->value, e->when);
	put_text(t, text);
}

void ow_text_uint(struct ow_text *t, const char *const name[2],
		  const struct ow_text_label *labels, uint64_t value)
{
	char text[32];

	if (t->sink != NULL) {
		t->sink->whole(t->sink->arg, name[1], labels, value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_sample(t, name, labels, text);
	put_text(t, "\n");
}

void ow_text_bucket(struct ow_text *t, const char *const name[2],
		    const struct ow_text_label *labels, uint64_t value,
		    const struct ow_text_exemplar *e)
{
	char text[32];

	if (t->sink != NULL) {
		ow_text_uint(t, name, labels, value);
		if (e != NULL)
			t->sink->exemplar(t->sink->arg, e);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_sample(t, name, labels, text);
	if (e != NULL)
		put_exemplar(t, e);
	put_text(t, "\n");
}

void ow_text_real(struct ow_text *t, const char *const name[2],
		  const struct ow_text_label *labels, double value)
{
	char text[32];

	if (t->sink != NULL) {
		t->sink->real(t->sink->arg, name[1], labels, value);
		return;
	}
	snprintf(text, sizeof(text), "%.9g", value);
	put_sample(t, name, labels, text);
	put_text(t, "\n");
}

void ow_text_end(struct ow_text *t)
{
	if (t->sink == NULL)
		put_text(t, "# EOF\n");
}

void ow_text_clear(struct ow_text *t)
{
	free(t->bytes);
	*t = (struct ow_text){ .len = 0 };
}
