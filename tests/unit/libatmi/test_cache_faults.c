/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cache_faults.c - a kill while a reply is kept leaves it whole or not
 * there, and nothing that the next writer waits for
 */
#include "tests/unit/libatmi/faults.h"

#include <stdlib.h>

#include "libatmi/cache/cache.h"

#define SIZE 60000 /* so that the ring comes round soon */

static char payload[SIZE];
static uint32_t number; /* of the key that the child writes */

static struct ow_cache_key key_of(const uint32_t *n)
{
	return (struct ow_cache_key){ .row = 1, .epoch = 1, .hash = 16 * *n,
				      .bytes = n, .len = sizeof(*n) };
}

static int put(uint32_t n)
{
	struct ow_cache_key k = key_of(&n);
	struct ow_cache_reply r = { .payload = payload, .len = SIZE };

	memset(payload, (int)n, SIZE);
	return ow_cache_put(dom, &k, 100, &r);
}

/* Is a reply kept for the key? If so, it is the right one. */
static bool is_kept(uint32_t n)
{
	static struct ow_cache_memory room;
	struct ow_cache_key k = key_of(&n);
	struct ow_cache_reply r;

	if (ow_cache_look(dom, &k, 1, &room, &r) != 0)
		return false;
	memset(payload, (int)n, SIZE);
	assert_int_equal(r.len, SIZE);
	assert_memory_equal(r.payload, payload, SIZE);
	return true;
}

static void child_puts(void)
{
	if (put(number) != 0)
		_exit(50);
}

/* Each point, at each of many places of the ring; all keys are of one shard. */
static void what_is_found_is_whole_after_a_kill_at_any_point(void **state)
{
	uint32_t i, killed = 0;
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		number++;
		if (!dies_at(n, child_puts))
			break;
		killed++;
		(void)is_kept(number);
		number++;
		assert_int_equal(put(number), 0); /* the owner is dead */
		assert_true(is_kept(number));
	}
	assert_in_range(killed, 5, POINTS_MAX - 1);
	/* Round and round: old ones are cleared, the end is skipped. */
	for (i = 0; i < 300; i++) {
		number++;
		killed += dies_at(1 + i % 9, child_puts);
		(void)is_kept(number);
		number++;
		assert_int_equal(put(number), 0);
		assert_true(is_kept(number));
		assert_true(i == 0 || !is_kept(number + 1));
	}
	for (i = 1; i <= number; i++)
		(void)is_kept(i);
	print_message("%u kills\n", killed);
}

static void child_publishes(void)
{
	struct ow_cache_service s[2] = { { "A", { .ttl_ns = 5 } },
					 { "B", { .ttl_ns = number } } };

	if (ow_cache_publish(dom, s, 2) != 0)
		_exit(51);
}

static void the_next_ndrxd_completes_what_a_killed_one_wrote(void **state)
{
	struct ow_cache_settings s;
	uint32_t row = 0, seq = 0;
	uint64_t epoch = 0, last = 0;
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		number++;
		if (!dies_at(n, child_publishes))
			break;
		if (ow_cache_find(dom, "B", &row) == 0 &&
		    ow_cache_read(dom, row, &s, &seq) == 0)
			assert_in_range(s.ttl_ns, 0, number);
		child_publishes();
		assert_int_equal(ow_cache_find(dom, "B", &row), 0);
		assert_int_equal(ow_cache_read(dom, row, &s, &seq), 0);
		assert_int_equal(s.ttl_ns, number);
		assert_true(ow_cache_current(dom, row, seq, &epoch));
		assert_true(epoch > last);
		last = epoch;
	}
	assert_in_range(n, 3, POINTS_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    what_is_found_is_whole_after_a_kill_at_any_point),
		cmocka_unit_test(
		    the_next_ndrxd_completes_what_a_killed_one_wrote),
	};

	if (fault_begin() < 0 || ow_cache_need(dom, true) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
