/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_left.c - branches with which nobody goes on: the test is their tmsrv
 */
#include "libatmi/base/clock.h"

#define KEEP_NS	      (200 * OW_NS_PER_MS)
#define KEEP_OTHER_NS (600 * OW_NS_PER_MS)
#include "tests/unit/servers/tmqueue/engine_fixture.h"

#include "drivers/aqdisk/xid.h"
#include "servers/tmqueue/left.h"
#include "libatmi/tran/tm.h"

#define IDENTITY UINT64_C(0x1234567890abcdef)
#define TRAN	 UINT64_C(0x0500650000000007)

/* What the tmsrv says; of the thread that asks, too. */
static struct {
	_Atomic int tperr; /* of the question: it is not answered */
	_Atomic int result;
	_Atomic uint32_t flags;
	_Atomic uint64_t identity;
} says;
static _Atomic int asked;
static _Atomic uint64_t asked_of, last_ns; /* what, and when */
static struct left *left;

int __wrap_ow_tm_ask_owner(struct ow_tm *m);

int __wrap_ow_tm_ask_owner(struct ow_tm *m)
{
	asked_of = m->op == OW_TM_STATUS ? m->tran : 0;
	last_ns = ow_clock_mono_ns();
	asked++;
	m->result = says.result;
	m->flags = says.flags;
	m->identity = says.identity;
	tperrno = says.tperr;
	return says.tperr != 0 ? -1 : 0;
}

static struct ow_mq_xid ours(int branch)
{
	XID x;

	ow_tm_xid(IDENTITY, TRAN, 5, (uint32_t)branch, &x);
	return xid_of(&x);
}

/* The branch has enqueued "a". */
static void work_in(int token, const struct ow_mq_xid *x)
{
	struct job *j = request(token, OW_MQ_ENQUEUE);

	assert_int_equal(known_add(&t.sp.known, x), 0);
	j->head.type = 3;
	j->head.len = 1;
	*j->payload = 'a';
	j->xid = *x;
	engine_put(t.engine, j);
	assert_int_equal(wait_for(token)->a.tperr, 0);
}

static void ask_from_now_on(void)
{
	asked = 0;
	t.sp.known.stop = false;
	assert_int_equal(left_start(&left, &t.sp, t.engine), 0);
}

static void wait_until_asked(int times)
{
	uint64_t until = ow_clock_mono_ns() + 20 * OW_NS_PER_SEC;

	while (asked < times && ow_clock_mono_ns() < until)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(asked >= times);
}

static bool is_gone(const struct ow_mq_xid *x, int seconds)
{
	uint64_t until = ow_clock_mono_ns() + seconds * OW_NS_PER_SEC;

	while (known_has(&t.sp.known, x) && ow_clock_mono_ns() < until)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return !known_has(&t.sp.known, x);
}

static int begin_asking(void **state)
{
	memset(&says, 0, sizeof(says));
	says.identity = IDENTITY;
	return setup(state);
}

static int end_asking(void **state)
{
	left = left_stop(left);
	return teardown(state);
}

static void branch_is_kept_while_its_tmsrv_may_want_it(void **state)
{
	static const int wants[] = { OW_TM_OK, OW_TM_ENDING };
	struct ow_mq_xid x = ours(1);
	size_t i;

	work_in(0, &x);
	for (i = 0; i < 2; i++) {
		says.result = wants[i];
		ask_from_now_on();
		wait_until_asked(3);
		assert_true(asked_of == TRAN);
		assert_true(known_has(&t.sp.known, &x));
		left = left_stop(left);
	}
	assert_int_equal(locked(), 1);
}

static void branch_that_is_not_wanted_is_rolled_back(void **state)
{
	static const struct {
		int tperr, result;
		uint32_t flags;
		uint64_t identity;
	} all[] = { { 0, OW_TM_UNKNOWN, 0, IDENTITY },
		    { 0, OW_TM_ABORTED, OW_TM_VOTED, IDENTITY },
		    { 0, OW_TM_HAZARD, 0, IDENTITY },
		    { 0, OW_TM_ENDING, OW_TM_VOTED, IDENTITY },
		    { 0, OW_TM_OK, 0, IDENTITY + 1 }, /* another log */
		    { TPENOENT, 0, 0, 0 } };
	struct ow_mq_xid x = ours(1);
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		says.tperr = all[i].tperr;
		says.result = all[i].result;
		says.flags = all[i].flags;
		says.identity = all[i].identity;
		work_in((int)i, &x);
		ask_from_now_on();
		assert_true(is_gone(&x, 20));
		left = left_stop(left);
		assert_int_equal(asked, 1);
		assert_int_equal(locked(), 0);
	}
	assert_queue(10, NULL);
}

