/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - a configuration validated against the RELAX NG schema
 *
 * The second check of a load. The first one (check.c) has better messages and
 * sees what no schema can: ids that overlap, a group that is not defined. This
 * one sees forms of text that the first one does not parse, such as <ranges>,
 * and proves with every load that the schema accepts what ndrxd accepts. It
 * needs libxml2's own tree, so the text is parsed again, after the first
 * parser has found entities and sizes to be harmless.
 *
 * libxml2's validator (2.9) crashes when an allocation fails, and a supervisor
 * must not. So the memory that it will need is allocated and freed before; if
 * that fails, the load ends.
 */
#include "libndrx/config/schema.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"
#include "libndrx/config/libxml2.h"
#include "libndrx/config/relaxng.h"
#include "libndrx/config/value.h"

enum { MESSAGE_LEN = 160 };

/* Of the schema, and per byte of a configuration: twice what was measured. */
#define NEED_SCHEMA ((size_t)1 * 1024 * 1024)
#define NEED_FACTOR 32

/* The complaints of one validation. */
struct complaint {
	const struct ow_config_source *source;
	struct ow_config_error *err;
	char first[MESSAGE_LEN]; /* without a place */
	bool placed;		 /* `err` is set */
	bool no_memory;
};

static void free_doc(xmlDoc **doc)
{
	ow_libxml2()->xmlFreeDoc(*doc);
}

static void free_schema(xmlRelaxNG **schema)
{
	ow_libxml2()->xmlRelaxNGFree(*schema);
}

static void free_valid(xmlRelaxNGValidCtxt **ctxt)
{
	ow_libxml2()->xmlRelaxNGFreeValidCtxt(*ctxt);
}

static void ignore(void *user, xmlError *error)
{
}

/* Without the space around it. */
static const char *quote_trimmed(xmlChar *text, char *shown, size_t size)
{
	char *s = (char *)text + strspn((char *)text, " \t\r\n");
	size_t len = strlen(s);

	while (len > 0 && strchr(" \t\r\n", s[len - 1]) != NULL)
		s[--len] = '\0';
	return ow_value_quote(s, shown, size);
}

/* `attribute prio="500"`, or the text of the element. */
static void describe(const xmlError *error, xmlNode *node, char *buf,
		     size_t size)
{
	const struct ow_libxml2 *xml = ow_libxml2();
	xmlChar *text = NULL;
	char shown[72];

	buf[0] = '\0';
	if (error->code == XML_RELAXNG_ERR_INVALIDATTR && error->str1 != NULL)
		text = xml->xmlGetNoNsProp(node, (const xmlChar *)error->str1);
	if (text != NULL)
		snprintf(buf, size, "attribute %.40s=%s ", error->str1,
			 quote_trimmed(text, shown, sizeof(shown)));
	else if (xml->xmlChildElementCount(node) == 0 &&
		 (text = xml->xmlNodeGetContent(node)) != NULL &&
		 *text != '\0')
		snprintf(buf, size, "%s ",
			 quote_trimmed(text, shown, sizeof(shown)));
	(*xml->xmlFree)(text);
}

/* The element at fault: for a wrong value, the validator names its parent. */
static xmlNode *blamed(const xmlError *error)
{
	const struct ow_libxml2 *xml = ow_libxml2();
	xmlNode *node = error->node;

	if (error->code != XML_RELAXNG_ERR_INTEREXTRA || error->str1 == NULL ||
	    xml->xmlStrEqual(node->name, (const xmlChar *)error->str1))
		return node;
	for (xmlNode *n = node->children; n != NULL; n = n->next)
		if (n->type == XML_ELEMENT_NODE &&
		    xml->xmlStrEqual(n->name, (const xmlChar *)error->str1))
			return n;
	return node;
}

