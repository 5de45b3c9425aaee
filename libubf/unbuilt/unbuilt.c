/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unbuilt.c - functions that are declared, but not built yet
 *
 * Programs that use them link; each call fails with BERFU1.
 */
#include "libubf/base/error.h"

static int unbuilt(const char *name)
{
	return ow_ubf_fail(BERFU1, "%s: not built yet", name);
}

int Bflddbload(void)
{
	return unbuilt("Bflddbload");
}

int Bflddbunload(void)
{
	return unbuilt("Bflddbunload");
}

int Bflddbunlink(void)
{
	return unbuilt("Bflddbunlink");
}

BFLDID Bflddbid(char *fldname)
{
	(void)unbuilt("Bflddbid");
	return BBADFLDID;
}

char *Bflddbname(BFLDID bfldid)
{
	return ow_ubf_fail_null(BERFU1, "Bflddbname: not built yet");
}

int Bflddbget(EDB_val *data, BFLDID *p_bfldid, BFLDID *p_bfldno,
	      short *p_bfldtype, char *fldname, int fldname_bufsz)
{
	return unbuilt("Bflddbget");
}

int Bflddbadd(EDB_txn *txn, short fldtype, BFLDID bfldno, char *fldname)
{
	return unbuilt("Bflddbadd");
}

int Bflddbdel(EDB_txn *txn, BFLDID bfldid)
{
	return unbuilt("Bflddbdel");
}

int Bflddbdrop(EDB_txn *txn)
{
	return unbuilt("Bflddbdrop");
}

EDB_env *Bfldddbgetenv(EDB_dbi **dbi_id, EDB_dbi **dbi_nm)
{
	return ow_ubf_fail_null(BERFU1, "Bfldddbgetenv: not built yet");
}
