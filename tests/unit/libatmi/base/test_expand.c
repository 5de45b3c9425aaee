/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_expand.c - variables and encrypted values in a text
 */
#include "libatmi/base/expand.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <xatmi.h>

#define VAR "OW_TEST_VAR"

static void variables_in_braces_are_replaced(void **state)
{
	char out[64], why[OW_CCONFIG_WHY];

	setenv(VAR, "mid", 1);
	unsetenv("OW_TEST_NONE");
	assert_int_equal(ow_expand("a${" VAR "}b$c${OW_TEST_NONE}", out,
				       sizeof(out), why), 0);
	assert_string_equal(out, "amidb$c");
	assert_int_equal(ow_expand("\\${" VAR "} \\x", out, sizeof(out), why),
			 0);
	assert_string_equal(out, "${" VAR "} \\x");
}

static void bad_substitutions_are_refused(void **state)
{
	char out[8], why[OW_CCONFIG_WHY];

	setenv(VAR, "12345678", 1);
	assert_int_equal(ow_expand("${" VAR "}", out, sizeof(out), why), -E2BIG);
	assert_int_equal(ow_expand("1234567", out, sizeof(out), why), 0);
	assert_int_equal(ow_expand("12345678", out, sizeof(out), why), -E2BIG);
	assert_int_equal(ow_expand("${A", out, sizeof(out), why), -EINVAL);
	assert_int_equal(ow_expand("${dec=QUJD}", out, sizeof(out), why),
			 OW_EXPAND_ENCRYPTED);
	assert_non_null(strstr(why, "not encrypted with the key"));
}

static void encrypted_values_are_put_in(void **state)
{
	char hidden[200], in[300], out[64], why[OW_CCONFIG_WHY];
	long n = sizeof(hidden);

	assert_int_equal(tpencrypt((char *)"s3cret", 0, hidden, &n,
				   TPEX_STRING), 0);
	setenv(VAR, "user", 1);
	snprintf(in, sizeof(in), "${" VAR "}/${dec=%s}@db", hidden);
	assert_int_equal(ow_expand(in, out, sizeof(out), why), 0);
	assert_string_equal(out, "user/s3cret@db");
	assert_int_equal(ow_expand(in, out, 8, why), -E2BIG);
	snprintf(in, sizeof(in), "\\${dec=%s}", hidden);
	assert_int_equal(ow_expand(in, out, 8, why), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_in_braces_are_replaced),
		cmocka_unit_test(bad_substitutions_are_refused),
		cmocka_unit_test(encrypted_values_are_put_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