static void on_error(void *user, xmlError *error)
{
	struct complaint *c = user;
	xmlNode *node = error->node;
	char what[160];
	int len;

	if (error->code == XML_ERR_NO_MEMORY)
		c->no_memory = true;
	if (c->placed || error->message == NULL)
		return;
	len = (int)strcspn(error->message, "\n");
	if (c->first[0] == '\0')
		snprintf(c->first, sizeof(c->first), "%.*s", len,
			 error->message);
	if (node == NULL || node->type != XML_ELEMENT_NODE)
		return;
	node = blamed(error);
	describe(error, node, what, sizeof(what));
	/* A text that is cut off is one, too. */
	c->placed = snprintf(c->err->text, sizeof(c->err->text),
			     "%.160s:%ld: <%.60s>: %sdoes not fit the schema "
			     "ndrxconfig.rng: %s",
			     error->file != NULL ? error->file
						 : c->source->name,
			     ow_libxml2()->xmlGetLineNo(node),
			     (const char *)node->name, what, c->first) > 0;
}

static xmlRelaxNG *parse_schema(void)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	const struct ow_libxml2 *xml = ow_libxml2();
	xmlRelaxNGParserCtxt *ctxt;
	xmlRelaxNG *schema;
	size_t len;

	if (ow_config_relaxng(&text, &len) != 0)
		return NULL;
	ctxt = xml->xmlRelaxNGNewMemParserCtxt(text, (int)len);
	if (ctxt == NULL)
		return NULL;
	xml->xmlRelaxNGSetParserStructuredErrors(ctxt, ignore, NULL);
	schema = xml->xmlRelaxNGParse(ctxt);
	xml->xmlRelaxNGFreeParserCtxt(ctxt);
	return schema;
}

/* A step that fails gives -ENOMEM: there is no other reason. */
static int validate(struct complaint *c)
{
	const struct ow_config_source *source = c->source;
	const struct ow_libxml2 *xml = ow_libxml2();
	OW_CLEANUP(free_schema) xmlRelaxNG *schema = parse_schema();
	OW_CLEANUP(free_doc) xmlDoc *doc =
	    xml->xmlReadMemory(source->data, (int)source->len, source->name,
			       NULL,
			       XML_PARSE_NOENT | XML_PARSE_NONET |
				   XML_PARSE_BIG_LINES);
	OW_CLEANUP(free_valid) xmlRelaxNGValidCtxt *ctxt = NULL;
	int r;

	if (schema == NULL || doc == NULL)
		return -ENOMEM;
	ctxt = xml->xmlRelaxNGNewValidCtxt(schema);
	if (ctxt == NULL)
		return -ENOMEM;
	xml->xmlRelaxNGSetValidStructuredErrors(ctxt, on_error, c);
	r = xml->xmlRelaxNGValidateDoc(ctxt, doc);
	if (r < 0 || c->no_memory)
		return -ENOMEM;
	return r == 0 ? 0 : OW_CONFIG_BAD;
}

static bool has_memory(const struct ow_config_source *source)
{
	void *volatile p = malloc(NEED_SCHEMA + source->len * NEED_FACTOR);

	free(p);
	return p != NULL;
}

int ow_config_schema_check(const struct ow_config_source *source,
			   struct ow_config_error *err)
{
	struct complaint c = { .source = source, .err = err };
	const struct ow_libxml2 *xml = ow_libxml2();
	xmlStructuredErrorFunc handler = *xml->__xmlStructuredError();
	void *handler_arg = *xml->__xmlStructuredErrorContext();
	int r = -ENOMEM;

	if (has_memory(source)) {
		xml->xmlSetStructuredErrorFunc(NULL, ignore);
		r = validate(&c);
		xml->xmlSetStructuredErrorFunc(handler_arg, handler);
	}
	if (r == OW_CONFIG_BAD && !c.placed)
		snprintf(err->text, sizeof(err->text),
			 "%s:1: does not fit the schema ndrxconfig.rng: %s",
			 source->name, c.first);
	else if (r < 0)
		snprintf(err->text, sizeof(err->text), "%s: out of memory",
			 source->name);
	return r;
}
