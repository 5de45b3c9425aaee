/* SPDX-License-Identifier: Apache-2.0 */
/* test_grid.c - filter, order, selection, scrolling */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "clients/ndrxtop/console/grid.h"

#define N 6

static struct ow_server_row v[N];
static const struct ow_row *rows[N];
static struct ow_grid g;

/* Servers 10..15, of two programs. */
static int fresh(void **state)
{
	static const double calls[N] = { 5, 50, NAN, 0, 7, 50 };
	int i;

	memset(v, 0, sizeof(v));
	for (i = 0; i < N; i++) {
		v[i].row.key = v[i].row.srvid = (uint32_t)(10 + i);
		v[i].row.svc = 1 + (uint32_t)i % 2;
		v[i].id = 10 + i;
		v[i].calls = calls[i];
		snprintf(v[i].name, sizeof(v[i].name), "%s",
			 i % 2 ? "banksv" : "Echosv");
		snprintf(v[i].state, sizeof(v[i].state), "idle");
		rows[i] = &v[i].row;
	}
	ow_grid_start(&g, OW_SCREEN_SERVERS);
	return ow_grid_fill(&g, rows, N);
}

static int tidy(void **state)
{
	ow_grid_clear(&g);
	return 0;
}

static void expect(const char *ids)
{
	char text[64] = "";
	size_t i, len = 0;

	for (i = 0; i < g.n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%u ",
					g.rows[i]->srvid);
	assert_string_equal(text, ids);
}

static void order_by(const char *title)
{
	ow_grid_sort(&g, ow_screen_column(g.screen, title));
}

static void large_numbers_come_first_and_unknown_ones_last(void **state)
{
	order_by("CALLS/S");
	expect("11 15 14 10 13 12 ");
	order_by("CALLS/S");
	expect("13 10 14 11 15 12 ");
}

static void rows_in_trouble_come_first_whatever_the_order(void **state)
{
	v[3].row.grade = OW_GRADE_LOOK;
	v[4].row.grade = OW_GRADE_BAD;
	order_by("CALLS/S");
	expect("14 13 11 15 10 12 ");
	order_by("CALLS/S");
	expect("14 13 10 11 15 12 ");
	order_by("PROGRAM");
	expect("14 13 11 15 10 12 ");
}

static void names_are_ordered_ignoring_case(void **state)
{
	order_by("PROGRAM");
	expect("11 13 15 10 12 14 ");
	order_by("PROGRAM");
	expect("10 12 14 11 13 15 ");
}

static void services_without_calls_are_ordered_by_name(void **state)
{
	static const char *const names[] = { "PAY", "balance", "OPEN", "CLOSE" };
	static struct ow_service_row s[4];
	const struct ow_row *list[4];
	int i;

	ow_grid_clear(&g);
	for (i = 0; i < 4; i++) {
		s[i].row.key = s[i].row.srvid = (uint32_t)(10 + i);
		snprintf(s[i].name, sizeof(s[i].name), "%s", names[i]);
		list[i] = &s[i].row;
	}
	s[2].calls = 1;
	ow_grid_start(&g, OW_SCREEN_SERVICES);
	ow_grid_fill(&g, list, 4);
	expect("12 11 13 10 ");
}

static void a_filter_is_words_that_all_must_occur(void **state)
{
	strcpy(g.filter, "BANK");
	ow_grid_fill(&g, rows, N);
	expect("11 13 15 ");
	assert_int_equal(g.all, N);
	strcpy(g.filter, "idle  echo");
	ow_grid_fill(&g, rows, N);
	expect("10 12 14 ");
	strcpy(g.filter, "12"); /* an id */
	ow_grid_fill(&g, rows, N);
	expect("12 ");
	strcpy(g.filter, "1"); /* a part of it, as in the browser */
	ow_grid_fill(&g, rows, N);
	expect("10 11 12 13 14 15 ");
	strcpy(g.filter, "112");
	ow_grid_fill(&g, rows, N);
	expect("");
	assert_null(ow_grid_selected(&g));
}

static void a_scope_shows_what_belongs_to_it(void **state)
{
	g.scope.svc = 2;
	ow_grid_fill(&g, rows, N);
	expect("11 13 15 ");
	g.scope.srvid = 13;
	ow_grid_fill(&g, rows, N);
	expect("13 ");
	assert_int_equal(g.all, 1);
}

static void the_selection_stays_with_its_row(void **state)
{
	ow_grid_move(&g, 2);
	assert_int_equal(ow_grid_selected(&g)->srvid, 12);
	order_by("CALLS/S");
	assert_int_equal(ow_grid_selected(&g)->srvid, 12);
	assert_int_equal(g.at, 5);
	v[2].calls = 1000;
	ow_grid_fill(&g, rows, N);
	assert_int_equal(ow_grid_selected(&g)->srvid, 12);
	assert_int_equal(g.at, 0);
}

static void an_untouched_selection_stays_at_the_top(void **state)
{
	order_by("CALLS/S");
	assert_int_equal(ow_grid_selected(&g)->srvid, 11);
	v[2].calls = 1000;
	ow_grid_fill(&g, rows, N);
	assert_int_equal(ow_grid_selected(&g)->srvid, 12);
}

static void when_the_selected_row_goes_its_neighbour_is_selected(void **state)
{
	ow_grid_select(&g, 99);
	assert_int_equal(ow_grid_selected(&g)->srvid, 15);
	ow_grid_fill(&g, rows, 3);
	assert_int_equal(ow_grid_selected(&g)->srvid, 12);
	ow_grid_fill(&g, rows, 0);
	assert_null(ow_grid_selected(&g));
	ow_grid_move(&g, 1);
	ow_grid_move(&g, -1);
	ow_grid_fill(&g, rows, N);
	assert_non_null(ow_grid_selected(&g));
}

static void the_selected_row_is_visible(void **state)
{
	int i;

	for (i = 0; i < N; i++) {
		ow_grid_select(&g, (size_t)i);
		ow_grid_scroll(&g, 3);
		assert_true(g.at >= g.top && g.at < g.top + 3);
	}
	ow_grid_move(&g, -100);
	ow_grid_scroll(&g, 3);
	assert_int_equal(g.top, 0);
	ow_grid_select(&g, N);
	ow_grid_scroll(&g, 3);
	ow_grid_scroll(&g, 40); /* the terminal has grown */
	assert_int_equal(g.top, 0);
	ow_grid_scroll(&g, 0);
}

static void the_ordering_column_is_never_left_out(void **state)
{
	struct ow_place p[OW_GRID_COLUMNS];
	int column = ow_screen_column(g.screen, "LAST EXIT");
	bool there = false;
	int i, n;

	ow_grid_sort(&g, column);
	n = ow_grid_layout(&g, 80, p);
	for (i = 0; i < n; i++)
		there |= p[i].column == column;
	assert_true(there);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, fresh, tidy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(large_numbers_come_first_and_unknown_ones_last),
		FACT(rows_in_trouble_come_first_whatever_the_order),
		FACT(names_are_ordered_ignoring_case),
		FACT(services_without_calls_are_ordered_by_name),
		FACT(a_filter_is_words_that_all_must_occur),
		FACT(a_scope_shows_what_belongs_to_it),
		FACT(the_selection_stays_with_its_row),
		FACT(an_untouched_selection_stays_at_the_top),
		FACT(when_the_selected_row_goes_its_neighbour_is_selected),
		FACT(the_selected_row_is_visible),
		FACT(the_ordering_column_is_never_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
