/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - the names of a branch: in SQL, and as an address
 */
#include "drivers/xamariadb/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_BYTES 36 /* of an XID */

static int add_hex(char *to, int at, size_t size, const void *from, long n)
{
	const unsigned char *p = from;

	while (n-- > 0)
		at += snprintf(to + at, size - (size_t)at, "%02x", *p++);
	return at;
}

bool name_of(const XID *x, uint64_t connection, char to[NAME_SIZE])
{
	int at = 0;

	if (x->gtrid_length < 1 || x->gtrid_length > MAXGTRIDSIZE ||
	    x->bqual_length < 0 ||
	    x->bqual_length > MAXBQUALSIZE - NAME_CONN_ID)
		return false;
	at += snprintf(to, NAME_SIZE, "X'");
	at = add_hex(to, at, NAME_SIZE, x->data, x->gtrid_length);
	at += snprintf(to + at, NAME_SIZE - (size_t)at, "',X'");
	at = add_hex(to, at, NAME_SIZE, x->data + x->gtrid_length,
		     x->bqual_length);
	snprintf(to + at, NAME_SIZE - (size_t)at, "%016llx',%ld",
		 (unsigned long long)connection, x->formatID);
	return true;
}

bool name_read(char **row, const unsigned long *lengths, XID *ret,
	       uint64_t *ret_connection)
{
	unsigned char id[NAME_CONN_ID];
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->formatID = atol(row[0]);
	ret->gtrid_length = atol(row[1]);
	ret->bqual_length = atol(row[2]) - NAME_CONN_ID;
	if (ret->gtrid_length < 1 || ret->bqual_length < 0 ||
	    lengths[3] > XIDDATASIZE ||
	    (long)lengths[3] != ret->gtrid_length + ret->bqual_length +
					NAME_CONN_ID)
		return false;
	memcpy(ret->data, row[3], lengths[3] - NAME_CONN_ID);
	memcpy(id, row[3] + lengths[3] - NAME_CONN_ID, sizeof(id));
	for (*ret_connection = 0, i = 0; i < sizeof(id); i++)
		*ret_connection = *ret_connection << 8 | id[i];
	return true;
}

bool name_same(const XID *a, const XID *b)
{
	return a->formatID == b->formatID &&
	       a->gtrid_length == b->gtrid_length &&
	       a->bqual_length == b->bqual_length &&
	       memcmp(a->data, b->data,
		      (size_t)(a->gtrid_length + a->bqual_length)) == 0;
}

/* As many digits as an address has room for: all of ours. Longer ones differ in
 * the hash. */
socklen_t name_address(const XID *x, struct sockaddr_un *ret)
{
	uint64_t h = 14695981039346656037u;
	long i;
	int n;

	for (i = 0; i < x->gtrid_length + x->bqual_length; i++)
		h = (h ^ (unsigned char)x->data[i]) * 1099511628211u;
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	n = snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1,
		     "onewake-mariadb-%016llx-", (unsigned long long)h);
	n = add_hex(ret->sun_path + 1, n, sizeof(ret->sun_path) - 1, x->data,
		    i < ADDRESS_BYTES ? i : ADDRESS_BYTES);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}
