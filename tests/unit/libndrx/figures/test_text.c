/* SPDX-License-Identifier: Apache-2.0 */
/* test_text.c - OpenMetrics text, appended to memory that grows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libndrx/figures/text.h"

static struct ow_text t;

static int clear(void **state)
{
	ow_text_clear(&t);
	return 0;
}

static void assert_text(const char *want)
{
	assert_int_equal(t.len, strlen(want));
	assert_memory_equal(t.bytes, want, t.len);
	assert_false(t.failed);
}

static void a_family_has_a_head_and_samples(void **state)
{
	const char *const name[2] = { "calls", "_total" };
	const struct ow_text_label labels[] = { { "service", "ECHO" },
						{ "result", "ok" },
						{ NULL, NULL } };

	ow_text_family(&t, "calls", "counter", NULL, "Calls.");
	ow_text_uint(&t, name, labels, UINT64_MAX);
	ow_text_uint(&t, name, NULL, 0);
	ow_text_end(&t);
	assert_text("# TYPE calls counter\n# HELP calls Calls.\n"
		    "calls_total{service=\"ECHO\",result=\"ok\"} "
		    "18446744073709551615\ncalls_total 0\n# EOF\n");
}

static void a_unit_has_its_line(void **state)
{
	const char *const name[2] = { "t_seconds", "" };

	ow_text_family(&t, "t_seconds", "gauge", "seconds", "T.");
	ow_text_real(&t, name, NULL, 0.000016);
	ow_text_real(&t, name, NULL, 1.5);
	assert_text("# TYPE t_seconds gauge\n# UNIT t_seconds seconds\n"
		    "# HELP t_seconds T.\nt_seconds 1.6e-05\nt_seconds 1.5\n");
}

static void label_values_are_escaped(void **state)
{
	const char *const name[2] = { "x", "" };
	const struct ow_text_label labels[] = {
		{ "l", "a\"b\\c\nd\xff\x01" }, { NULL, NULL }
	};

	ow_text_uint(&t, name, labels, 1);
	assert_text("x{l=\"a\\\"b\\\\c\\nd??\"} 1\n");
}

static void a_long_text_grows(void **state)
{
	const char *const name[2] = { "name_of_a_family", "" };

	for (uint64_t i = 0; i < 10000; i++)
		ow_text_uint(&t, name, NULL, i);
	assert_memory_equal(t.bytes + t.len - 22, "name_of_a_family 9999\n",
			    22);
}

static uint64_t taken;

static void take_whole(void *arg, const char *suffix,
		       const struct ow_text_label *l, uint64_t value)
{
	taken = value;
}

/* A double has 53 bits. */
static void a_sink_gets_whole_numbers_whole(void **state)
{
	const char *const name[2] = { "calls", "_total" };
	const struct ow_text_sink sink = { .whole = take_whole };
	struct ow_text s = { .sink = &sink };

	ow_text_uint(&s, name, NULL, (UINT64_C(1) << 53) + 1);
	assert_true(taken == (UINT64_C(1) << 53) + 1);
	ow_text_bucket(&s, name, NULL, UINT64_MAX, NULL);
	assert_true(taken == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, clear)
		T(a_family_has_a_head_and_samples),
		T(a_unit_has_its_line),
		T(label_values_are_escaped),
		T(a_long_text_grows),
		T(a_sink_gets_whole_numbers_whole),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	ow_text_clear(&t);
	return failed;
}
