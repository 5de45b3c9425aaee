/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldname.c - Bfldid, Bfname: ids of names, names of ids
 */
#include "libubf/tables/fldname.h"

#include <stdarg.h>
#include <stdio.h>

#include "libubf/base/error.h"

int ow_fldname_tables(const struct ow_fldtbl **ret_table)
{
	char error[OW_TABFILE_ERROR_MAX];
	int r = ow_fldtbl_get(ret_table, error);

	return r < 0 ? ow_ubf_fail(ow_fldtbl_code(r), "field tables: %s",
				   error)
		     : 0;
}

/* A field that is not known may be one of the table that is missing. */
static void __attribute__((format(printf, 3, 4)))
fail_unknown(const struct ow_fldtbl *t, int code, const char *fmt, ...)
{
	const char *missing = ow_fldtbl_missing(t);
	char what[100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (missing == NULL)
		ow_ubf_fail(code, "%s", what);
	else
		ow_ubf_fail(BFTOPEN, "%s: field table %.200s is in no folder "
			    "of FLDTBLDIR", what, missing);
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
	if (ow_fldname_tables(&t) < 0)
		return BBADFLDID;
	id = ow_fldtbl_id_now(&t, fldnm);
	if (id == BBADFLDID)
		fail_unknown(t, BBADNAME, "there is no field '%s'", fldnm);
	return id;
}

char *Bfname(BFLDID bfldid)
{
	const struct ow_fldtbl *t;
	const char *name;

	ow_ubf_clear();
	if (ow_fldname_tables(&t) < 0)
		return NULL;
	name = ow_fldtbl_name_now(&t, bfldid);
	if (name == NULL)
		fail_unknown(t, BBADFLD, "no table has the field %d", bfldid);
	return (char *)name;
}
