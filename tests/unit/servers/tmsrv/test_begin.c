/* SPDX-License-Identifier: Apache-2.0 */
/* test_begin.c - numbers that are given at once, or ahead */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servers/tmsrv/begin.h"
#include "servers/tmsrv/list.h"
#include "libatmi/base/clock.h"
#include "tests/unit/servers/folder.h"

#define RMID  3u
#define SRVID 7u
#define USUAL_MS 4000u

static char folder[64];
static struct tmlog *decisions;

static int set_up(void **state)
{
	char why[300] = "";

	(void)state;
	folder_make(folder, "/tmp/ow_begin");
	if (tmlog_open(folder, "TRN.log", &decisions, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	begin_setup(decisions, RMID, SRVID, USUAL_MS);
	return 0;
}

static void drop(struct tran *t, void *arg)
{
	(void)arg;
	table_remove(t);
}

static int tear_down(void **state)
{
	(void)state;
	table_each(drop, NULL);
	decisions = tmlog_close(decisions);
	return folder_remove(folder);
}

static struct ow_tm reserve(uint32_t flags, uint32_t rmid, uint32_t usual)
{
	struct ow_tm m = { .op = OW_TM_COMMIT,
			   .tran = 1,
			   .identity = tmlog_identity(decisions),
			   .flags = flags,
			   .rmid = rmid,
			   .timeout_ms = 5000 };

	begin_reserve("clt,x,1", usual, &m);
	return m;
}

static bool is_listed(void)
{
	char *text = list_transactions();
	bool some = text[0] != '\0';

	free(text);
	return some;
}

static void a_number_names_its_tmsrv_and_comes_once(void **state)
{
	struct ow_tm a = { .op = OW_TM_BEGIN }, b = a;

	(void)state;
	begin_now("clt,x,1", &a);
	begin_now("clt,x,1", &b);
	assert_int_equal(a.result, OW_TM_OK);
	assert_int_equal(OW_TM_RMID(a.tran), RMID);
	assert_int_equal(OW_TM_SRVID(a.tran), SRVID);
	assert_int_equal(a.timeout_ms, USUAL_MS);
	assert_true(a.tran != b.tran);
	assert_false(table_find(a.tran)->reserved);
	assert_true(is_listed());
}

static void who_does_not_ask_gets_none(void **state)
{
	struct ow_tm m = reserve(0, 0, 0);

	(void)state;
	assert_int_equal(m.flags & OW_TM_RESERVED, 0);
	assert_int_equal(m.tran, 1);
}

static void whose_branches_are_elsewhere_gets_none(void **state)
{
	(void)state;
	assert_int_equal(reserve(OW_TM_RESERVE, 0, RMID + 1).flags &
			     OW_TM_RESERVED, 0);
	assert_true(reserve(OW_TM_RESERVE, 0, RMID).flags & OW_TM_RESERVED);
	/* A client of the resource manager begins here in any case. */
	assert_true(reserve(OW_TM_RESERVE, RMID, RMID + 1).flags &
		    OW_TM_RESERVED);
}

static void a_reserved_one_is_known_and_not_shown_until_it_is_named(void **state)
{
	struct ow_tm m = reserve(OW_TM_RESERVE | OW_TM_WITH_BRANCH, RMID, 0);
	struct tran *t = table_find(m.tran);
	uint64_t now = ow_clock_mono_ns();

	(void)state;
	assert_non_null(t);
	assert_true(t->reserved);
	assert_false(is_listed());
	assert_int_equal(t->n, 1);
	assert_int_equal(t->branches[0].number, m.branch);
	/* Who takes it at the last moment has all of its time, */
	assert_true(t->deadline_ns + 50 * OW_NS_PER_MS >
		    now + OW_TM_RESERVE_NS + 5000 * OW_NS_PER_MS);
	/* and a second to begin its branch. */
	assert_true(t->branches[0].given_ns + 50 * OW_NS_PER_MS >
		    now + OW_TM_RESERVE_NS);
	assert_ptr_equal(begin_find(m.tran), t);
	now = ow_clock_mono_ns();
	assert_false(t->reserved);
	assert_true(is_listed());
	assert_true(t->deadline_ns <= now + 5000 * OW_NS_PER_MS);
}

static void what_is_given_back_is_gone(void **state)
{
	struct ow_tm m = reserve(OW_TM_RESERVE, 0, 0), of_another = m;

	(void)state;
	of_another.identity++;
	begin_unused(&of_another);
	assert_non_null(table_find(m.tran));
	begin_unused(&m);
	assert_null(table_find(m.tran));
	begin_unused(&m);
}

static void what_has_begun_is_not_given_back(void **state)
{
	struct ow_tm m = reserve(OW_TM_RESERVE, 0, 0);

	(void)state;
	assert_non_null(begin_find(m.tran));
	begin_unused(&m);
	assert_non_null(table_find(m.tran));
}

static void one_that_begins_gives_the_unused_one_back(void **state)
{
	struct ow_tm m = reserve(OW_TM_RESERVE, 0, 0), b = m;

	(void)state;
	b.op = OW_TM_BEGIN;
	b.flags = OW_TM_UNUSED;
	begin_now("clt,x,1", &b);
	assert_true(b.tran != m.tran);
	assert_null(table_find(m.tran));
	assert_non_null(table_find(b.tran));
}

static void one_that_ends_is_not_begun_by_a_late_word(void **state)
{
	struct ow_tm m = reserve(OW_TM_RESERVE | OW_TM_WITH_BRANCH, RMID, 0);
	struct tran *t = table_find(m.tran);

	(void)state;
	t->state = TRAN_ABORTING;
	t->busy = true;
	assert_ptr_equal(begin_find(m.tran), t);
	assert_true(t->reserved);
	begin_unused(&m);
	assert_ptr_equal(table_find(m.tran), t);
}

static bool is_foreign(uint32_t op, uint64_t identity, int64_t log)
{
	const struct ow_tm m = { .op = op,
				 .tran = 1,
				 .identity = identity,
				 .log = log };

	return begin_is_of_another_log(&m);
}

static void a_number_of_another_log_is_known_as_such(void **state)
{
	uint64_t ours = tmlog_identity(decisions);
	int32_t mark = ow_tm_request_mark(ours);

	(void)state;
	assert_true(mark < 0); /* no tperrno */
	assert_int_equal(ow_tm_request_mark(0), 0);
	assert_false(is_foreign(OW_TM_JOIN, ours, 0));
	assert_true(is_foreign(OW_TM_JOIN, ours ^ 1, mark));
	assert_true(is_foreign(OW_TM_COMMIT, ours ^ 1, 0));
	assert_false(is_foreign(OW_TM_STATUS, ours ^ 1, 0));
	/* Of who has not joined yet only the mark of the request is known. */
	assert_false(is_foreign(OW_TM_JOIN, 0, mark));
	assert_true(is_foreign(OW_TM_JOIN, 0, mark ^ 1));
	assert_true(is_foreign(OW_TM_DOOM, 0, mark ^ 1));
	assert_false(is_foreign(OW_TM_JOIN, 0, 0)); /* of an older program */
	/* COMMIT has a time-out in that place, and ABORT perhaps. */
	assert_false(is_foreign(OW_TM_COMMIT, 0, 5000));
	assert_false(is_foreign(OW_TM_ABORT, 0, 5000));
	/* A server gives up what was begun for a request that it cannot serve. */
	assert_true(is_foreign(OW_TM_ABORT, 0, mark ^ 1));
	assert_false(is_foreign(OW_TM_ABORT, 0, mark));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FACT(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		FACT(a_number_names_its_tmsrv_and_comes_once),
		FACT(who_does_not_ask_gets_none),
		FACT(whose_branches_are_elsewhere_gets_none),
		FACT(a_reserved_one_is_known_and_not_shown_until_it_is_named),
		FACT(what_is_given_back_is_gone),
		FACT(what_has_begun_is_not_given_back),
		FACT(one_that_begins_gives_the_unused_one_back),
		FACT(one_that_ends_is_not_begun_by_a_late_word),
		FACT(a_number_of_another_log_is_known_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
