/* SPDX-License-Identifier: Apache-2.0 */
/* test_subs.c - subscriptions: found by name, added, removed, of the dead */
#include "tests/unit/libatmi/domain_fixture.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/libatmi/subs/remove_all.h"

static struct ow_sub make(const char *pattern)
{
	struct ow_sub s = { .flags = OW_SUB_SERVICE, .service = "X" };

	strcpy(s.pattern, pattern);
	return s;
}

static long add(const char *pattern)
{
	struct ow_sub s = make(pattern);
	long id = -1;

	assert_int_equal(ow_subs_add(dom, &s, &id), 0);
	return id;
}

static uint32_t count(const char *event)
{
	struct ow_subs_found f = { 0 };
	bool any = false;
	int r;

	assert_int_equal(ow_subs_find(dom, event, &f), 0);
	r = ow_subs_look(dom, event, &any);
	if (r == 0)
		assert_int_equal(any, f.n > 0);
	else
		assert_int_equal(r, OW_SUBS_MANY);
	free(f.id);
	return f.n;
}

static void the_first_id_is_0_and_ids_are_not_used_again(void **state)
{
	long a = add("A"), b = add("A"), c;
	uint32_t n = 0;

	assert_int_equal(a, 0);
	assert_int_equal(b, 1);
	assert_int_equal(ow_subs_remove(dom, a, false, &n), 0);
	assert_int_equal(n, 1);
	c = add("A");
	assert_int_not_equal(c, a);
	assert_int_equal(ow_subs_remove(dom, a, false, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(count("A"), 2);
}

static bool matches(const char *pattern, const char *event)
{
	regex_t re;
	bool r;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	r = regexec(&re, event, 0, NULL, 0) == 0;
	regfree(&re);
	return r;
}

static void what_is_found_is_what_matches(void **state)
{
	static const char *const patterns[] = {
		"AB",  "^AB",	"AB$",	 "^AB$", "ABAB", "A",	  "B$",
		".*",  "A.",	"^A.*B$", "[AB]", "(AB)+", "\\.AB", "AB.*",
		".*AB", "^ABCABCABCABC$", "C", "^.AB", "BA|CC", "A{2}",
	};
	static const char *const events[] = {
		"A", "B", "AB", "ABAB", "XAB", "ABX", "XABX", "AAB", ".AB",
		"ABCABCABCABC", "CC", "BA", "AA", "C", "X",
	};
	uint32_t i, k, want;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		add(patterns[i]);
	for (k = 0; k < sizeof(events) / sizeof(events[0]); k++) {
		for (i = 0, want = 0;
		     i < sizeof(patterns) / sizeof(patterns[0]); i++)
			want += matches(patterns[i], events[k]);
		if (count(events[k]) != want)
			fail_msg("%s: %u found, want %u", events[k],
				 count(events[k]), want);
	}
}

static void thousands_of_names_are_found_one_by_one(void **state)
{
	char name[40];
	long i;

	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "^NAME%ld$", i);
		add(name);
	}
	for (i = 0; i < 5000; i += 7) {
		snprintf(name, sizeof(name), "NAME%ld", i);
		assert_int_equal(count(name), 1);
	}
	assert_int_equal(count("NAME"), 0);
	assert_int_equal(count("NAME5000"), 0);
	assert_int_equal(ow_subs_count(dom), 5000);
}

static void a_poster_leaves_many_patterns_to_tpevsrv(void **state)
{
	bool any = false;
	int i;

	for (i = 0; i < 33; i++)
		add("A[B]");
	assert_int_equal(ow_subs_look(dom, "X", &any), OW_SUBS_MANY);
	assert_int_equal(count("AB"), 33);
}

static void a_subscription_is_read_as_it_was_made(void **state)
{
	struct ow_sub s = make("A"), got;
	long id = -1;

	strcpy(s.filter, "x=1");
	assert_int_equal(ow_subs_add(dom, &s, &id), 0);
	assert_int_equal(ow_subs_read(dom, id, &got), 0);
	assert_memory_equal(&s, &got, sizeof(s));
	assert_int_equal(ow_subs_read(dom, id + 1, &got), -ENOENT);
	assert_int_equal(ow_subs_read(dom, -1, &got), -ENOENT);
}

static void all_of_an_owner_are_removed(void **state)
{
	struct ow_sub s = make("A");
	struct ow_sub_owner other = { .srvid = 8, .pid = 1, .start = 1 };
	uint32_t n = 0;
	long id;

	s.owner = (struct ow_sub_owner){ .srvid = 7, .pid = 1, .start = 1 };
	assert_int_equal(ow_subs_add(dom, &s, &id), 0);
	assert_int_equal(ow_subs_add(dom, &s, &id), 0);
	assert_int_equal(ow_subs_remove_of(dom, &other, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(ow_subs_remove_of(dom, &s.owner, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(count("A"), 0);
}

static void the_round_removes_those_of_the_dead_but_not_what_stays(void **state)
{
	struct ow_sub dead = make("A"), stays = make("A"), client = make("A");
	uint32_t at = 0, slot = 0;
	long id;

	dead.owner = (struct ow_sub_owner){ .srvid = 7, .pid = 1, .start = 1 };
	stays.owner = dead.owner;
	stays.flags |= OW_SUB_PERSIST;
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	client.flags = OW_SUB_NOTIFY;
	client.owner.slot = slot;
	client.owner.gen = dom->tables->clt[slot].gen;
	assert_int_equal(ow_subs_add(dom, &dead, &id), 0);
	assert_int_equal(ow_subs_add(dom, &stays, &id), 0);
	assert_int_equal(ow_subs_add(dom, &client, &id), 0);
	ow_subs_round(dom, &at, 2);
	ow_subs_round(dom, &at, 10000);
	assert_int_equal(count("A"), 2);
	ow_clt_clear(dom->tables, slot);
	ow_subs_round(dom, &at, 10000);
	assert_int_equal(count("A"), 1);
}

static void a_server_that_says_the_same_again_takes_its_old_one_over(
    void **state)
{
	struct ow_sub s = make("A");
	struct ow_sub got;
	long first = -1, second = -1;

	s.flags |= OW_SUB_PERSIST;
	s.owner = (struct ow_sub_owner){ .srvid = 7, .pid = 1, .start = 1 };
	assert_int_equal(ow_subs_add(dom, &s, &first), 0);
	s.owner.pid = 2;
	assert_int_equal(ow_subs_add(dom, &s, &second), 0);
	assert_int_equal(first, second);
	assert_int_equal(count("A"), 1);
	assert_int_equal(ow_subs_read(dom, first, &got), 0);
	assert_int_equal(got.owner.pid, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_teardown(name, remove_all)
		T(the_first_id_is_0_and_ids_are_not_used_again),
		T(what_is_found_is_what_matches),
		T(thousands_of_names_are_found_one_by_one),
		T(a_poster_leaves_many_patterns_to_tpevsrv),
		T(a_subscription_is_read_as_it_was_made),
		T(all_of_an_owner_are_removed),
		T(the_round_removes_those_of_the_dead_but_not_what_stays),
		T(a_server_that_says_the_same_again_takes_its_old_one_over),
	};

	dom_make();
	if (ow_subs_need(dom, true) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
