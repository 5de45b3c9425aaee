/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_names.c - facts about the names of branches in PostgreSQL
 */
#include "drivers/xapq/database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Bytes from 0xf0 on, wrapping. */
static XID xid_of(long gtrid, long bqual)
{
	XID x = { .formatID = 0x4f574b31,
		  .gtrid_length = gtrid,
		  .bqual_length = bqual };
	long i;

	for (i = 0; i < gtrid + bqual; i++)
		x.data[i] = (char)(0xf0 + i);
	return x;
}

static void the_name_has_all_of_the_xid(void **state)
{
	XID x = xid_of(2, 1);
	char gid[GID_SIZE];

	(void)state;
	db_gid(&x, gid);
	assert_string_equal(gid, "ow:4f574b31:f0f1:f2");
}

static void a_name_gives_the_xid_back(void **state)
{
	static const long lengths[][2] = { { 16, 8 }, { 1, 1 }, { 64, 20 } };
	char gid[GID_SIZE];
	XID x, got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		x = xid_of(lengths[i][0], lengths[i][1]);
		db_gid(&x, gid);
		assert_true(db_read_gid(gid, &got));
		assert_int_equal(got.formatID, x.formatID);
		assert_int_equal(got.gtrid_length, x.gtrid_length);
		assert_int_equal(got.bqual_length, x.bqual_length);
		assert_memory_equal(got.data, x.data, XIDDATASIZE);
	}
}

/* Nobody's branch is taken for one of ours, and rolled back as an orphan. */
static void a_name_of_somebody_else_is_refused(void **state)
{
	static const char *const gids[] = {
		"", "ow:", "ow:4f574b31", "ow:zz:f0:f1", "theirs",
		"ow:4f574b31:f0f1", "ow:4f574b31:f0f1:f2 ",
		"ow:4f574b31:f0f1:f2:f3", "ow:4f574b31:f0f1:f2xx",
		"OW:4f574b31:f0f1:f2",
	};
	size_t i;
	XID got;

	(void)state;
	for (i = 0; i < sizeof(gids) / sizeof(gids[0]); i++)
		assert_false(db_read_gid(gids[i], &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_has_all_of_the_xid),
		cmocka_unit_test(a_name_gives_the_xid_back),
		cmocka_unit_test(a_name_of_somebody_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
