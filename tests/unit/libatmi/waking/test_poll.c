/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_poll.c - polls without a wake-up: how often, and what may be taken
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/poll.h"

#define SEC UINT64_C(1000000000)

static const struct ow_waking *k = &ow_waking_defaults;

static void messages_that_nobody_comes_for_are_taken(void **state)
{
	static const struct {
		bool on_way;
		uint64_t taken, before;
		enum ow_queue_attendance attendance;
		uint32_t backlog;
	} rows[] = {
		{ true, 9, 9, OW_QUEUE_ATTENDED, 0 },
		{ true, 9, 8, OW_QUEUE_ATTENDED, 0 },
		{ false, 9, 8, OW_QUEUE_UNSURE, 0 },
		{ false, 9, 9, OW_QUEUE_UNATTENDED, 5 },
	};
	enum ow_queue_attendance a;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		a = ow_waking_attendance(rows[i].on_way, rows[i].taken,
					 rows[i].before);
		assert_int_equal(a, rows[i].attendance);
		assert_int_equal(ow_waking_backlog(a, 5), rows[i].backlog);
	}
}

static void the_second_poll_decides(void **state)
{
	assert_true(ow_waking_polls_again(true, false));
	assert_false(ow_waking_polls_again(true, true));
	assert_false(ow_waking_polls_again(false, false));
}

/* Servers that poll a queue with `n` servers, each second. */
static uint64_t polls(uint32_t n)
{
	return n * SEC / ow_waking_poll_period(k, true, n);
}

static void at_most_128_servers_poll_a_queue_each_second(void **state)
{
	uint32_t n;

	for (n = 1; n < 65536; n += 17)
		assert_in_range(polls(n), 0, 128);
	assert_int_equal(polls(1), 1);
	assert_int_equal(polls(127), 127);
	assert_int_equal(ow_waking_poll_period(k, false, 60000), SEC);
}

static void ndrxd_nudges_queues_whose_servers_poll_seldom(void **state)
{
	uint32_t n;

	for (n = 1; n < 400; n++)
		assert_int_equal(ow_waking_is_crowd(k, n),
				 ow_waking_poll_period(k, true, n) > SEC);
}

static void a_tick_that_is_a_little_early_counts(void **state)
{
	assert_int_equal(ow_waking_next_poll(k, SEC), SEC + 875000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_that_nobody_comes_for_are_taken),
		cmocka_unit_test(the_second_poll_decides),
		cmocka_unit_test(at_most_128_servers_poll_a_queue_each_second),
		cmocka_unit_test(ndrxd_nudges_queues_whose_servers_poll_seldom),
		cmocka_unit_test(a_tick_that_is_a_little_early_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