static void tmsrv_that_does_not_answer_is_asked_again(void **state)
{
	static const int errors[] = { TPETIME, TPESVCERR, TPEOS, TPESYSTEM };
	struct ow_mq_xid x = ours(1);
	size_t i;

	work_in(0, &x);
	for (i = 0; i < 4; i++) {
		says.tperr = errors[i];
		ask_from_now_on();
		wait_until_asked(2);
		left = left_stop(left);
		assert_true(known_has(&t.sp.known, &x));
	}
	says.tperr = 0;
	says.result = OW_TM_UNKNOWN;
	ask_from_now_on();
	assert_true(is_gone(&x, 20));
	assert_int_equal(locked(), 0);
}

/* Nobody can be asked. */
static void branch_of_another_coordinator_is_rolled_back_unasked(void **state)
{
	struct ow_mq_xid x = xid(1);
	uint64_t begin = ow_clock_mono_ns();

	work_in(0, &x);
	ask_from_now_on();
	assert_true(is_gone(&x, 20));
	assert_true(ow_clock_mono_ns() - begin >= KEEP_OTHER_NS);
	assert_int_equal(asked, 0);
	assert_int_equal(locked(), 0);
}

/* Nobody is asked about a branch with which somebody goes on; the time begins anew
 * with each step. */
static void time_begins_anew_when_somebody_goes_on(void **state)
{
	struct ow_mq_xid x = ours(1);
	uint64_t begin = ow_clock_mono_ns(), step = begin;

	says.result = OW_TM_OK;
	work_in(0, &x);
	ask_from_now_on();
	while (step < begin + 3 * KEEP_NS) {
		step = ow_clock_mono_ns();
		assert_int_equal(known_go_on(&t.sp.known, &x), 0);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	wait_until_asked(1);
	assert_true(last_ns >= step + KEEP_NS || last_ns < step);
	assert_true(known_has(&t.sp.known, &x));
}

/* Whatever time its caller gives to the wait. */
static void who_waits_in_a_branch_waits_as_long_as_it_is_wanted(void **state)
{
	struct job *j = request(1, OW_MQ_DEQUEUE);
	struct ow_mq_xid x = ours(1);

	says.result = OW_TM_OK;
	work_in(0, &x);
	j->head.ctl.flags = TPQWAIT;
	j->xid = x;
	engine_put(t.engine, j);
	ask_from_now_on();
	wait_until_asked(3);
	assert_false(is_answered(1));
	says.result = OW_TM_UNKNOWN;
	assert_aborted(1);
	assert_false(known_has(&t.sp.known, &x));
	assert_int_equal(locked(), 0);
}

/* A branch ends before, or while its tmsrv is asked. */
static void branch_that_ends_meanwhile_is_left_alone(void **state)
{
	struct ow_mq_xid x = ours(1);
	struct job *j = request(1, OW_MQ_PREPARE);

	says.result = OW_TM_UNKNOWN;
	work_in(0, &x);
	j->head.xid = x;
	engine_put(t.engine, j);
	assert_int_equal(xa(1), XA_OK);
	j = job_new(JOB_ABANDONED, 0);
	assert_non_null(j);
	j->head.xid = x;
	ask_from_now_on();
	engine_put(t.engine, j);
	j = request(2, OW_MQ_COMMIT);
	j->head.xid = x;
	engine_put(t.engine, j);
	assert_int_equal(xa(2), XA_OK);
	assert_int_equal(asked, 0);
	assert_queue(3, "a");
}

static void each_branch_is_asked_about(void **state)
{
	struct ow_mq_xid x[3] = { ours(1), ours(2), ours(3) };
	int i;

	says.tperr = TPETIME; /* one of them does not stand before the others */
	for (i = 0; i < 3; i++)
		work_in(i, &x[i]);
	ask_from_now_on();
	wait_until_asked(6);
	says.tperr = 0;
	says.result = OW_TM_UNKNOWN;
	for (i = 0; i < 3; i++)
		assert_true(is_gone(&x[i], 20));
	assert_int_equal(locked(), 0);
}

/* The first one wakes the thread. */
static void thread_sleeps_while_there_are_no_branches(void **state)
{
	struct ow_mq_xid x = ours(1);
	bool sleeps = false;

	says.result = OW_TM_UNKNOWN;
	ask_from_now_on();
	while (!sleeps) {
		pthread_mutex_lock(&t.sp.known.lock);
		sleeps = t.sp.known.sleeps;
		pthread_mutex_unlock(&t.sp.known.lock);
	}
	work_in(0, &x);
	assert_true(is_gone(&x, 20));
	assert_int_equal(asked, 1);
}

#define ASKED(name) \
	cmocka_unit_test_setup_teardown(name, begin_asking, end_asking)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASKED(branch_is_kept_while_its_tmsrv_may_want_it),
		ASKED(branch_that_is_not_wanted_is_rolled_back),
		ASKED(tmsrv_that_does_not_answer_is_asked_again),
		ASKED(branch_of_another_coordinator_is_rolled_back_unasked),
		ASKED(time_begins_anew_when_somebody_goes_on),
		ASKED(who_waits_in_a_branch_waits_as_long_as_it_is_wanted),
		ASKED(branch_that_ends_meanwhile_is_left_alone),
		ASKED(each_branch_is_asked_about),
		ASKED(thread_sleeps_while_there_are_no_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
