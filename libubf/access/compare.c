/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - Bcmp, Bsubset: compare buffers
 *
 * The first difference in order of (id, occurrence) decides: the lower id is
 * less, else the lower value, else the shorter buffer.
 */
#include "libubf/access/compare.h"

#include <stdbool.h>

#include "libubf/access/enter.h"
#include "libubf/store/search.h"
#include "libubf/viewdef/field.h"

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

int ow_ubf_compare_embedded(unsigned int type, struct ow_ubf_val a,
			    struct ow_ubf_val b)
{
	if (type == BFLD_VIEW)
		return ow_ubf_view_compare(a, b);
	return compare_buffers(a.data, b.data);
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

/* Has `haystack` all occurrences of `needle`? An embedded buffer may have more
 * fields than the one it is compared with. Buffers nest OW_UBF_DEPTH_MAX deep. */
static bool is_subset(const struct Ubfh *haystack, const struct Ubfh *needle)
{
	const struct ow_ubf_ent *e;
	struct ow_ubf_val have, want;
	uint32_t i, first = 0, count = ow_ubf_count(needle);
	BFLDID id, before = BBADFLDID;
	unsigned int type;

	for (i = 0; i < count; i++, before = id) {
		id = ow_ubf_id_at(needle, i);
		if (id != before)
			first = i;
		type = ow_ubf_id_type(id);
		e = ow_ubf_locate(haystack, id, (BFLDOCC)(i - first));
		if (e == NULL)
			return false;
		have = ow_ubf_entry_val(haystack, type, e);
		want = ow_ubf_val_at(needle, type, i);
		if (type == BFLD_UBF ? !is_subset(have.data, want.data)
				     : ow_ubf_compare(type, have, want) != 0)
			return false;
	}
	return true;
}

int Bsubset(UBFH *haystack, UBFH *needle)
{
	ow_ubf_clear();
	if (haystack == NULL || needle == NULL)
		return ow_ubf_fail(BEINVAL, "Bsubset: a buffer is NULL");
	if (ow_ubf_enter(haystack) < 0 || ow_ubf_enter(needle) < 0)
		return -1;
	return is_subset(haystack, needle);
}
