/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtext.c - a field as messages call it
 *
 * Errors are not the time to read files: where nobody has asked for a name
 * yet, a number does.
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
