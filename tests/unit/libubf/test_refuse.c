/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_refuse.c - every function refuses bad buffers and bad field ids
 *
 * A table has all functions that take a buffer. Each is called with NULL, a
 * pointer to other bytes, an unaligned pointer, a buffer that claims more bytes
 * than it has and, if it takes a field id, with bad ids.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

struct given {
	UBFH *p, *good;	/* `p` is refused */
	BFLDID id;
};

#define FIELD 1		/* takes a field id */
#define LIST 2		/* takes a list of ids that ends with 0 */
#define INVALID 4	/* NULL is BEINVAL, not BNOTFLD */
#define ABSENT 8	/* fails with 0 instead of -1 */

static char text[256];
static BFLDLEN len;
static BFLDOCC occ;
static char *tree;

static int failed(const void *p)
{
	return p == NULL ? -1 : 0;
}

static int write_some(char **buffer, long n, void *arg, int *do_write,
		      FILE *f, int fid)
{
	return 0;
}

static long io_some(char *buffer, long n, void *arg)
{
	return 0;
}

#define CALL(name, expr)                                                       \
	static int call_##name(const struct given *g)			       \
	{								       \
		BFLDLEN *l = &len;					       \
									       \
		len = (BFLDLEN)sizeof(text);				       \
		(void)l;						       \
		return (int)(expr);					       \
	}

#define PATH ((BFLDID[]){ g->id, 0, BBADFLDOCC })
#define STR BFLD_STRING
#define VIEW_NAME ((char *)"V")

CALL(Brealloc, failed(Brealloc(g->p, 1, 1)))
CALL(Bfree, Bfree(g->p))
CALL(Bcpy_to, Bcpy(g->p, g->good))
CALL(Bcpy_from, Bcpy(g->good, g->p))
CALL(Bmove, Bmove((char *)g->good, g->p))
CALL(Bsizeof, Bsizeof(g->p))
CALL(Bused, Bused(g->p))
CALL(Bunused, Bunused(g->p))
CALL(Bindex, Bindex(g->p, 0))
CALL(Bunindex, Bunindex(g->p))
CALL(Bidxused, Bidxused(g->p))
CALL(Brstrindex, Brstrindex(g->p, 0))
CALL(B16to32_to, B16to32(g->p, g->good))
CALL(B16to32_from, B16to32(g->good, g->p))
CALL(B32to16_to, B32to16(g->p, g->good))
CALL(B32to16_from, B32to16(g->good, g->p))
CALL(Badd, Badd(g->p, g->id, text, 1))
CALL(Baddfast, Baddfast(g->p, g->id, text, 1, &(Bfld_loc_info_t){ 0 }))
CALL(CBadd, CBadd(g->p, g->id, text, 1, STR))
CALL(CBaddfast, CBaddfast(g->p, g->id, text, 1, STR,
			  &(Bfld_loc_info_t){ 0 }))
CALL(Badds, Badds(g->p, g->id, text))
CALL(Bchg, Bchg(g->p, g->id, 0, text, 1))
CALL(Bchg_delete, Bchg(g->p, g->id, 0, NULL, 1))
CALL(CBchg, CBchg(g->p, g->id, 0, text, 1, STR))
CALL(Bchgs, Bchgs(g->p, g->id, 0, text))
CALL(Bdel, Bdel(g->p, g->id, 0))
CALL(Bdelall, Bdelall(g->p, g->id))
CALL(Bdelete, Bdelete(g->p, (BFLDID[]){ g->id, BBADFLDID }))
CALL(ndrx_Fadd, ndrx_Fadd(g->p, g->id, text, 1))
CALL(ndrx_Fchg, ndrx_Fchg(g->p, g->id, 0, text, 1))
CALL(ndrx_Fvall, ndrx_Fvall(g->p, g->id, 0) == 0 ? -1 : 0)
CALL(ndrx_Fvals, *ndrx_Fvals(g->p, g->id, 0) == '\0' ? -1 : 0)
CALL(Bget, Bget(g->p, g->id, 0, text, l))
CALL(CBget, CBget(g->p, g->id, 0, text, l, STR))
CALL(Bgets, Bgets(g->p, g->id, 0, text))
CALL(Bgetsa, failed(Bgetsa(g->p, g->id, 0, l)))
CALL(Bgetalloc, failed(Bgetalloc(g->p, g->id, 0, l)))
CALL(CBgetalloc, failed(CBgetalloc(g->p, g->id, 0, STR, l)))
CALL(Bgetlast, Bgetlast(g->p, g->id, &occ, text, l))
CALL(Bfind, failed(Bfind(g->p, g->id, 0, l)))
CALL(CBfind, failed(CBfind(g->p, g->id, 0, l, STR)))
CALL(Bfinds, failed(Bfinds(g->p, g->id, 0)))
CALL(Bfindlast, failed(Bfindlast(g->p, g->id, &occ, l)))
CALL(Bfindocc, Bfindocc(g->p, g->id, text, 0))
CALL(CBfindocc, CBfindocc(g->p, g->id, text, 0, STR))
CALL(Bpres, Bpres(g->p, g->id, 0))
CALL(Boccur, Boccur(g->p, g->id))
CALL(Bnum, Bnum(g->p))
CALL(Blen, Blen(g->p, g->id, 0))
CALL(Bnext, Bnext(g->p, &(BFLDID){ BFIRSTFLDID }, &occ, text, l))
CALL(Bnext2, Bnext2(&(Bnext_state_t){ 0 }, g->p, &(BFLDID){ BFIRSTFLDID },
		    &occ, text, l, NULL))
