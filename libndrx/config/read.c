/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - XML text parsed into a tree of elements
 *
 * Sets up libxml2's parser: its errors, and which entities it may open. Does
 * not know what the elements mean.
 *
 * Trust: the file belongs to the domain's owner, but a slip in it must not
 * hang or bloat the supervisor. So: no network, no parameter entities, entity
 * files must be regular and of bounded size.
 */
#include "libndrx/config/read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "libndrx/config/nodes.h"

enum { LIMIT_ENTITY_FILE = 16 * 1024 * 1024 };

static void on_entity_decl(void *ctx, const xmlChar *name, int type,
			   const xmlChar *public_id, const xmlChar *system_id,
			   xmlChar *content)
{
	if (type == XML_INTERNAL_PARAMETER_ENTITY ||
	    type == XML_EXTERNAL_PARAMETER_ENTITY) {
		ow_read_fail(ctx, OW_CONFIG_BAD,
			     "<!ENTITY %% %s>: parameter entities are not "
			     "supported; use <!ENTITY %s SYSTEM \"file\">",
			     (const char *)name, (const char *)name);
		return;
	}
	ow_libxml2()->xmlSAX2EntityDecl(ctx, name, type, public_id, system_id,
					content);
}

static const char *local_path(const char *uri)
{
	static const char scheme[] = "file://";

	if (strncmp(uri, scheme, sizeof(scheme) - 1) == 0)
		return uri + sizeof(scheme) - 1;
	return strstr(uri, "://") != NULL ? NULL : uri;
}

/* Refused before libxml2 opens it: reading a FIFO or device may never end. */
static bool entity_file_ok(void *ctx, const xmlEntity *ent)
{
	const char *name = (const char *)ent->name;
	const char *uri = (const char *)ent->URI;
	const char *path = uri != NULL ? local_path(uri) : NULL;
	struct stat st;

	if (ow_reader_of(ctx)->source->alone)
		ow_read_fail(ctx, OW_CONFIG_BAD,
			     "&%s;: entity files are not read here", name);
	else if (path == NULL)
		ow_read_fail(ctx, OW_CONFIG_BAD,
			     "&%s;: \"%.200s\" is not a local file; give a "
			     "file name",
			     name, uri != NULL ? uri : "");
	else if (stat(path, &st) != 0)
		ow_read_fail(ctx, OW_CONFIG_BAD, "&%s;: %.200s: %s", name, path,
			     strerror(errno));
	else if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_ENTITY_FILE)
		ow_read_fail(ctx, OW_CONFIG_BAD,
			     "&%s;: %.200s is not a regular file of at most "
			     "%d bytes",
			     name, path, LIMIT_ENTITY_FILE);
	return ow_reader_of(ctx)->result == 0;
}

static xmlEntity *on_get_entity(void *ctx, const xmlChar *name)
{
	xmlEntity *ent;

	if (ow_reader_of(ctx)->result != 0)
		return NULL;
	ent = ow_libxml2()->xmlSAX2GetEntity(ctx, name);
	if (ent != NULL && ent->etype == XML_EXTERNAL_GENERAL_PARSED_ENTITY &&
	    !entity_file_ok(ctx, ent))
		return NULL;
	return ent;
}

static void note_no_memory(struct ow_reader *r)
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
	struct ow_reader *r = ctxt != NULL ? ctxt->_private : NULL;
	const char *file = error->file;
	int len;

	if (r == NULL || r->result != 0 || error->level < XML_ERR_ERROR)
		return;
	if (error->code == XML_ERR_NO_MEMORY) {
		note_no_memory(r);
		return;
	}
	if (error->code == XML_ERR_ENTITY_LOOP) {
		ow_read_fail(ctxt, OW_CONFIG_BAD,
			     "entities refer to themselves or expand to too "
			     "much text; write the text out");
		return;
	}
	len = error->message != NULL ? (int)strcspn(error->message, "\n") : 0;
	r->result = OW_CONFIG_BAD;
	snprintf(r->err->text, sizeof(r->err->text), "%s:%d: not XML: %.*s",
		 file != NULL ? file : r->source->name, error->line,
		 len > 300 ? 300 : len,
		 error->message != NULL ? error->message : "");
}

