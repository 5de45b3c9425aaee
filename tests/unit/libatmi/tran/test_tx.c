/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tx.c - what a tmsrv is asked about the transaction of a context
 *
 * The test is the tmsrv: it keeps the questions, and answers as it is told.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/tran/tm.h"
#include "libatmi/tran/tx.h"
#include "libatmi/xa/driver.h"
#include "libatmi/xa/rm.h"

#define IDENTITY UINT64_C(0x1234567890abcdef)
#define TRAN	 UINT64_C(0x0100650000000007)

static struct ow_ctx ctx;
static struct ow_tm asked[4];
static int n_asked, result;
static uint64_t identity;
static bool unasked; /* nobody answers */

int __wrap_ow_tm_ask_owner(struct ow_tm *m);
bool __wrap_ow_rm_has_branches(void);
bool __wrap_ow_rm_registers(void);
bool __wrap_ow_rm_own_branches(void);

int __wrap_ow_tm_ask_owner(struct ow_tm *m)
{
	assert_true(n_asked < 4);
	asked[n_asked++] = *m;
	m->result = result;
	m->identity = identity;
	return unasked ? -1 : 0;
}

bool __wrap_ow_rm_has_branches(void)
{
	return true;
}

bool __wrap_ow_rm_registers(void)
{
	return false;
}

bool __wrap_ow_rm_own_branches(void)
{
	return false;
}

/* The end: `unanswered`, tpcall() would say this; the question was sent, or not. */
static int unanswered;
static bool was_sent;

int __wrap_ow_tm_try_owner(struct ow_tm *m, bool *ret_sent);

int __wrap_ow_tm_try_owner(struct ow_tm *m, bool *ret_sent)
{
	assert_true(n_asked < 4);
	asked[n_asked++] = *m;
	m->result = result;
	*ret_sent = was_sent;
	tperrno = unanswered;
	return unanswered != 0 ? -1 : 0;
}

/* What the resource manager was asked; the branch is that of the number. */
static struct {
	enum ow_rm_op op;
	long flags;
	XID xid;
} done[8];
static int n_done;
static bool end_fails;

int __wrap_ow_rm_do(enum ow_rm_op op, const XID *xid, long flags);

int __wrap_ow_rm_do(enum ow_rm_op op, const XID *xid, long flags)
{
	assert_true(n_done < 8);
	if (op == OW_RM_END && end_fails)
		return XAER_RMFAIL;
	done[n_done].op = op;
	done[n_done].flags = flags;
	done[n_done++].xid = *xid;
	return XA_OK;
}

static int set_up(void **state)
{
	memset(&ctx, 0, sizeof(ctx));
	n_asked = n_done = 0;
	result = OW_TM_UNKNOWN;
	unanswered = 0;
	identity = IDENTITY;
	unasked = end_fails = false;
	was_sent = true;
	return 0;
}

static int tear_down(void **state)
{
	free(ctx.tx);
	return 0;
}

static void the_first_join_says_which_log_has_given_the_number(void **state)
{
	int32_t mark = ow_tm_request_mark(IDENTITY);

	assert_int_equal(ow_tx_enter(&ctx, TRAN, mark), TPETRAN);
	assert_int_equal(n_asked, 2);
	assert_int_equal(asked[0].op, OW_TM_JOIN);
	assert_true(asked[0].tran == TRAN && asked[0].identity == 0);
	assert_int_equal(asked[0].log, mark);
	assert_int_equal(asked[1].op, OW_TM_DOOM); /* of that log, too */
	assert_int_equal(asked[1].log, mark);
	assert_int_equal(ctx.tran_log, 0);
}

static void a_transaction_that_was_left_is_doomed_by_its_log(void **state)
{
	ow_tx_doom_left(TRAN, -7, false);
	assert_int_equal(asked[0].op, OW_TM_DOOM);
	assert_int_equal(asked[0].log, -7);
}

