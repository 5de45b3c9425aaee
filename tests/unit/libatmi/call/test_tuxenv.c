/* SPDX-License-Identifier: Apache-2.0 */
/* test_tuxenv.c - the environment by Tuxedo's names, and errors of contexts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <atmi.h>
#include <oatmi.h>
#include <odebug.h>
#include <oubf.h>
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

static void errors_of_a_context_are_those_of_the_thread(void **state)
{
	TPCONTEXT_T context = NULL;

	assert_int_equal(Otpgprio(&context), -1);
	assert_int_equal(Otperrno(&context), TPEPROTO);
	assert_int_equal(Otperrno(&context), tperrno);
	assert_ptr_equal(O_exget_tpurcode_addr(&context),
			 _exget_tpurcode_addr());
	assert_int_equal(Bfree(NULL), -1);
	assert_int_equal(OBerror(&context), BNOTFLD);
	assert_int_equal(tplogqinfo(0, 0), -1);
	assert_int_equal(ONerror(&context), NEINVAL);
	assert_string_equal(ONecodestr(&context, NEINVAL), "NEINVAL");
	assert_non_null(ONstrerror(&context, NEINVAL));
	ONDRX_LOG(&context, log_dump, "not written: %d", 1);
	OTP_LOG(&context, log_dump, "not written");
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
		cmocka_unit_test(errors_of_a_context_are_those_of_the_thread),
		cmocka_unit_test(which_system_call_failed_is_said_elsewhere),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
