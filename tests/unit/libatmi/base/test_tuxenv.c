/* SPDX-License-Identifier: Apache-2.0 */
/* test_tuxenv.c - the environment by Tuxedo's names */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <atmi.h>
#include <Uunix.h>

#include "tests/unit/libatmi/scratch.h"

#define GET(name) tuxgetenv((char *)(name))

static void a_string_becomes_part_of_the_environment(void **state)
{
	static char string[] = "TUX_A=one";

	assert_int_equal(tuxputenv(string), 0);
	assert_string_equal(GET("TUX_A"), "one");
	assert_string_equal(getenv("TUX_A"), "one");
	assert_int_not_equal(tuxputenv((char *)"TUX_A"), 0);
	assert_int_not_equal(tuxputenv(NULL), 0);
	assert_null(GET(NULL));
	assert_null(GET("TUX_NONE"));
}

static void a_file_has_variables_and_sections(void **state)
{
	char *file = strdup(scratch_path("env"));

	scratch_write(file, "# comment\nTUX_B=b\nident APP\n"
		      "  TUX_C=${TUX_B}/c  \n\n[site1]\nTUX_D=one\n"
		      "[site2]\nTUX_D=two\n");
	assert_int_equal(tuxreadenv(file, NULL), 0);
	assert_string_equal(GET("TUX_C"), "b/c");
	assert_null(GET("TUX_D"));
	assert_int_equal(tuxreadenv(file, (char *)"site2"), 0);
	assert_string_equal(GET("TUX_D"), "two");
	setenv("ENVFILE", file, 1);
	unsetenv("TUX_B");
	assert_int_equal(tuxreadenv(NULL, NULL), 0);
	assert_string_equal(GET("TUX_B"), "b");
	unsetenv("ENVFILE");
	assert_int_equal(tuxreadenv(NULL, NULL), 0);
	free(file);
}

static void a_faulty_file_is_reported_and_its_good_lines_taken(void **state)
{
	char *file = strdup(scratch_path("bad"));

	scratch_write(file, "no variable\n=x\nTUX_E=e\n");
	assert_int_not_equal(tuxreadenv(file, NULL), 0);
	assert_string_equal(GET("TUX_E"), "e");
	assert_int_not_equal(tuxreadenv((char *)"/none/such", NULL), 0);
	free(file);
}

static void which_system_call_failed_is_said_elsewhere(void **state)
{
	assert_non_null(strstr(Uunixmsg[Uunixerr], "tpstrerror"));
}

static int setup(void **state)
{
	scratch_make();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_becomes_part_of_the_environment),
		cmocka_unit_test(a_file_has_variables_and_sections),
		cmocka_unit_test(
		    a_faulty_file_is_reported_and_its_good_lines_taken),
		cmocka_unit_test(which_system_call_failed_is_said_elsewhere),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
