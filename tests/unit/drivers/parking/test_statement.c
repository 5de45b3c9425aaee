/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_statement.c - facts about statements that all databases understand
 */
#include "drivers/parking/statement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The longest gtrid, every byte of which is `byte`. */
static XID longest(char byte)
{
	XID x = { .formatID = 1, .gtrid_length = MAXGTRIDSIZE };

	memset(x.data, byte, MAXGTRIDSIZE);
	return x;
}

static void keys_of_any_length_stand_whole(void **state)
{
	char sql[PARKING_STATEMENT];
	XID x = longest('\x5a');

	(void)state;
	parking_select_outcome(&x, sql);
	assert_int_equal(strlen(sql), strlen("SELECT committed FROM "
			 "onewake.decision WHERE gtrid = ''") +
			 KEY_SIZE - 1);
	assert_non_null(strstr(sql, "5a5a'"));
	parking_select_all(&x, sql);
	assert_string_equal(sql, "SELECT gtrid, words FROM onewake.decision "
			    "WHERE gtrid LIKE '5a5a5a5a5a5a5a5a%' AND "
			    "committed");
}

static void all_rows_are_removed_by_one_statement(void **state)
{
	XID rows[300];
	const char *at;
	char *sql;
	int i, n = 0;

	(void)state;
	for (i = 0; i < 300; i++)
		rows[i] = longest((char)i);
	sql = parking_delete("BEGIN; ", rows, 300, "; COMMIT");
	assert_non_null(sql);
	assert_ptr_equal(strstr(sql, "BEGIN; DELETE FROM onewake.decision "
				"WHERE committed AND gtrid IN ('0000"), sql);
	for (at = sql; (at = strchr(at, '\'')) != NULL; at++)
		n++;
	assert_int_equal(n, 600);
	at = strstr(sql, "2b'); COMMIT"); /* 299 is 0x12b */
	assert_ptr_equal(at, sql + strlen(sql) - strlen("2b'); COMMIT"));
	free(sql);
	sql = parking_delete("", rows, 1, "");
	assert_non_null(sql);
	assert_string_equal(sql + strlen(sql) - 4, "00')");
	free(sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_any_length_stand_whole),
		cmocka_unit_test(all_rows_are_removed_by_one_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
