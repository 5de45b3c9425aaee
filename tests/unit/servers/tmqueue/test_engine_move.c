/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engine_move.c - a message that is moved is in one queue or in the other
 */
#include "tests/unit/servers/tmqueue/engine_fixture.h"

static uint64_t used_bytes(void)
{
	MDB_envinfo info;

	mdb_env_info(t.sp.store.env, &info);
	return (info.me_last_pgno + 1) * 4096;
}

static void define(int token, const char *line)
{
	struct job *j = request(token, OW_MQ_DEFINE);

	j->head.len = strlen(line);
	memcpy(j->payload, line, j->head.len);
	engine_put(t.engine, j);
	assert_int_equal(wait_for(token)->a.tperr, 0);
}

/* Into queue `to` of a space. */
static void move(int token, const char *msgid, const char *to,
		 const char *space)
{
	struct job *j = request(token, OW_MQ_MOVE);

	strcpy(j->head.queue, to);
	memcpy(j->head.ctl.msgid, msgid, sizeof(j->head.ctl.msgid));
	j->head.from = 100;
	j->head.len = strlen(space);
	memcpy(j->payload, space, j->head.len);
	engine_put(t.engine, j);
}

static uint64_t queued(const char *queue)
{
	return queues_find(&t.sp.queues, queue, false)->now.queued;
}

static void message_is_moved_in_one_step_or_stays(void **state)
{
	const char *id, *here = t.sp.name;

	define(0, "R");
	enqueue(1, 0, "a");
	id = wait_for(1)->a.ctl.msgid;
	move(2, id, "R", "elsewhere");
	assert_int_equal(wait_for(2)->a.count, 1);
	move(3, id, "nowhere", here);
	assert_int_equal(wait_for(3)->a.diagnostic, QMEBADQUEUE);
	gather();
	assert_int_equal(store_checkpoint(&t.sp.store), 0);
	move(4, id, "R", here);
	t.sp.store.full = true;
	t.sp.store.retry_ns = UINT64_MAX;
	t.sp.store.allocated = used_bytes() + (UINT64_C(2) << 20);
	let_go();
	assert_int_equal(wait_for(4)->a.tperr, TPEOS);
	assert_int_equal(queued("Q"), 1);
	assert_int_equal(queued("R"), 0);
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	begin(1);
	dequeue(5, 1, 0);
	assert_int_equal(wait_for(5)->a.tperr, 0);
	move(6, id, "R", here);
	assert_int_equal(wait_for(6)->a.diagnostic, QMEINUSE);
	branch(7, OW_MQ_ROLLBACK, 1, 0);
	wait_for(7);
	move(8, id, "R", here);
	assert_int_equal(wait_for(8)->a.tperr, 0);
	assert_int_equal(queued("Q"), 0);
	assert_int_equal(queued("R"), 1);
	assert_memory_not_equal(wait_for(8)->a.ctl.msgid, id, TMMSGIDLEN);
	move(9, wait_for(8)->a.ctl.msgid, "Q", here);
	assert_int_equal(wait_for(9)->a.tperr, 0);
	assert_queue(10, "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(message_is_moved_in_one_step_or_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
