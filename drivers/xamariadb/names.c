/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - the names of a branch in SQL
 */
#include "drivers/xamariadb/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
