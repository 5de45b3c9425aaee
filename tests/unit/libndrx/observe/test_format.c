/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format.c - columns keep their widths
 */
#include "libndrx/observe/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void counts_are_scaled_by_1000_with_a_letter(void **state)
{
	char b[OW_FORMAT_MAX];

	(void)state;
	assert_string_equal(ow_format_count(0, b, sizeof(b)), "0");
	assert_string_equal(ow_format_count(999, b, sizeof(b)), "999");
	assert_string_equal(ow_format_count(1000, b, sizeof(b)), "1.0K");
	assert_string_equal(ow_format_count(1290, b, sizeof(b)), "1.2K");
	assert_string_equal(ow_format_count(99999, b, sizeof(b)), "99.9K");
	assert_string_equal(ow_format_count(100000, b, sizeof(b)), "100K");
	assert_string_equal(ow_format_count(45600000, b, sizeof(b)), "45.6M");
}

static void every_count_fits_its_column(void **state)
{
	char b[OW_FORMAT_MAX];
	uint64_t n;
	int i;

	(void)state;
	for (i = 0, n = 1; i < 64; i++, n <<= 1) {
		assert_in_range(strlen(ow_format_count(n - 1, b, sizeof(b))), 1,
				5);
		assert_in_range(strlen(ow_format_count(n, b, sizeof(b))), 1, 5);
	}
	assert_in_range(strlen(ow_format_count(UINT64_MAX, b, sizeof(b))), 1,
			5);
}

static void times_take_the_unit_that_reads_best(void **state)
{
	char b[OW_FORMAT_MAX];

	(void)state;
	assert_string_equal(ow_format_us(0, b, sizeof(b)), "0us");
	assert_string_equal(ow_format_us(999, b, sizeof(b)), "999us");
	assert_string_equal(ow_format_us(12345, b, sizeof(b)), "12.3ms");
	assert_string_equal(ow_format_us(250000, b, sizeof(b)), "250ms");
	assert_string_equal(ow_format_us(4567000, b, sizeof(b)), "4.567s");
	assert_string_equal(ow_format_us(725000000, b, sizeof(b)), "12m05s");
	assert_string_equal(ow_format_us(UINT64_C(12000000000), b, sizeof(b)),
			    "3h20m");
	assert_string_equal(ow_format_us(UINT64_C(1062000000000), b,
					 sizeof(b)), "12d07h");
}

static void every_time_fits_its_column(void **state)
{
	char b[OW_FORMAT_MAX];
	uint64_t n;
	int i;

	(void)state;
	for (i = 0, n = 1; i < 64; i++, n <<= 1) {
		assert_in_range(strlen(ow_format_us(n - 1, b, sizeof(b))), 1,
				8);
		assert_in_range(strlen(ow_format_cycles(n - 1, b, sizeof(b))),
				1, 4);
	}
	assert_in_range(strlen(ow_format_us(UINT64_MAX, b, sizeof(b))), 1, 8);
	assert_in_range(strlen(ow_format_cycles(UINT64_MAX, b, sizeof(b))), 1,
			4);
}

static void long_names_end_in_a_plus(void **state)
{
	char b[OW_FORMAT_MAX];

	(void)state;
	assert_string_equal(ow_format_clip("BALANCE", 12, b, sizeof(b)),
			    "BALANCE");
	assert_string_equal(ow_format_clip("TWELVE_CHARS", 12, b, sizeof(b)),
			    "TWELVE_CHARS");
	assert_string_equal(ow_format_clip("THIRTEENCHARS", 12, b, sizeof(b)),
			    "THIRTEENCHA+");
	assert_string_equal(ow_format_clip("", 12, b, sizeof(b)), "");
}

static void clipping_never_leaves_its_buffer(void **state)
{
	char b[8];

	(void)state;
	assert_string_equal(ow_format_clip("A_LONG_NAME", 30, b, sizeof(b)),
			    "A_LONG+");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_scaled_by_1000_with_a_letter),
		cmocka_unit_test(every_count_fits_its_column),
		cmocka_unit_test(times_take_the_unit_that_reads_best),
		cmocka_unit_test(every_time_fits_its_column),
		cmocka_unit_test(long_names_end_in_a_plus),
		cmocka_unit_test(clipping_never_leaves_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
