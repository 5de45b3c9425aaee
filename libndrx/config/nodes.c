/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.c - events of the XML parser made a tree of elements
 *
 * Events instead of libxml2's own tree, because only they tell the position of
 * an element that came from an entity file. Number, depth and text of the
 * elements are bounded, whatever entities expand to.
 */
#include "libndrx/config/nodes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	LIMIT_ELEMENTS = 1000000,
	LIMIT_DEPTH = 16,
	LIMIT_VALUE = 65536,	       /* text of one element */
	LIMIT_TEXT = 32 * 1024 * 1024, /* text of all of them */
};

struct ow_reader *ow_reader_of(void *ctx)
{
	return ((xmlParserCtxt *)ctx)->_private;
}

static unsigned int line_of(const xmlParserCtxt *ctxt)
{
	if (ctxt->input == NULL || ctxt->input->line < 1)
		return 0;
	return (unsigned int)ctxt->input->line;
}

void ow_read_fail(xmlParserCtxt *ctxt, int result, const char *fmt, ...)
{
	struct ow_reader *r = ctxt->_private;
	const char *file = r->source->name;
	char what[400];
	va_list ap;

	ow_libxml2()->xmlStopParser(ctxt);
	if (r->result != 0)
		return;
	if (ctxt->input != NULL && ctxt->input->filename != NULL)
		file = ctxt->input->filename;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	r->result = result;
	snprintf(r->err->text, sizeof(r->err->text), "%s:%u: %s", file,
		 line_of(ctxt), what);
}

void ow_read_no_memory(xmlParserCtxt *ctxt)
{
	ow_read_fail(ctxt, -ENOMEM, "out of memory");
}

/* The file being read; text of an internal entity gets the position of the
 * element around it. */
static bool set_position(xmlParserCtxt *ctxt, struct ow_config_node *n)
{
	struct ow_reader *r = ctxt->_private;
	const char *file = NULL;

	if (ctxt->input != NULL)
		file = ctxt->input->filename;
	if (file == NULL && r->top != NULL) {
		n->file = r->top->file;
		n->line = r->top->line;
		return true;
	}
	if (file == NULL)
		file = r->source->name;
	if (r->file == NULL || strcmp(r->file, file) != 0)
		r->file = ow_arena_strdup(r->arena, file);
	n->file = r->file;
	n->line = line_of(ctxt);
	return n->file != NULL;
}

static bool add_attrs(struct ow_reader *r, struct ow_config_node *n,
		      int count, const xmlChar **attrs)
{
	struct ow_config_attr **tail = &n->attrs;

	for (int i = 0; i < count; i++) {
		const char *value = (const char *)attrs[i * 5 + 3];
		const char *end = (const char *)attrs[i * 5 + 4];
		struct ow_config_attr *a;

		if (attrs[i * 5 + 1] != NULL)
			continue; /* xsi:..., xml:...: of XML itself */
		a = ow_arena_alloc(r->arena, sizeof(*a));
		if (a == NULL)
			return false;
		a->name =
		    ow_arena_strdup(r->arena, (const char *)attrs[i * 5]);
		a->value = ow_arena_strndup(r->arena, value,
					    (size_t)(end - value));
		if (a->name == NULL || a->value == NULL)
			return false;
		r->n_text += (size_t)(end - value);
		*tail = a;
		tail = &a->next;
	}
	return true;
}

static bool over_limit(xmlParserCtxt *ctxt)
{
	struct ow_reader *r = ctxt->_private;

	if (r->depth >= LIMIT_DEPTH)
		ow_read_fail(ctxt, OW_CONFIG_BAD,
			     "elements are nested too deeply; at most %d "
			     "levels",
			     LIMIT_DEPTH);
	else if (r->n_elements >= LIMIT_ELEMENTS)
		ow_read_fail(ctxt, OW_CONFIG_BAD,
			     "too many elements; at most %d",
			     LIMIT_ELEMENTS);
	else if (r->n_text > LIMIT_TEXT)
		ow_read_fail(ctxt, OW_CONFIG_BAD,
			     "too much text, entities included; at most %d "
			     "bytes",
			     LIMIT_TEXT);
	return r->result != 0;
}

