/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_caller.c - requests that are not handed on to the engine
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "servers/tmqueue/caller.h"

/* What the caller of request `op` is told; NULL: an error of the call. */
static struct ow_mq_answer *refused(uint16_t op, struct ow_mq_answer *to)
{
	struct ow_mq_request head = { .magic = OW_MQ_MESSAGE, .op = op };
	TPSVCINFO svc = { .len = sizeof(head) };
	const char *payload;
	long len = 0;
	char *a;
	int r;

	strcpy(head.queue, "Q");
	svc.data = tpalloc("CARRAY", NULL, sizeof(head));
	assert_non_null(svc.data);
	memcpy(svc.data, &head, sizeof(head));
	a = caller_refusal(&svc, TPEOS, &len);
	tpfree(svc.data);
	if (a == NULL)
		return NULL;
	r = ow_mq_answer_read(a, len, to, &payload);
	tpfree(a);
	assert_int_equal(r, 0);
	return to;
}

/* So a commit that was refused does not count as sent (drivers/aqdisk). */
static void who_ends_a_branch_is_told_that_nothing_was_done(void **state)
{
	static const uint16_t ops[] = { OW_MQ_PREPARE, OW_MQ_COMMIT,
					OW_MQ_ROLLBACK, OW_MQ_RECOVER,
					OW_MQ_BEGIN };
	struct ow_mq_answer a;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		assert_non_null(refused(ops[i], &a));
		assert_int_equal(a.tperr, TPEOS);
	}
}

static void others_get_the_error_as_that_of_their_call(void **state)
{
	static const uint16_t ops[] = { OW_MQ_ENQUEUE, OW_MQ_DEQUEUE,
					OW_MQ_RELOAD, OW_MQ_MOVE,
					OW_MQ_PUT_BACK };
	TPSVCINFO none = { .data = NULL };
	struct ow_mq_answer a;
	long len = 0;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		assert_null(refused(ops[i], &a));
	assert_null(caller_refusal(&none, TPEINVAL, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_ends_a_branch_is_told_that_nothing_was_done),
		cmocka_unit_test(others_get_the_error_as_that_of_their_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