/* Requests carry it from then on. */
static void the_log_of_a_transaction_is_known_once_it_was_told(void **state)
{
	struct ow_tx *t = ow_tx_need(&ctx);

	ow_tx_set(&ctx, TRAN, 0);
	assert_int_equal(ctx.tran_log, 0);
	ow_tx_know(&ctx, t, IDENTITY);
	assert_int_equal(ctx.tran_log, ow_tm_request_mark(IDENTITY));
	ow_tx_clear(&ctx);
	assert_int_equal(ctx.tran_log, 0);
}

static void *end_elsewhere(void *arg)
{
	assert_int_equal(ow_tx_end(&ctx, ctx.tx, false), XAER_PROTO);
	return arg;
}

/* No resource manager ends a branch in another thread; but without an end the
 * thread could begin no other one, and the work would keep its locks. */
static void a_thread_ends_what_a_context_has_left_in_it(void **state)
{
	struct ow_ctx other = { .tx = NULL };
	pthread_t thread;

	result = OW_TM_OK;
	assert_int_equal(ow_tx_enter(&ctx, TRAN, 0), 0);
	assert_int_equal(done[0].op, OW_RM_START);
	pthread_create(&thread, NULL, end_elsewhere, NULL);
	pthread_join(thread, NULL);
	assert_int_equal(n_done, 1); /* not there */
	assert_int_equal(ow_tx_enter(&other, TRAN + 1, 0), 0);
	assert_int_equal(n_done, 3);
	assert_int_equal(done[1].op, OW_RM_END);
	assert_int_equal(done[1].flags, TMFAIL);
	assert_memory_equal(&done[1].xid, &done[0].xid, sizeof(XID));
	assert_int_equal(done[2].op, OW_RM_START);
	assert_int_equal(ow_tx_end(&other, other.tx, false), XA_OK);
	free(other.tx);
}

/* What a service without a transaction did then was told done, and rolled back
 * when the thread began its next branch. */
static void a_connection_is_given_without_what_was_left_in_it(void **state)
{
	pthread_t thread;

	result = OW_TM_OK;
	assert_int_equal(ow_tx_enter(&ctx, TRAN, 0), 0);
	pthread_create(&thread, NULL, end_elsewhere, NULL);
	pthread_join(thread, NULL);
	assert_int_equal(n_done, 1);
	(void)tpgetconn();
	assert_int_equal(n_done, 2);
	assert_int_equal(done[1].op, OW_RM_END);
	assert_int_equal(done[1].flags, TMFAIL);
	(void)tpgetconn();
	assert_int_equal(n_done, 2);
}

/* ---- its end ---- */

/* A context that has begun it, and may commit: how it ends. */
static int ends(int op, int answer, bool shared)
{
	struct ow_tx *t = ow_tx_need(&ctx);

	n_asked = 0;
	result = answer;
	ow_tx_set(&ctx, TRAN, 0);
	t->initiator = true;
	t->shared = shared;
	tperrno = 0;
	if (ow_tx_finish(&ctx, t, op, false) == 0)
		return 0;
	assert_true(ctx.tran == 0);
	return tperrno;
}

static void what_its_tmsrv_says_is_what_the_program_is_told(void **state)
{
	static const struct {
		int answer, commit, abort;
	} all[] = { { OW_TM_ABORTED, TPEABORT, 0 },
		    { OW_TM_UNKNOWN, TPEABORT, 0 },
		    { OW_TM_MIXED, TPEHEURISTIC, TPEHEURISTIC },
		    { OW_TM_HAZARD, TPEHAZARD, TPEHAZARD },
		    { OW_TM_ENDING, TPEPROTO, TPEPROTO } };
	size_t i;

	assert_int_equal(ends(OW_TM_COMMIT, OW_TM_COMMITTED, false), 0);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(ends(OW_TM_COMMIT, all[i].answer, false),
				 all[i].commit);
		assert_int_equal(asked[0].op, OW_TM_COMMIT);
		assert_int_equal(ends(OW_TM_ABORT, all[i].answer, false),
				 all[i].abort);
		assert_int_equal(asked[0].op, OW_TM_ABORT);
	}
}

