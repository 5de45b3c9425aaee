/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rm_lost.c - what a lost connection to a resource manager means for a branch
 *
 * The test is the resource manager: it answers as it is told, and keeps what it
 * was called for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xa.h>

#include "libatmi/xa/driver.h"
#include "libatmi/xa/rm.h"

#define RMID 7

/* What the entries return, in order; then XA_OK. */
static int results[8];
static int n_results, next;
static char calls[200];
static bool sent, aside;
static long flags_of_last;

bool __wrap_ow_xa_has_sent(void);
bool __wrap_ow_xa_commits_aside(void);

bool __wrap_ow_xa_has_sent(void)
{
	return sent;
}

bool __wrap_ow_xa_commits_aside(void)
{
	return aside;
}

static int answer(const char *what, int rmid, long flags)
{
	size_t n = strlen(calls);

	assert_int_equal(rmid, RMID);
	snprintf(calls + n, sizeof(calls) - n, "%s%s", n > 0 ? " " : "", what);
	flags_of_last = flags;
	return next < n_results ? results[next++] : XA_OK;
}

static int open_rm(char *info, int rmid, long flags)
{
	assert_string_equal(info, "how to open");
	return answer("open", rmid, flags);
}

static int close_rm(char *info, int rmid, long flags)
{
	return answer("close", rmid, flags);
}

#define ENTRY(name)                                             \
	static int name(XID *xid, int rmid, long flags)         \
	{                                                       \
		assert_int_equal(xid->gtrid_length, 1);         \
		return answer(#name, rmid, flags);              \
	}
ENTRY(start)
ENTRY(end)
ENTRY(prepare)
ENTRY(commit)
ENTRY(rollback)
ENTRY(forget)

/* Finds `results` branches; XAER_* of them fails. */
static int recover(XID *xids, long count, int rmid, long flags)
{
	int r = answer(flags & TMSTARTRSCAN ? "first"
		       : flags & TMENDRSCAN ? "close-scan" : "next",
		       rmid, flags);
	int i;

	for (i = 0; i < r && i < count; i++)
		xids[i].gtrid_length = 1;
	return r < count ? r : (int)count;
}

static int complete(int *handle, int *result, int rmid, long flags)
{
	assert_int_equal(*handle, 5);
	*result = answer("complete", rmid, flags);
	return aside ? XA_OK : XAER_PROTO;
}

static struct xa_switch_t a_switch = {
	.name = "test",
	.xa_open_entry = open_rm,
	.xa_close_entry = close_rm,
	.xa_start_entry = start,
	.xa_end_entry = end,
	.xa_rollback_entry = rollback,
	.xa_prepare_entry = prepare,
	.xa_commit_entry = commit,
	.xa_recover_entry = recover,
	.xa_forget_entry = forget,
	.xa_complete_entry = complete,
};

static const XID branch = { .formatID = 1, .gtrid_length = 1,
			    .bqual_length = 1, .data = "gb" };

/* The next entries return these. */
static void say(int n, ...)
{
	va_list ap;

	va_start(ap, n);
	for (n_results = 0; n_results < n; n_results++)
		results[n_results] = va_arg(ap, int);
	va_end(ap);
	next = 0;
	calls[0] = '\0';
}

static int setup(void **state)
{
	sent = aside = true;
	say(0);
	if (ow_rm_open() != XA_OK)
		return -1;
	say(0);
	return 0;
}

static int teardown(void **state)
{
	say(0);
	return ow_rm_close() == XA_OK ? 0 : -1;
}

static void open_twice_is_once_and_close_ends_it(void **state)
{
	assert_true(ow_rm_exists() && ow_rm_is_open() && ow_rm_has_branches());
	assert_int_equal(ow_rm_open(), XA_OK);
	assert_string_equal(calls, "");
	say(1, XAER_RMERR);
	assert_int_equal(ow_rm_close(), XAER_RMERR);
	assert_true(ow_rm_is_open());
	assert_int_equal(ow_rm_close(), XA_OK);
	assert_false(ow_rm_is_open() || ow_rm_has_branches());
	assert_string_equal(calls, "close close");
	say(1, XAER_RMERR);
	assert_int_equal(ow_rm_open(), XAER_RMERR);
	assert_false(ow_rm_is_open());
	assert_int_equal(ow_rm_close(), XA_OK);
	assert_string_equal(calls, "open");
}

static void each_entry_but_the_end_is_repeated_over_a_new_connection(
	void **state)
{
	static const struct {
		enum ow_rm_op op;
		const char *calls;
	} all[] = { { OW_RM_START, "start close open start" },
		    { OW_RM_PREPARE, "prepare close open prepare" },
		    { OW_RM_COMMIT, "commit close open commit" },
		    { OW_RM_ROLLBACK, "rollback close open rollback" },
		    { OW_RM_FORGET, "forget close open forget" } };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		say(1, XAER_RMFAIL);
		assert_int_equal(ow_rm_do(all[i].op, &branch, TMNOFLAGS),
				 XA_OK);
		assert_string_equal(calls, all[i].calls);
		say(4, XAER_RMFAIL, XA_OK, XA_OK, XAER_RMFAIL);
		assert_int_equal(ow_rm_do(all[i].op, &branch, TMNOFLAGS),
				 XAER_RMFAIL); /* once */
		assert_string_equal(calls, all[i].calls);
	}
	say(1, XAER_RMFAIL);
	assert_int_equal(ow_rm_do(OW_RM_END, &branch, TMSUCCESS), XAER_RMFAIL);
	assert_string_equal(calls, "end");
	assert_int_equal(flags_of_last, TMSUCCESS);
	say(1, XAER_NOTA);
	assert_int_equal(ow_rm_do(OW_RM_ROLLBACK, &branch, 0), XAER_NOTA);
	assert_string_equal(calls, "rollback");
}

