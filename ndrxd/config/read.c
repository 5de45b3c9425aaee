/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - XML text to a tree of elements
 *
 * The only file that knows libxml2. It listens to parser events instead of
 * taking libxml2's tree, because only then the position of an element that
 * came from an entity file is known. It does not know what the elements mean.
 *
 * Trust: the file belongs to the domain's owner, but a slip in it must not
 * hang or bloat the supervisor. So: no network, no parameter entities, entity
 * files must be regular and of bounded size, and the number of elements, their
 * depth and their text are bounded whatever entities expand to.
 *
 * libxml2 may parse an entity with a parser context of its own; such contexts
 * inherit _private, which is how every callback finds its reader.
 */
#include "ndrxd/config/tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include <libxml/catalog.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>

enum {
	LIMIT_ELEMENTS = 1000000,
	LIMIT_DEPTH = 16,
	LIMIT_VALUE = 65536,	    /* text of one element */
	LIMIT_TEXT = 32 * 1024 * 1024, /* text of all of them */
	LIMIT_ENTITY_FILE = 16 * 1024 * 1024,
};

struct reader {
	const struct ow_config_source *source;
	struct ow_arena *arena;
	struct ow_config_error *err;
	struct ow_config_node *root;
	struct ow_config_node *top; /* innermost open element */
	char *text;		    /* of `top`, while it grows */
	size_t text_len;
	size_t text_cap;
	size_t n_elements;
	size_t n_text;
	int depth;
	int result;	  /* of the first failure, 0 so far */
	const char *file; /* last file seen, to share its copied name */
};

static struct reader *reader_of(void *ctx)
{
	return ((xmlParserCtxt *)ctx)->_private;
}

static unsigned int line_of(const xmlParserCtxt *ctxt)
{
	if (ctxt->input == NULL || ctxt->input->line < 1)
		return 0;
	return (unsigned int)ctxt->input->line;
}