/* Rolled back is told only where nobody can have asked for commit. */
static void without_an_answer_it_is_rolled_back_or_not_known(void **state)
{
	static const struct {
		int err;
		bool sent, shared;
		int commit, abort;
	} all[] = { { TPENOENT, false, false, TPEABORT, 0 },
		    { TPENOENT, true, false, TPEABORT, 0 },
		    { TPEBLOCK, false, false, TPEABORT, TPESVCERR },
		    { TPETIME, false, false, TPEABORT, TPETIME },
		    { TPETIME, true, false, TPETIME, TPETIME },
		    { TPESVCERR, true, false, TPESVCERR, TPESVCERR },
		    { TPEOS, true, false, TPEOS, TPEOS },
		    { TPESYSTEM, true, false, TPESVCERR, TPESVCERR },
		    { TPENOENT, false, true, TPESVCERR, TPESVCERR },
		    { TPEBLOCK, false, true, TPESVCERR, TPESVCERR },
		    { TPETIME, true, true, TPETIME, TPETIME } };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		unanswered = all[i].err;
		was_sent = all[i].sent;
		assert_int_equal(ends(OW_TM_COMMIT, 0, all[i].shared),
				 all[i].commit);
		assert_int_equal((asked[0].flags & OW_TM_SHARED) != 0,
				 all[i].shared);
		assert_int_equal(ends(OW_TM_ABORT, 0, all[i].shared),
				 all[i].abort);
	}
}

/* Begun so; what it does is in a branch. */
static struct ow_tx *begun(void)
{
	struct ow_tx *t = ow_tx_need(&ctx);

	result = OW_TM_OK;
	ow_tx_set(&ctx, TRAN, 0);
	t->initiator = true;
	assert_int_equal(ow_tx_join(&ctx, t), 0);
	n_asked = n_done = 0;
	result = OW_TM_ABORTED;
	return t;
}

static void one_that_is_doomed_or_over_is_rolled_back(void **state)
{
	struct ow_tx *t = begun();

	t->doomed = true;
	assert_int_equal(ow_tx_finish(&ctx, t, OW_TM_COMMIT, false), -1);
	assert_int_equal(tperrno, TPEABORT);
	assert_int_equal(asked[0].op, OW_TM_ABORT);
	assert_int_equal(asked[0].flags & OW_TM_HAS_BEGUN, OW_TM_HAS_BEGUN);
	assert_int_equal(done[0].op, OW_RM_END);
	assert_int_equal(done[0].flags, TMFAIL);
	t = begun();
	t->deadline_ns = ow_clock_mono_ns() - 1;
	assert_int_equal(ow_tx_finish(&ctx, t, OW_TM_COMMIT, false), -1);
	assert_int_equal(asked[0].op, OW_TM_ABORT);
	t = begun();
	t->deadline_ns = ow_clock_mono_ns() + 60 * OW_NS_PER_SEC;
	assert_int_equal(ow_tx_finish(&ctx, t, OW_TM_COMMIT, true), -1);
	assert_int_equal(asked[0].op, OW_TM_COMMIT);
	assert_int_equal(asked[0].flags & OW_TM_LOGGED, OW_TM_LOGGED);
	assert_int_equal(done[0].flags, TMSUCCESS);
}

/* Whoever else holds it might commit: a lost question is rolled back only where
 * there is nobody. */
static void a_doomed_one_without_an_answer(void **state)
{
	struct ow_tx *t = begun();

	unanswered = TPETIME;
	t->doomed = true;
	assert_int_equal(ow_tx_finish(&ctx, t, OW_TM_COMMIT, false), -1);
	assert_int_equal(tperrno, TPEABORT);
	t = begun();
	t->doomed = t->shared = true;
	assert_int_equal(ow_tx_finish(&ctx, t, OW_TM_COMMIT, false), -1);
	assert_int_equal(tperrno, TPETIME);
}

