/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_path.c - fields of embedded buffers
 */
#include "tests/unit/libubf/ubf_test.h"


/* p { F_UBF[0] {}, F_UBF[1] { F_UBF[0] { F_STRING "a", "b" } } } */
static UBFH *nested(void)
{
	UBFH *p = Balloc(20, 2000), *mid = Balloc(10, 1000),
	     *leaf = Balloc(5, 100);

	Badds(leaf, F_STRING, (char *)"a");
	Badds(leaf, F_STRING, (char *)"12");
	Badd(p, F_UBF, (char *)mid, 0);
	Badd(mid, F_UBF, (char *)leaf, 0);
	Badd(p, F_UBF, (char *)mid, 0);
	Badds(p, F_LONG, (char *)"5");
	Bfree(mid);
	Bfree(leaf);
	return p;
}

static void paths_lead_into_embedded_buffers(void **state)
{
	BFLDID path[] = { F_UBF, 1, F_UBF, 0, F_STRING, 1, BBADFLDOCC };
	BFLDID flat[] = { F_LONG, 0, BBADFLDOCC };
	UBFH *p = nested();
	char buf[16], *s;
	BFLDLEN len = sizeof(buf);
	long l;

	assert_int_equal(Bgetr(p, path, buf, &len), 0);
	assert_string_equal(buf, "12");
	assert_int_equal(len, 3);
	assert_string_equal(Bfindr(p, path, NULL), "12");
	assert_int_equal(CBgetr(p, path, (char *)&l, NULL, BFLD_LONG), 0);
	assert_int_equal(l, 12);
	assert_int_equal(*(long *)CBfindr(p, path, NULL, BFLD_LONG), 12);
	s = CBgetallocr(p, flat, BFLD_STRING, NULL);
	assert_string_equal(s, "5");
	free(s);
	assert_int_equal(Bpresr(p, path), 1);
	assert_int_equal(Bpresrv(p, F_UBF, 1, F_UBF, 0, BBADFLDOCC), 1);
	assert_int_equal(Bpresrv(p, F_UBF, 0, F_UBF, 0, BBADFLDOCC), 0);
	assert_int_equal(Bgetrv(p, buf, NULL, F_UBF, 1, F_UBF, 0, F_STRING, 0,
				BBADFLDOCC), 0);
	assert_string_equal(buf, "a");
	assert_int_equal(CBgetrv(p, (char *)&l, NULL, BFLD_LONG, F_LONG, 0,
				 BBADFLDOCC), 0);
	assert_int_equal(l, 5);
	assert_string_equal(Bfindrv(p, NULL, F_UBF, 1, F_UBF, 0, F_STRING, 1,
				    BBADFLDOCC), "12");
	assert_string_equal(CBfindrv(p, NULL, BFLD_STRING, F_LONG, 0,
				     BBADFLDOCC), "5");
	s = CBgetallocrv(p, BFLD_STRING, NULL, F_LONG, 0, BBADFLDOCC);
	assert_string_equal(s, "5");
	free(s);
	Bfree(p);
}

static void bad_paths_are_refused(void **state)
{
	UBFH *p = nested();
	char buf[16];

	assert_int_equal(Bgetrv(p, buf, NULL, BBADFLDOCC), -1);
	assert_int_equal(Berror, BBADFLD);
	assert_int_equal(Bgetrv(p, buf, NULL, F_LONG, BBADFLDOCC), -1);
	assert_int_equal(Berror, BBADFLD);
	assert_int_equal(Bgetrv(p, buf, NULL, F_UBF, 1, F_UBF, BBADFLDOCC),
			 -1);
	assert_int_equal(Berror, BBADFLD);
	assert_int_equal(Bgetrv(p, buf, NULL, F_LONG, 0, F_LONG, 0,
				BBADFLDOCC), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(Bgetrv(p, buf, NULL, F_UBF, 9, F_LONG, 0,
				BBADFLDOCC), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_int_equal(Bpresrv(p, F_UBF, 9, F_LONG, 0, BBADFLDOCC), 0);
	assert_int_equal(Berror, BMINVAL);
	assert_int_equal(Bgetr(p, NULL, buf, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bgetrv(NULL, buf, NULL, F_LONG, 0, BBADFLDOCC), -1);
	assert_int_equal(Berror, BNOTFLD);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_into_embedded_buffers),
		cmocka_unit_test(bad_paths_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
