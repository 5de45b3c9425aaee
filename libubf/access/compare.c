/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - compare values and buffers: Bcmp, Bsubset
 *
 * Buffers compare by their first difference in order of (id, occurrence): the
 * lower id, else the lower value, else the shorter buffer is less.
 */
#include "libubf/access/compare.h"

#include "libubf/store/buffer.h"
#include "libubf/access/value.h"
#include "libubf/viewdef/field.h"

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

static int compare_buffers(const struct Ubfh *a, const struct Ubfh *b)
{
	uint32_t i, na = ow_ubf_count(a), nb = ow_ubf_count(b);
	unsigned int type;
	BFLDID x, y;
	int r;

	for (i = 0; i < na && i < nb; i++) {
		x = ow_ubf_id_at(a, i);
		y = ow_ubf_id_at(b, i);
		if (x != y)
			return x < y ? -1 : 1;
		type = ow_ubf_id_type(x);
		r = ow_ubf_compare(type, ow_ubf_val_at(a, type, i),
				   ow_ubf_val_at(b, type, i));
		if (r != 0)
			return r;
	}
	return (na > nb) - (na < nb);
}

int ow_ubf_compare(unsigned int type, struct ow_ubf_val a,
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
	case BFLD_CARRAY:
		return compare_bytes(a, b);
	case BFLD_VIEW:
		return ow_ubf_view_compare(a, b);
	case BFLD_UBF:
		return compare_buffers(a.data, b.data);
	default:
		return compare_integers(type, a, b);
	}
}

int Bcmp(UBFH *p_ubf1, UBFH *p_ubf2)
{
	ow_ubf_clear();
	if (p_ubf1 == NULL || p_ubf2 == NULL) {
		ow_ubf_fail(BEINVAL, "Bcmp: a buffer is NULL");
		return -2;
	}
	if (ow_ubf_enter(p_ubf1) < 0 || ow_ubf_enter(p_ubf2) < 0)
		return -2;
	return compare_buffers(p_ubf1, p_ubf2);
}

int Bsubset(UBFH *haystack, UBFH *needle)
{
	const struct ow_ubf_ent *e;
	uint32_t i, first = 0, count;
	BFLDID id, before = BBADFLDID;
	unsigned int type;

	ow_ubf_clear();
	if (haystack == NULL || needle == NULL)
		return ow_ubf_fail(BEINVAL, "Bsubset: a buffer is NULL");
	if (ow_ubf_enter(haystack) < 0 || ow_ubf_enter(needle) < 0)
		return -1;
	count = ow_ubf_count(needle);
	for (i = 0; i < count; i++, before = id) {
		id = ow_ubf_id_at(needle, i);
		if (id != before)
			first = i;
		type = ow_ubf_id_type(id);
		e = ow_ubf_locate(haystack, id, (BFLDOCC)(i - first));
		if (e == NULL ||
		    ow_ubf_compare(type, ow_ubf_entry_val(haystack, type, e),
				   ow_ubf_val_at(needle, type, i)) != 0)
			return 0;
	}
	return 1;
}
