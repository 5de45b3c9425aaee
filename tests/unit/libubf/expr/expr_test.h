/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_test.h - field tables and a buffer for the tests of expressions
 *
 * L holds 42, STR "HELLO WORLD", MULTI 1 2 3, MS "ab" "bc" "cd"; U holds two
 * buffers, the second with three L and another buffer; NO... are absent.
 */
#ifndef OW_UBF_EXPR_TEST_H
#define OW_UBF_EXPR_TEST_H

#include "tests/unit/libubf/ubf_test.h"
#include "tests/unit/libubf/tmpdir.h"

#define EXPR_TABLE                                                             \
	"S 1 short\nL 2 long\nC 3 char\nF 4 float\nD 5 double\nSTR 6 string\n" \
	"CAR 7 carray\nU 9 ubf\nNUM 10 string\nMULTI 11 long\nMS 12 string\n"  \
	"NOL 13 long\nNOS 14 string\nEMPTY 15 string\nZERO 16 long\n"	       \
	"CD 17 char\nNEG 18 long\nBIG 19 string\nNOU 20 ubf\nMD 21 double\n"   \
	"CNUL 22 char\nP 23 ptr\nV 24 view\nNOC 25 char\nZD 26 double\n"       \
	"WORD 27 string\n"

#define EXPR_VIEW                                                              \
	"VIEW POINT\nlong n - 3 C - -\nstring name - 1 - 8 -\n"		       \
	"double d - 1 - - -\nEND\n"

static struct tmpdir expr_dir;

static inline int expr_tables(void **state)
{
	if (tmpdir_make(&expr_dir) < 0 ||
	    tmpdir_write(&expr_dir, "t.fd", EXPR_TABLE) < 0 ||
	    tmpdir_write(&expr_dir, "t.v", EXPR_VIEW) < 0)
		return -1;
	setenv("FLDTBLDIR", expr_dir.path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	setenv("VIEWDIR", expr_dir.path, 1);
	setenv("VIEWFILES", "t.v", 1);
	return Bfldid((char *)"L") == ID(BFLD_LONG, 2) ? 0 : -1;
}

static inline int expr_tables_gone(void **state)
{
	tmpdir_remove(&expr_dir);
	return 0;
}

static inline void expr_set(UBFH *p, const char *name, const char *value)
{
	assert_int_equal(CBadd(p, Bfldid((char *)name), (char *)value,
			       (BFLDLEN)strlen(value), BFLD_STRING), 0);
}

static inline UBFH *expr_embedded(void)
{
	UBFH *p = Balloc(20, 1000), *in = Balloc(10, 300);
	const BFLDID u = Bfldid((char *)"U");

	expr_set(in, "L", "9");
	expr_set(p, "L", "6");
	expr_set(p, "L", "7");
	expr_set(p, "L", "8");
	expr_set(p, "STR", "inner one");
	assert_int_equal(Badd(p, u, (char *)in, 0), 0);
	Bfree(in);
	return p;
}

static inline UBFH *expr_buffer(void)
{
	static const char *const values[][2] = {
		{ "S", "7" }, { "L", "42" }, { "C", "A" }, { "F", "1.5" },
		{ "D", "3.25" }, { "STR", "HELLO WORLD" }, { "NUM", "10.0" },
		{ "MULTI", "1" }, { "MULTI", "2" }, { "MULTI", "3" },
		{ "MS", "ab" }, { "MS", "bc" }, { "MS", "cd" },
		{ "EMPTY", "" }, { "ZERO", "0" }, { "CD", "7" },
		{ "NEG", "-3" }, { "BIG", "9007199254740993" },
		{ "MD", "0.5" }, { "MD", "2.5" }, { "ZD", "0" },
		{ "WORD", "12abc" }, { "P", "0x10" },
	};
	UBFH *p = Balloc(60, 4000), *in = Balloc(5, 200), *in2;
	const BFLDID u = Bfldid((char *)"U");
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		expr_set(p, values[i][0], values[i][1]);
	assert_int_equal(Badd(p, Bfldid((char *)"CAR"), (char *)"bin\0x", 5),
			 0);
	assert_int_equal(Badd(p, Bfldid((char *)"CNUL"), (char *)"", 0), 0);
	expr_set(in, "L", "5");
	expr_set(in, "STR", "inner nought");
	in2 = expr_embedded();
	assert_int_equal(Badd(p, u, (char *)in, 0), 0);
	assert_int_equal(Badd(p, u, (char *)in2, 0), 0);
	Bfree(in);
	Bfree(in2);
	return p;
}

#endif
