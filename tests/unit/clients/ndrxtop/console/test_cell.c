/* SPDX-License-Identifier: Apache-2.0 */
/* test_cell.c - numbers and texts of a fixed width */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "clients/ndrxtop/console/cell.h"

static char buf[OW_CELL_MAX];

static const char *number(enum ow_format f, double n, int width)
{
	ow_cell_number(f, n, width, buf, sizeof(buf));
	return buf;
}

static void unknown_is_a_dash(void **state)
{
	assert_string_equal(number(OW_FMT_RATE, NAN, 5), "-");
	assert_string_equal(number(OW_FMT_ID, NAN, 5), "-");
}

static void rates_are_short(void **state)
{
	assert_string_equal(number(OW_FMT_RATE, 0, 5), "0");
	assert_string_equal(number(OW_FMT_RATE, 0.01, 5), "<.1");
	assert_string_equal(number(OW_FMT_RATE, 0.26, 5), "0.3");
	assert_string_equal(number(OW_FMT_RATE, 9.96, 5), "10");
	assert_string_equal(number(OW_FMT_RATE, 999.4, 5), "999");
	assert_string_equal(number(OW_FMT_RATE, 999.6, 5), "1.0K");
	assert_string_equal(number(OW_FMT_RATE, 12345, 5), "12.3K");
	assert_string_equal(number(OW_FMT_RATE, 12345, 4), "12K");
	assert_string_equal(number(OW_FMT_RATE, 139000, 5), "139K");
	assert_string_equal(number(OW_FMT_RATE, 2.5e9, 5), "2.5G");
}

static void times_take_a_fitting_unit(void **state)
{
	assert_string_equal(number(OW_FMT_TIME, 0, 6), "0us");
	assert_string_equal(number(OW_FMT_TIME, 812, 6), "812us");
	assert_string_equal(number(OW_FMT_TIME, 999.7, 6), "1.0ms");
	assert_string_equal(number(OW_FMT_TIME, 99940, 6), "99.9ms");
	assert_string_equal(number(OW_FMT_TIME, 99960, 6), "100ms");
	assert_string_equal(number(OW_FMT_TIME, 999600, 6), "1.0s");
	assert_string_equal(number(OW_FMT_TIME, 59.94e6, 6), "59.9s");
	assert_string_equal(number(OW_FMT_TIME, 60e6, 6), "1m00s");
	assert_string_equal(number(OW_FMT_TIME, 3661e6, 6), "1h01m");
	assert_string_equal(number(OW_FMT_TIME, 90000e6, 6), "1d01h");
	assert_string_equal(number(OW_FMT_TIME, 86400e6 * 4000, 6), "4000d");
	assert_string_equal(number(OW_FMT_TIME, -116e6, 6), "-1m56s");
}

static void bytes_and_percentages_are_short(void **state)
{
	assert_string_equal(number(OW_FMT_BYTES, 999, 6), "999");
	assert_string_equal(number(OW_FMT_BYTES, 1024, 6), "1.0K");
	assert_string_equal(number(OW_FMT_BYTES, 5.5 * 1024 * 1024, 6),
			    "5.5M");
	assert_string_equal(number(OW_FMT_PERCENT, 0.01, 4), "<.1");
	assert_string_equal(number(OW_FMT_PERCENT, 3.21, 4), "3.2");
	assert_string_equal(number(OW_FMT_PERCENT, 100, 4), "100");
	assert_string_equal(number(OW_FMT_ID, 65535, 5), "65535");
	assert_string_equal(number(OW_FMT_ID, 4194304, 7), "4194304");
}

/* Whatever the number: all of its digits are there, or a coarser unit. */
static void no_number_exceeds_its_column(void **state)
{
	enum ow_format f;
	double n;
	int width, k;

	for (f = OW_FMT_RATE; f <= OW_FMT_PERCENT; f++)
		for (width = f == OW_FMT_TIME ? 6 : 4; width < 9; width++)
			for (n = 0.001, k = 0; k < 4000; k++, n *= 1.011) {
				if (f == OW_FMT_PERCENT && n > 9999)
					break;
				assert_true(strlen(number(f, n, width)) <=
					    (size_t)width);
			}
}

static void texts_are_cut_visibly(void **state)
{
	ow_cell_text("BALANCE", 10, false, buf, sizeof(buf));
	assert_string_equal(buf, "BALANCE   ");
	ow_cell_text("BALANCE", 7, false, buf, sizeof(buf));
	assert_string_equal(buf, "BALANCE");
	ow_cell_text("BALANCE", 4, false, buf, sizeof(buf));
	assert_string_equal(buf, "BAL+");
	ow_cell_text("BALANCE", 0, false, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

static void a_name_cannot_control_the_terminal(void **state)
{
	ow_cell_text("a\033[2Jb\n\xff", 8, true, buf, sizeof(buf));
	assert_string_equal(buf, "a?[2Jb??");
	ow_cell_text("ÜBERWEISUNG", 12, true, buf, sizeof(buf));
	assert_string_equal(buf, "ÜBERWEISUNG ");
	ow_cell_text("ÜBERWEISUNG", 5, true, buf, sizeof(buf));
	assert_string_equal(buf, "ÜBER+");
	ow_cell_text("支払い", 4, true, buf, sizeof(buf));
	assert_string_equal(buf, "支 +");
	ow_cell_text("Ü", 3, false, buf, sizeof(buf));
	assert_string_equal(buf, "?? ");
	ow_cell_text("a\033[2Jb\n\xff", 8, false, buf, sizeof(buf));
	assert_string_equal(buf, "a?[2Jb??");
}

static void a_history_is_scaled_to_its_peak(void **state)
{
	struct ow_service_row row = { .depth_at = 2, .depth_max = 70 };

	row.depths[0] = 1;
	row.depths[1] = 70;
	row.depths[2] = 35;
	ow_cell_spark(&row, 5, false, buf, sizeof(buf));
	assert_string_equal(buf, "  .#=");
	ow_cell_spark(&row, 3, true, buf, sizeof(buf));
	assert_string_equal(buf, "▁▇▄");
}

static void a_short_queue_is_drawn_low(void **state)
{
	struct ow_service_row row = { .depth_at = 0, .depth_max = 1 };

	row.depths[0] = 1;
	ow_cell_spark(&row, 1, true, buf, sizeof(buf));
	assert_string_equal(buf, "▁");
}

static void a_wide_history_fits_the_cell(void **state)
{
	struct ow_service_row row = { .depth_max = 9 };
	int i;

	for (i = 0; i < OW_SPARK; i++)
		row.depths[i] = 9;
	ow_cell_spark(&row, 160, true, buf, sizeof(buf));
	assert_true(strlen(buf) < sizeof(buf));
	assert_int_equal(buf[0], ' '); /* older than it remembers */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_is_a_dash),
		cmocka_unit_test(rates_are_short),
		cmocka_unit_test(times_take_a_fitting_unit),
		cmocka_unit_test(bytes_and_percentages_are_short),
		cmocka_unit_test(no_number_exceeds_its_column),
		cmocka_unit_test(texts_are_cut_visibly),
		cmocka_unit_test(a_name_cannot_control_the_terminal),
		cmocka_unit_test(a_history_is_scaled_to_its_peak),
		cmocka_unit_test(a_short_queue_is_drawn_low),
		cmocka_unit_test(a_wide_history_fits_the_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