static struct ow_config_node *make_node(xmlParserCtxt *ctxt,
					const xmlChar *name,
					const xmlChar *prefix)
{
	struct ow_reader *r = ctxt->_private;
	struct ow_config_node *n = ow_arena_alloc(r->arena, sizeof(*n));
	char full[128];

	if (n == NULL)
		return NULL;
	snprintf(full, sizeof(full), "%s%s%s",
		 prefix != NULL ? (const char *)prefix : "",
		 prefix != NULL ? ":" : "", (const char *)name);
	n->name = ow_arena_strdup(r->arena, full);
	n->text = "";
	n->parent = r->top;
	if (n->name == NULL || !set_position(ctxt, n))
		return NULL;
	return n;
}

void ow_read_on_start(void *ctx, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri, int n_namespaces,
		     const xmlChar **namespaces, int n_attrs, int n_defaulted,
		     const xmlChar **attrs)
{
	struct ow_reader *r = ow_reader_of(ctx);
	struct ow_config_node *n;

	if (r->result != 0 || over_limit(ctx))
		return;
	n = make_node(ctx, name, prefix);
	if (n == NULL || !add_attrs(r, n, n_attrs, attrs)) {
		ow_read_no_memory(ctx);
		return;
	}
	if (r->top == NULL) {
		r->root = n;
	} else if (r->top->last == NULL) {
		r->top->children = n;
		r->top->last = n;
	} else {
		r->top->last->next = n;
		r->top->last = n;
	}
	/* The outer element keeps its text before this one. */
	if (r->top != NULL && r->text_len > 0)
		r->top->text = r->text;
	r->text = NULL;
	r->text_len = 0;
	r->text_cap = 0;
	r->top = n;
	r->depth++;
	r->n_elements++;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void ow_read_on_end(void *ctx, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct ow_reader *r = ow_reader_of(ctx);

	if (r->result != 0 || r->top == NULL)
		return;
	if (r->text_len > 0) {
		while (r->text_len > 0 && is_space(r->text[r->text_len - 1]))
			r->text_len--;
		r->text[r->text_len] = '\0';
		r->top->text = r->text;
	}
	r->text = NULL;
	r->text_len = 0;
	r->text_cap = 0;
	r->top = r->top->parent;
	r->depth--;
}

static bool grow_text(struct ow_reader *r, size_t more)
{
	size_t need = r->text_len + more + 1;
	size_t cap = r->text_cap == 0 ? 32 : r->text_cap;
	char *p;

	if (need <= r->text_cap)
		return true;
	while (cap < need)
		cap *= 2;
	p = ow_arena_alloc(r->arena, cap);
	if (p == NULL)
		return false;
	if (r->text_len > 0)
		memcpy(p, r->text, r->text_len);
	r->text = p;
	r->text_cap = cap;
	return true;
}

void ow_read_on_text(void *ctx, const xmlChar *chars, int n)
{
	struct ow_reader *r = ow_reader_of(ctx);
	const char *s = (const char *)chars;
	size_t len = n < 0 ? 0 : (size_t)n;

	if (r->result != 0 || r->top == NULL)
		return;
	while (r->text_len == 0 && len > 0 && is_space(*s)) {
		s++;
		len--;
	}
	if (len == 0)
		return;
	r->n_text += len;
	if (over_limit(ctx))
		return;
	if (r->text_len + len > LIMIT_VALUE) {
		ow_read_fail(ctx, OW_CONFIG_BAD,
			     "<%s>: the text is too long; at most %d bytes",
			     r->top->name, LIMIT_VALUE);
		return;
	}
	if (!grow_text(r, len)) {
		ow_read_no_memory(ctx);
		return;
	}
	memcpy(r->text + r->text_len, s, len);
	r->text_len += len;
	r->text[r->text_len] = '\0';
}
