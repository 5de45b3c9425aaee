/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.c - members of a structure in memory
 */
#include "libubf/viewdef/mem.h"

#include <errno.h>
#include <string.h>

#include "libubf/convert/compare.h"
#include "libubf/convert/conv.h"

static size_t element(const struct ow_view_col *c, uint32_t occ)
{
	return c->offset + (size_t)occ * c->size;
}

static uint16_t get_length(const struct ow_view_col *c, const char *cs,
			   uint32_t occ)
{
	uint16_t n;

	memcpy(&n, cs + c->len_at + occ * sizeof(n), sizeof(n));
	return n;
}

static void set_length(const struct ow_view_col *c, char *cs, uint32_t occ,
		       size_t len)
{
	uint16_t n = (uint16_t)len;

	if (c->flags & OW_VIEW_L)
		memcpy(cs + c->len_at + occ * sizeof(n), &n, sizeof(n));
}

long ow_view_claimed(const struct ow_view_col *c, const char *cs)
{
	short n;

	if (!(c->flags & OW_VIEW_C))
		return c->count;
	memcpy(&n, cs + c->count_at, sizeof(n));
	return n;
}

uint32_t ow_view_used(const struct ow_view_col *c, const char *cs)
{
	long n = ow_view_claimed(c, cs);

	return n < 0 ? 0 : n > (long)c->count ? c->count : (uint32_t)n;
}

void ow_view_set_used(const struct ow_view_col *c, char *cs, uint32_t n)
{
	short s = (short)n;

	if (c->flags & OW_VIEW_C)
		memcpy(cs + c->count_at, &s, sizeof(s));
}

uint32_t ow_view_real(const struct ow_view_col *c, const char *cs)
{
	uint32_t n = ow_view_used(c, cs);

	while (n > 0 && ow_view_is_null(c, cs, n - 1))
		n--;
	return n;
}

/* Whether n bytes are the null value followed by bytes `pad` only. */
static int is_pattern(const struct ow_view_col *c, const char *p, size_t n,
		      char pad)
{
	size_t i;

	if (n < c->null_len || memcmp(p, c->null, c->null_len) != 0)
		return 0;
	for (i = c->null_len; i < n; i++)
		if (p[i] != pad)
			return 0;
	return 1;
}

static char padding(const struct ow_view_col *c)
{
	return c->flags & OW_VIEW_P && c->null_len > 0
		       ? c->null[c->null_len - 1]
		       : '\0';
}

/* The length member of a null value is 0 or the length of its text. */
static int carray_is_null(const struct ow_view_col *c, const char *cs,
			  uint32_t occ)
{
	uint32_t len = 0;

	if (!is_pattern(c, cs + element(c, occ), c->size, padding(c)))
		return 0;
	if (c->flags & OW_VIEW_L)
		len = get_length(c, cs, occ);
	return len == 0 || len == c->null_len || padding(c) != '\0';
}

int ow_view_is_null(const struct ow_view_col *c, const char *cs, uint32_t occ)
{
	const char *p = cs + element(c, occ);
	struct ow_ubf_val a = { p, c->size }, b = { c->null, c->size };

	if (occ >= ow_view_used(c, cs))
		return 1;
	if (c->null_kind == OW_VIEW_NULL_NONE)
		return 0;
	if (c->type == BFLD_CARRAY)
		return carray_is_null(c, cs, occ);
	if (c->type == BFLD_STRING)
		return is_pattern(c, p, strnlen(p, c->size), padding(c));
	return ow_ubf_compare_plain(c->type, a, b) == 0;
}

struct ow_ubf_val ow_view_value(const struct ow_view_col *c, const char *cs,
				uint32_t occ, unsigned int *ret_type)
{
	struct ow_ubf_val v = { cs + element(c, occ), c->size };

	*ret_type = c->type;
	if (c->type == BFLD_STRING) {
		v.len = strnlen(v.data, c->size);
		if (v.len == c->size)
			*ret_type = BFLD_CARRAY;
		else
			v.len++;
	} else if (c->type == BFLD_CARRAY && c->flags & OW_VIEW_L) {
		uint16_t n = get_length(c, cs, occ);

		v.len = n < c->size ? n : c->size;
	}
	return v;
}