/* A database that is down: the next one connects. */
static void a_connection_that_is_not_made_is_made_by_the_next(void **state)
{
	say(3, XAER_RMFAIL, XA_OK, XAER_RMFAIL);
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, 0), XAER_RMFAIL);
	assert_string_equal(calls, "commit close open");
	assert_true(ow_rm_is_open());
	say(0);
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, 0), XA_OK);
	assert_string_equal(calls, "open commit");
}

/* What was prepared is gone when the commit is repeated. */
static void a_repeated_commit_that_finds_nothing(void **state)
{
	say(4, XAER_RMFAIL, XA_OK, XA_OK, XAER_NOTA);
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, TMNOFLAGS), XA_OK);
	say(4, XAER_RMFAIL, XA_OK, XA_OK, XAER_NOTA);
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, TMONEPHASE),
			 XAER_RMFAIL);
	sent = false; /* so somebody else has ended it */
	say(4, XAER_RMFAIL, XA_OK, XA_OK, XAER_NOTA);
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, TMNOFLAGS), XAER_NOTA);
	say(4, XAER_RMFAIL, XA_OK, XA_OK, XAER_NOTA);
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, TMONEPHASE),
			 XAER_NOTA);
	sent = true;
	say(4, XAER_RMFAIL, XA_OK, XA_OK, XAER_NOTA);
	assert_int_equal(ow_rm_do(OW_RM_ROLLBACK, &branch, 0), XAER_NOTA);
	say(1, XAER_NOTA); /* at once: that was no repetition */
	assert_int_equal(ow_rm_do(OW_RM_COMMIT, &branch, 0), XAER_NOTA);
}

static void what_was_answered_or_sent_has_reached_it(void **state)
{
	sent = false;
	say(1, XAER_NOTA);
	ow_rm_do(OW_RM_COMMIT, &branch, 0);
	assert_true(ow_rm_has_reached());
	say(3, XAER_RMFAIL, XA_OK, XAER_RMFAIL); /* and cannot be opened */
	ow_rm_do(OW_RM_COMMIT, &branch, 0);
	assert_false(ow_rm_has_reached());
	say(1, XAER_RMFAIL); /* it cannot be opened */
	ow_rm_do(OW_RM_COMMIT, &branch, 0);
	assert_true(ow_rm_has_reached()); /* ... but by the second try */
	say(1, XAER_RMFAIL);
	ow_rm_do(OW_RM_COMMIT, &branch, 0);
	assert_true(ow_rm_has_reached()); /* by the repetition */
	sent = true;
	say(3, XAER_RMFAIL, XA_OK, XAER_RMFAIL);
	ow_rm_do(OW_RM_COMMIT, &branch, 0);
	assert_true(ow_rm_has_reached());
}

