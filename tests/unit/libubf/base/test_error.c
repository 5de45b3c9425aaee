/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_error.c - NULL values, and the texts of errors
 */
#include "tests/unit/libubf/ubf_test.h"

#include <errno.h>
#include <stdio.h>

/* The call must fail with `code`. */
#define FAILS(call, result)                                                    \
	do {                                                                   \
		*ndrx_Bget_Ferror_addr() = -5;                                 \
		assert_true((call) == (result));                               \
		assert_int_equal(Berror, code);                                \
	} while (0)

static void null_values_are_refused(void **state)
{
	UBFH *p = Balloc(20, 500);
	const int code = BEINVAL;
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	int type;

	for (type = BFLD_SHORT; type <= BFLD_CARRAY; type++) {
		FAILS(Badd(p, ID(type, 9), NULL, 4), -1);
		FAILS(CBadd(p, ID(type, 9), NULL, 4, BFLD_STRING), -1);
		FAILS(Bfindocc(p, ID(type, 9), NULL, 0), -1);
		assert_int_equal(Badds(p, ID(type, 9), (char *)"1"), 0);
		FAILS(Bget(p, ID(type, 9), 0, NULL, NULL), -1);
		FAILS(CBget(p, ID(type, 9), 0, NULL, NULL, BFLD_STRING), -1);
	}
	FAILS(Badd(p, F_CARRAY, (char *)"x", -1), -1);
	FAILS(Bnext(p, NULL, &occ, NULL, NULL), -1);
	FAILS(Bnext(p, &id, NULL, NULL, NULL), -1);
	FAILS(Bnext2(NULL, p, &id, &occ, NULL, NULL, NULL), -1);
	Bfree(p);
}

static void error_texts_have_number_name_and_detail(void **state)
{
	assert_string_equal(Becodestr(BSYNTAX), "BSYNTAX");
	assert_string_equal(Becodestr(BMINVAL), "BMINVAL");
	assert_string_equal(Becodestr(BEBADOP), "BEBADOP");
	assert_string_equal(Becodestr(99), "unknown error");
	assert_string_equal(Becodestr(-1), "unknown error");
	assert_int_equal(Bused(NULL), -1);
	assert_string_equal(Bstrerror(Berror), "3:BNOTFLD (last error 3: the "
						"buffer is NULL)");
	assert_string_equal(Bstrerror(BSYNTAX), "11:BSYNTAX");
	assert_string_equal(Bstrerror(1000), "1000:unknown error");
}

static void assert_says(const char *part)
{
	if (strstr(Bstrerror(Berror), part) == NULL)
		fail_msg("'%s' does not say '%s'", Bstrerror(Berror), part);
}

static void error_texts_name_the_field_and_the_cause(void **state)
{
	UBFH *p = Balloc(1, 8), *big = Balloc(4, 400);
	char text[300] = "", small[4];
	BFLDLEN len = sizeof(small);

	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(Badds(p, F_STRING, text), -1);
	assert_says("CBadd: no room for field 167772266 (string): 56 of 88 "
		    "bytes are used");
	assert_int_equal(Badd(p, F_STRING, text, 0), -1);
	assert_says("Badd: no room for field 167772266 (string)");
	assert_int_equal(Bchg(p, F_STRING, 0, text, 0), -1);
	assert_says("Bchg: no room for field 167772266");
	assert_int_equal(Badds(big, F_STRING, text), 0);
	assert_int_equal(Bget(big, F_STRING, 0, small, &len), -1);
	assert_says("Bget: the value of field 167772266 has 300 bytes, there "
		    "is room for 4");
	assert_int_equal(CBget(big, F_STRING, 0, small, &len, BFLD_CARRAY),
			 -1);
	assert_says("CBget: the value of field 167772266 has 299 bytes");
	assert_int_equal(CBget(big, F_STRING, 0, small, &len, BFLD_UBF), -1);
	assert_says("field 167772266 is a string, which does not become a "
		    "ubf");
	assert_int_equal(CBadd(big, F_UBF, text, 0, BFLD_STRING), -1);
	assert_says("is a ubf, which is not made from a string");
	assert_int_equal(CBadd(big, F_LONG, text, 0, 77), -1);
	assert_says("77 is no type");
	assert_int_equal(Badd(big, F_UBF, text, 0), -1);
	assert_says("the value is not a UBF buffer");
	assert_int_equal(Bpres(big, ID(BFLD_INT, 3), 0), 0);
	assert_says("234881027 is not a field id (type 7, number 3)");
	Bfree(p);
	Bfree(big);
}

static void success_clears_the_error(void **state)
{
	UBFH *p = Balloc(1, 10);

	assert_int_equal(Bnum(NULL), -1);
	assert_int_equal(Berror, BNOTFLD);
	assert_int_equal(Bnum(p), 0);
	assert_int_equal(Berror, BMINVAL);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_values_are_refused),
		cmocka_unit_test(error_texts_have_number_name_and_detail),
		cmocka_unit_test(error_texts_name_the_field_and_the_cause),
		cmocka_unit_test(success_clears_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
