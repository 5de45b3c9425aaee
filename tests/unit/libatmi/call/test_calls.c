/* SPDX-License-Identifier: Apache-2.0 */
/* test_calls.c - descriptors of calls: those of interrupted calls */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/deliver.h"
#include "tests/unit/libubf/failing_alloc.h"

static struct ow_clt clt;
static struct ow_ctx ctx;

static int interrupted(uint64_t deadline)
{
	uint64_t seq = 0;
	int cd = ow_call_new(&ctx, &seq);

	assert_true(cd > 0);
	ow_call_interrupted(&ctx, cd, deadline);
	return cd;
}

static int begin(void **state)
{
	memset(&ctx, 0, sizeof(ctx));
	ctx.clt = &clt;
	return 0;
}

static int end(void **state)
{
	ow_call_drop_all(&ctx);
	free(ctx.calls);
	return 0;
}

static void interrupted_calls_use_up_no_descriptors(void **state)
{
	int i, cd = 0;

	for (i = 0; i < 3 * OW_CD_MAX; i++)
		cd = interrupted(0);
	assert_int_equal(ctx.outstanding, OW_INTERRUPTED);
	assert_non_null(ow_call_find(&ctx, cd)); /* the latest can be had */
}

static void strict_enduro_cancels_what_was_never_given(void **state)
{
	assert_int_equal(tpcancel(7777), -1);
	assert_int_equal(tperrno, TPEBADDESC);
	setenv("NDRX_COMPAT", "strict-enduro", 1);
	assert_int_equal(tpcancel(7777), 0);
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	assert_int_equal(tpcancel(7777), -1);
	unsetenv("NDRX_COMPAT");
}

static void a_descriptor_is_known_once_it_was_given(void **state)
{
	uint64_t seq;
	int cd = ow_call_new(&ctx, &seq);

	assert_true(ow_call_known(&ctx, cd));
	assert_false(ow_call_known(&ctx, cd + 1));
	assert_false(ow_call_known(&ctx, 0));
	assert_false(ow_call_known(&ctx, -1));
	assert_false(ow_call_known(&ctx, OW_CD_MAX));
	ow_call_drop(&ctx, cd);
	assert_true(ow_call_known(&ctx, cd));
}

static void an_interrupted_call_is_forgotten_at_its_deadline(void **state)
{
	int late = interrupted(100), never = interrupted(0);
	int soon = interrupted(50);

	ow_call_expire(&ctx, 60);
	assert_null(ow_call_find(&ctx, soon));
	assert_non_null(ow_call_find(&ctx, late));
	ow_call_expire(&ctx, 1000);
	assert_null(ow_call_find(&ctx, late));
	assert_non_null(ow_call_find(&ctx, never));
	assert_int_equal(ctx.outstanding, 1);
}

static void a_fetched_call_is_not_forgotten_in_the_place_of_another(void **state)
{
	int cd = interrupted(50), next;
	uint64_t seq = 0;

	ow_call_drop(&ctx, cd); /* the program has fetched the reply */
	do {
		next = ow_call_new(&ctx, &seq);
	} while (next != cd);
	ow_call_expire(&ctx, 60);
	assert_non_null(ow_call_find(&ctx, cd));
	assert_int_equal(ctx.n_interrupted, 0);
}

/* Else a call without a time-out would be waited for for ever. */
static void a_reply_that_cannot_be_kept_is_an_error_that_can(void **state)
{
	struct ow_msg m = { .kind = OW_MSG_REPLY };
	char *data = NULL;
	uint64_t seq;
	long len = 0;
	int i, cd[2];

	for (i = 0; i < 2; i++) {
		struct ow_envelope e = { .head = &m, .room = sizeof(m) };

		cd[i] = ow_call_new(&ctx, &seq);
		countdown = 0;
		ow_call_keep(&ctx, cd[i], &e);
		countdown = -1;
	}
	for (i = 0; i < 2; i++) {
		struct ow_call *call = ow_call_find(&ctx, cd[i]);

		assert_int_equal(ctx.kept_first, cd[i]);
		assert_int_equal(call->state, OW_CALL_KEPT);
		assert_int_equal(ow_deliver(&ctx, cd[i], &call->reply, &data,
					    &len, 0), -1);
		assert_int_equal(tperrno, TPEOS);
		assert_non_null(strstr(ow_tp_detail(), "not known"));
	}
	assert_int_equal(ctx.kept_first, 0);
	assert_int_equal(ctx.outstanding, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    interrupted_calls_use_up_no_descriptors, begin, end),
		cmocka_unit_test_setup_teardown(
		    a_descriptor_is_known_once_it_was_given, begin, end),
		cmocka_unit_test_setup_teardown(
		    an_interrupted_call_is_forgotten_at_its_deadline, begin,
		    end),
		cmocka_unit_test_setup_teardown(
		    a_fetched_call_is_not_forgotten_in_the_place_of_another,
		    begin, end),
		cmocka_unit_test_setup_teardown(
		    a_reply_that_cannot_be_kept_is_an_error_that_can, begin,
		    end),
		cmocka_unit_test(strict_enduro_cancels_what_was_never_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
