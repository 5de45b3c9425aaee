/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_whom.c - a queue has a message: is a server woken, and which one
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/whom.h"

#define MS 1000000

static const struct ow_waking *k = &ow_waking_defaults;

struct row {
	const char *what;
	struct ow_waking_view view;
	enum ow_waking_answer answer;
};

/* Everything about the queue has been read. */
static const struct row rows[] = {
	{ "no server is idle", { .clock = true }, OW_WAKING_NOBODY },
	{ "one is idle", { .idle = true, .clock = true }, OW_WAKING_ONE },
	{ "one is on its way",
	  { .idle = true, .clock = true, .pending = true, .age_ns = 2 * MS },
	  OW_WAKING_NOBODY },
	{ "its time lies ahead: two clocks",
	  { .idle = true, .clock = true, .pending = true, .age_ns = -MS },
	  OW_WAKING_NOBODY },
	{ "late",
	  { .idle = true, .clock = true, .pending = true, .age_ns = 2 * MS + 1 },
	  OW_WAKING_ONE },
};

static void a_sender_wakes_whom_the_rules_name(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ow_waking_whom(k, &rows[i].view) != rows[i].answer)
			fail_msg("%s: answer %d", rows[i].what,
				 (int)ow_waking_whom(k, &rows[i].view));
}

static void the_clock_is_read_if_a_server_is_idle(void **state)
{
	struct ow_waking_view v = { .idle = false };

	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_NOBODY);
	v.idle = v.pending = true;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_READ_CLOCK);
	v.clock = true;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_NOBODY);
	v.age_ns = 3 * MS;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_ONE);
}

/* ---- which one ---- */

static _Atomic uint64_t idle[4];

static void set_idle(const uint32_t *ranks, size_t n)
{
	size_t i;

	for (i = 0; i < 4; i++)
		idle[i] = 0;
	for (i = 0; i < n; i++)
		idle[ranks[i] / 64] |= UINT64_C(1) << (ranks[i] % 64);
}

static void hot_chooses_the_last_idle_else_the_lowest_rank(void **state)
{
	static const uint32_t some[] = { 7, 70, 130 };
	struct ow_waking_ranks r = { .idle = idle, .ranks = 200,
				     .last_idle = 1 + 70 };

	set_idle(some, 3);
	assert_int_equal(ow_waking_choose(&r), 70);
	r.last_idle = 1 + 71; /* is not idle any more */
	assert_int_equal(ow_waking_choose(&r), 7);
	r.last_idle = 0;
	assert_int_equal(ow_waking_choose(&r), 7);
	r.ranks = 7;
	assert_int_equal(ow_waking_choose(&r), -1);
}

static void even_chooses_all_in_turn(void **state)
{
	static const uint32_t some[] = { 3, 70, 130 };
	static const uint32_t turns[] = { 70, 130, 3, 70 };
	struct ow_waking_ranks r = { .idle = idle, .ranks = 131,
				     .last_idle = 1 + 3, .cursor = 3,
				     .even = true };
	size_t i;

	set_idle(some, 3);
	for (i = 0; i < 4; i++) {
		r.cursor = (uint32_t)ow_waking_choose(&r);
		assert_int_equal(r.cursor, turns[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_wakes_whom_the_rules_name),
		cmocka_unit_test(the_clock_is_read_if_a_server_is_idle),
		cmocka_unit_test(
		    hot_chooses_the_last_idle_else_the_lowest_rank),
		cmocka_unit_test(even_chooses_all_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
