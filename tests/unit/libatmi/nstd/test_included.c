/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_included.c - what a header brings with it; no other one is included
 */
#include <expluginbase.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void the_header_of_plugins_brings_ubf(void **state)
{
	UBFH *p = Balloc(1, 60);
	BFLDID id = Bmkfldid(BFLD_LONG, 1);
	long one = 1;

	(void)state;
	assert_non_null(p);
	assert_int_equal(Badd(p, id, (char *)&one, 0), 0);
	assert_int_equal(Boccur(p, id), 1);
	assert_int_equal(Bfree(p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_of_plugins_brings_ubf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