/* Keep the first failure only: what follows is mostly its consequence. */
static void fail(xmlParserCtxt *ctxt, int result, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(xmlParserCtxt *ctxt, int result, const char *fmt, ...)
{
	struct reader *r = ctxt->_private;
	const char *file = r->source->name;
	char what[400];
	va_list ap;

	xmlStopParser(ctxt);
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

static void no_memory(xmlParserCtxt *ctxt)
{
	fail(ctxt, -ENOMEM, "out of memory");
}

/* The file being read; the text of an internal entity counts as its user's. */
static bool set_position(xmlParserCtxt *ctxt, struct ow_config_node *n)
{
	struct reader *r = ctxt->_private;
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

static bool add_attrs(struct reader *r, struct ow_config_node *n, int count,
		      const xmlChar **attrs)
{
	struct ow_config_attr **tail = &n->attrs;

	for (int i = 0; i < count; i++) {
		const char *value = (const char *)attrs[i * 5 + 3];
		const char *end = (const char *)attrs[i * 5 + 4];
		struct ow_config_attr *a;

		if (attrs[i * 5 + 1] != NULL)
			continue; /* xsi:..., xml:...: not for us */
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
	struct reader *r = ctxt->_private;

	if (r->depth >= LIMIT_DEPTH)
		fail(ctxt, OW_CONFIG_BAD,
		     "elements are nested too deeply; at most %d levels",
		     LIMIT_DEPTH);
	else if (r->n_elements >= LIMIT_ELEMENTS)
		fail(ctxt, OW_CONFIG_BAD, "too many elements; at most %d",
		     LIMIT_ELEMENTS);
	else if (r->n_text > LIMIT_TEXT)
		fail(ctxt, OW_CONFIG_BAD,
		     "too much text, entities included; at most %d bytes",
		     LIMIT_TEXT);
	return r->result != 0;
}

static struct ow_config_node *make_node(xmlParserCtxt *ctxt,
					const xmlChar *name,
					const xmlChar *prefix)
{
	struct reader *r = ctxt->_private;
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

/* The signature is libxml2's. */
static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri, int n_namespaces,
		     const xmlChar **namespaces, int n_attrs, int n_defaulted,
		     const xmlChar **attrs)
{
	struct reader *r = reader_of(ctx);
	struct ow_config_node *n;

	if (r->result != 0 || over_limit(ctx))
		return;
	n = make_node(ctx, name, prefix);
	if (n == NULL || !add_attrs(r, n, n_attrs, attrs)) {
		no_memory(ctx);
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
	/* Text of the outer element before this one stays with it. */
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

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct reader *r = reader_of(ctx);

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

static bool grow_text(struct reader *r, size_t more)
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

static void on_text(void *ctx, const xmlChar *chars, int n)
{
	struct reader *r = reader_of(ctx);
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
		fail(ctx, OW_CONFIG_BAD,
		     "<%s>: the text is too long; at most %d bytes",
		     r->top->name, LIMIT_VALUE);
		return;
	}
	if (!grow_text(r, len)) {
		no_memory(ctx);
		return;
	}
	memcpy(r->text + r->text_len, s, len);
	r->text_len += len;
	r->text[r->text_len] = '\0';
}

static void on_entity_decl(void *ctx, const xmlChar *name, int type,
			   const xmlChar *public_id, const xmlChar *system_id,
			   xmlChar *content)
{
	if (type == XML_INTERNAL_PARAMETER_ENTITY ||
	    type == XML_EXTERNAL_PARAMETER_ENTITY) {
		fail(ctx, OW_CONFIG_BAD,
		     "<!ENTITY %% %s>: parameter entities are not supported; "
		     "use <!ENTITY %s SYSTEM \"file\">",
		     (const char *)name, (const char *)name);
		return;
	}
	xmlSAX2EntityDecl(ctx, name, type, public_id, system_id, content);
}

static const char *local_path(const char *uri)
{
	static const char scheme[] = "file://";

	if (strncmp(uri, scheme, sizeof(scheme) - 1) == 0)
		return uri + sizeof(scheme) - 1;
	return strstr(uri, "://") != NULL ? NULL : uri;
}

/* Refuse before libxml2 opens it: a FIFO or a device would never end. */
static bool entity_file_ok(void *ctx, const xmlEntity *ent)
{
	const char *name = (const char *)ent->name;
	const char *uri = (const char *)ent->URI;
	const char *path = uri != NULL ? local_path(uri) : NULL;
	struct stat st;

	if (reader_of(ctx)->source->alone)
		fail(ctx, OW_CONFIG_BAD,
		     "&%s;: entity files are not read here", name);
	else if (path == NULL)
		fail(ctx, OW_CONFIG_BAD,
		     "&%s;: \"%.200s\" is not a local file; give a file name",
		     name, uri != NULL ? uri : "");
	else if (stat(path, &st) != 0)
		fail(ctx, OW_CONFIG_BAD, "&%s;: %.200s: %s", name, path,
		     strerror(errno));
	else if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_ENTITY_FILE)
		fail(ctx, OW_CONFIG_BAD,
		     "&%s;: %.200s is not a regular file of at most %d bytes",
		     name, path, LIMIT_ENTITY_FILE);
	return reader_of(ctx)->result == 0;
}

static xmlEntity *on_get_entity(void *ctx, const xmlChar *name)
{
	xmlEntity *ent;

	if (reader_of(ctx)->result != 0)
		return NULL;
	ent = xmlSAX2GetEntity(ctx, name);
	if (ent != NULL && ent->etype == XML_EXTERNAL_GENERAL_PARSED_ENTITY &&
	    !entity_file_ok(ctx, ent))
		return NULL;
	return ent;
}

static void note_no_memory(struct reader *r)
{
	if (r->result != 0)
		return;
	r->result = -ENOMEM;
	snprintf(r->err->text, sizeof(r->err->text), "%s: out of memory",
		 r->source->name);
}

static void on_error(void *user, xmlError *error)
{
	xmlParserCtxt *ctxt = error->ctxt;
	struct reader *r = ctxt != NULL ? ctxt->_private : NULL;
	const char *file = error->file;
	int len;

	if (r == NULL || r->result != 0 || error->level < XML_ERR_ERROR)
		return;
	if (error->code == XML_ERR_NO_MEMORY) {
		note_no_memory(r);
		return;
	}
	if (error->code == XML_ERR_ENTITY_LOOP) {
		fail(ctxt, OW_CONFIG_BAD,
		     "entities refer to themselves or expand to too much text; "
		     "write the text out");
		return;
	}
	len = error->message != NULL ? (int)strcspn(error->message, "\n") : 0;
	r->result = OW_CONFIG_BAD;
	snprintf(r->err->text, sizeof(r->err->text), "%s:%d: not XML: %.*s",
		 file != NULL ? file : r->source->name, error->line,
		 len > 300 ? 300 : len,
		 error->message != NULL ? error->message : "");
}

/* Errors that libxml2 blames on no parser: it goes on without the memory. */
static void on_error_outside(void *user, xmlError *error)
{
	if (error->code == XML_ERR_NO_MEMORY)
		note_no_memory(user);
}

static void set_handlers(xmlSAXHandler *sax)
{
	sax->startElementNs = on_start;
	sax->endElementNs = on_end;
	sax->characters = on_text;
	sax->cdataBlock = on_text;
	sax->ignorableWhitespace = on_text;
	sax->comment = NULL;
	sax->processingInstruction = NULL;
	sax->reference = NULL;
	sax->entityDecl = on_entity_decl;
	sax->getEntity = on_get_entity;
	sax->serror = on_error;
	sax->warning = NULL;
	sax->error = NULL;
}

static void parse(xmlParserCtxt *ctxt, struct reader *r)
{
	xmlCtxtUseOptions(ctxt, XML_PARSE_NOENT | XML_PARSE_NONET |
				    XML_PARSE_BIG_LINES);
	set_handlers(ctxt->sax);
	ctxt->_private = r;
	if (ctxt->input != NULL) {
		/* libxml2 frees it with its own allocator. */
		xmlFree((void *)ctxt->input->filename);
		ctxt->input->filename =
		    (char *)xmlStrdup((const xmlChar *)r->source->name);
		if (ctxt->input->filename == NULL) {
			no_memory(ctxt);
			return;
		}
	}
	xmlParseDocument(ctxt);
	if (r->result == 0 && ctxt->errNo == XML_ERR_NO_MEMORY)
		no_memory(ctxt);
	if (r->result == 0 && (!ctxt->wellFormed || r->root == NULL))
		fail(ctxt, OW_CONFIG_BAD, "not XML");
}

static int read_with(struct reader *r)
{
	const struct ow_config_source *source = r->source;
	xmlParserCtxt *ctxt;

	ctxt = xmlCreateMemoryParserCtxt(source->data, (int)source->len);
	if (ctxt == NULL) {
		note_no_memory(r);
		return r->result;
	}
	parse(ctxt, r);
	xmlFreeDoc(ctxt->myDoc);
	ctxt->myDoc = NULL;
	xmlFreeParserCtxt(ctxt);
	return r->result;
}

int ow_config_read(const struct ow_config_source *source,
		   struct ow_arena *arena, struct ow_config_error *err,
		   struct ow_config_node **ret_root)
{
	struct reader r = { .source = source, .arena = arena, .err = err };
	xmlStructuredErrorFunc handler;
	void *handler_arg;
	int result;

	if (source->len == 0) {
		snprintf(err->text, sizeof(err->text),
			 "%s:1: the file is empty; it needs an <endurox> "
			 "element",
			 source->name);
		return OW_CONFIG_BAD;
	}
	xmlInitParser();
	xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE);
	handler = xmlStructuredError; /* libxml2 keeps them per thread */
	handler_arg = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(&r, on_error_outside);
	result = read_with(&r);
	xmlSetStructuredErrorFunc(handler_arg, handler);
	if (result == 0)
		*ret_root = r.root;
	return result;
}

const char *ow_config_node_attr(const struct ow_config_node *node,
				const char *name)
{
	for (const struct ow_config_attr *a = node->attrs; a != NULL;
	     a = a->next) {
		if (strcmp(a->name, name) == 0)
			return a->value;
	}
	return NULL;
}
