/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - names of fields
 */
#include "inside.h"

#include <stdio.h>

int32_t gow_field_id(const char *name, char text[GOW_TEXT])
{
	BFLDID id = Bfldid((char *)name);

	if (id == BBADFLDID)
		snprintf(text, GOW_TEXT, "%s", Bstrerror(Berror));
	return id == BBADFLDID ? 0 : id;
}

const char *gow_field_name(int32_t id)
{
	return Bfname(id);
}
