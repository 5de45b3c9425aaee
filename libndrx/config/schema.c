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

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>

#include "libubf/base/cleanup.h"
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
	xmlFreeDoc(*doc);
}

static void free_schema(xmlRelaxNG **schema)
{
	xmlRelaxNGFree(*schema);
}

static void free_valid(xmlRelaxNGValidCtxt **ctxt)
{
	xmlRelaxNGFreeValidCtxt(*ctxt);
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
	xmlChar *text = NULL;
	char shown[72];

	buf[0] = '\0';
	if (error->code == XML_RELAXNG_ERR_INVALIDATTR && error->str1 != NULL)
		text = xmlGetNoNsProp(node, (const xmlChar *)error->str1);
	if (text != NULL)
		snprintf(buf, size, "attribute %.40s=%s ", error->str1,
			 quote_trimmed(text, shown, sizeof(shown)));
	else if (xmlChildElementCount(node) == 0 &&
		 (text = xmlNodeGetContent(node)) != NULL && *text != '\0')
		snprintf(buf, size, "%s ",
			 quote_trimmed(text, shown, sizeof(shown)));
	xmlFree(text);
}

/* The element at fault: for a wrong value, the validator names its parent. */
static xmlNode *blamed(const xmlError *error)
{
	xmlNode *node = error->node;

	if (error->code != XML_RELAXNG_ERR_INTEREXTRA || error->str1 == NULL ||
	    xmlStrEqual(node->name, (const xmlChar *)error->str1))
		return node;
	for (xmlNode *n = node->children; n != NULL; n = n->next)
		if (n->type == XML_ELEMENT_NODE &&
		    xmlStrEqual(n->name, (const xmlChar *)error->str1))
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
	snprintf(c->err->text, sizeof(c->err->text),
		 "%.160s:%ld: <%.60s>: %sdoes not fit the schema "
		 "ndrxconfig.rng: %s",
		 error->file != NULL ? error->file : c->source->name,
		 xmlGetLineNo(node), (const char *)node->name, what,
		 c->first);
	c->placed = true;
}

static xmlRelaxNG *parse_schema(void)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	xmlRelaxNGParserCtxt *ctxt;
	xmlRelaxNG *schema;
	size_t len;

	if (ow_config_relaxng(&text, &len) != 0)
		return NULL;
	ctxt = xmlRelaxNGNewMemParserCtxt(text, (int)len);
	if (ctxt == NULL)
		return NULL;
	xmlRelaxNGSetParserStructuredErrors(ctxt, ignore, NULL);
	schema = xmlRelaxNGParse(ctxt);
	xmlRelaxNGFreeParserCtxt(ctxt);
	return schema;
}

/* A step that fails gives -ENOMEM: there is no other reason. */
static int validate(struct complaint *c)
{
	const struct ow_config_source *source = c->source;
	OW_CLEANUP(free_schema) xmlRelaxNG *schema = parse_schema();
	OW_CLEANUP(free_doc) xmlDoc *doc =
	    xmlReadMemory(source->data, (int)source->len, source->name, NULL,
			  XML_PARSE_NOENT | XML_PARSE_NONET |
			      XML_PARSE_BIG_LINES);
	OW_CLEANUP(free_valid) xmlRelaxNGValidCtxt *ctxt = NULL;
	int r;

	if (schema == NULL || doc == NULL)
		return -ENOMEM;
	ctxt = xmlRelaxNGNewValidCtxt(schema);
	if (ctxt == NULL)
		return -ENOMEM;
	xmlRelaxNGSetValidStructuredErrors(ctxt, on_error, c);
	r = xmlRelaxNGValidateDoc(ctxt, doc);
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
	xmlStructuredErrorFunc handler = xmlStructuredError;
	void *handler_arg = xmlStructuredErrorContext;
	int r = -ENOMEM;

	if (has_memory(source)) {
		xmlSetStructuredErrorFunc(NULL, ignore);
		r = validate(&c);
		xmlSetStructuredErrorFunc(handler_arg, handler);
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
