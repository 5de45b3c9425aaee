/* SPDX-License-Identifier: Apache-2.0 */
/* test_page_rows.c - a page gets a part of many rows: that which it shows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "clients/ndrxweb/rows.h"
#include "libndrx/model/model.h"

#define MANY 10000u

static struct ow_call_row calls[MANY];
static const struct ow_row *rows[MANY];
static const struct ow_screen *screen;

static unsigned int column(const char *title)
{
	int i = ow_screen_column(screen, title);

	assert_true(i >= 0);
	return (unsigned int)i + 1;
}

static int choose(size_t n, const struct ow_web_order *o, size_t *ret_all)
{
	size_t i;

	screen = ow_screen(OW_SCREEN_CALLS);
	for (i = 0; i < n; i++) {
		struct ow_call_row *c = &calls[i];

		*c = (struct ow_call_row){ .row.key = i + 1, .age = (double)i,
					   .pid = (double)(10000 + i) };
		snprintf(c->name, sizeof(c->name), "SVC%zu", i % 7);
		snprintf(c->caller, sizeof(c->caller), "%s", i % 1000 == 3
			     ? "Bank user" : "other");
		rows[i] = &c->row;
	}
	return ow_web_rows(screen, o, rows, n, ret_all);
}

static void few_are_given_as_they_are(void **state)
{
	struct ow_web_order o = { .words = "nowhere" };
	size_t all = 0;

	assert_int_equal(choose(OW_WEB_ROWS, &o, &all), OW_WEB_ROWS);
	assert_int_equal(all, OW_WEB_ROWS);
	assert_int_equal(rows[7]->key, 8);
	assert_int_equal(choose(0, &o, &all), 0);
}

static void of_many_those_that_are_first_in_the_order(void **state)
{
	struct ow_web_order o = { .column = 0 };
	size_t all = 0;

	choose(0, &o, &all);
	o.column = column("AGE");
	assert_int_equal(choose(MANY, &o, &all), OW_WEB_ROWS);
	assert_int_equal(all, MANY);
	assert_int_equal(rows[0]->key, MANY);
	assert_int_equal(rows[OW_WEB_ROWS - 1]->key, MANY - OW_WEB_ROWS + 1);
	o.rising = true;
	assert_int_equal(choose(MANY, &o, &all), OW_WEB_ROWS);
	assert_int_equal(rows[0]->key, 1);
	o.column = column("SERVICE"); /* equal ones stay as they were */
	assert_int_equal(choose(MANY, &o, &all), OW_WEB_ROWS);
	assert_int_equal(rows[0]->key, 1);
	assert_int_equal(rows[1]->key, 8);
	o.column = 200; /* no such column: as the screen begins */
	assert_int_equal(choose(MANY, &o, &all), OW_WEB_ROWS);
}

/* Whatever the order: one in trouble was the last of 10,000, and not shown. */
static void rows_in_trouble_come_first(void **state)
{
	struct ow_web_order o = { .rising = true };
	size_t all = 0;

	choose(MANY, &o, &all);
	o.column = column("AGE");
	calls[MANY - 1].row.grade = OW_GRADE_BAD;
	calls[MANY - 2].row.grade = OW_GRADE_LOOK;
	calls[MANY - 3].row.grade = OW_GRADE_BAD;
	assert_int_equal(ow_web_rows(screen, &o, rows, MANY, &all),
			 OW_WEB_ROWS);
	assert_int_equal(rows[0]->key, MANY - 2);
	assert_int_equal(rows[1]->key, MANY);
	assert_int_equal(rows[2]->key, MANY - 1);
	assert_int_equal(rows[3]->key, 1);
	o.rising = false;
	assert_int_equal(ow_web_rows(screen, &o, rows, MANY, &all),
			 OW_WEB_ROWS);
	assert_int_equal(rows[0]->key, MANY);
	assert_int_equal(rows[1]->key, MANY - 2);
	assert_int_equal(rows[2]->key, MANY - 1);
	assert_int_equal(rows[3]->key, MANY - 3);
}

static void words_are_looked_for_in_all_rows(void **state)
{
	struct ow_web_order o = { .words = "  bank svc0\t" };
	size_t all = 0;
	int i, n = choose(MANY, &o, &all);

	assert_true(n > 0);
	assert_int_equal(n, all);
	for (i = 0; i < n; i++) {
		assert_int_equal((rows[i]->key - 1) % 1000, 3);
		assert_int_equal((rows[i]->key - 1) % 7, 0);
	}
	snprintf(o.words, sizeof(o.words), "12345"); /* a process */
	assert_int_equal(choose(MANY, &o, &all), 1);
	assert_int_equal(rows[0]->key, 2346);
	snprintf(o.words, sizeof(o.words), "svc1"); /* still many */
	assert_int_equal(choose(MANY, &o, &all), OW_WEB_ROWS);
	assert_int_equal(all, (MANY + 5) / 7);
	snprintf(o.words, sizeof(o.words), "nowhere");
	assert_int_equal(choose(MANY, &o, &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_given_as_they_are),
		cmocka_unit_test(of_many_those_that_are_first_in_the_order),
		cmocka_unit_test(rows_in_trouble_come_first),
		cmocka_unit_test(words_are_looked_for_in_all_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
