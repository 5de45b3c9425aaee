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

#define MS  1000000
#define ANY OW_WAKING_ANY
#define YES OW_WAKING_YES
#define NO  OW_WAKING_NO

static const struct ow_waking *k = &ow_waking_defaults;

struct row {
	const char *what;
	struct ow_waking_view view;
	enum ow_waking_answer answer;
};

/* Everything about the queue has been read. */
static const struct row rows[] = {
	{ "no server is idle", { .clock = true }, OW_WAKING_NOBODY },
	{ "an idle one that may be woken",
	  { .idle = true, .clock = true, .candidate = YES },
	  OW_WAKING_CANDIDATE },
	{ "one is on its way",
	  { .idle = true, .clock = true, .pending = true, .age_ns = 2 * MS,
	    .candidate = YES },
	  OW_WAKING_NOBODY },
	{ "its time lies ahead: two clocks",
	  { .idle = true, .clock = true, .pending = true, .age_ns = -MS,
	    .candidate = YES },
	  OW_WAKING_NOBODY },
	{ "late",
	  { .idle = true, .clock = true, .pending = true, .age_ns = 2 * MS + 1,
	    .candidate = YES },
	  OW_WAKING_CANDIDATE },
	{ "a preferred one will check the queue soon",
	  { .idle = true, .clock = true, .candidate = NO, .soon = YES },
	  OW_WAKING_NOBODY },
	{ "the preferred are held up",
	  { .idle = true, .clock = true, .candidate = NO, .soon = NO }, ANY },
	{ "they were held up before: that is not asked again",
	  { .idle = true, .clock = true, .any = true }, ANY },
	{ "they were, but one is on its way now",
	  { .idle = true, .clock = true, .any = true, .pending = true },
	  OW_WAKING_NOBODY },
};

static void a_sender_wakes_whom_the_rules_name(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ow_waking_whom(k, &rows[i].view) != rows[i].answer)
			fail_msg("%s: answer %d", rows[i].what,
				 (int)ow_waking_whom(k, &rows[i].view));
}

static void nothing_is_read_that_the_answer_does_not_need(void **state)
{
	struct ow_waking_view v = { .idle = false };

	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_NOBODY);
	v.idle = v.pending = true;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_READ_CLOCK);
	v.clock = true;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_NOBODY);
	v.age_ns = 3 * MS;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_READ_CANDIDATE);
	v.candidate = NO;
	assert_int_equal(ow_waking_whom(k, &v), OW_WAKING_READ_SOON);
}

static void a_busy_server_checks_soon_unless_it_is_held_up(void **state)
{
	const uint64_t now = 5000 * (uint64_t)MS;
	static const struct {
		struct ow_waking_busy s;
		bool soon;
	} busy[] = {
		{ { .awake = false }, false },
		{ { .awake = true }, true },
		{ { .awake = true, .serving = true }, false },
		{ { .awake = true, .serving = true, .here = true,
		    .since_ns = 4999 * (uint64_t)MS + 1 }, true },
		{ { .awake = true, .serving = true, .here = true,
		    .since_ns = 4999 * (uint64_t)MS }, false },
		{ { .awake = false, .serving = true, .here = true,
		    .since_ns = 5000 * (uint64_t)MS }, false },
	};
	size_t i;

	for (i = 0; i < sizeof(busy) / sizeof(busy[0]); i++)
		assert_int_equal(ow_waking_soon(k, &busy[i].s, now),
				 busy[i].soon);
}

static void two_servers_per_cpu_are_preferred_and_at_least_four(void **state)
{
	static const struct {
		long cpus;
		uint32_t n;
	} machines[] = { { -1, 4 }, { 1, 4 }, { 2, 4 }, { 3, 6 },
			 { 128, 256 } };
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		assert_int_equal(ow_waking_preferred(k, machines[i].cpus),
				 machines[i].n);
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
				     .preferred = 4, .last_idle = 1 + 70 };

	set_idle(some, 3);
	assert_int_equal(ow_waking_choose(&r, false), 70);
	r.last_idle = 1 + 71; /* is not idle any more */
	assert_int_equal(ow_waking_choose(&r, false), 7);
	r.last_idle = 0;
	assert_int_equal(ow_waking_choose(&r, false), 7);
	r.ranks = 7;
	assert_int_equal(ow_waking_choose(&r, false), -1);
}

static void only_preferred_servers_are_chosen_while_services_are_short(
    void **state)
{
	static const uint32_t some[] = { 3, 70 };
	struct ow_waking_ranks r = { .idle = idle, .ranks = 200,
				     .preferred = 4, .last_idle = 1 + 70,
				     .are_short = true };

	set_idle(some, 2);
	assert_int_equal(ow_waking_choose(&r, false), 3);
	assert_int_equal(ow_waking_choose(&r, true), 70);
	set_idle(some + 1, 1);
	assert_int_equal(ow_waking_choose(&r, false), -1);
	r.preferred = 300; /* more than there are */
	assert_int_equal(ow_waking_choose(&r, false), 70);
}

static void even_chooses_all_in_turn(void **state)
{
	static const uint32_t some[] = { 3, 70, 130 };
	static const uint32_t turns[] = { 70, 130, 3, 70 };
	struct ow_waking_ranks r = { .idle = idle, .ranks = 131,
				     .preferred = 4, .last_idle = 1 + 3,
				     .cursor = 3, .even = true,
				     .are_short = true };
	size_t i;

	set_idle(some, 3);
	for (i = 0; i < 4; i++) {
		r.cursor = (uint32_t)ow_waking_choose(&r, false);
		assert_int_equal(r.cursor, turns[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_wakes_whom_the_rules_name),
		cmocka_unit_test(nothing_is_read_that_the_answer_does_not_need),
		cmocka_unit_test(
		    a_busy_server_checks_soon_unless_it_is_held_up),
		cmocka_unit_test(
		    two_servers_per_cpu_are_preferred_and_at_least_four),
		cmocka_unit_test(
		    hot_chooses_the_last_idle_else_the_lowest_rank),
		cmocka_unit_test(
		    only_preferred_servers_are_chosen_while_services_are_short),
		cmocka_unit_test(even_chooses_all_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
