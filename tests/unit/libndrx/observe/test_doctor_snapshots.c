/* SPDX-License-Identifier: Apache-2.0 */
/* test_doctor_snapshots.c - what doctor says of transactions and durable
 * queues */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "libndrx/observe/doctor_snapshots.h"

#define SEC UINT64_C(1000000000)

static struct {
	int n;
	enum ow_doctor_grade grade;
	char what[64], found[300], meaning[300];
} last;

static void note(const struct ow_doctor_finding *f, void *arg)
{
	last.n++;
	last.grade = f->grade;
	snprintf(last.what, sizeof(last.what), "%s", f->what);
	snprintf(last.found, sizeof(last.found), "%s", f->found);
	snprintf(last.meaning, sizeof(last.meaning), "%s", f->meaning);
}

static struct ow_doctor doc = { .on_finding = note };
static struct ow_tm_snapshot tm;
static struct ow_mq_snapshot space;

static int fresh(void **state)
{
	memset(&last, 0, sizeof(last));
	tm = (struct ow_tm_snapshot){ .head.srvid = 101, .rmid = 1, .n = 2 };
	strcpy(tm.tran[0].state, "ACTIVE");
	strcpy(tm.tran[1].state, "COMMITTING");
	strcpy(tm.tran[1].rms, "1c 2p");
	strcpy(tm.tran[1].result, "XAER_RMFAIL");
	tm.tran[1].id = 0xabc;
	tm.tran[1].prepared = 1;
	tm.tran[1].deadline_ns = 50 * SEC;
	tm.in_doubt = 1;
	space =
	    (struct ow_mq_snapshot){ .n = 1, .space = "S", .path = "/proc/x" };
	strcpy(space.queue[0].name, "Q");
	return 0;
}

static void a_branch_in_doubt_is_named_once_its_time_is_over(void **state)
{
	ow_doctor_trans(&doc, &tm, 49 * SEC);
	assert_int_equal(last.n, 0);
	tm.late_ns = 50 * SEC;
	ow_doctor_trans(&doc, &tm, 51 * SEC); /* being rolled back? */
	assert_int_equal(last.n, 0);
	ow_doctor_trans(&doc, &tm, 57 * SEC);
	assert_int_equal(last.n, 1);
	assert_int_equal(last.grade, OW_DOCTOR_FAIL);
	assert_string_equal(last.what, "branches in doubt");
	assert_string_equal(last.found, "tmsrv 101: 0000000000000abc COMMITTING"
			    ", 7 s after its time-out: 1c 2p: XAER_RMFAIL");
}

static void a_decision_that_its_last_resource_has_is_named(void **state)
{
	strcpy(tm.tran[1].state, "DECIDING");
	tm.tran[1].prepared = 0;
	tm.late_ns = 50 * SEC;
	ow_doctor_trans(&doc, &tm, 57 * SEC);
	assert_int_equal(last.grade, OW_DOCTOR_FAIL);
	assert_string_equal(last.what, "branches in doubt");
	assert_non_null(strstr(last.meaning, "database of its last resource"));
}

static void a_database_that_does_not_answer_is_named(void **state)
{
	tm.silent_s = 12;
	ow_doctor_trans(&doc, &tm, 40 * SEC);
	assert_int_equal(last.n, 1);
	assert_int_equal(last.grade, OW_DOCTOR_FAIL);
	assert_string_equal(last.what, "resource manager");
	assert_string_equal(last.found, "1 (tmsrv 101): no answer for 12 s");
}

static void a_silent_tmsrv_has_ten_seconds(void **state)
{
	tm.strays = 3;
	tm.stray_ns = 50 * SEC;
	ow_doctor_trans(&doc, &tm, 59 * SEC);
	assert_int_equal(last.n, 0);
	ow_doctor_trans(&doc, &tm, 60 * SEC);
	assert_string_equal(last.what, "branches without a tmsrv");
	assert_string_equal(last.found, "resource manager 1: 3 for 10 s");
}

