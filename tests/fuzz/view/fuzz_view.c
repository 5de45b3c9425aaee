/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_view.c - fuzz a view file
 *
 * The members of an accepted view lie within the structure and do not overlap;
 * a structure of any bytes is safe to use with it. Large views are skipped: one
 * of 64 megabytes costs time and finds nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/viewdef/mem.h"
#include "libubf/viewdef/read.h"

#define SIZE_MAX_HERE 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static void check_places(const struct ow_view *v)
{
	uint64_t end = 0;
	uint32_t i;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;

		must(ow_view_column(v, c->cname) == c);
		if (c->flags & OW_VIEW_C) {
			must(c->count_at >= end);
			end = c->count_at + sizeof(short);
		}
		if (c->flags & OW_VIEW_L) {
			must(c->len_at >= end);
			end = c->len_at + sizeof(short) * c->count;
		}
		must(c->offset >= end);
		end = c->offset + (uint64_t)c->size * c->count;
		must(c->null_len <= c->size);
	}
	must(end <= v->size && v->size - end < v->align);
}

static void use(const struct ow_view *v, char *cs)
{
	uint32_t i, k;
	unsigned int type;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;
		uint32_t real = ow_view_real(c, cs);

		must(real <= ow_view_used(c, cs) && real <= c->count);
		for (k = 0; k < c->count; k++) {
			struct ow_ubf_val val = ow_view_value(c, cs, k, &type);

			must(val.len <= c->size);
			(void)ow_view_is_null(c, cs, k);
			(void)ow_view_store(c, cs, k, type, val);
		}
	}
}

/* Use a malloc'ed structure, so that the sanitizer knows its end. */
static void exercise(const struct ow_view *v)
{
	char *a = malloc(v->size), *b = malloc(v->size);
	uint32_t i;

	must(a != NULL && b != NULL);
	memset(a, 0xff, v->size);
	ow_view_copy_clean(v, b, a);
	(void)ow_view_compare(v, a, b);
	use(v, a);
	for (i = 0; i < v->ncols; i++) {
		ow_view_init_member(v->cols + i, a);
		must(ow_view_real(v->cols + i, a) == 0 ||
		     v->cols[i].null_kind == OW_VIEW_NULL_NONE);
		ow_view_init_member(v->cols + i, b);
	}
	must(ow_view_compare(v, a, b) == 0);
	use(v, b);
	free(a);
	free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ow_view_reader r = { .in.path = "fuzz.v" };
	struct ow_view *v = NULL;
	int res;

	if (size == 0)
		return 0;
	r.in.file = fmemopen((void *)data, size, "r");
	must(r.in.file != NULL);
	while ((res = ow_view_next(&r, &v)) > 0) {
		check_places(v);
		if (v->size <= SIZE_MAX_HERE)
			exercise(v);
		ow_view_freep(&v);
	}
	must(res == 0 || strncmp(r.in.error, "fuzz.v:", 7) == 0);
	ow_view_close(&r);
	return 0;
}
