/* SPDX-License-Identifier: Apache-2.0 */
/* test_figures.c - the statistics of a server */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/base/clock.h"
#include "libatmi/wire/msg.h"
#include "libatmi/domain/tables.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/server.h"

static struct ow_adv a;
static struct ow_offer o;

static int fresh(void **state)
{
	memset(&a, 0, sizeof(a));
	memset(&o, 0, sizeof(o));
	return 0;
}

static struct ow_msg message(uint64_t sent_us, uint8_t prio, uint64_t len)
{
	return (struct ow_msg){ .sent_ns = sent_us * OW_NS_PER_US,
				.prio = prio,
				.len = len };
}

static void buckets_are_powers_of_two(void **state)
{
	unsigned int b;

	assert_int_equal(ow_bucket_of(0), 0);
	assert_int_equal(ow_bucket_of(1), 0);
	assert_int_equal(ow_bucket_of(2), 1);
	assert_int_equal(ow_bucket_of(UINT64_MAX), OW_HIST_BUCKETS - 1);
	for (b = 0; b < OW_HIST_BUCKETS - 1; b++) {
		assert_int_equal(ow_bucket_to(b), ow_bucket_from(b + 1));
		assert_int_equal(ow_bucket_of(ow_bucket_to(b) - 1), b);
		assert_int_equal(ow_bucket_of(ow_bucket_to(b)), b + 1);
	}
	assert_true(ow_bucket_to(OW_HIST_BUCKETS - 1) == UINT64_MAX);
}

static void a_request_is_counted_with_its_wait_and_its_bytes(void **state)
{
	struct ow_msg m = message(1000, 50, 700);

	ow_figures_begin(&a, &m, 1300 * OW_NS_PER_US);
	m = message(2000, 50, 300);
	ow_figures_begin(&a, &m, 2005 * OW_NS_PER_US);
	assert_int_equal(a.bytes, 1000);
	assert_int_equal(a.wait_sum_us, 305);
	assert_int_equal(a.wait_max_us, 300);
	assert_int_equal(a.wait_hist[8], 1);
	assert_int_equal(a.wait_hist[2], 1);
}

static void a_message_sent_in_the_future_counts_as_no_wait(void **state)
{
	struct ow_msg m = message(5000, 50, 0);

	ow_figures_begin(&a, &m, 4000 * OW_NS_PER_US);
	assert_int_equal(a.wait_sum_us, 0);
	assert_int_equal(a.wait_hist[0], 1);
}

static void an_outcome_is_counted_with_its_time(void **state)
{
	ow_figures_end(&a, false, 40);
	ow_figures_end(&a, true, 5);
	ow_figures_end(&a, false, 0);
	assert_int_equal(a.ok, 2);
	assert_int_equal(a.fail, 1);
	assert_int_equal(a.sum_us, 45);
	assert_int_equal(a.max_us, 40);
	assert_int_equal(a.min_us, 1);
	assert_int_equal(a.last_us, 0);
	assert_int_equal(a.hist[5] + a.hist[2] + a.hist[0], 3);
}

static void the_front_moves_with_each_message(void **state)
{
	struct ow_msg m = message(100, 50, 0);

	ow_figures_taken(&a, &o, &m);
	assert_int_equal(a.front_ns, 100 * OW_NS_PER_US);
	m = message(250, 50, 0);
	ow_figures_taken(&a, &o, &m);
	assert_int_equal(a.front_ns, 250 * OW_NS_PER_US);
	m = message(200, 50, 0); /* queued late */
	ow_figures_taken(&a, &o, &m);
	assert_int_equal(a.front_ns, 250 * OW_NS_PER_US);
}

static void a_message_that_overtakes_does_not_move_the_front(void **state)
{
	struct ow_msg m = message(100, 20, 0);

	ow_figures_taken(&a, &o, &m);
	m = message(300, 90, 0); /* messages of priority 20 may remain */
	ow_figures_taken(&a, &o, &m);
	assert_int_equal(a.front_ns, 100 * OW_NS_PER_US);
}

static void an_empty_queue_moves_the_front_to_now(void **state)
{
	ow_figures_depth(&a, 3, 1000);
	assert_int_equal(a.front_ns, 0);
	ow_figures_depth(&a, 0, 2000);
	assert_int_equal(a.front_ns, 2000);
	assert_int_equal(a.depth_peak, 3);
}

static void wake_ups_in_vain_are_counted_apart(void **state)
{
	ow_figures_woken(&a, false);
	ow_figures_woken(&a, true);
	assert_int_equal(a.wakeups, 2);
	assert_int_equal(a.vain, 1);
}

static void a_reset_row_keeps_its_names(void **state)
{
	struct ow_msg m = message(1000, 50, 700);

	a.svc = 7;
	strcpy(a.func, "F");
	ow_figures_begin(&a, &m, 1300 * OW_NS_PER_US);
	ow_figures_end(&a, false, 40);
	ow_figures_depth(&a, 3, 1000);
	ow_figures_reset(&a);
	assert_int_equal(a.svc, 7);
	assert_string_equal(a.func, "F");
	assert_int_equal(a.ok + a.sum_us + a.bytes + a.depth_peak, 0);
	assert_int_equal(a.hist[5] + a.wait_hist[8], 0);
}

#define FACT(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(buckets_are_powers_of_two),
		FACT(a_request_is_counted_with_its_wait_and_its_bytes),
		FACT(a_message_sent_in_the_future_counts_as_no_wait),
		FACT(an_outcome_is_counted_with_its_time),
		FACT(the_front_moves_with_each_message),
		FACT(a_message_that_overtakes_does_not_move_the_front),
		FACT(an_empty_queue_moves_the_front_to_now),
		FACT(wake_ups_in_vain_are_counted_apart),
		FACT(a_reset_row_keeps_its_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
