/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_subs_faults.c - a kill while subscriptions change leaves each whole or
 * not there
 */
#include "tests/unit/libatmi/faults.h"

#include <stdlib.h>

#include "libatmi/subs/subs.h"

static struct ow_sub sub(const char *pattern)
{
	struct ow_sub s = { .flags = OW_SUB_SERVICE | OW_SUB_PERSIST,
			    .service = "X" };

	strcpy(s.pattern, pattern);
	return s;
}

static uint32_t count(const char *event)
{
	struct ow_subs_found f = { 0 };
	int r = ow_subs_find(dom, event, &f);

	if (r == OW_SUBS_BUSY) { /* a writer was killed */
		assert_int_equal(ow_subs_repair(dom), 0);
		r = ow_subs_find(dom, event, &f);
	}
	assert_int_equal(r, 0);
	free(f.id);
	return f.n;
}

static void change(void)
{
	struct ow_sub word = sub("^CHILD$"), pattern = sub("CH.*LD");
	long id = 0, id2 = 0;
	uint32_t n;

	if (ow_subs_add(dom, &word, &id) != 0 ||
	    ow_subs_add(dom, &pattern, &id2) != 0 ||
	    ow_subs_remove(dom, id, false, &n) != 0 ||
	    ow_subs_remove(dom, id2, false, &n) != 0)
		_exit(40);
}

/* Remove what a killed child has left. */
static uint32_t clean(const char *event)
{
	struct ow_subs_found f = { 0 };
	uint32_t i, n;

	assert_int_equal(ow_subs_find(dom, event, &f), 0);
	for (i = 0; i < f.n; i++) {
		assert_int_equal(ow_subs_remove(dom, f.id[i], false, &n), 0);
		assert_int_equal(n, 1);
	}
	free(f.id);
	return f.n;
}

static void others_are_found_after_a_kill_at_any_point(void **state)
{
	struct ow_sub word = sub("KEPT"), pattern = sub("K[E]PT");
	long n, id = -1;

	assert_int_equal(ow_subs_add(dom, &word, &id), 0);
	assert_int_equal(id, 0); /* the first id */
	assert_int_equal(ow_subs_add(dom, &pattern, &id), 0);
	for (n = 1; n < POINTS_MAX; n++) {
		if (!dies_at(n, change))
			break;
		assert_int_equal(count("KEPT"), 2);
		assert_int_equal(count("kept"), 0);
		assert_in_range(count("CHILD"), 0, 2);
		assert_int_equal(ow_subs_count(dom), 2 + count("CHILD"));
		clean("CHILD");
		assert_int_equal(ow_subs_count(dom), 2);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 10, POINTS_MAX - 1);
	assert_int_equal(count("KEPT"), 2);
}

static void repair(void)
{
	if (ow_subs_repair(dom) != 0)
		_exit(41);
}

static void another_writer_completes_a_killed_repair(void **state)
{
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		assert_true(dies_at(2, change)); /* in the middle */
		if (!dies_at(n, repair))
			break;
		assert_int_equal(count("KEPT"), 2);
		clean("CHILD");
	}
	assert_in_range(n, 3, POINTS_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_found_after_a_kill_at_any_point),
		cmocka_unit_test(another_writer_completes_a_killed_repair),
	};

	if (fault_begin() < 0 || ow_subs_need(dom, true) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
