/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_error.c - values that are none, and the texts of errors
 */
#include "ubf_test.h"

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

static void texts_of_errors_have_number_name_and_detail(void **state)
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
		cmocka_unit_test(texts_of_errors_have_number_name_and_detail),
		cmocka_unit_test(success_clears_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
