/* SPDX-License-Identifier: Apache-2.0 */
/* test_question.c - which questions of other nodes reach a tmsrv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <xatmi.h>

#include "libatmi/tran/remote.h"
#include "servers/bridge/in/question.h"

static struct ow_br_peers peers = { .opt.node = 2 };
static struct ow_tm_remote message;
static struct ow_br_frame frame;

/* The question `op` comes from node 7, and says that it is from node 1. */
static int arrive(uint32_t op)
{
	memset(&frame, 0, sizeof(frame));
	frame.total = sizeof(message);
	message =
	    (struct ow_tm_remote){ .m = { .magic = OW_TM_MAGIC, .op = op },
				   .from = 1 };
	return ow_br_question_arrive(&peers, 7, &frame, (char *)&message);
}

static void questions_for_other_nodes_arrive(void **state)
{
	uint32_t op;

	for (op = OW_TM_REMOTE_STATUS; op < OW_TM_OP_END; op++) {
		assert_int_equal(arrive(op), 0);
		assert_string_not_equal(frame.svc, "");
	}
}

static void what_is_for_the_own_node_is_refused(void **state)
{
	uint32_t op;

	for (op = 0; op < OW_TM_REMOTE_STATUS; op++)
		assert_int_equal(arrive(op), TPEINVAL);
	assert_int_equal(arrive(OW_TM_OP_END), TPEINVAL);
	assert_string_equal(frame.svc, "");
}

static void the_sender_is_the_node_that_nats_knows(void **state)
{
	assert_int_equal(arrive(OW_TM_ADOPT), 0);
	assert_int_equal(message.from, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_for_other_nodes_arrive),
		cmocka_unit_test(what_is_for_the_own_node_is_refused),
		cmocka_unit_test(the_sender_is_the_node_that_nats_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