CALL(Bcmp_1, Bcmp(g->p, g->good) == -2 ? -1 : 0)
CALL(Bcmp_2, Bcmp(g->good, g->p) == -2 ? -1 : 0)
CALL(Bsubset_1, Bsubset(g->p, g->good))
CALL(Bsubset_2, Bsubset(g->good, g->p))
CALL(Bproj, Bproj(g->p, (BFLDID[]){ g->id, BBADFLDID }))
CALL(Bprojcpy_to, Bprojcpy(g->p, g->good, (BFLDID[]){ g->id, BBADFLDID }))
CALL(Bprojcpy, Bprojcpy(g->good, g->p, (BFLDID[]){ g->id, BBADFLDID }))
CALL(Bupdate_to, Bupdate(g->p, g->good))
CALL(Bupdate_from, Bupdate(g->good, g->p))
CALL(Bconcat_to, Bconcat(g->p, g->good))
CALL(Bconcat_from, Bconcat(g->good, g->p))
CALL(Bjoin_to, Bjoin(g->p, g->good))
CALL(Bjoin_from, Bjoin(g->good, g->p))
CALL(Bojoin_to, Bojoin(g->p, g->good))
CALL(Bojoin_from, Bojoin(g->good, g->p))
CALL(Bprint, Bprint(g->p))
CALL(Bfprint, Bfprint(g->p, stderr))
CALL(Bfprintcb, Bfprintcb(g->p, write_some, NULL))
CALL(Bextread, Bextread(g->p, stdin))
CALL(Bextreadcb, Bextreadcb(g->p, io_some, NULL))
CALL(Bwrite, Bwrite(g->p, stderr))
CALL(Bread, Bread(g->p, stdin))
CALL(Bwritecb, Bwritecb(g->p, io_some, NULL))
CALL(Bchksum, Bchksum(g->p))
CALL(Breadcb, Breadcb(g->p, io_some, NULL))
CALL(Bboolev, Bboolev(g->p, tree))
CALL(Bfloatev, Bfloatev(g->p, tree))
CALL(Bgetr, Bgetr(g->p, PATH, text, l))
CALL(Bgetrv, Bgetrv(g->p, text, l, g->id, 0, BBADFLDOCC))
CALL(CBgetr, CBgetr(g->p, PATH, text, l, STR))
CALL(CBgetrv, CBgetrv(g->p, text, l, STR, g->id, 0, BBADFLDOCC))
CALL(CBgetallocr, failed(CBgetallocr(g->p, PATH, STR, l)))
CALL(CBgetallocrv, failed(CBgetallocrv(g->p, STR, l, g->id, 0, BBADFLDOCC)))
CALL(Bfindr, failed(Bfindr(g->p, PATH, l)))
CALL(Bfindrv, failed(Bfindrv(g->p, l, g->id, 0, BBADFLDOCC)))
CALL(CBfindr, failed(CBfindr(g->p, PATH, l, STR)))
CALL(CBfindrv, failed(CBfindrv(g->p, l, STR, g->id, 0, BBADFLDOCC)))
CALL(Bpresr, Bpresr(g->p, PATH))
CALL(Bpresrv, Bpresrv(g->p, g->id, 0, BBADFLDOCC))
CALL(CBvgetr, CBvgetr(g->p, PATH, text, 0, text, l, STR, 0))
CALL(CBvgetrv, CBvgetrv(g->p, text, 0, text, l, STR, 0, g->id, 0, BBADFLDOCC))
CALL(CBvgetallocr, failed(CBvgetallocr(g->p, PATH, text, 0, STR, 0, l)))
CALL(CBvgetallocrv, failed(CBvgetallocrv(g->p, text, 0, STR, 0, l, g->id, 0,
					 BBADFLDOCC)))
CALL(Bvnullr, Bvnullr(g->p, PATH, text, 0))
CALL(Bvnullrv, Bvnullrv(g->p, text, 0, g->id, 0, BBADFLDOCC))
CALL(Bvftos, Bvftos(g->p, text, VIEW_NAME))
CALL(Bvstof, Bvstof(g->p, text, BUPDATE, VIEW_NAME))

