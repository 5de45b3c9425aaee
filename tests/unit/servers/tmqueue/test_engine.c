/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engine.c - what shares a batch: branches that end, work for them, those
 * who wait
 */
#include "tests/unit/servers/tmqueue/engine_fixture.h"

#include <errno.h>

#include "drivers/aqdisk/xid.h"
#include "servers/tmqueue/joined.h"

static void prepare_behind_a_rollback_is_told_that_there_is_none(void **state)
{
	work_in_1();
	gather();
	branch(1, OW_MQ_ROLLBACK, 1, 0);
	branch(2, OW_MQ_PREPARE, 1, 0);
	branch(3, OW_MQ_COMMIT, 1, TMONEPHASE);
	branch(4, OW_MQ_ROLLBACK, 1, 0);
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_int_equal(xa(2), XAER_NOTA);
	assert_int_equal(xa(3), XAER_NOTA);
	assert_int_equal(xa(4), XAER_NOTA);
	assert_queue(5, NULL);
}

static void prepare_behind_giving_up_is_told_that_there_is_none(void **state)
{
	work_in_1();
	gather();
	give_up(1);
	branch(1, OW_MQ_PREPARE, 1, 0);
	let_go();
	assert_int_equal(xa(1), XAER_NOTA);
	assert_queue(2, NULL);
}

static void one_phase_commit_behind_giving_up_is_told_so_too(void **state)
{
	work_in_1();
	gather();
	give_up(1);
	branch(1, OW_MQ_COMMIT, 1, TMONEPHASE);
	let_go();
	assert_int_equal(xa(1), XAER_NOTA);
	assert_queue(2, NULL);
}

static void giving_up_behind_prepare_changes_nothing(void **state)
{
	char command[200];

	work_in_1();
	gather();
	branch(1, OW_MQ_PREPARE, 1, 0);
	give_up(1);
	branch(2, OW_MQ_COMMIT, 1, 0);
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_int_equal(xa(2), XA_OK);
	assert_queue(3, "a");
	/* It is done with, and not tried again. */
	snprintf(command, sizeof(command), "grep -q 'tried again' %s/ULOG*",
		 t.folder);
	assert_int_not_equal(system(command), 0);
}

static void work_behind_an_end_is_refused(void **state)
{
	work_in_1();
	begin(2);
	gather();
	branch(1, OW_MQ_PREPARE, 1, 0);
	enqueue(2, 1, "late");
	branch(3, OW_MQ_ROLLBACK, 2, 0);
	enqueue(4, 2, "late");
	dequeue(5, 2, 0);
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_aborted(2);
	assert_int_equal(xa(3), XA_OK);
	assert_aborted(4);
	assert_aborted(5);
	branch(6, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(6), XA_OK);
	assert_queue(7, "a");
	assert_int_equal(locked(), 0);
}

static void begin_of_a_branch_that_ends_is_refused(void **state)
{
	struct ow_mq_xid x = xid(1);

	work_in_1();
	assert_true(known_leave(&t.sp.known, &x));
	assert_false(known_leave(&t.sp.known, &x));
	assert_false(known_has(&t.sp.known, &x));
	assert_int_not_equal(known_add(&t.sp.known, &x), 0);
	known_settle(&t.sp.known, false);
	assert_true(known_has(&t.sp.known, &x));
	branch(1, OW_MQ_ROLLBACK, 1, 0);
	assert_int_equal(xa(1), XA_OK);
	assert_int_equal(known_add(&t.sp.known, &x), 0);
}

/* Only TMNOFLAGS begins a branch: who joins one that has ended, or ends, would
 * leave it to nobody. */
static void who_joins_a_branch_that_ends_does_not_begin_it_anew(void **state)
{
	struct xa_switch_t *sw = joined_switch(&t.sp.known);
	struct ow_mq_xid x = xid(1);
	XID same = xid_back(&x);

	assert_int_equal(known_go_on(&t.sp.known, &x), -ESTALE);
	assert_int_equal(sw->xa_start_entry(&same, 1, TMJOIN), XAER_NOTA);
	assert_false(known_has(&t.sp.known, &x));
	work_in_1();
	assert_int_equal(sw->xa_start_entry(&same, 1, TMJOIN), XA_OK);
	assert_int_equal(sw->xa_end_entry(&same, 1, TMSUCCESS), XA_OK);
	assert_int_equal(known_go_on(&t.sp.known, &x), 0);
	assert_true(known_leave(&t.sp.known, &x));
	assert_int_equal(known_go_on(&t.sp.known, &x), -ESTALE);
	known_settle(&t.sp.known, true);
	assert_int_equal(known_go_on(&t.sp.known, &x), -ESTALE);
	assert_int_equal(sw->xa_start_entry(&same, 1, TMJOIN), XAER_NOTA);
	assert_false(known_has(&t.sp.known, &x));
}

