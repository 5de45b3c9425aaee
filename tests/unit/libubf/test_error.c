/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_error.c - what is no buffer, no field, no value: an error, no crash
 */
#include "ubf_test.h"

#include <errno.h>
#include <stdio.h>

/* Call everything with one bad buffer; each must fail with `code`. */
#define FAILS(call, result)                                                    \
	do {                                                                   \
		*ndrx_Bget_Ferror_addr() = -5;                                 \
		assert_true((call) == (result));                               \
		assert_int_equal(Berror, code);                                \
	} while (0)

static void all_refuse_buffer(UBFH *p, int code)
{
	UBFH *good = Balloc(5, 100);
	BFLDID list[] = { F_LONG, BBADFLDID }, id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	Bfld_loc_info_t loc = { 0 };
	Bnext_state_t state = { 0 };
	char v[16] = "1";
	BFLDLEN len = 8;

	FAILS(Bfree(p), -1);
	FAILS(Brealloc(p, 1, 1), NULL);
	FAILS(Bcpy(good, p), -1);
	FAILS(Bcpy(p, good), -1);
	FAILS(Bsizeof(p), -1);
	FAILS(Bused(p), -1);
	FAILS(Bunused(p), -1);
	FAILS(Bindex(p, 0), -1);
	FAILS(Bunindex(p), -1);
	FAILS(Bidxused(p), -1);
	FAILS(Brstrindex(p, 0), -1);
	FAILS(B16to32(good, p), -1);
	FAILS(B32to16(p, good), -1);
	FAILS(Badd(p, F_LONG, v, 0), -1);
	FAILS(Baddfast(p, F_LONG, v, 0, &loc), -1);
	FAILS(CBadd(p, F_LONG, v, 0, BFLD_STRING), -1);
	FAILS(CBaddfast(p, F_LONG, v, 0, BFLD_STRING, &loc), -1);
	FAILS(Badds(p, F_LONG, v), -1);
	FAILS(Bchg(p, F_LONG, 0, v, 0), -1);
	FAILS(Bchg(p, F_LONG, 0, NULL, 0), -1);
	FAILS(CBchg(p, F_LONG, 0, v, 0, BFLD_STRING), -1);
	FAILS(Bchgs(p, F_LONG, 0, v), -1);
	FAILS(Bdel(p, F_LONG, 0), -1);
	FAILS(Bdelall(p, F_LONG), -1);
	FAILS(Bdelete(p, list), -1);
	FAILS(ndrx_Fadd(p, F_PTR, v, 0), -1);
	FAILS(ndrx_Fchg(p, F_PTR, 0, v, 0), -1);
	FAILS(Bget(p, F_LONG, 0, v, &len), -1);
	FAILS(CBget(p, F_LONG, 0, v, &len, BFLD_LONG), -1);
	FAILS(Bgets(p, F_LONG, 0, v), -1);
	FAILS(Bgetsa(p, F_LONG, 0, &len), NULL);
	FAILS(Bgetalloc(p, F_LONG, 0, &len), NULL);
	FAILS(CBgetalloc(p, F_LONG, 0, BFLD_LONG, &len), NULL);
	FAILS(Bgetlast(p, F_LONG, &occ, v, &len), -1);
	FAILS(Bfind(p, F_LONG, 0, &len), NULL);
	FAILS(CBfind(p, F_LONG, 0, &len, BFLD_LONG), NULL);
	FAILS(Bfinds(p, F_LONG, 0), NULL);
	FAILS(Bfindlast(p, F_LONG, &occ, &len), NULL);
	FAILS(Bfindocc(p, F_LONG, v, 0), -1);
	FAILS(CBfindocc(p, F_LONG, v, 0, BFLD_STRING), -1);
	FAILS(Bpres(p, F_LONG, 0), 0);
	FAILS(Boccur(p, F_LONG), -1);
	FAILS(Bnum(p), -1);
	FAILS(Blen(p, F_LONG, 0), -1);
	FAILS(Bnext(p, &id, &occ, v, &len), -1);
	FAILS(Bnext2(&state, p, &id, &occ, v, &len, NULL), -1);
	FAILS(Bproj(p, list), -1);
	FAILS(Bprojcpy(p, good, list), -1);
	FAILS(Bprojcpy(good, p, list), -1);
	FAILS(Bupdate(p, good), -1);
	FAILS(Bupdate(good, p), -1);
	FAILS(Bconcat(good, p), -1);
	FAILS(Bjoin(good, p), -1);
	FAILS(Bojoin(p, good), -1);
	FAILS(Bprint(p), -1);
	FAILS(Bfprint(p, stdout), -1);
	assert_int_equal(Bisubf(p), 0);
	if (p != NULL) {
		FAILS(Bcmp(p, good), -2);
		FAILS(Bsubset(good, p), -1);
	}
	Bfree(good);
}

