/* SPDX-License-Identifier: Apache-2.0 */
/* test_interest.c - which events a set of subscriptions may want */
#include "tests/unit/libatmi/domain_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "libatmi/subs/remote.h"
#include "tests/unit/libatmi/subs/remove_all.h"
#include "libubf/regex/regex.h"

static struct ow_interest of_domain(void)
{
	struct ow_interest i;

	assert_int_equal(ow_interest_of_domain(dom, &i), 0);
	return i;
}

static long add(const char *pattern)
{
	struct ow_sub s = { .flags = OW_SUB_SERVICE, .service = "X" };
	long id = -1;

	strcpy(s.pattern, pattern);
	assert_int_equal(ow_subs_add(dom, &s, &id), 0);
	return id;
}

static void no_subscription_wants_nothing(void **state)
{
	struct ow_interest i = of_domain();

	assert_true(ow_interest_is_empty(&i));
	assert_false(ow_interest_has(&i, "A"));
}

static void words_count_where_their_pattern_lets_them(void **state)
{
	struct ow_interest i;

	add("^EQUAL$");
	add("^FIRST");
	add("LAST$");
	add("PART");
	i = of_domain();
	assert_true(ow_interest_has(&i, "EQUAL"));
	assert_false(ow_interest_has(&i, "EQUALX"));
	assert_true(ow_interest_has(&i, "FIRSTX"));
	assert_false(ow_interest_has(&i, "XFIRST"));
	assert_true(ow_interest_has(&i, "XLAST"));
	assert_false(ow_interest_has(&i, "LASTX"));
	assert_true(ow_interest_has(&i, "XPARTX"));
	assert_false(ow_interest_has(&i, "PAR"));
}

static void a_pattern_that_is_no_word_wants_any_event(void **state)
{
	struct ow_interest i;

	add("A[BC]");
	i = of_domain();
	assert_false(ow_interest_is_empty(&i));
	assert_true(ow_interest_has(&i, "ANYTHING"));
}

static void whatever_a_subscription_matches_is_wanted(void **state)
{
	struct ow_subs_found f = { 0 };
	struct ow_interest i;
	char name[OW_SUBS_EVENT + 1];
	int n, passed = 0;

	for (n = 0; n < 300; n++) {
		snprintf(name, sizeof(name), n % 2 ? "^EV%dX$" : "EV%dY", n);
		add(name);
	}
	i = of_domain();
	for (n = 0; n < 4000; n++) {
		snprintf(name, sizeof(name), "EV%d%c", n, "XY"[n / 2 % 2]);
		assert_int_equal(ow_subs_find(dom, name, &f), 0);
		if (f.n > 0)
			assert_true(ow_interest_has(&i, name));
		else
			passed += ow_interest_has(&i, name);
	}
	assert_in_range(passed, 0, 400); /* one of ten */
	free(f.id);
}

static void a_change_makes_what_was_seen_old(void **state)
{
	uint64_t seen = 0;

	assert_true(ow_interest_is_old(dom, &seen));
	assert_false(ow_interest_is_old(dom, &seen));
	add("A");
	assert_true(ow_interest_is_old(dom, &seen));
	assert_false(ow_interest_is_old(dom, &seen));
}

/* The servers below `end` are processes, or not. */
static void set_servers(uint32_t end, pid_t pid)
{
	uint32_t i;

	for (i = 0; i < end; i++)
		atomic_store(&dom->tables->srv[i].pid, pid);
	atomic_store(&dom->tables->head->srv_high, pid != 0 ? end : 0);
}

static void posters_see_what_any_bridge_shows(void **state)
{
	struct ow_interest a = { 0 }, z = { 0 }, none = { 0 };

	ow_interest_add(&a, OW_REGEX_CONTAINS, "AAA", 3);
	ow_interest_add(&z, OW_REGEX_CONTAINS, "ZZZ", 3);
	assert_false(ow_interest_remote(dom, "AAA"));
	set_servers(9, getpid());
	assert_int_equal(ow_interest_show(dom, 7, &a), 0);
	assert_int_equal(ow_interest_show(dom, 8, &z), 0);
	assert_true(ow_interest_remote(dom, "AAA"));
	assert_true(ow_interest_remote(dom, "XZZZ"));
	assert_false(ow_interest_remote(dom, "BBB"));
	assert_int_equal(ow_interest_show(dom, 7, &none), 0);
	assert_false(ow_interest_remote(dom, "AAA"));
	assert_true(ow_interest_remote(dom, "ZZZ"));
	assert_int_equal(ow_interest_show(dom, 8, &none), 0);
	set_servers(9, 0);
}

static void places_of_dead_bridges_are_taken_again(void **state)
{
	struct ow_interest a = { 0 }, none = { 0 };
	uint32_t id;

	ow_interest_add(&a, OW_REGEX_CONTAINS, "AAA", 3);
	for (id = 100; id < 200; id++) /* none of them is a process */
		assert_int_equal(ow_interest_show(dom, id, &a), 0);
	for (id = 100; id < 200; id++)
		assert_int_equal(ow_interest_show(dom, id, &none), 0);
	assert_false(ow_interest_remote(dom, "AAA"));
}

#define FACT(name) cmocka_unit_test_teardown(name, remove_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(no_subscription_wants_nothing),
		FACT(words_count_where_their_pattern_lets_them),
		FACT(a_pattern_that_is_no_word_wants_any_event),
		FACT(whatever_a_subscription_matches_is_wanted),
		FACT(a_change_makes_what_was_seen_old),
		FACT(posters_see_what_any_bridge_shows),
		FACT(places_of_dead_bridges_are_taken_again),
	};

	dom_make();
	if (ow_subs_need(dom, true) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
