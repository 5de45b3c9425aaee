/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_outcome.c - facts about outcomes that wait to be forgotten
 */
#include "servers/tmsrv/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"

#define ID 5

static char folder[] = "/tmp/ow_outcomeXXXXXX";
static struct tmlog *decisions;

static void open_log(void)
{
	char why[300] = "";

	if (tmlog_open(folder, "TRN.log", &decisions, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	outcome_begin(decisions);
}

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	open_log();
	return 0;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	decisions = tmlog_close(decisions);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static uint32_t branches, kept;

static void found(uint64_t id, const struct tmlog_branch *b, uint32_t n,
		  uint32_t by_hand, void *arg)
{
	(void)b;
	assert_int_equal(id, ID);
	branches = n;
	kept = by_hand;
	++*(int *)arg;
}

/* A tmsrv that is killed before the outcome is behind it must not take the
 * transaction for one that nobody has decided, and roll its branches back. */
static void what_a_row_has_decided_is_a_decision_in_the_log_too(void **state)
{
	struct tran *t = table_add(ID, 1000, 0);
	int decided = 0, prepared = 0;
	bool is_new;

	(void)state;
	assert_non_null(t);
	assert_non_null(table_join(t, 3, true, &is_new));
	assert_non_null(table_join(t, 1, true, &is_new));
	t->row = t->commits = t->hazard = true;
	outcome_keep(t, false);
	table_remove(t);
	decisions = tmlog_close(decisions);
	open_log();
	tmlog_each(decisions, found, &decided);
	tmlog_each_prepared(decisions, found, &prepared);
	assert_int_equal(decided, 1);
	assert_int_equal(prepared, 0);
	assert_int_equal(branches, 2);
	assert_int_equal(kept, LOGGED_HAZARD | LOGGED_COMMITS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_a_row_has_decided_is_a_decision_in_the_log_too),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
