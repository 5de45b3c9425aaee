/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_grid.c - columns grow with their names, and shrink on narrow terminals
 */
#include "clients/xadmin/output/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/clients/xadmin/output/capture.h"

static const struct ow_column columns[] = {
	{ "Nd", 2, OW_COLUMN_RIGHT },
	{ "NAME", 6, OW_COLUMN_GROWS },
	{ "N", 3, OW_COLUMN_RIGHT },
	{ "LAST", 4, 0 },
	{ NULL, 0, 0 },
};

static struct capture shown;

static void show(struct ow_term term, bool wide, const char *name)
{
	struct ow_grid *g = ow_grid_new(columns, &term, wide);

	assert_non_null(g);
	ow_grid_cell(g, "%d", 1);
	ow_grid_cell(g, "%s", name);
	ow_grid_paint(g, OW_COLOUR_BAD);
	ow_grid_cell(g, "%d", 7);
	ow_grid_end_row(g); /* the last cell is missing: empty */
	capture_begin(&shown);
	ow_grid_print(g);
	capture_end(&shown);
	ow_grid_free(g);
}

static void short_names_keep_the_minimum_widths(void **state)
{
	(void)state;
	show((struct ow_term){ 0 }, false, "abc");
	assert_string_equal(shown.text[1], "Nd NAME     N LAST\n"
					   "-- ------ --- ----\n");
	assert_string_equal(shown.text[0], " 1 abc      7 \n");
}

static void a_long_name_is_never_cut_without_a_terminal(void **state)
{
	(void)state;
	show((struct ow_term){ 0 }, false, "abcdefghijklmnop");
	assert_string_equal(shown.text[1],
			    "Nd NAME               N LAST\n"
			    "-- ---------------- --- ----\n");
	assert_string_equal(shown.text[0], " 1 abcdefghijklmnop   7 \n");
}

static void a_wide_terminal_shows_names_in_full(void **state)
{
	(void)state;
	show((struct ow_term){ .columns = 80 }, false, "abcdefghijklmnop");
	assert_string_equal(shown.text[0], " 1 abcdefghijklmnop   7 \n");
}

static void a_narrow_terminal_cuts_to_the_minimum_width(void **state)
{
	(void)state;
	show((struct ow_term){ .columns = 22 }, false, "abcdefghijklmnop");
	assert_string_equal(shown.text[0], " 1 abcdefghi+   7 \n");
	show((struct ow_term){ .columns = 5 }, false, "abcdefghijklmnop");
	assert_string_equal(shown.text[0], " 1 abcde+   7 \n");
}

static void wide_cuts_nothing(void **state)
{
	(void)state;
	show((struct ow_term){ .columns = 22 }, true, "abcdefghijklmnop");
	assert_string_equal(shown.text[0], " 1 abcdefghijklmnop   7 \n");
}

static void colours_are_for_terminals_only(void **state)
{
	(void)state;
	show((struct ow_term){ .columns = 80, .colour = true }, false, "x");
	assert_non_null(strstr(shown.text[0], "\033[31mx     \033[0m"));
	show((struct ow_term){ .columns = 80 }, false, "x");
	assert_null(strchr(shown.text[0], '\033'));
}

static void no_color_is_obeyed(void **state)
{
	struct ow_term t = { .columns = 80, .colour = true };

	(void)state;
	assert_string_equal(ow_term_colour(&t, OW_COLOUR_BAD), "\033[31m");
	t.colour = false;
	assert_string_equal(ow_term_colour(&t, OW_COLOUR_BAD), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_names_keep_the_minimum_widths),
		cmocka_unit_test(a_long_name_is_never_cut_without_a_terminal),
		cmocka_unit_test(a_wide_terminal_shows_names_in_full),
		cmocka_unit_test(
		    a_narrow_terminal_cuts_to_the_minimum_width),
		cmocka_unit_test(wide_cuts_nothing),
		cmocka_unit_test(colours_are_for_terminals_only),
		cmocka_unit_test(no_color_is_obeyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