/* ---- the mark ---- */

static void one_question_dooms_it_unless_it_was_not_heard(void **state)
{
	struct ow_tx *t = begun();

	assert_int_equal(ow_tx_doom(&ctx, t), 0);
	assert_int_equal(n_asked, 1);
	assert_int_equal(asked[0].op, OW_TM_DOOM);
	assert_int_equal(asked[0].flags, OW_TM_HAS_BEGUN);
	assert_int_equal(ow_tx_doom(&ctx, t), 0);
	assert_int_equal(n_asked, 1);
	t->undoomed = true; /* who may commit it does not */
	assert_int_equal(ow_tx_doom(&ctx, t), 0);
	assert_int_equal(n_asked, 1);
	t->initiator = false;
	assert_int_equal(ow_tx_doom(&ctx, t), 0);
	assert_int_equal(n_asked, 2);
	assert_false(t->undoomed);
	assert_int_equal(ow_tx_doom(&ctx, t), 0);
	assert_int_equal(n_asked, 2);
}

/* A service, in the transaction of its caller. */
static struct ow_tx *serving(void)
{
	result = OW_TM_OK;
	assert_int_equal(ow_tx_enter(&ctx, TRAN, 0), 0);
	n_asked = n_done = 0;
	return ctx.tx;
}

static void a_service_that_fails_dooms_unless_it_is_spared(void **state)
{
	serving();
	assert_int_equal(ow_tx_leave(&ctx, false, false), 0);
	assert_int_equal(n_asked, 0);
	assert_int_equal(done[0].flags, TMSUCCESS);
	assert_true(ctx.tran == 0);
	serving();
	assert_int_equal(ow_tx_leave(&ctx, true, true), 0);
	assert_int_equal(n_asked, 0);
	assert_int_equal(done[0].flags, TMSUCCESS);
	serving();
	assert_int_equal(ow_tx_leave(&ctx, true, false), 0);
	assert_int_equal(asked[0].op, OW_TM_DOOM);
	assert_int_equal(done[0].flags, TMFAIL);
	serving()->undoomed = true; /* its caller hears that it may commit */
	assert_int_equal(ow_tx_leave(&ctx, false, false), 0);
	assert_int_equal(asked[0].op, OW_TM_DOOM);
}

static void a_service_whose_branch_cannot_end_fails(void **state)
{
	serving();
	end_fails = true;
	assert_int_equal(ow_tx_leave(&ctx, false, true), TPESVCERR);
	assert_int_equal(asked[0].op, OW_TM_DOOM);
	assert_true(ctx.tran == 0);
}

static void a_service_that_leaves_its_own_one_open_fails(void **state)
{
	struct ow_tx *t = begun();

	assert_int_equal(ow_tx_leave(&ctx, false, false), TPESVCERR);
	assert_int_equal(asked[0].op, OW_TM_ABORT);
	assert_int_equal(done[0].flags, TMFAIL);
	assert_true(ctx.tran == 0);
	assert_false(t->associated);
}

/* ---- held up ---- */

