/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - the key of a decision's row
 */
#include "drivers/parking/key.h"

#include <stdio.h>
#include <string.h>

void key_of(const XID *x, long bytes, char to[KEY_SIZE])
{
	long i;

	for (i = 0; i < bytes && i < MAXGTRIDSIZE; i++)
		snprintf(to + 2 * i, 3, "%02x", (unsigned char)x->data[i]);
	to[2 * i] = '\0';
}

void key_read(const char *key, XID *ret)
{
	unsigned int byte;

	memset(ret, 0, sizeof(*ret));
	while (ret->gtrid_length < MAXGTRIDSIZE &&
	       sscanf(key + 2 * ret->gtrid_length, "%2x", &byte) == 1)
		ret->data[ret->gtrid_length++] = (char)byte;
}