static void commit_that_was_not_prepared_is_a_protocol_error(void **state)
{
	work_in_1();
	branch(1, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(1), XAER_PROTO);
	branch(2, OW_MQ_PREPARE, 1, 0);
	assert_int_equal(xa(2), XA_OK);
	branch(3, OW_MQ_PREPARE, 1, 0);
	assert_int_equal(xa(3), XAER_PROTO);
	branch(4, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(4), XA_OK);
	branch(5, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(5), XAER_NOTA);
	assert_queue(6, "a");
}

static void branch_without_work_reads_only(void **state)
{
	begin(1);
	begin(2);
	branch(1, OW_MQ_PREPARE, 1, 0);
	branch(2, OW_MQ_COMMIT, 2, TMONEPHASE);
	assert_int_equal(xa(1), XA_RDONLY);
	assert_int_equal(xa(2), XA_OK);
	branch(3, OW_MQ_PREPARE, 1, 0);
	assert_int_equal(xa(3), XAER_NOTA);
}

/* Nobody knows any more whether all of its work is there. */
static void branch_that_is_not_known_is_rolled_back_by_its_end(void **state)
{
	struct ow_mq_xid x = xid(1);

	work_in_1();
	gather();
	assert_true(known_leave(&t.sp.known, &x));
	known_settle(&t.sp.known, true);
	branch(1, OW_MQ_PREPARE, 1, 0);
	branch(2, OW_MQ_COMMIT, 1, 0);
	let_go();
	assert_int_equal(xa(1), XAER_NOTA);
	assert_int_equal(xa(2), XAER_NOTA);
	assert_int_equal(locked(), 0);
	assert_queue(3, NULL);
}

static void message_beside_the_rollback_of_a_waiter_stays(void **state)
{
	begin(1);
	dequeue(0, 1, TPQWAIT);
	gather();
	branch(1, OW_MQ_ROLLBACK, 1, 0);
	enqueue(2, 0, "money");
	let_go();
	assert_int_equal(xa(1), XA_OK);
	assert_aborted(0);
	assert_queue(3, "money");
	assert_int_equal(locked(), 0);
}

static void waiter_of_a_branch_that_ends_is_told_at_once(void **state)
{
	begin(1);
	begin(2);
	dequeue(0, 1, TPQWAIT);
	dequeue(1, 2, TPQWAIT);
	gather();
	dequeue(2, 1, TPQWAIT); /* in the batch of the end */
	branch(3, OW_MQ_ROLLBACK, 1, 0);
	let_go();
	assert_aborted(0);
	assert_aborted(2);
	assert_false(is_answered(1));
	enqueue(4, 0, "a");
	assert_string_equal(wait_for(1)->text, "a");
	branch(5, OW_MQ_ROLLBACK, 2, 0);
	assert_int_equal(xa(5), XA_OK);
	assert_queue(6, "a");
}

/* ---- the end of a wait ---- */

/* Of the earliest one of two, before the engine would look by itself. */
static void wait_ends_at_its_deadline(void **state)
{
	uint64_t until = ow_clock_mono_ns() + 300 * OW_NS_PER_MS;
	struct job *j = request(1, OW_MQ_DEQUEUE);

	dequeue(0, 0, TPQWAIT);
	j->head.ctl.flags = TPQWAIT;
	j->head.deadline_ns = until;
	engine_put(t.engine, j);
	assert_int_equal(wait_for(1)->a.tperr, TPETIME);
	assert_in_range(ow_clock_mono_ns(), until,
			until + 4 * OW_NS_PER_SEC);
	assert_false(is_answered(0));
	enqueue(2, 0, "a");
	assert_string_equal(wait_for(0)->text, "a");
	assert_queue(3, NULL);
}

static void cancelled_wait_of_the_same_batch_takes_nothing(void **state)
{
	gather();
	dequeue(0, 0, TPQWAIT);
	dequeue(1, 0, TPQWAIT);
	cancel(0);
	enqueue(2, 0, "a");
	let_go();
	assert_true(is_cancelled(0));
	assert_nothing(0);
	assert_string_equal(wait_for(1)->text, "a");
	assert_queue(3, NULL);
}

