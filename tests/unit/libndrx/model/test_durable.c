/* SPDX-License-Identifier: Apache-2.0 */
/* test_durable.c - rows of transactions and durable queues */
#include "tests/unit/libndrx/model/model_fixture.h"

#include "libndrx/model/alarms.h"

static struct ow_alarm alarms[OW_ALARMS_MAX];

/* A tmsrv with two transactions, a tmqueue with two queues. */
static struct ow_tm_snapshot tm, *tms[] = { &tm };
static struct ow_mq_snapshot space, *spaces[] = { &space };

static void show_money(void)
{
	tm = (struct ow_tm_snapshot){
		.head.srvid = 2, .n = 2, .active = 1, .ending = 1, .in_doubt = 1
	};
	strcpy(tm.tran[0].state, "COMMITTING");
	strcpy(tm.tran[1].state, "ACTIVE");
	tm.tran[0].id = 10;
	tm.tran[0].prepared = 1;
	tm.tran[0].begun_ns = 90 * SEC;
	tm.tran[0].deadline_ns = 102 * SEC;
	tm.tran[1].id = 11;
	tm.tran[1].deadline_ns = 110 * SEC;
	space =
	    (struct ow_mq_snapshot){ .head.srvid = 3, .n = 2, .space = "S" };
	strcpy(space.queue[0].name, "IN");
	strcpy(space.queue[1].name, "BAD");
	space.queue[1].flags = OW_MQ_SNAPSHOT_FAILURES;
	sample.real_ns = 5000 * SEC;
	sample.trans = tms;
	sample.spaces = spaces;
	sample.n_trans = sample.n_spaces = 1;
}

static const struct ow_tran_row *tran(size_t i)
{
	const struct ow_row *const *rows;

	assert_true(i < ow_model_trans(m, &rows));
	return (const struct ow_tran_row *)rows[i];
}

static const struct ow_durable_row *durable(size_t i)
{
	const struct ow_row *const *rows;

	assert_true(i < ow_model_durable(m, &rows));
	return (const struct ow_durable_row *)rows[i];
}

static void a_prepared_branch_is_bad_after_the_time_out(void **state)
{
	show_money();
	look(SEC); /* 101 s */
	assert_string_equal(tran(0)->id, "000000000000000a");
	assert_int_equal(tran(0)->row.grade, OW_GRADE_CALM);
	close_to(tran(0)->age, 11e6);
	close_to(tran(0)->left, 1e6);
	look(2 * SEC); /* it may be rolled back at this moment */
	assert_int_equal(tran(0)->row.grade, OW_GRADE_CALM);
	close_to(tran(0)->left, 0);
	look(7 * SEC);
	assert_int_equal(tran(0)->row.grade, OW_GRADE_BAD);
	assert_int_equal(tran(1)->row.grade, OW_GRADE_CALM);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_non_null(strstr(alarms[0].text, "in doubt after its time-out"));
	close_to(ow_model_overview(m)->active, 2);
	close_to(ow_model_overview(m)->doubt, 1);
}

static void commits_are_counted_by_the_second(void **state)
{
	show_money();
	tm.count[OW_TM_COUNT_COMMITTED] = 1000;
	look(0);
	close_to(ow_model_overview(m)->committed, 0);
	tm.count[OW_TM_COUNT_COMMITTED] += 30;
	tm.count[OW_TM_COUNT_ROLLED_BACK] += 4;
	look(2 * SEC);
	close_to(ow_model_overview(m)->committed, 15);
	close_to(ow_model_overview(m)->rolled_back, 2);
	sample.n_trans = 0;
	look(SEC);
	close_to(ow_model_overview(m)->committed, 0);
}

static void a_queue_of_failed_messages_asks_for_attention(void **state)
{
	show_money();
	look(0);
	assert_int_equal(durable(1)->row.grade, OW_GRADE_CALM);
	space.queue[0].enqueued = 8;
	space.queue[0].queued = 8;
	space.queue[0].since_ns = 1401 * SEC;
	space.queue[1].queued = 1;
	look(2 * SEC);
	close_to(durable(0)->in, 4);
	close_to(durable(0)->oldest, 3599e6);
	assert_int_equal(durable(0)->row.grade, OW_GRADE_CALM);
	assert_int_equal(durable(1)->row.grade, OW_GRADE_LOOK);
	sample.real_ns += SEC;
	look(SEC);
	assert_int_equal(durable(0)->row.grade, OW_GRADE_LOOK);
	space.full = 1;
	look(SEC);
	assert_int_equal(durable(0)->row.grade, OW_GRADE_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_prepared_branch_is_bad_after_the_time_out),
		FACT(commits_are_counted_by_the_second),
		FACT(a_queue_of_failed_messages_asks_for_attention),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
