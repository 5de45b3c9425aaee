/* SPDX-License-Identifier: Apache-2.0 */
/* test_window.c - windows over counters, percentiles */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libndrx/model/window.h"

#define SEC UINT64_C(1000000000)

static uint64_t hist[OW_HIST_BUCKETS];

static int fresh(void **state)
{
	memset(hist, 0, sizeof(hist));
	return 0;
}

static void an_empty_histogram_has_no_percentile(void **state)
{
	assert_true(isnan(ow_quantile(hist, 500)));
}

static void a_percentile_lies_within_its_bucket(void **state)
{
	unsigned int b;

	for (b = 0; b < OW_HIST_BUCKETS - 1; b++) {
		fresh(NULL);
		hist[b] = 10;
		assert_true(ow_quantile(hist, 10) >= (double)ow_bucket_from(b));
		assert_true(ow_quantile(hist, 990) <= (double)ow_bucket_to(b));
		assert_true(ow_quantile(hist, 10) < ow_quantile(hist, 990));
	}
}

static void half_of_two_buckets_is_between_them(void **state)
{
	hist[4] = 50; /* 16..32 */
	hist[8] = 50; /* 256..512 */
	assert_int_equal((int)ow_quantile(hist, 500), 32);
	assert_int_equal((int)ow_quantile(hist, 750), 384);
	assert_int_equal((int)ow_quantile(hist, 1000), 512);
}

static void one_slow_call_of_a_hundred_is_seen_beyond_99(void **state)
{
	hist[4] = 99;
	hist[20] = 1;
	assert_true(ow_quantile(hist, 990) <= 32);
	assert_true(ow_quantile(hist, 995) >= (double)(1 << 20));
}

static void the_last_bucket_has_no_end(void **state)
{
	hist[OW_HIST_BUCKETS - 1] = 3;
	assert_true(ow_quantile(hist, 990) ==
		    (double)ow_bucket_from(OW_HIST_BUCKETS - 1));
}

/* Against sorted values: never off by more than the bucket they are in. */
static void percentiles_agree_with_sorted_values(void **state)
{
	static const unsigned int parts[] = { 10, 250, 500, 900, 990 };
	uint64_t v[1000], t;
	unsigned int seed = 7, round;
	size_t i, k;

	for (round = 0; round < 50; round++) {
		fresh(NULL);
		for (i = 0; i < 1000; i++) {
			v[i] = (uint64_t)rand_r(&seed) >> (rand_r(&seed) % 31);
			hist[ow_bucket_of(v[i])]++;
		}
		for (i = 1; i < 1000; i++)
			for (k = i; k > 0 && v[k] < v[k - 1]; k--) {
				t = v[k];
				v[k] = v[k - 1];
				v[k - 1] = t;
			}
		for (i = 0; i < 5; i++) {
			double q = ow_quantile(hist, parts[i]);
			uint64_t want = v[parts[i] - 1];
			unsigned int b = ow_bucket_of(want);

			assert_true(q >= (double)ow_bucket_from(b));
			assert_true(q <= (double)ow_bucket_to(b));
		}
	}
}

static void a_window_reaches_back_one_to_two_spans(void **state)
{
	struct ow_counts c = { 0 };
	struct ow_window w;
	uint64_t t, back;

	ow_window_start(&w, &c, 0);
	for (t = 1; t < 400; t++) {
		c.n[OW_CNT_OK] = t;
		ow_window_turn(&w, &c, t * SEC / 10, 2 * SEC);
		back = t * SEC / 10 - w.old_ns;
		assert_true(back <= 4 * SEC);
		if (t > 40)
			assert_true(back >= 2 * SEC);
		/* What it holds belongs to that moment. */
		assert_true(w.old.n[OW_CNT_OK] * SEC / 10 == w.old_ns);
	}
}

static void a_window_without_span_reaches_back_to_the_beginning(void **state)
{
	struct ow_counts c = { 0 };
	struct ow_window w;

	ow_window_start(&w, &c, 5);
	c.n[OW_CNT_OK] = 9;
	ow_window_turn(&w, &c, 1000 * SEC, 0);
	assert_int_equal(w.old_ns, 5);
	assert_int_equal(w.old.n[OW_CNT_OK], 0);
}

#define FACT(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(an_empty_histogram_has_no_percentile),
		FACT(a_percentile_lies_within_its_bucket),
		FACT(half_of_two_buckets_is_between_them),
		FACT(one_slow_call_of_a_hundred_is_seen_beyond_99),
		FACT(the_last_bucket_has_no_end),
		FACT(percentiles_agree_with_sorted_values),
		FACT(a_window_reaches_back_one_to_two_spans),
		FACT(a_window_without_span_reaches_back_to_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
