/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - the order of two plain values of one type
 */
#include "libubf/convert/compare.h"

#include <string.h>
#include <ubf.h>

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static int compare_bytes(struct ow_ubf_val a, struct ow_ubf_val b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int r = n > 0 ? memcmp(a.data, b.data, n) : 0;

	return r != 0 ? sign(r) : (a.len > b.len) - (a.len < b.len);
}

static int compare_integers(unsigned int type, struct ow_ubf_val a,
			    struct ow_ubf_val b)
{
	long x = 0, y = 0;
	short s;

	if (type == BFLD_SHORT) {
		memcpy(&s, a.data, sizeof(s));
		x = s;
		memcpy(&s, b.data, sizeof(s));
		y = s;
	} else {
		memcpy(&x, a.data, a.len);	/* long, unsigned char, ptr */
		memcpy(&y, b.data, b.len);
	}
	return (x > y) - (x < y);
}

static int compare_reals(unsigned int type, struct ow_ubf_val a,
			 struct ow_ubf_val b)
{
	double x, y;
	float f;

	if (type == BFLD_FLOAT) {
		memcpy(&f, a.data, sizeof(f));
		x = (double)f;
		memcpy(&f, b.data, sizeof(f));
		y = (double)f;
	} else {
		memcpy(&x, a.data, sizeof(x));
		memcpy(&y, b.data, sizeof(y));
	}
	if (x == y)
		return 0;
	/* NaN has no order; equal bytes are equal. */
	return x < y ? -1 : x > y ? 1 : compare_bytes(a, b);
}

int ow_ubf_compare_plain(unsigned int type, struct ow_ubf_val a,
			 struct ow_ubf_val b)
{
	switch (type) {
	case BFLD_FLOAT:
	case BFLD_DOUBLE:
		return compare_reals(type, a, b);
	case BFLD_STRING:	/* the last byte may be missing */
		a.len--;
		b.len--;
		return compare_bytes(a, b);
	case BFLD_CARRAY:	/* the longer one is the greater one */
		return a.len != b.len ? (a.len > b.len) - (a.len < b.len)
				      : compare_bytes(a, b);
	default:
		return compare_integers(type, a, b);
	}
}
