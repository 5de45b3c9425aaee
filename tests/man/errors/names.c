/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - errors of the functions that know fields by name
 */
#include "tests/man/errors/errors.h"

#include <exdb.h>

static void without_tables(void)
{
	unsetenv("FLDTBLDIR");
	unsetenv("FIELDTBLS");
	unsetenv("NDRX_UBFDB");
	FAILS(BFTOPEN, Bfldid("NAME"));
	FAILS(BFTOPEN, Bboolco("NAME == 'x'"));
}

static void json_fails(void)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);
	char *q = NULL;
	long n = 0;

	FAILS(TPESYSTEM, tpjsontoubf(p, "{\"NAME\":\"x\"}"));
	FAILS(TPESYSTEM, tpimport("{\"buftype\":\"UBF\",\"version\":1,"
				  "\"data\":{\"NAME\":\"x\"}}", 0, &q,
				  &n, 0));
}

static void with_a_bad_table(void)
{
	FAILS(BFTSYNTAX, Bfldid("NAME"));
	FAILS(BFTSYNTAX, Bboolco("NAME == 'x'"));
	json_fails();
}

static void without_memory(void)
{
	FAILS_WITHOUT_MEMORY(BMALLOC, Bfldid("NAME"));
}

static void tables(void)
{
	FAILS(BBADNAME, Bfldid("NOBODY"));
	FAILS(BBADFLD, Bfname(BBADFLDID));
	FAILS(BEINVAL, Bfldid(NULL));
}

static void expressions(UBFH *p)
{
	char *tree;

	FAILS(BSYNTAX, Bboolco("NAME =="));
	FAILS(BBADNAME, Bboolco("NOBODY == 1"));
	FAILS(BEINVAL, Bboolco(NULL));
	FAILS_WITHOUT_MEMORY(BMALLOC, Bboolco("NAME == 'x'"));
	FAILS(BEBADOP, Bboolco("T_SUB == 'x'"));
	tree = Bboolco("NAME == 'x'");
	EXPECT(tree != NULL);
	FAILS(BALIGNERR, Bboolev(shifted(p), tree));
	FAILS(BNOTFLD, Bboolev(NULL, tree));
}

static void without_a_data_base(void)
{
	unsetenv("NDRX_UBFDB");
	FAILS(BFTOPEN, Bflddbadd(NULL, BFLD_STRING, 5001, "T_ONE"));
}

static void with_a_file_as_data_base(void)
{
	FAILS(BEUNIX, Bflddbadd(NULL, BFLD_STRING, 5001, "T_ONE"));
}

static void data_base(void)
{
	FAILS(BBADNAME, Bflddbid("T_NOBODY"));
	FAILS(BBADFLD, Bflddbname(Bmkfldid(BFLD_LONG, 5999)));
	FAILS(BTYPERR, Bflddbadd(NULL, 77, 5001, "T_ONE"));
	FAILS(BEINVAL, Bflddbadd(NULL, BFLD_STRING, 5001, NULL));
	FAILS(BNOTPRES, Bflddbdel(NULL, Bmkfldid(BFLD_LONG, 5999)));
}

int main(void)
{
	with("FLDTBLDIR=", without_tables);
	with("FIELDTBLS=bad.fld", with_a_bad_table);
	with("FIELDTBLS=fields.fld", without_memory);
	with("NDRX_UBFDB=", without_a_data_base);
	with("NDRX_UBFDB=fields.fld", with_a_file_as_data_base);
	tables();
	expressions(record());
	data_base();
	return wrong;
}
