/* SPDX-License-Identifier: Apache-2.0 */
/* test_text_width.c - columns of texts in a terminal */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libubf/base/text_width.h"

static void a_character_is_a_column_and_a_wide_one_two(void **state)
{
	assert_int_equal(ow_text_columns(""), 0);
	assert_int_equal(ow_text_columns("BALANCE"), 7);
	assert_int_equal(ow_text_columns("ÜBERWEISUNG"), 11);
	assert_int_equal(ow_text_columns("支払い"), 6);
	assert_int_equal(ow_text_columns("e\xcc\x81"), 1); /* combining */
	assert_int_equal(ow_text_columns("\xff\xc3"), 2);  /* no UTF-8 */
}

static void no_character_is_cut(void **state)
{
	assert_int_equal(ow_text_fit("BALANCE", 3), 3);
	assert_int_equal(ow_text_fit("BALANCE", 9), 7);
	assert_int_equal(ow_text_fit("ÜBER", 1), 2);
	assert_int_equal(ow_text_fit("ÜBER", 0), 0);
	assert_int_equal(ow_text_fit("支払い", 3), 3);
	assert_int_equal(ow_text_fit("支払い", 4), 6);
	assert_int_equal(ow_text_fit("e\xcc\x81x", 1), 3);
	assert_int_equal(ow_text_fit("a\xff", 2), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_character_is_a_column_and_a_wide_one_two),
		cmocka_unit_test(no_character_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
