/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - buffer types: their names
 */
#include "libatmi/buffer/types.h"

#include <string.h>

static const struct {
	const char *name;
	enum ow_buf_type type;
} names[] = {
	{ "UBF", OW_BUF_UBF },	     { "FML", OW_BUF_UBF },
	{ "UBF32", OW_BUF_UBF },     { "FML32", OW_BUF_UBF },
	{ "TPINIT", OW_BUF_TPINIT }, { "NULL", OW_BUF_NULL },
	{ "STRING", OW_BUF_STRING }, { "CARRAY", OW_BUF_CARRAY },
	{ "X_OCTET", OW_BUF_CARRAY },{ "JSON", OW_BUF_JSON },
	{ "VIEW", OW_BUF_VIEW },     { "VIEW32", OW_BUF_VIEW },
	{ "X_C_TYPE", OW_BUF_VIEW }, { "X_COMMON", OW_BUF_VIEW },
	{ "XML", OW_BUF_XML },	     { "MBSTRING", OW_BUF_MBSTRING },
};

const char *const ow_buf_names[OW_BUF_TYPE_END] = {
	[OW_BUF_UBF] = "UBF",	    [OW_BUF_TPINIT] = "TPINIT",
	[OW_BUF_NULL] = "NULL",	    [OW_BUF_STRING] = "STRING",
	[OW_BUF_CARRAY] = "CARRAY", [OW_BUF_JSON] = "JSON",
	[OW_BUF_VIEW] = "VIEW",	    [OW_BUF_XML] = "XML",
	[OW_BUF_MBSTRING] = "MBSTRING",
};

int ow_buf_type_find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, name) == 0)
			return (int)names[i].type;
	return -1;
}
