/* SPDX-License-Identifier: Apache-2.0 */
/* test_system.c - what the library asks a server: a wait that fails */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/system.h"
#include "libatmi/wire/msg.h"

static int wait_result;

static int recv_fails(struct ow_queue *q, struct ow_envelope *e,
		      uint64_t deadline)
{
	return wait_result;
}

static const struct ow_transport transport = { .recv = recv_fails };
static struct ow_queue queue = { .transport = &transport };
static struct ow_domain dom = { .waking = { .nudge_ns = 1000 } };
static struct ow_clt clt;
static struct ow_ctx ctx = { .clt = &clt, .dom = &dom, .replyq = &queue };

/* tperrno of a question that was sent, when the wait has this result. */
static int told(int result, uint64_t deadline)
{
	struct ow_system_call q = { .svc = "@DURABLE", .deadline = deadline };
	struct ow_system_answer a;
	uint64_t seq = 0;

	q.cd = ow_call_new(&ctx, &seq);
	wait_result = result;
	assert_int_equal(ow_system_await(&ctx, &q, false, &a), -1);
	assert_int_equal(q.cd, 0);
	ow_system_done(&ctx, &a);
	return tperrno;
}

/* TPEOS and TPEPERM say that nothing was done. */
static void a_wait_that_fails_leaves_unknown_what_was_done(void **state)
{
	assert_int_equal(told(-ENOMEM, OW_DEADLINE_NOW), TPESVCERR);
	assert_non_null(strstr(ow_tp_detail(), "@DURABLE"));
	assert_non_null(strstr(ow_tp_detail(), "not known"));
	assert_int_equal(told(-EPERM, OW_DEADLINE_NOW), TPESVCERR);
	assert_int_equal(told(-EIO, ow_clock_mono_ns() + OW_NS_PER_SEC),
			 TPESVCERR);
	assert_int_equal(told(OW_QUEUE_TIMEOUT, OW_DEADLINE_NOW), TPETIME);
}

static struct ow_msg error;

/* The answer is `error`. */
static int recv_error(struct ow_queue *q, struct ow_envelope *e,
		      uint64_t deadline)
{
	e->head = &error;
	return 0;
}

static const struct ow_transport answers = { .recv = recv_error };

/* tperrno of a question to which this error is the reply. */
static int told_by(int tperr, int64_t urcode)
{
	struct ow_system_call q = { .svc = "@DURABLE" };
	struct ow_system_answer a;

	queue.transport = &answers;
	error = (struct ow_msg){ .kind = OW_MSG_REPLY, .tperr = tperr,
				 .urcode = urcode };
	q.cd = error.cd = ow_call_new(&ctx, &error.seq);
	assert_int_equal(ow_system_await(&ctx, &q, false, &a), -1);
	ow_system_done(&ctx, &a);
	queue.transport = &transport;
	ctx.in.head = NULL;
	return tperrno;
}

/* A message may be on disk, and its acknowledgement found no room. */
static void an_answer_without_room_leaves_unknown_what_was_done(void **state)
{
	assert_int_equal(told_by(TPEOS, 0), TPESVCERR);
	assert_non_null(strstr(ow_tp_detail(), "not known"));
	assert_int_equal(told_by(TPEOS, OW_URCODE_UNBEGUN), TPEOS);
	assert_int_equal(told_by(TPENOENT, OW_URCODE_UNBEGUN), TPENOENT);
	assert_int_equal(told_by(TPEPERM, 0), TPEPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_that_fails_leaves_unknown_what_was_done),
		cmocka_unit_test(
			an_answer_without_room_leaves_unknown_what_was_done),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	free(ctx.calls);
	return r;
}
