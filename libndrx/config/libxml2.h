/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libxml2.h - the functions of libxml2, loaded when a configuration is read
 *
 * It brings the tables of ICU and the library of C++ with it: linked, it would
 * make each start of xadmin twice as long, also for a listing.
 */
#ifndef OW_LIBXML2_H
#define OW_LIBXML2_H

#include <libxml/SAX2.h>
#include <libxml/catalog.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>

/* xmlFree is a variable with a function in it, the only one here. */
#define OW_LIBXML2_FUNCTIONS(X) \
	X(__xmlStructuredError) \
	X(__xmlStructuredErrorContext) \
	X(xmlCatalogSetDefaults) \
	X(xmlChildElementCount) \
	X(xmlCreateMemoryParserCtxt) \
	X(xmlCtxtUseOptions) \
	X(xmlFree) \
	X(xmlFreeDoc) \
	X(xmlFreeParserCtxt) \
	X(xmlGetLineNo) \
	X(xmlGetNoNsProp) \
	X(xmlInitParser) \
	X(xmlNodeGetContent) \
	X(xmlParseDocument) \
	X(xmlReadMemory) \
	X(xmlRelaxNGFree) \
	X(xmlRelaxNGFreeParserCtxt) \
	X(xmlRelaxNGFreeValidCtxt) \
	X(xmlRelaxNGNewMemParserCtxt) \
	X(xmlRelaxNGNewValidCtxt) \
	X(xmlRelaxNGParse) \
	X(xmlRelaxNGSetParserStructuredErrors) \
	X(xmlRelaxNGSetValidStructuredErrors) \
	X(xmlRelaxNGValidateDoc) \
	X(xmlSAX2EntityDecl) \
	X(xmlSAX2GetEntity) \
	X(xmlSetStructuredErrorFunc) \
	X(xmlStopParser) \
	X(xmlStrEqual) \
	X(xmlStrdup)

struct ow_libxml2 {
#define X(name) __typeof__(name) *name;
	OW_LIBXML2_FUNCTIONS(X)
#undef X
};

/* NULL: it cannot be loaded. ow_config_read() says so; what is called after it
 * needs not ask again. */
const struct ow_libxml2 *ow_libxml2(void);

#endif