static void cancelled_wait_of_an_earlier_batch_takes_nothing(void **state)
{
	gather();
	dequeue(0, 0, TPQWAIT);
	dequeue(1, 0, TPQWAIT);
	let_go();
	gather();
	enqueue(2, 0, "a");
	cancel(0);
	let_go();
	assert_true(is_cancelled(0));
	assert_nothing(0);
	assert_string_equal(wait_for(1)->text, "a");
	assert_queue(3, NULL);
}

/* The message is on its way to who has cancelled. */
static void cancel_behind_the_message_is_too_late(void **state)
{
	enqueue(0, 0, "a");
	wait_for(0);
	gather();
	dequeue(1, 0, TPQWAIT);
	cancel(1);
	let_go();
	assert_false(is_cancelled(1));
	assert_string_equal(wait_for(1)->text, "a");
	cancel(2);
	assert_false(is_cancelled(2));
}

/* A file that may not grow is a full disk: the batch is undone, and its jobs are
 * executed one by one. */
static void branch_is_back_when_its_batch_is_undone(void **state)
{
	static char big[(4u << 20) - 1];
	struct rlimit was, now;
	int i;

	memset(big, 'x', sizeof(big) - 1);
	work_in_1();
	begin(2);
	enqueue(1, 2, "b");
	assert_int_equal(wait_for(1)->a.tperr, 0);
	signal(SIGXFSZ, SIG_IGN);
	gather();
	branch(2, OW_MQ_PREPARE, 1, 0);
	branch(3, OW_MQ_ROLLBACK, 2, 0);
	for (i = 4; i < 16; i++)
		enqueue(i, 0, big);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	now = was;
	now.rlim_cur = t.sp.store.allocated;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	let_go();
	assert_int_equal(xa(2), XA_OK);
	assert_int_equal(xa(3), XA_OK);
	assert_int_equal(wait_for(15)->a.diagnostic, QMENOSPACE);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	branch(16, OW_MQ_COMMIT, 1, 0);
	assert_int_equal(xa(16), XA_OK);
	assert_int_equal(locked(), 0);
}

/* RECOVER lists those behind the one that is named. */
static void prepared_branches_are_listed_however_many(void **state)
{
	const struct result *r;
	struct ow_mq_xid x;
	struct job *j;
	int i, n = 0;

	for (i = 1; i <= 201; i++) {
		x = xid(i);
		x.data[0] = (uint8_t)(i / 256 + 1);
		assert_int_equal(known_add(&t.sp.known, &x), 0);
		j = request(0, OW_MQ_ENQUEUE);
		j->xid = x;
		t.results[0].there = false;
		engine_put(t.engine, j);
		assert_int_equal(wait_for(0)->a.tperr, 0);
		j = request(1, OW_MQ_PREPARE);
		j->head.xid = x;
		t.results[1].there = false;
		engine_put(t.engine, j);
		assert_int_equal(xa(1), XA_OK);
	}
	memset(&x, 0, sizeof(x));
	for (i = 2; i < 5; i++) {
		j = request(i, OW_MQ_RECOVER);
		j->head.xid = x;
		engine_put(t.engine, j);
		r = wait_for(i);
		n += (int)r->a.count;
		if (r->a.count > 0)
			x = r->last;
	}
	assert_int_equal(t.results[2].a.count, 200);
	assert_int_equal(t.results[3].a.count, 1);
	assert_int_equal(n, 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(prepare_behind_a_rollback_is_told_that_there_is_none),
		FACT(prepare_behind_giving_up_is_told_that_there_is_none),
		FACT(one_phase_commit_behind_giving_up_is_told_so_too),
		FACT(giving_up_behind_prepare_changes_nothing),
		FACT(work_behind_an_end_is_refused),
		FACT(begin_of_a_branch_that_ends_is_refused),
		FACT(who_joins_a_branch_that_ends_does_not_begin_it_anew),
		FACT(commit_that_was_not_prepared_is_a_protocol_error),
		FACT(branch_without_work_reads_only),
		FACT(branch_that_is_not_known_is_rolled_back_by_its_end),
		FACT(message_beside_the_rollback_of_a_waiter_stays),
		FACT(waiter_of_a_branch_that_ends_is_told_at_once),
		FACT(wait_ends_at_its_deadline),
		FACT(cancelled_wait_of_the_same_batch_takes_nothing),
		FACT(cancelled_wait_of_an_earlier_batch_takes_nothing),
		FACT(cancel_behind_the_message_is_too_late),
		FACT(branch_is_back_when_its_batch_is_undone),
		FACT(prepared_branches_are_listed_however_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
