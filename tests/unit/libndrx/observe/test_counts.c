/* SPDX-License-Identifier: Apache-2.0 */
/* test_counts.c - sums and differences of the counters of an offer */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libndrx/observe/counts.h"
#include "libatmi/domain/tables.h"

static void every_counter_of_an_offer_is_copied(void **state)
{
	static struct ow_adv a;
	struct ow_counts c;

	a.ok = 1;
	a.fail = 2;
	a.vain = 3;
	a.hist[0] = 4;
	a.wait_hist[OW_HIST_BUCKETS - 1] = 5;
	ow_counts_copy(&a, &c);
	assert_int_equal(c.n[OW_CNT_OK], 1);
	assert_int_equal(ow_counts_calls(&c), 3);
	assert_int_equal(c.n[OW_CNT_VAIN], 3);
	assert_int_equal(c.n[OW_CNT_HIST], 4);
	assert_int_equal(c.n[OW_CNT_END - 1], 5);
	assert_int_equal(c.n[OW_CNT_EXPIRED], 0);
}

static void sums_and_differences_are_word_by_word(void **state)
{
	struct ow_counts a = { 0 }, b = { 0 }, d;

	a.n[OW_CNT_OK] = 10;
	b.n[OW_CNT_OK] = 4;
	b.n[OW_CNT_BYTES] = 7;
	ow_counts_add(&a, &b);
	assert_int_equal(a.n[OW_CNT_OK], 14);
	assert_int_equal(a.n[OW_CNT_BYTES], 7);
	ow_counts_sub(&a, &b, &d);
	assert_int_equal(d.n[OW_CNT_OK], 10);
	assert_int_equal(d.n[OW_CNT_BYTES], 0);
}

static void growth_is_counted_from_zero_after_a_fall(void **state)
{
	struct ow_counts sum = { 0 }, last = { 0 }, now = { 0 };

	now.n[OW_CNT_OK] = 10;
	ow_counts_grow(&sum, &last, &now);
	now.n[OW_CNT_OK] = 12;
	ow_counts_grow(&sum, &last, &now);
	assert_int_equal(sum.n[OW_CNT_OK], 12);
	now.n[OW_CNT_OK] = 3;
	ow_counts_grow(&sum, &last, &now);
	assert_int_equal(sum.n[OW_CNT_OK], 15);
}

static void a_smaller_word_is_a_fall(void **state)
{
	struct ow_counts a = { 0 }, b = { 0 };

	a.n[OW_CNT_OK] = 10;
	b.n[OW_CNT_OK] = 11;
	assert_false(ow_counts_fell(&b, &a));
	assert_true(ow_counts_fell(&a, &b));
	b.n[OW_CNT_END - 1] = 1;
	b.n[OW_CNT_OK] = 10;
	assert_true(ow_counts_fell(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_of_an_offer_is_copied),
		cmocka_unit_test(sums_and_differences_are_word_by_word),
		cmocka_unit_test(growth_is_counted_from_zero_after_a_fall),
		cmocka_unit_test(a_smaller_word_is_a_fall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
