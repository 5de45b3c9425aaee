/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtext.c - the name of a field in messages
 *
 * An error message does not load the field tables: if they are not loaded yet,
 * the message shows the id.
 */
#include "libubf/tables/fldtext.h"

#include <stdio.h>

#include "libubf/tables/fldtbl.h"

struct ow_fldtext ow_fldtext(BFLDID id)
{
	const struct ow_fldtbl *t = ow_fldtbl_known();
	const char *name = t == NULL ? NULL : ow_fldtbl_name(t, id);
	struct ow_fldtext text;

	if (name != NULL)
		snprintf(text.s, sizeof(text.s), "%s", name);
	else
		snprintf(text.s, sizeof(text.s), "%d", id);
	return text;
}