/* Who is held up for long finds out whether the branch is still wanted. */
static void a_branch_that_ends_late_asks_whether_it_is_wanted(void **state)
{
	static const struct {
		int answer;
		uint64_t identity;
		bool unasked;
		int r;
	} all[] = { { OW_TM_OK, IDENTITY, false, XA_OK },
		    { OW_TM_ENDING, IDENTITY, false, XA_OK },
		    { OW_TM_OK, IDENTITY, true, XA_OK },
		    { OW_TM_UNKNOWN, IDENTITY, false, XA_RBROLLBACK },
		    { OW_TM_ABORTED, IDENTITY, false, XA_RBROLLBACK },
		    { OW_TM_OK, IDENTITY + 1, false, XA_RBROLLBACK } };
	struct ow_tx *t;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		t = serving();
		t->asked_ns = 1;
		result = all[i].answer;
		identity = all[i].identity;
		unasked = all[i].unasked;
		assert_int_equal(ow_tx_end(&ctx, t, false), all[i].r);
		assert_int_equal(asked[0].op, OW_TM_STATUS);
		assert_false(t->associated);
		assert_int_equal(done[0].op, OW_RM_END);
		assert_int_equal(done[0].flags,
				 all[i].r == XA_OK ? TMSUCCESS : TMFAIL);
		assert_int_equal(n_done, all[i].r == XA_OK ? 1 : 2);
		assert_int_equal(n_done == 2 ? done[1].op : OW_RM_ROLLBACK,
				 OW_RM_ROLLBACK);
		identity = IDENTITY;
		unasked = false;
	}
	t = serving();
	t->asked_ns = 1;
	assert_int_equal(ow_tx_end(&ctx, t, true), XA_OK);
	assert_int_equal(n_asked, 0); /* it is rolled back anyway */
	t = serving();
	assert_int_equal(ow_tx_end(&ctx, t, false), XA_OK);
	assert_int_equal(n_asked, 0); /* it is early */
}

/* ---- calls ---- */

static bool is_in(int tperr, const int *list)
{
	while (*list != 0 && *list != tperr)
		list++;
	return *list != 0;
}

/* All other errors may mean work. */
static void only_what_did_nothing_dooms_nothing(void **state)
{
	static const int unsent[] = { TPEINVAL, TPENOENT, TPEBLOCK, TPEITYPE,
				      TPELIMIT, TPGOTSIG, 0 };
	static const int unanswered_ones[] = { TPEBLOCK, TPGOTSIG, 0 };
	static const int answered[] = { TPENOENT, TPEITYPE, TPEBLOCK, 0 };
	static const int lost[] = { 0 };
	static const struct {
		enum ow_call_failure how;
		const int *harmless;
	} all[] = { { OW_CALL_UNSENT, unsent },
		    { OW_CALL_UNANSWERED, unanswered_ones },
		    { OW_CALL_ANSWERED, answered },
		    { OW_CALL_LOST, lost } };
	struct ow_tx *t = ow_tx_need(&ctx);
	size_t i;
	int e;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (e = TPMINVAL + 1; e < TPMAXVAL; e++) {
			n_asked = 0;
			ow_tx_set(&ctx, TRAN, 0);
			ctx.tran_hooks->call_failed(&ctx, e, all[i].how);
			assert_int_equal(t->doomed,
					 !is_in(e, all[i].harmless));
		}
	}
}

#define FACT(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static struct xa_switch_t rm = { .name = "test" };
	const struct CMUnitTest tests[] = {
		FACT(the_first_join_says_which_log_has_given_the_number),
		FACT(a_transaction_that_was_left_is_doomed_by_its_log),
		FACT(the_log_of_a_transaction_is_known_once_it_was_told),
		FACT(a_thread_ends_what_a_context_has_left_in_it),
		FACT(a_connection_is_given_without_what_was_left_in_it),
		FACT(what_its_tmsrv_says_is_what_the_program_is_told),
		FACT(without_an_answer_it_is_rolled_back_or_not_known),
		FACT(one_that_is_doomed_or_over_is_rolled_back),
		FACT(a_doomed_one_without_an_answer),
		FACT(one_question_dooms_it_unless_it_was_not_heard),
		FACT(a_service_that_fails_dooms_unless_it_is_spared),
		FACT(a_service_whose_branch_cannot_end_fails),
		FACT(a_service_that_leaves_its_own_one_open_fails),
		FACT(a_branch_that_ends_late_asks_whether_it_is_wanted),
		FACT(only_what_did_nothing_dooms_nothing),
	};

	ow_xa_provide(&rm);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