int ow_view_store(const struct ow_view_col *c, char *cs, uint32_t occ,
		  unsigned int type, struct ow_ubf_val v)
{
	char *to = cs + element(c, occ);
	struct ow_ubf_conv conv;
	size_t n;
	int r = ow_ubf_convert(type, v, c->type, &conv);

	if (r < 0)
		return r;
	if (conv.val.len > c->size)
		return -ENOSPC;
	n = conv.val.len - (c->type == BFLD_STRING);
	if (n > 0)
		memmove(to, conv.val.data, n);
	memset(to + n, 0, c->size - n);
	set_length(c, cs, occ, conv.val.len);
	return 0;
}

uint32_t ow_view_length(const struct ow_view_col *c, const char *cs,
			uint32_t occ)
{
	return c->type == BFLD_CARRAY && c->flags & OW_VIEW_L
		       ? get_length(c, cs, occ)
		       : c->size;
}

void ow_view_measure(const struct ow_view_col *c, char *cs, uint32_t occ)
{
	if (c->type == BFLD_STRING)
		set_length(c, cs, occ,
			   strnlen(cs + element(c, occ), c->size - 1) + 1);
}

void ow_view_store_null(const struct ow_view_col *c, char *cs, uint32_t occ)
{
	char *to = cs + element(c, occ);
	size_t room = c->size - (c->type == BFLD_STRING), len = c->null_len;

	memcpy(to, c->null, c->null_len);
	memset(to + c->null_len, 0, c->size - c->null_len);
	if (padding(c) != '\0') {
		memset(to + c->null_len, padding(c), room - c->null_len);
		len = room;
	}
	set_length(c, cs, occ, len + (len > 0 && c->type == BFLD_STRING));
}

void ow_view_init_member(const struct ow_view_col *c, char *cs)
{
	uint32_t i;

	for (i = 0; i < c->count; i++)
		ow_view_store_null(c, cs, i);
	ow_view_set_used(c, cs, 0);
}

void ow_view_copy_clean(const struct ow_view *v, char *to, const char *from)
{
	uint32_t i, k;

	memset(to, 0, v->size);
	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;

		if (c->flags & OW_VIEW_C)
			memcpy(to + c->count_at, from + c->count_at,
			       sizeof(short));
		if (c->flags & OW_VIEW_L)
			memcpy(to + c->len_at, from + c->len_at,
			       c->count * sizeof(uint16_t));
		for (k = 0; k < c->count; k++) {
			const char *p = from + element(c, k);

			memcpy(to + element(c, k), p,
			       c->type == BFLD_STRING ? strnlen(p, c->size)
						      : c->size);
		}
	}
}

/* int is no type of UBF fields, ow_ubf_compare_plain() does not know it. */
static int compare_elements(const struct ow_view_col *c, const char *a,
			    const char *b, uint32_t occ)
{
	unsigned int ta, tb;
	struct ow_ubf_val x = ow_view_value(c, a, occ, &ta);
	struct ow_ubf_val y = ow_view_value(c, b, occ, &tb);
	int i, k;

	if (c->type == BFLD_INT) {
		memcpy(&i, x.data, sizeof(i));
		memcpy(&k, y.data, sizeof(k));
		return (i > k) - (i < k);
	}
	if (c->type != BFLD_STRING)
		return ow_ubf_compare_plain(c->type, x, y);
	x.len -= ta == BFLD_STRING;
	y.len -= tb == BFLD_STRING;
	return ow_ubf_compare_plain(BFLD_CARRAY, x, y);
}

int ow_view_compare(const struct ow_view *v, const char *a, const char *b)
{
	uint32_t i, k;
	int r;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;
		uint32_t na = ow_view_used(c, a), nb = ow_view_used(c, b);

		for (k = 0; k < na && k < nb; k++) {
			r = compare_elements(c, a, b, k);
			if (r != 0)
				return r;
		}
		if (na != nb)
			return na < nb ? -1 : 1;
	}
	return 0;
}
