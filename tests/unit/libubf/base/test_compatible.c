/* SPDX-License-Identifier: Apache-2.0 */
/* test_compatible.c - the word of NDRX_COMPAT, however the environment changes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "libubf/base/compatible.h"

/* It is asked twice: what was seen first is remembered. */
static void is(bool tuxedo, bool enduro)
{
	int i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(ow_compat_tuxedo(), tuxedo);
		assert_int_equal(ow_compat_enduro(), enduro);
		assert_true(ow_compat_is_known());
	}
}

static void it_is_read_at_each_use(void **state)
{
	unsetenv("NDRX_COMPAT");
	is(false, false);
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	is(true, false);
	setenv("NDRX_COMPAT", "strict-enduro", 1);
	is(false, true);
	unsetenv("NDRX_COMPAT");
	is(false, false);
	setenv("NDRX_COMPAT", "nonsense", 1);
	assert_false(ow_compat_is_known());
	assert_false(ow_compat_is_known());
	unsetenv("NDRX_COMPAT");
	is(false, false);
}

static void one_that_takes_the_place_of_another_is_seen(void **state)
{
	static char word[] = "NDRX_COMPAT=strict-tuxedo";
	char name[16];
	int i, k;

	for (i = 0; i < 20; i++) {
		for (k = 0; k <= i; k++) {
			snprintf(name, sizeof(name), "OTHER%d", k);
			setenv(name, "x", 1);
		}
		is(false, false);
		unsetenv("OTHER0"); /* as many as before */
		setenv("NDRX_COMPAT", "strict-tuxedo", 1);
		is(true, false);
		setenv("OTHER0", "x", 1);
		is(true, false);
		unsetenv("NDRX_COMPAT");
		is(false, false);
		unsetenv(name);
		putenv(word);
		is(true, false);
		unsetenv("NDRX_COMPAT");
		is(false, false);
	}
}

/* The array of the one that was cleared is used again, and has its old end still: what
 * stood there before is no sign. */
static void a_shorter_one_in_the_same_place_is_seen(void **state)
{
	static char word[] = "NDRX_COMPAT=strict-tuxedo", a[] = "A=b", z[] = "Z=";
	char *array[8] = { a, a, a, a, a, a, z, NULL };
	char **was = environ;

	environ = array;
	is(false, false);
	array[0] = word;
	array[1] = NULL;
	is(true, false);
	environ = was;
	is(false, false);
}

static void another_environment_is_seen(void **state)
{
	static char word[] = "NDRX_COMPAT=strict-enduro", other[] = "A=b";
	char *with[] = { word, other, NULL }, *without[] = { other, NULL };
	char **was = environ;

	is(false, false);
	environ = with;
	is(false, true);
	environ = without;
	is(false, false);
	environ = with + 2; /* none at all */
	is(false, false);
	environ = NULL;
	is(false, false);
	environ = with;
	is(false, true);
	environ = was;
	is(false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_read_at_each_use),
		cmocka_unit_test(one_that_takes_the_place_of_another_is_seen),
		cmocka_unit_test(a_shorter_one_in_the_same_place_is_seen),
		cmocka_unit_test(another_environment_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