#define ROW(name, flags) { #name, call_##name, flags }

static const struct row {
	const char *name;
	int (*call)(const struct given *g);
	int flags;
} rows[] = {
	ROW(Brealloc, 0), ROW(Bfree, 0), ROW(Bcpy_to, 0), ROW(Bcpy_from, 0),
	ROW(Bmove, 0), ROW(Bchksum, 0), ROW(Bsizeof, 0), ROW(Bused, 0), ROW(Bunused, 0), ROW(Bindex, 0),
	ROW(Bunindex, 0), ROW(Bidxused, 0), ROW(Brstrindex, 0),
	ROW(B16to32_to, 0), ROW(B16to32_from, 0), ROW(B32to16_to, 0),
	ROW(B32to16_from, 0), ROW(Badd, FIELD), ROW(Baddfast, FIELD),
	ROW(CBadd, FIELD), ROW(CBaddfast, FIELD), ROW(Badds, FIELD),
	ROW(Bchg, FIELD), ROW(Bchg_delete, FIELD), ROW(CBchg, FIELD),
	ROW(Bchgs, FIELD), ROW(Bdel, FIELD), ROW(Bdelall, FIELD),
	ROW(Bdelete, LIST), ROW(ndrx_Fadd, FIELD), ROW(ndrx_Fchg, FIELD),
	ROW(ndrx_Fvall, FIELD), ROW(ndrx_Fvals, FIELD),
	ROW(Bget, FIELD), ROW(CBget, FIELD), ROW(Bgets, FIELD),
	ROW(Bgetsa, FIELD), ROW(Bgetalloc, FIELD), ROW(CBgetalloc, FIELD),
	ROW(Bgetlast, FIELD), ROW(Bfind, FIELD), ROW(CBfind, FIELD),
	ROW(Bfinds, FIELD), ROW(Bfindlast, FIELD), ROW(Bfindocc, FIELD),
	ROW(CBfindocc, FIELD), ROW(Bpres, FIELD | ABSENT), ROW(Boccur, FIELD),
	ROW(Bnum, 0), ROW(Blen, FIELD), ROW(Bnext, 0), ROW(Bnext2, 0),
	ROW(Bcmp_1, INVALID), ROW(Bcmp_2, INVALID), ROW(Bsubset_1, INVALID),
	ROW(Bsubset_2, INVALID), ROW(Bproj, LIST), ROW(Bprojcpy_to, LIST),
	ROW(Bprojcpy, LIST), ROW(Bupdate_to, 0), ROW(Bupdate_from, 0),
	ROW(Bconcat_to, 0), ROW(Bconcat_from, 0), ROW(Bjoin_to, 0),
	ROW(Bjoin_from, 0), ROW(Bojoin_to, 0), ROW(Bojoin_from, 0),
	ROW(Bprint, 0), ROW(Bfprint, 0), ROW(Bfprintcb, 0), ROW(Bextread, 0),
	ROW(Bextreadcb, 0), ROW(Bwrite, 0), ROW(Bread, 0), ROW(Bwritecb, 0),
	ROW(Breadcb, 0), ROW(Bboolev, 0), ROW(Bfloatev, 0), ROW(Bgetr, FIELD),
	ROW(Bgetrv, FIELD), ROW(CBgetr, FIELD), ROW(CBgetrv, FIELD),
	ROW(CBgetallocr, FIELD), ROW(CBgetallocrv, FIELD), ROW(Bfindr, FIELD),
	ROW(Bfindrv, FIELD), ROW(CBfindr, FIELD), ROW(CBfindrv, FIELD),
	ROW(Bpresr, FIELD | ABSENT), ROW(Bpresrv, FIELD | ABSENT),
	ROW(CBvgetr, FIELD), ROW(CBvgetrv, FIELD), ROW(CBvgetallocr, FIELD),
	ROW(CBvgetallocrv, FIELD), ROW(Bvnullr, FIELD), ROW(Bvnullrv, FIELD),
	ROW(Bvftos, INVALID), ROW(Bvstof, INVALID),
};

static UBFH *good;

static void expect(const struct row *row, const struct given *g, int error,
		   const char *what)
{
	static char before[1000];
	long used = Bused(good);
	int r;

	memcpy(before, good, (size_t)used);
	r = row->call(g);
	if (r != (row->flags & ABSENT ? 0 : -1) || Berror != error)
		fail_msg("%s of %s: %d, %s", row->name, what, r,
			 Bstrerror(Berror));
	assert_int_equal(Bused(good), used);
	assert_memory_equal(good, before, (size_t)used);
}

static void refuse_all(UBFH *p, int error, const char *what)
{
	struct given g = { p, good, F_STRING };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(rows + i, &g, p == NULL && rows[i].flags & INVALID
					 ? BEINVAL : error, what);
}

