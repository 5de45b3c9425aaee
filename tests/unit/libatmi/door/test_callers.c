/* SPDX-License-Identifier: Apache-2.0 */
/* test_callers.c - who stands behind a slot: one generation, never half of it */
#include "tests/unit/libatmi/domain_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "libatmi/door/callers.h"

static struct ow_caller make(uint32_t gen, uint32_t uid)
{
	struct ow_caller c = { .gen = gen, .uid = uid, .gid = uid,
			       .n_groups = OW_CALLER_GROUPS, .appkey = uid };
	uint32_t i;

	for (i = 0; i < OW_CALLER_GROUPS; i++)
		c.groups[i] = uid;
	snprintf(c.login, sizeof(c.login), "%u", uid);
	return c;
}

static void a_slot_without_a_row_is_nobodys(void **state)
{
	struct ow_caller c;

	assert_int_equal(ow_callers_read(dom, 5, 1, &c), OW_CALLERS_ABSENT);
	c = make(3, 7);
	assert_int_equal(ow_callers_write(dom, 6, &c), 0);
	assert_int_equal(ow_callers_read(dom, 5, 1, &c), OW_CALLERS_ABSENT);
	assert_int_equal(ow_callers_read(dom, 60000, 1, &c),
			 OW_CALLERS_ABSENT);
}

static void a_row_is_that_of_one_generation(void **state)
{
	struct ow_caller c = make(3, 7);

	assert_int_equal(ow_callers_write(dom, 9, &c), 0);
	assert_int_equal(ow_callers_read(dom, 9, 3, &c), 0);
	assert_int_equal(c.uid, 7);
	assert_string_equal(c.login, "7");
	assert_int_equal(ow_callers_read(dom, 9, 5, &c), OW_CALLERS_ABSENT);
	assert_int_equal(ow_callers_read(dom, 9, 1, &c), OW_CALLERS_ABSENT);
	c = make(5, 8);
	assert_int_equal(ow_callers_write(dom, 9, &c), 0);
	assert_int_equal(ow_callers_read(dom, 9, 3, &c), OW_CALLERS_ABSENT);
	assert_int_equal(ow_callers_read(dom, 9, 5, &c), 0);
	assert_int_equal(c.uid, 8);
}

static void slots_beyond_the_table_are_refused(void **state)
{
	struct ow_caller c = make(3, 7);

	assert_int_equal(ow_callers_write(dom, OW_CLT_MAX, &c), -EINVAL);
	assert_int_equal(ow_callers_read(dom, OW_CLT_MAX, 3, &c), -EINVAL);
	assert_int_equal(ow_callers_read(dom, UINT32_MAX, 3, &c), -EINVAL);
}

/* A process writes the row again and again, until it is killed. */
static void readers_never_see_half_a_row(void **state)
{
	struct ow_caller c = make(1, 1), all;
	uint64_t until = ow_clock_mono_ns() + 300 * OW_NS_PER_MS;
	uint32_t uid, i;
	pid_t child;
	int r, status;

	assert_int_equal(ow_callers_write(dom, 20, &c), 0);
	child = fork();
	if (child == 0) {
		for (uid = 2;; uid++) {
			c = make(1, uid);
			if (ow_callers_write(dom, 20, &c) != 0)
				_exit(1);
		}
	}
	while (ow_clock_mono_ns() < until) {
		r = ow_callers_read(dom, 20, 1, &all);
		if (r == -EAGAIN)
			continue; /* a thousand writes meanwhile */
		assert_int_equal(r, 0);
		assert_int_equal(all.uid, all.appkey);
		assert_int_equal(all.uid, all.gid);
		for (i = 0; i < OW_CALLER_GROUPS; i++)
			assert_int_equal(all.groups[i], all.uid);
		assert_int_equal(all.uid, strtoul(all.login, NULL, 10));
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(ow_callers_read(dom, 20, 1, &all), 0);
	assert_int_equal(all.uid, all.groups[OW_CALLER_GROUPS - 1]);
}

static void epochs_count_on(void **state)
{
	uint32_t a = 0, b = 0;

	assert_int_equal(ow_callers_next_epoch(dom, &a), 0);
	ow_callers_unmap(dom);
	assert_int_equal(ow_callers_next_epoch(dom, &b), 0);
	assert_int_equal(b, a + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_without_a_row_is_nobodys),
		cmocka_unit_test(a_row_is_that_of_one_generation),
		cmocka_unit_test(slots_beyond_the_table_are_refused),
		cmocka_unit_test(readers_never_see_half_a_row),
		cmocka_unit_test(epochs_count_on),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
