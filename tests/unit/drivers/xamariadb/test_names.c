/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_names.c - facts about the names of branches in MariaDB
 */
#include "drivers/xamariadb/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>

#include <cmocka.h>

#define CONNECTION UINT64_C(0x0102030405060708)

/* Bytes from 0xf0 on, wrapping. */
static XID xid_of(long gtrid, long bqual)
{
	XID x = { .formatID = 0x4f574b31,
		  .gtrid_length = gtrid,
		  .bqual_length = bqual };
	long i;

	for (i = 0; i < gtrid + bqual && i < XIDDATASIZE; i++)
		x.data[i] = (char)(0xf0 + i);
	return x;
}

/* A row of XA RECOVER. */
struct row {
	char format[24], gtrid[24], bqual[24];
	char data[XIDDATASIZE + 8];
	char *columns[4];
	unsigned long lengths[4];
};

static void fill(struct row *r, const XID *x, uint64_t connection)
{
	long i, n = x->gtrid_length + x->bqual_length;

	snprintf(r->format, sizeof(r->format), "%ld", x->formatID);
	snprintf(r->gtrid, sizeof(r->gtrid), "%ld", x->gtrid_length);
	snprintf(r->bqual, sizeof(r->bqual), "%ld",
		 x->bqual_length + NAME_CONN_ID);
	memcpy(r->data, x->data, (size_t)n);
	for (i = 0; i < NAME_CONN_ID; i++)
		r->data[n + i] = (char)(connection >> (56 - 8 * i));
	r->columns[0] = r->format;
	r->columns[1] = r->gtrid;
	r->columns[2] = r->bqual;
	r->columns[3] = r->data;
	r->lengths[3] = (unsigned long)(n + NAME_CONN_ID);
}

static void the_name_has_the_connection_behind_the_bqual(void **state)
{
	XID x = xid_of(2, 1);
	char name[NAME_SIZE];

	(void)state;
	assert_true(name_of(&x, CONNECTION, name));
	assert_string_equal(name, "X'f0f1',X'f20102030405060708',1331120945");
}

static void the_longest_xid_has_a_whole_name(void **state)
{
	XID x = xid_of(MAXGTRIDSIZE, MAXBQUALSIZE - NAME_CONN_ID);
	char name[NAME_SIZE];

	(void)state;
	x.formatID = INT32_MAX;
	assert_true(name_of(&x, UINT64_MAX, name));
	assert_string_equal(name + strlen(name) - 28,
			    "ffffffffffffffff',2147483647");
}

static void an_xid_without_room_for_the_connection_has_none(void **state)
{
	XID full = xid_of(1, MAXBQUALSIZE - NAME_CONN_ID + 1);
	XID none = xid_of(0, 4), less = xid_of(4, 4);
	XID more = xid_of(MAXGTRIDSIZE + 1, 4);
	char name[NAME_SIZE];

	(void)state;
	less.bqual_length = -1;
	assert_false(name_of(&full, 1, name));
	assert_false(name_of(&none, 1, name));
	assert_false(name_of(&less, 1, name));
	assert_false(name_of(&more, 1, name));
}

static void a_row_gives_the_xid_and_the_connection_back(void **state)
{
	static const long bquals[] = { 0, 8, MAXBQUALSIZE - NAME_CONN_ID };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bquals) / sizeof(bquals[0]); i++) {
		XID x = xid_of(16, bquals[i]), got;
		uint64_t connection = 0;
		struct row r;

		fill(&r, &x, CONNECTION);
		assert_true(name_read(r.columns, r.lengths, &got,
				      &connection));
		assert_true(name_same(&x, &got));
		assert_true(connection == CONNECTION);
	}
}

static void a_row_of_somebody_else_is_refused(void **state)
{
	XID x = xid_of(16, 8), got;
	uint64_t connection = 0;
	struct row r;

	(void)state;
	fill(&r, &x, 1);
	strcpy(r.bqual, "7"); /* too short for a connection */
	assert_false(name_read(r.columns, r.lengths, &got, &connection));
	fill(&r, &x, 1);
	strcpy(r.gtrid, "0");
	assert_false(name_read(r.columns, r.lengths, &got, &connection));
	fill(&r, &x, 1);
	r.lengths[3]--; /* lengths that do not add up */
	assert_false(name_read(r.columns, r.lengths, &got, &connection));
	fill(&r, &x, 1);
	strcpy(r.gtrid, "200");
	r.lengths[3] = 216;
	assert_false(name_read(r.columns, r.lengths, &got, &connection));
}

static void xids_differ_in_each_of_their_parts(void **state)
{
	XID a = xid_of(16, 8), b = xid_of(16, 8);

	(void)state;
	assert_true(name_same(&a, &b));
	b.formatID++;
	assert_false(name_same(&a, &b));
	b = xid_of(15, 9);
	assert_false(name_same(&a, &b));
	b = xid_of(16, 8);
	b.data[23] ^= 1;
	assert_false(name_same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_has_the_connection_behind_the_bqual),
		cmocka_unit_test(the_longest_xid_has_a_whole_name),
		cmocka_unit_test(
			an_xid_without_room_for_the_connection_has_none),
		cmocka_unit_test(a_row_gives_the_xid_and_the_connection_back),
		cmocka_unit_test(a_row_of_somebody_else_is_refused),
		cmocka_unit_test(xids_differ_in_each_of_their_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
