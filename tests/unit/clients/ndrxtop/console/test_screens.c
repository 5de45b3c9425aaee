/* SPDX-License-Identifier: Apache-2.0 */
/* test_screens.c - the tables of columns agree with themselves */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "clients/ndrxtop/console/grid.h"

static size_t row_size(enum ow_source s)
{
	switch (s) {
	case OW_FROM_SERVICES:
		return sizeof(struct ow_service_row);
	case OW_FROM_SERVERS:
		return sizeof(struct ow_server_row);
	case OW_FROM_OFFERS:
		return sizeof(struct ow_offer_row);
	case OW_FROM_CLIENTS:
		return sizeof(struct ow_client_row);
	case OW_FROM_TRANS:
		return sizeof(struct ow_tran_row);
	case OW_FROM_DURABLE:
		return sizeof(struct ow_durable_row);
	case OW_FROM_LINKS:
		return sizeof(struct ow_link_row);
	case OW_FROM_CALLS:
		return sizeof(struct ow_call_row);
	default:
		return sizeof(struct ow_event_row);
	}
}

static void each_column_names_a_field_of_its_row(void **state)
{
	int i, k;

	for (i = 0; i < OW_SCREEN_END; i++) {
		const struct ow_screen *s = ow_screen((enum ow_screen_id)i);

		assert_true(s->n_columns <= OW_GRID_COLUMNS);
		assert_true(s->sort < s->n_columns);
		assert_true(strlen(s->about) > 0 && strlen(s->empty) > 0);
		for (k = 0; k < s->n_columns; k++) {
			const struct ow_column *c = &s->columns[k];

			assert_true(c->at >= sizeof(struct ow_row));
			assert_true(c->at < row_size(s->source));
			if (c->format != OW_FMT_TEXT &&
			    c->format != OW_FMT_SPARK)
				assert_int_equal(c->at % sizeof(double), 0);
			assert_true(strlen(c->about) > 0);
			assert_int_equal(ow_screen_column(s, c->title), k);
		}
	}
}

/* Titles are whole, rows fit, and the first column is always there. */
static void every_screen_fits_eighty_columns(void **state)
{
	struct ow_place p[OW_GRID_COLUMNS];
	struct ow_grid g;
	int i, k, n, width;

	for (width = 80; width < 240; width++)
		for (i = 0; i < OW_SCREEN_END; i++) {
			ow_grid_start(&g, (enum ow_screen_id)i);
			n = ow_grid_layout(&g, width, p);
			assert_true(n > 4);
			assert_int_equal(p[0].column, 0);
			for (k = 0; k < n; k++) {
				const struct ow_column *c =
				    &g.screen->columns[p[k].column];

				assert_true(p[k].width >= c->width);
				assert_true(strlen(c->title) <=
					    (size_t)p[k].width);
				assert_true(p[k].x + p[k].width <= width);
				if (k > 0)
					assert_int_equal(
					    p[k].x,
					    p[k - 1].x + p[k - 1].width + 1);
			}
		}
}

/* But what only the page of a row has. */
static void a_wide_terminal_shows_everything(void **state)
{
	struct ow_place p[OW_GRID_COLUMNS];
	struct ow_grid g;
	int i, k, n;

	for (i = 0; i < OW_SCREEN_END; i++) {
		ow_grid_start(&g, (enum ow_screen_id)i);
		for (k = 0, n = 0; k < g.screen->n_columns; k++)
			n += g.screen->columns[k].drop != OW_DROP_ROW;
		assert_int_equal(ow_grid_layout(&g, 140, p), n);
	}
}

/* Which columns there are at this width, as a text of their titles. */
static void titles(enum ow_screen_id id, int width, char *buf, size_t size)
{
	struct ow_place p[OW_GRID_COLUMNS];
	struct ow_grid g;
	size_t n = 0;
	int i, shown;

	ow_grid_start(&g, id);
	shown = ow_grid_layout(&g, width, p);
	for (i = 0; i < shown; i++)
		n += (size_t)snprintf(buf + n, size - n, " %s ",
				      g.screen->columns[p[i].column].title);
}

static void servers_show_group_and_services_at_120_columns(void **state)
{
	char text[400];

	titles(OW_SCREEN_SERVERS, 120, text, sizeof(text));
	assert_non_null(strstr(text, " GROUP "));
	assert_non_null(strstr(text, " SERVICES "));
}

/* No column is left out that fits. */
static void room_is_used(void **state)
{
	struct ow_place p[OW_GRID_COLUMNS];
	struct ow_grid g;
	int i, k, n, c, width, sum;

	for (width = 80; width < 140; width++)
		for (i = 0; i < OW_SCREEN_END; i++) {
			bool shown[OW_GRID_COLUMNS] = { false };

			ow_grid_start(&g, (enum ow_screen_id)i);
			n = ow_grid_layout(&g, width, p);
			for (k = 0, sum = n - 1; k < n; k++) {
				shown[p[k].column] = true;
				sum += g.screen->columns[p[k].column].width;
			}
			for (c = 0; c < g.screen->n_columns; c++)
				if (!shown[c] &&
				    g.screen->columns[c].drop != OW_DROP_ROW)
					assert_true(sum + 1 +
					    g.screen->columns[c].width > width);
		}
}

static void a_screen_is_found_by_the_beginning_of_its_name(void **state)
{
	assert_int_equal(ow_screen_find("services"), OW_SCREEN_SERVICES);
	assert_int_equal(ow_screen_find("wake"), OW_SCREEN_WAKEUPS);
	assert_int_equal(ow_screen_find("Q"), OW_SCREEN_QUEUES);
	assert_int_equal(ow_screen_find("nothing"), OW_SCREEN_END);
	assert_int_equal(ow_screen_find(""), OW_SCREEN_END);
}

static void a_field_asks_for_attention_from_its_limits_on(void **state)
{
	const struct ow_screen *s = ow_screen(OW_SCREEN_QUEUES);
	const struct ow_column *c = &s->columns[ow_screen_column(s, "OLDEST")];
	struct ow_service_row row = { .oldest = 0.9e6 };

	assert_int_equal(ow_column_grade(c, &row.row), OW_GRADE_CALM);
	row.oldest = 1e6;
	assert_int_equal(ow_column_grade(c, &row.row), OW_GRADE_LOOK);
	row.oldest = 5e6;
	assert_int_equal(ow_column_grade(c, &row.row), OW_GRADE_BAD);
	row.oldest = NAN;
	assert_int_equal(ow_column_grade(c, &row.row), OW_GRADE_CALM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column_names_a_field_of_its_row),
		cmocka_unit_test(every_screen_fits_eighty_columns),
		cmocka_unit_test(
		    servers_show_group_and_services_at_120_columns),
		cmocka_unit_test(room_is_used),
		cmocka_unit_test(a_wide_terminal_shows_everything),
		cmocka_unit_test(a_screen_is_found_by_the_beginning_of_its_name),
		cmocka_unit_test(a_field_asks_for_attention_from_its_limits_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
