/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_status.c - facts about the text of SHOW ENGINE INNODB STATUS
 */
#include "drivers/xamariadb/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#define HEAD "LIST OF TRANSACTIONS FOR EACH SESSION:\n"
#define LIVE "---TRANSACTION 41, ACTIVE 3 sec\nMariaDB thread id 7, OS thread\n"
#define OURS                                                                \
	"---TRANSACTION (0x7f), ACTIVE (PREPARED) 1 sec\n1 lock struct(s)\n" \
	"MariaDB thread id 8, OS thread handle 1\n"
#define ENDED "---TRANSACTION 43, ACTIVE (PREPARED) recovered trx\n1 row\n"

static void a_prepared_branch_is_found_by_its_connection(void **state)
{
	(void)state;
	assert_true(status_has_prepared(HEAD LIVE OURS ENDED, 8));
	assert_false(status_has_prepared(HEAD LIVE OURS ENDED, 7));
	assert_false(status_has_prepared(HEAD LIVE OURS ENDED, 80));
	assert_false(status_has_prepared(HEAD LIVE ENDED, 8));
	assert_false(status_has_prepared("", 8));
}

static void a_text_that_was_cut_says_nothing(void **state)
{
	(void)state;
	assert_true(status_has_prepared(
	    HEAD LIVE "---TRANSACT\n... truncated...\nFILE I/O\n", 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prepared_branch_is_found_by_its_connection),
		cmocka_unit_test(a_text_that_was_cut_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
