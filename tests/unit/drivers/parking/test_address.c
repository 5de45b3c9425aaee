/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_address.c - facts about the addresses of branches
 */
#include "drivers/parking/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Bytes from 0xf0 on, wrapping. */
static XID xid_of(long gtrid, long bqual)
{
	XID x = { .formatID = 1, .gtrid_length = gtrid, .bqual_length = bqual };
	long i;

	for (i = 0; i < gtrid + bqual && i < XIDDATASIZE; i++)
		x.data[i] = (char)(0xf0 + i);
	return x;
}

/* Abstract, whole, and another for each branch, also where the text is cut. */
static void addresses_are_abstract_and_differ(void **state)
{
	XID a = xid_of(16, 8), b = xid_of(16, 8);
	XID c = xid_of(MAXGTRIDSIZE, MAXBQUALSIZE), d = c;
	struct sockaddr_un at, of;
	socklen_t n, m;

	(void)state;
	b.data[23] ^= 1;
	d.data[XIDDATASIZE - 1] ^= 1;
	n = parking_address("maria", &a, &at);
	m = parking_address("maria", &b, &of);
	assert_int_equal(at.sun_path[0], '\0');
	assert_true(n == m && n <= sizeof(at));
	assert_memory_not_equal(&at, &of, n);
	m = parking_address("maria", &a, &of);
	assert_true(n == m);
	assert_memory_equal(&at, &of, n);
	n = parking_address("maria", &c, &at);
	m = parking_address("maria", &d, &of);
	assert_true(n == m && n <= sizeof(at));
	assert_memory_not_equal(&at, &of, n);
	/* Nor do drivers meet. */
	m = parking_address("pq", &a, &of);
	n = parking_address("maria", &a, &at);
	assert_true(n != m || memcmp(&at, &of, n) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_abstract_and_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
