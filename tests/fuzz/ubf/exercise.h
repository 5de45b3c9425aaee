/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exercise.h - use bytes that may be a UBF buffer in all kinds of calls
 *
 * Used by the fuzzer and by the unit test that mutates valid buffers.
 */
#ifndef OW_UBF_EXERCISE_H
#define OW_UBF_EXERCISE_H

#undef NDEBUG	/* the asserts are the test */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"

static FILE *ubf_exercise_null(void)
{
	static FILE *f;

	if (f == NULL)
		f = fopen("/dev/null", "w");
	return f;
}

/* Read every byte of a value. */
static void ubf_exercise_value(BFLDID id, const char *v, BFLDLEN len)
{
	unsigned int sum = 0;
	BFLDLEN i;

	if (Bfldtype(id) == BFLD_STRING)
		assert(strlen(v) + 1 == (size_t)len);
	for (i = 0; i < len; i++)
		sum += (unsigned char)v[i];
	assert(sum <= 255u * (unsigned int)len);
}

/* Read every element of a known view. */
static void ubf_exercise_view(BVIEWFLD *f)
{
	Bvnext_state_t state = { 0 };
	char name[NDRX_VIEW_CNAME_LEN + 1], *s;
	BFLDOCC n, i, max, real;
	int r = Bvnext(&state, f->vname, name, NULL, &max, NULL);

	for (; r == 1; r = Bvnext(&state, NULL, name, NULL, &max, NULL)) {
		n = Bvoccur(f->data, f->vname, name, NULL, &real, NULL, NULL);
		assert(real <= n && n <= max);
		for (i = 0; i < n; i++) {
			s = CBvgetalloc(f->data, f->vname, name, i,
					BFLD_STRING, 0, NULL);
			assert(s != NULL);
			free(s);
		}
		assert(n == max || Bvnull(f->data, name, n, f->vname) == 1);
	}
	assert(r < 0 || Bvcmp(f->data, f->vname, f->data, f->vname) == 0);
}

static void ubf_exercise_read(UBFH *p, int depth)
{
	Bnext_state_t state = { 0 };
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0, n = 0;
	BFLDLEN len;
	char *v, *s;
	int type;

	while (Bnext2(&state, p, &id, &occ, NULL, &len, &v) == 1) {
		assert(Bpres(p, id, occ) && Blen(p, id, occ) == len);
		if (Bfldtype(id) == BFLD_VIEW) {
			ubf_exercise_value(id, ((BVIEWFLD *)v)->data, len);
			ubf_exercise_view((BVIEWFLD *)v);
		} else {
			ubf_exercise_value(id, v, len);
			assert(Bfind(p, id, occ, NULL) == v);
		}
		for (type = BFLD_MIN; type <= BFLD_MAX; type++) {
			len = 0;
			s = CBgetalloc(p, id, occ, type, &len);
			free(s);
			CBfind(p, id, occ, &len, type);
		}
		if (Bfldtype(id) == BFLD_UBF && depth < 3)
			ubf_exercise_read((UBFH *)v, depth + 1);
		n++;
	}
	assert(n == Bnum(p));
	assert(Bcmp(p, p) == 0);
	assert(Bsubset(p, p) == 1);
	Bfprint(p, ubf_exercise_null());
}

static BFLDID ubf_exercise_id(UBFH *p, unsigned int r)
{
	Bnext_state_t state = { 0 };
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0, n = Bnum(p);

	if (n == 0 || r % 5 == 0)
		return Bmkfldid((int)(r >> 4) % 7, 1 + (int)(r >> 8) % 300);
	for (n = 1 + (BFLDOCC)(r >> 4) % n; n > 0; n--)
		Bnext2(&state, p, &id, &occ, NULL, NULL, NULL);
	return id;
}

/* Add a value of the buffer to the buffer itself. */
static void ubf_exercise_own(UBFH *p, BFLDID id, BFLDOCC occ)
{
	BFLDLEN len;
	char *own = Bfind(p, id, occ, &len);

	if (own != NULL)
		Badd(p, id, own, len);
}

static void ubf_exercise_write(UBFH *p, unsigned int r)
{
	static char text[] = "some text that is a value, not too short";
	BFLDID id = ubf_exercise_id(p, r), list[] = { id, BBADFLDID };
	BFLDOCC occ = (BFLDOCC)(r >> 12) % 4;
	int len = (int)((r >> 14) % (sizeof(text) - 1));

	switch (r % 11) {
	case 0:
		Bdel(p, id, occ);
		break;
	case 1:
		CBchg(p, id, occ, text + len, 0, BFLD_STRING);
		break;
	case 2:
	case 3:
		CBadd(p, id, text, len, BFLD_CARRAY);
		break;
	case 4:
		Bdelall(p, id);
		break;
	case 5:
		Bdelete(p, list);
		break;
	case 6:
		Bconcat(p, p);
		break;
	case 7:
		ubf_exercise_own(p, id, occ);
		break;
	case 8:
		CBchg(p, id, occ + 20, text, 0, BFLD_STRING);
		break;
	case 9:
		if (r >> 20 == 0)
			Bproj(p, list);
		break;
	default:
		CBchg(p, id, occ, text, 2, BFLD_CARRAY);
	}
}

/* A malloc'ed copy, so that the sanitizer knows its end. */
static UBFH *ubf_exercise_copy(const void *data, size_t used, size_t size)
{
	UBFH *p = malloc(size);

	assert(p != NULL);
	memcpy(p, data, used);
	if (ow_ubf_adopt(p, used, size) < 0)
		abort();
	return p;
}

/* 1 if the bytes (8 aligned) passed the check and were used, 0 if not. */
static int ubf_exercise(const void *data, size_t len, unsigned int seed)
{
	size_t used;
	UBFH *p, *q;
	int i;

	if (ow_ubf_check(data, len) < 0)
		return 0;
	used = ow_ubf_used(data);
	p = ubf_exercise_copy(data, used, used);
	q = ubf_exercise_copy(data, used, used + seed % 2048);
	ubf_exercise_read(p, 0);
	for (i = 0; i < 40; i++) {
		seed = seed * 1664525u + 1013904223u;
		ubf_exercise_write(i % 4 ? q : p, seed >> 3);
		assert(ow_ubf_check(q, ow_ubf_used(q)) == 0);
		assert(ow_ubf_check(p, ow_ubf_used(p)) == 0);
	}
	Bupdate(q, p);
	Bojoin(q, p);
	Bjoin(p, q);
	Bcpy(p, q);
	ubf_exercise_read(q, 0);
	assert(ow_ubf_check(q, ow_ubf_used(q)) == 0);
	free(p);
	free(q);
	return 1;
}

#endif