static void null_is_no_buffer(void **state)
{
	refuse_all(NULL, BNOTFLD, "NULL");
}

static void other_bytes_are_no_buffer(void **state)
{
	static uint64_t zeros[32], ones[32];
	UBFH *dead = Balloc(1, 100);

	memset(ones, 0xff, sizeof(ones));
	refuse_all((UBFH *)zeros, BNOTFLD, "zeros");
	refuse_all((UBFH *)ones, BNOTFLD, "ones");
	memcpy(zeros, dead, 96);
	((char *)zeros)[0] ^= 1;
	refuse_all((UBFH *)zeros, BNOTFLD, "another magic");
	Bfree(dead);
}

static void unaligned_pointer_is_refused(void **state)
{
	refuse_all((UBFH *)((char *)good + 4), BALIGNERR, "+4");
	refuse_all((UBFH *)((char *)good + 1), BALIGNERR, "+1");
}

/* Bytes 4..11 are the size of the memory and the bytes used. */
static void truncated_buffer_is_refused(void **state)
{
	uint64_t copy[128];
	uint32_t size = (uint32_t)Bused(good) - 8;

	memcpy(copy, good, (size_t)Bused(good));
	memcpy((char *)copy + 4, &size, sizeof(size));
	refuse_all((UBFH *)copy, BNOTFLD, "a truncated buffer");
}

static void bad_ids_are_refused(void **state)
{
	static const BFLDID ids[] = {
		BBADFLDID, -1, -7, 1 << 25, 5 << 25, ID(BFLD_INT, 5),
		ID(8, 5), ID(12, 5), 0x7fffffff,
	};
	const size_t n = sizeof(ids) / sizeof(*ids);
	size_t i, k;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = rows + i;

		if (!(row->flags & (FIELD | LIST)))
			continue;
		for (k = row->flags & LIST ? 1 : 0; k < n; k++) {
			struct given g = { good, good, ids[k] };

			expect(row, &g, BBADFLD, "a bad id");
		}
	}
}

static void impossible_sizes_are_refused_everywhere(void **state)
{
	uint64_t mem[16];

	assert_null(Balloc(-1, 10));
	assert_int_equal(Berror, BEINVAL);
	assert_null(Balloc(10, -1));
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bneeded(-1, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Binit(NULL, 1000), -1);
	assert_int_equal(Berror, BNOTFLD);
	assert_int_equal(Binit((UBFH *)((char *)mem + 4), 100), -1);
	assert_int_equal(Berror, BALIGNERR);
	assert_int_equal(Binit((UBFH *)mem, 55), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Binit((UBFH *)mem, -1), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bisubf(NULL), 0);
	assert_int_equal(Bisubf((UBFH *)((char *)good + 4)), 0);
	assert_int_equal(Bisubf(good), 1);
}

static void names_and_types_are_checked(void **state)
{
	assert_int_equal(Bfldid(NULL), BBADFLDID);
	assert_int_equal(Berror, BEINVAL);
	assert_null(Btype(ID(8, 1)));
	assert_int_equal(Berror, BTYPERR);
	assert_null(Btype(-1));
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(Bmkfldid(BFLD_MAX + 1, 1), BBADFLDID);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(Bmkfldid(-1, 1), BBADFLDID);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(Bmkfldid(BFLD_LONG, 0), BBADFLDID);
	assert_int_equal(Berror, BBADFLD);
	assert_int_equal(Bmkfldid(BFLD_LONG, 1 << 25), BBADFLDID);
	assert_int_equal(Berror, BBADFLD);
	assert_null(Btypcvt(&len, 99, text, BFLD_STRING, 0));
	assert_int_equal(Berror, BTYPERR);
	assert_null(Btypcvt(&len, BFLD_LONG, text, 99, 0));
	assert_int_equal(Berror, BTYPERR);
	assert_null(Btypcvt(&len, BFLD_LONG, NULL, BFLD_STRING, 0));
	assert_int_equal(Berror, BEINVAL);
}

static int set_up(void **state)
{
	good = Balloc(10, 300);
	tree = Bboolco((char *)"1");
	return Badds(good, F_STRING, (char *)"a value") == 0 &&
	       Badds(good, F_LONG, (char *)"7") == 0 && tree != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	Btreefree(tree);
	return Bfree(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_is_no_buffer),
		cmocka_unit_test(other_bytes_are_no_buffer),
		cmocka_unit_test(unaligned_pointer_is_refused),
		cmocka_unit_test(truncated_buffer_is_refused),
		cmocka_unit_test(bad_ids_are_refused),
		cmocka_unit_test(impossible_sizes_are_refused_everywhere),
		cmocka_unit_test(names_and_types_are_checked),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
