/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - buffer types: their names
 */
#include "libatmi/buffer/types.h"

#include <string.h>

#define ROWS ((int)(sizeof(ow_buf_names) / sizeof(ow_buf_names[0])))

const struct ow_buf_name ow_buf_names[] = {
	{ "UBF", "FML", OW_BUF_UBF },
	{ "UBF32", "FML32", OW_BUF_UBF },
	{ "TPINIT", NULL, OW_BUF_TPINIT },
	{ "NULL", NULL, OW_BUF_NULL },
	{ "STRING", NULL, OW_BUF_STRING },
	{ "CARRAY", "X_OCTET", OW_BUF_CARRAY },
	{ "JSON", NULL, OW_BUF_JSON },
	{ "VIEW", "VIEW32", OW_BUF_VIEW },
};

int ow_buf_type_find(const char *name, int *ret_row)
{
	for (int i = 0; i < ROWS; i++) {
		const struct ow_buf_name *n = &ow_buf_names[i];

		if (strcmp(n->name, name) == 0 ||
		    (n->alias != NULL && strcmp(n->alias, name) == 0)) {
			*ret_row = i;
			return (int)n->type;
		}
	}
	return -1;
}

uint8_t ow_buf_default_row(enum ow_buf_type type)
{
	uint8_t i = 0;

	while (i < ROWS - 1 && ow_buf_names[i].type != type)
		i++;
	return i;
}
