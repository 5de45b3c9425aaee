/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_calls_filter.c - expressions over requests in flight
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "libndrx/observe/calls_filter.h"

static struct ow_calls calls = { .now_ns = UINT64_C(10000000000) };
static const struct ow_calls_row row = {
	.service = "TRANSFER",
	.state = OW_CALLS_WAITS,
	.n = 1,
	.prio = 50,
	.len = 200,
	.position = 3,
	.sent_ns = UINT64_C(7500000000),
	.deadline_ns = UINT64_C(9000000000),
	.caller = { .program = "it's", .pid = 77 },
};

static int ask(const char *text)
{
	struct ow_calls_buffer b = { 0 };
	struct ow_calls_filter *f;
	char why[200];
	int r;

	if (ow_calls_filter_new(text, NULL, &f, why, sizeof(why)) != 0)
		return -1;
	r = (int)ow_calls_filter_ask(f, &calls, &row, &b);
	ow_calls_filter_free(f);
	return r;
}

static void words_stand_for_what_is_known_of_a_request(void **state)
{
	assert_int_equal(ask("age==2.5"), OW_CALLS_YES);
	assert_int_equal(ask("age>2 && size<100"), OW_CALLS_NO);
	assert_int_equal(ask("left<0 && left>-1.5"), OW_CALLS_YES);
	assert_int_equal(ask("position==3 && priority==50 && pid==77"),
			 OW_CALLS_YES);
	assert_int_equal(ask("oneway || conversation || transaction"),
			 OW_CALLS_NO);
	assert_int_equal(ask("service=='TRANSFER' && state=='waits'"),
			 OW_CALLS_YES);
}

static void words_within_texts_are_left_alone(void **state)
{
	assert_int_equal(ask("service=='age'"), OW_CALLS_NO);
	assert_int_equal(ask("'the size'!='age' && size==200"), OW_CALLS_YES);
}

/* It could end the text in the expression. */
static void a_quote_in_a_name_stays_in_its_text(void **state)
{
	assert_int_equal(ask("program=='it?s'"), OW_CALLS_YES);
}

static void a_wrong_expression_is_refused(void **state)
{
	assert_int_equal(ask("age>"), -1);
	assert_int_equal(ask("age>1)"), -1);
}

static void masked_fields_cannot_be_asked_for(void **state)
{
	struct ow_calls_filter *f;
	char why[200];

	assert_true(ow_calls_is_masked("CARD, PIN", "PIN"));
	assert_false(ow_calls_is_masked("CARD, PIN", "CAR"));
	assert_false(ow_calls_is_masked(NULL, "CARD"));
	assert_true(ow_calls_is_masked(NULL, "T_PASSWORD"));
	/* without its field table it may be CARD */
	assert_true(ow_calls_is_masked("CARD", "((BFLDID32)33556434)"));
	assert_false(ow_calls_is_masked(NULL, "((BFLDID32)33556434)"));
	assert_true(ow_calls_filter_new("PIN=='1'", "CARD PIN", &f, why,
					sizeof(why)) < 0);
	assert_non_null(strstr(why, "PIN is masked"));
	assert_null(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_stand_for_what_is_known_of_a_request),
		cmocka_unit_test(words_within_texts_are_left_alone),
		cmocka_unit_test(a_quote_in_a_name_stays_in_its_text),
		cmocka_unit_test(a_wrong_expression_is_refused),
		cmocka_unit_test(masked_fields_cannot_be_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
