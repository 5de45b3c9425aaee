/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldname.c - Bfldid and Bfname: field names and ids
 */
#include "libubf/error.h"

#include <errno.h>

#include "libubf/fldtbl.h"

static int tables(const struct ow_fldtbl **ret_table)
{
	char error[OW_FLDTBL_ERROR_MAX];
	int r = ow_fldtbl_get(ret_table, error);

	switch (r) {
	case 0:
		return 0;
	case -EBADMSG:
		return ow_ubf_fail(BFTSYNTAX, "%s", error);
	case -ENOMEM:
		return ow_ubf_fail(BMALLOC, "field tables: %s", error);
	default:
		return ow_ubf_fail(BFTOPEN, "field tables: %s", error);
	}
}

BFLDID Bfldid(char *fldnm)
{
	const struct ow_fldtbl *t;
	BFLDID id;

	ow_ubf_clear();
	if (fldnm == NULL) {
		ow_ubf_fail(BEINVAL, "Bfldid: no name");
		return BBADFLDID;
	}
	if (tables(&t) < 0)
		return BBADFLDID;
	id = ow_fldtbl_id(t, fldnm);
	if (id == BBADFLDID)
		ow_ubf_fail(BBADNAME, "there is no field '%s'", fldnm);
	return id;
}

char *Bfname(BFLDID bfldid)
{
	const struct ow_fldtbl *t;
	const char *name;

	ow_ubf_clear();
	if (tables(&t) < 0)
		return NULL;
	name = ow_fldtbl_name(t, bfldid);
	if (name == NULL)
		return ow_ubf_fail_null(BBADFLD, "no table has the field %d",
					bfldid);
	return (char *)name;
}