static void heuristic_outcomes_are_counted(void **state)
{
	tm.heuristic = 2;
	ow_doctor_trans(&doc, &tm, 1);
	assert_int_equal(last.grade, OW_DOCTOR_WARN);
	assert_string_equal(last.found, "tmsrv 101: 2");
}

static void a_tmsrv_that_can_write_no_decision_is_named(void **state)
{
	strcpy(tm.path, "/proc/x"); /* a file system without a size */
	ow_doctor_trans(&doc, &tm, 1);
	assert_int_equal(last.n, 0);
	tm.log_error = EIO;
	ow_doctor_trans(&doc, &tm, 1);
	assert_int_equal(last.grade, OW_DOCTOR_FAIL);
	assert_string_equal(last.what, "disk of decisions");
	assert_non_null(strstr(last.found, "tmsrv 101: "));
	assert_non_null(strstr(last.found, ": Input/output error"));
	tm.log_error = ENOSPC; /* there is room again */
	last.n = 0;
	ow_doctor_trans(&doc, &tm, 1);
	assert_int_equal(last.n, 0);
}

static void a_queue_of_failed_messages_should_be_empty(void **state)
{
	space.queue[0].flags = OW_MQ_SNAPSHOT_FAILURES;
	ow_doctor_space(&doc, &space, SEC);
	assert_int_equal(last.n, 0);
	space.queue[0].queued = 4;
	ow_doctor_space(&doc, &space, SEC);
	assert_int_equal(last.n, 1);
	assert_string_equal(last.what, "failed messages");
	assert_string_equal(last.found, "Q of space S: 4");
}

static void a_message_is_old_after_an_hour(void **state)
{
	space.queue[0].queued = 1;
	space.queue[0].since_ns = 100 * SEC;
	ow_doctor_space(&doc, &space, 3699 * SEC);
	assert_int_equal(last.n, 0);
	ow_doctor_space(&doc, &space, 3700 * SEC);
	assert_string_equal(last.what, "old messages");
	assert_string_equal(last.found, "Q of space S: 1.0 h, of 1");
	ow_doctor_space(&doc, &space, SEC); /* the clock was set back */
	assert_int_equal(last.n, 1);
}

static void a_full_disk_is_a_failure(void **state)
{
	ow_doctor_space(&doc, &space, SEC);
	assert_int_equal(last.n, 0);
	space.full = 1;
	ow_doctor_space(&doc, &space, SEC);
	assert_int_equal(last.grade, OW_DOCTOR_FAIL);
	assert_string_equal(last.what, "disk of durable queues");
}

static void lost_requests_are_told_for_a_day(void **state)
{
	const uint64_t day = 86400 * SEC;

	ow_doctor_lost(&doc, 0, 0, 3 * day);
	assert_int_equal(last.n, 0);
	ow_doctor_lost(&doc, 3, 2 * day - 1, 3 * day);
	assert_int_equal(last.n, 0);
	ow_doctor_lost(&doc, 3, 3 * day - 90 * SEC, 3 * day);
	assert_int_equal(last.grade, OW_DOCTOR_WARN);
	assert_string_equal(last.found, "3, the last 90 s ago");
	/* counted by a program that notes no time */
	ow_doctor_lost(&doc, 4, 0, 3 * day);
	assert_string_equal(last.found, "4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
		    a_branch_in_doubt_is_named_once_its_time_is_over, fresh),
		cmocka_unit_test_setup(
		    a_decision_that_its_last_resource_has_is_named, fresh),
		cmocka_unit_test_setup(a_database_that_does_not_answer_is_named,
				       fresh),
		cmocka_unit_test_setup(a_silent_tmsrv_has_ten_seconds, fresh),
		cmocka_unit_test_setup(heuristic_outcomes_are_counted, fresh),
		cmocka_unit_test_setup(
		    a_tmsrv_that_can_write_no_decision_is_named, fresh),
		cmocka_unit_test_setup(
		    a_queue_of_failed_messages_should_be_empty, fresh),
		cmocka_unit_test_setup(a_message_is_old_after_an_hour, fresh),
		cmocka_unit_test_setup(a_full_disk_is_a_failure, fresh),
		cmocka_unit_test_setup(lost_requests_are_told_for_a_day, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
