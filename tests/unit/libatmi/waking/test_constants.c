/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_constants.c - the constants of waiting and waking, and their changes
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libatmi/waking/constants.h"

static void each_constant_has_a_reason_a_figure_and_a_range(void **state)
{
	const struct ow_waking_constant *c;
	size_t i;

	for (i = 0; (c = ow_waking_constant(i)) != NULL; i++) {
		assert_true(strlen(c->why) > 20);
		assert_true(strlen(c->measured) > 10);
		assert_in_range(c->value, c->least, c->most);
		assert_int_equal(ow_waking_value(&ow_waking_defaults, i),
				 c->value);
	}
	assert_int_equal(i, sizeof(struct ow_waking) / sizeof(uint64_t));
}

static void a_text_changes_what_it_names(void **state)
{
	struct ow_waking k;
	char why[200] = "";

	assert_int_equal(ow_waking_read(&k, NULL, why, sizeof(why)), 0);
	assert_memory_equal(&k, &ow_waking_defaults, sizeof(k));
	assert_int_equal(ow_waking_read(&k, "", why, sizeof(why)), 0);
	assert_int_equal(ow_waking_read(&k, "pending_ns=4000000, yields=0",
					why, sizeof(why)), 0);
	assert_int_equal(k.pending_ns, 4000000);
	assert_int_equal(k.yields, 0);
	k.pending_ns = ow_waking_defaults.pending_ns;
	k.yields = ow_waking_defaults.yields;
	assert_memory_equal(&k, &ow_waking_defaults, sizeof(k));
}

static void a_text_with_a_mistake_changes_nothing(void **state)
{
	static const char *const texts[] = {
		"on_way=1", "yields=0 pending=1", "yields", "yields=",
		"yields=x", "yields=-1", "yields=65", "pollers=0",
		"clock_every=0", "yields=\"0",
	};
	struct ow_waking k;
	char why[200];
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		why[0] = '\0';
		assert_int_equal(ow_waking_read(&k, texts[i], why,
						sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, "NDRX_WAKE_POLICY"));
		assert_memory_equal(&k, &ow_waking_defaults, sizeof(k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    each_constant_has_a_reason_a_figure_and_a_range),
		cmocka_unit_test(a_text_changes_what_it_names),
		cmocka_unit_test(a_text_with_a_mistake_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