static void only_a_driver_that_can_commits_beside(void **state)
{
	say(1, 5);
	assert_int_equal(ow_rm_commit_begin(&branch), 5);
	assert_string_equal(calls, "commit");
	assert_int_equal(flags_of_last, TMASYNC);
	say(1, 0); /* a handle as any other */
	assert_int_equal(ow_rm_commit_begin(&branch), 0);
	say(1, XAER_RMFAIL);
	assert_int_equal(ow_rm_commit_begin(&branch), XAER_ASYNC);
	aside = false;
	say(0);
	assert_int_equal(ow_rm_commit_begin(&branch), XAER_ASYNC);
	aside = true;
	assert_int_equal(ow_rm_close(), XA_OK);
	say(0);
	assert_int_equal(ow_rm_commit_begin(&branch), XAER_ASYNC);
	assert_string_equal(calls, "");
}

static void the_end_of_a_commit_beside_is_repeated_if_it_is_not_known(
	void **state)
{
	say(1, XAER_NOTA);
	assert_int_equal(ow_rm_commit_end(5, &branch), XAER_NOTA);
	assert_string_equal(calls, "complete");
	say(1, XAER_RMFAIL);
	assert_int_equal(ow_rm_commit_end(5, &branch), XA_OK);
	assert_string_equal(calls, "complete commit");
	say(2, XAER_RMFAIL, XAER_NOTA); /* the first has done it */
	assert_int_equal(ow_rm_commit_end(5, &branch), XA_OK);
	say(2, XAER_RMFAIL, XA_HEURRB);
	assert_int_equal(ow_rm_commit_end(5, &branch), XA_HEURRB);
	aside = false; /* its entry fails: what it says counts for nothing */
	say(1, XA_OK);
	assert_int_equal(ow_rm_commit_end(5, &branch), XA_OK);
	assert_string_equal(calls, "complete commit");
}

static void a_scan_goes_on_until_it_finds_no_more(void **state)
{
	XID xids[6];

	say(3, 2, 2, 0);
	assert_int_equal(ow_rm_recover(xids, 6), 4);
	assert_string_equal(calls, "first next next close-scan");
	say(2, 4, 9);
	assert_int_equal(ow_rm_recover(xids, 6), 6);
	assert_string_equal(calls, "first next close-scan");
	say(2, 2, XAER_RMERR);
	assert_int_equal(ow_rm_recover(xids, 6), XAER_RMERR);
	say(5, 2, XAER_RMFAIL, XA_OK, XA_OK, 3); /* from its beginning */
	assert_int_equal(ow_rm_recover(xids, 6), 3);
	assert_string_equal(calls, "first next close open first next "
				   "close-scan");
}

static int work(void *arg)
{
	int *left = arg;

	return (*left)-- > 0 ? XAER_RMFAIL : XA_RDONLY;
}

static void work_is_done_once_more_over_a_new_connection(void **state)
{
	int left = 0;

	assert_int_equal(ow_rm_with(work, &left), XA_RDONLY);
	assert_string_equal(calls, "");
	left = 1;
	assert_int_equal(ow_rm_with(work, &left), XA_RDONLY);
	assert_string_equal(calls, "close open");
	left = 2;
	assert_int_equal(ow_rm_with(work, &left), XAER_RMFAIL);
	assert_int_equal(left, 0);
}

static void results_have_the_words_of_xa(void **state)
{
	assert_string_equal(ow_rm_word(XAER_NOTA), "XAER_NOTA");
	assert_string_equal(ow_rm_word(XA_HEURMIX), "XA_HEURMIX");
	assert_string_equal(ow_rm_word(12345), "a result that XA does not know");
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		FACT(open_twice_is_once_and_close_ends_it),
		FACT(each_entry_but_the_end_is_repeated_over_a_new_connection),
		FACT(a_connection_that_is_not_made_is_made_by_the_next),
		FACT(a_repeated_commit_that_finds_nothing),
		FACT(what_was_answered_or_sent_has_reached_it),
		FACT(only_a_driver_that_can_commits_beside),
		FACT(the_end_of_a_commit_beside_is_repeated_if_it_is_not_known),
		FACT(a_scan_goes_on_until_it_finds_no_more),
		FACT(work_is_done_once_more_over_a_new_connection),
		FACT(results_have_the_words_of_xa),
	};

	setenv("NDRX_XA_RES_ID", "7", 1);
	setenv("NDRX_XA_OPEN_STR", "how to open", 1);
	ow_xa_provide(&a_switch);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