static void null_buffers_are_refused(void **state)
{
	all_refuse_buffer(NULL, BNOTFLD);
}

static void other_memory_is_refused(void **state)
{
	char mem[256] __attribute__((aligned(8))) = "not a buffer at all";

	all_refuse_buffer((UBFH *)mem, BNOTFLD);
}

static void unaligned_buffers_are_refused(void **state)
{
	char mem[256] __attribute__((aligned(8))) = "";

	all_refuse_buffer((UBFH *)(mem + 4), BALIGNERR);
}

static void impossible_ids_are_refused(void **state)
{
	static const BFLDID bad[] = { 0, -1, BFLD_LONG << 25,
				      ID(BFLD_INT, 5), ID(BFLD_RFU0, 5),
				      ID(12, 5), 0x7fffffff, -2147483647 - 1 };
	UBFH *p = Balloc(5, 100);
	const int code = BBADFLD;
	char v[16] = "1";
	BFLDLEN len = 8;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		FAILS(Badd(p, bad[i], v, 0), -1);
		FAILS(CBadd(p, bad[i], v, 0, BFLD_STRING), -1);
		FAILS(Bchg(p, bad[i], 0, v, 0), -1);
		FAILS(Bdel(p, bad[i], 0), -1);
		FAILS(Bdelall(p, bad[i]), -1);
		FAILS(Bget(p, bad[i], 0, v, &len), -1);
		FAILS(CBget(p, bad[i], 0, v, &len, BFLD_LONG), -1);
		FAILS(Bgetalloc(p, bad[i], 0, NULL), NULL);
		FAILS(Bfind(p, bad[i], 0, &len), NULL);
		FAILS(Bfindlast(p, bad[i], NULL, &len), NULL);
		FAILS(Bfindocc(p, bad[i], v, 0), -1);
		FAILS(Bpres(p, bad[i], 0), 0);
		FAILS(Boccur(p, bad[i]), -1);
		FAILS(Blen(p, bad[i], 0), -1);
	}
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
}

static void null_values_are_refused(void **state)
{
	UBFH *p = Balloc(20, 500);
	const int code = BEINVAL;
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	int type;

	for (type = BFLD_SHORT; type <= BFLD_CARRAY; type++) {
		FAILS(Badd(p, ID(type, 9), NULL, 4), -1);
		FAILS(CBadd(p, ID(type, 9), NULL, 4, BFLD_STRING), -1);
		FAILS(Bfindocc(p, ID(type, 9), NULL, 0), -1);
		assert_int_equal(Badds(p, ID(type, 9), (char *)"1"), 0);
		FAILS(Bget(p, ID(type, 9), 0, NULL, NULL), -1);
		FAILS(CBget(p, ID(type, 9), 0, NULL, NULL, BFLD_STRING), -1);
	}
	FAILS(Badd(p, F_CARRAY, (char *)"x", -1), -1);
	FAILS(Bnext(p, NULL, &occ, NULL, NULL), -1);
	FAILS(Bnext(p, &id, NULL, NULL, NULL), -1);
	FAILS(Bnext2(NULL, p, &id, &occ, NULL, NULL, NULL), -1);
	Bfree(p);
}

static void texts_of_errors_have_number_name_and_detail(void **state)
{
	assert_string_equal(Becodestr(BSYNTAX), "BSYNTAX");
	assert_string_equal(Becodestr(BMINVAL), "BMINVAL");
	assert_string_equal(Becodestr(BEBADOP), "BEBADOP");
	assert_string_equal(Becodestr(99), "unknown error");
	assert_string_equal(Becodestr(-1), "unknown error");
	assert_int_equal(Bused(NULL), -1);
	assert_string_equal(Bstrerror(Berror), "3:BNOTFLD (last error 3: the "
						"buffer is NULL)");
	assert_string_equal(Bstrerror(BSYNTAX), "11:BSYNTAX");
	assert_string_equal(Bstrerror(1000), "1000:unknown error");
}

static void success_clears_the_error(void **state)
{
	UBFH *p = Balloc(1, 10);

	assert_int_equal(Bnum(NULL), -1);
	assert_int_equal(Berror, BNOTFLD);
	assert_int_equal(Bnum(p), 0);
	assert_int_equal(Berror, BMINVAL);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_buffers_are_refused),
		cmocka_unit_test(other_memory_is_refused),
		cmocka_unit_test(unaligned_buffers_are_refused),
		cmocka_unit_test(impossible_ids_are_refused),
		cmocka_unit_test(null_values_are_refused),
		cmocka_unit_test(texts_of_errors_have_number_name_and_detail),
		cmocka_unit_test(success_clears_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
