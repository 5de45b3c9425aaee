/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_included.c - what a header brings with it; no other one is included
 */
#include <atmi.h>
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

/* Without a prototype an address is cut to an int: the program dies later. */
static void the_header_of_calls_brings_the_c_library(void **state)
{
	char *memory = malloc(10), *path = getenv("PATH");

	(void)state;
	assert_non_null(memory);
	assert_non_null(path);
	assert_int_equal(strtol("42", NULL, 10), 42);
	assert_string_equal(strcpy(memory, "text"), "text");
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_of_plugins_brings_ubf),
		cmocka_unit_test(the_header_of_calls_brings_the_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