/* Errors outside of any parser context: libxml2 goes on without the memory. */
static void on_error_outside(void *user, xmlError *error)
{
	if (error->code == XML_ERR_NO_MEMORY)
		note_no_memory(user);
}

static void set_handlers(xmlSAXHandler *sax)
{
	sax->startElementNs = ow_read_on_start;
	sax->endElementNs = ow_read_on_end;
	sax->characters = ow_read_on_text;
	sax->cdataBlock = ow_read_on_text;
	sax->ignorableWhitespace = ow_read_on_text;
	sax->comment = NULL;
	sax->processingInstruction = NULL;
	sax->reference = NULL;
	sax->entityDecl = on_entity_decl;
	sax->getEntity = on_get_entity;
	sax->serror = on_error;
	sax->warning = NULL;
	sax->error = NULL;
}

static void parse(xmlParserCtxt *ctxt, struct ow_reader *r)
{
	const struct ow_libxml2 *xml = ow_libxml2();

	xml->xmlCtxtUseOptions(ctxt, XML_PARSE_NOENT | XML_PARSE_NONET |
					 XML_PARSE_BIG_LINES);
	set_handlers(ctxt->sax);
	ctxt->_private = r;
	if (ctxt->input != NULL) {
		/* libxml2 frees it with its own allocator. */
		(*xml->xmlFree)((void *)ctxt->input->filename);
		ctxt->input->filename =
		    (char *)xml->xmlStrdup((const xmlChar *)r->source->name);
		if (ctxt->input->filename == NULL) {
			ow_read_no_memory(ctxt);
			return;
		}
	}
	xml->xmlParseDocument(ctxt);
	if (r->result == 0 && ctxt->errNo == XML_ERR_NO_MEMORY)
		ow_read_no_memory(ctxt);
	if (r->result == 0 && (!ctxt->wellFormed || r->root == NULL))
		ow_read_fail(ctxt, OW_CONFIG_BAD, "not XML");
}

static int read_with(struct ow_reader *r)
{
	const struct ow_config_source *source = r->source;
	const struct ow_libxml2 *xml = ow_libxml2();
	xmlParserCtxt *ctxt;

	ctxt = xml->xmlCreateMemoryParserCtxt(source->data, (int)source->len);
	if (ctxt == NULL) {
		note_no_memory(r);
		return r->result;
	}
	parse(ctxt, r);
	xml->xmlFreeDoc(ctxt->myDoc);
	ctxt->myDoc = NULL;
	xml->xmlFreeParserCtxt(ctxt);
	return r->result;
}

int ow_config_read(const struct ow_config_source *source,
		   struct ow_arena *arena, struct ow_config_error *err,
		   struct ow_config_node **ret_root)
{
	struct ow_reader r = { .source = source, .arena = arena, .err = err };
	const struct ow_libxml2 *xml = ow_libxml2();
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
	if (xml == NULL) {
		snprintf(err->text, sizeof(err->text),
			 "%s: libxml2 is not installed, or another version "
			 "of it; it reads the configuration",
			 source->name);
		return OW_CONFIG_BAD;
	}
	xml->xmlInitParser();
	xml->xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE);
	handler = *xml->__xmlStructuredError(); /* libxml2's, per thread */
	handler_arg = *xml->__xmlStructuredErrorContext();
	xml->xmlSetStructuredErrorFunc(&r, on_error_outside);
	result = read_with(&r);
	xml->xmlSetStructuredErrorFunc(handler_arg, handler);
	if (result == 0)
		*ret_root = r.root;
	return result;
}
