/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.h - events of the XML parser made a tree of elements
 *
 * Private to read.c, which owns the parser. libxml2 may parse an entity with a
 * parser context of its own; such contexts inherit _private, where every
 * handler finds its reader.
 */
#ifndef OW_CONFIG_NODES_H
#define OW_CONFIG_NODES_H

#include <stddef.h>

#include "libndrx/config/arena.h"
#include "libndrx/config/config.h"
#include "libndrx/config/libxml2.h"
#include "libndrx/config/source.h"
#include "libndrx/config/tree.h"

struct ow_reader {
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
	int result;	  /* of the first failure; 0: none so far */
	const char *file; /* the last element's, to share its copied name */
};

struct ow_reader *ow_reader_of(void *ctx);

/* Stop the parser; the first failure is kept, the later ones follow from it. */
void ow_read_fail(xmlParserCtxt *ctxt, int result, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ow_read_no_memory(xmlParserCtxt *ctxt);

/* Handlers for elements and text. */
void ow_read_on_start(void *ctx, const xmlChar *name, const xmlChar *prefix,
			const xmlChar *uri, int n_namespaces,
			const xmlChar **namespaces, int n_attrs,
			int n_defaulted, const xmlChar **attrs);
void ow_read_on_end(void *ctx, const xmlChar *name, const xmlChar *prefix,
		      const xmlChar *uri);
void ow_read_on_text(void *ctx, const xmlChar *chars, int n);

#endif
