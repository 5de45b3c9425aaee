/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_refuse.c - every function of views refuses bad names
 *
 * One row per function that takes the name of a view (tests/arch/refused.py
 * finds missing rows), called with an unknown name and an empty one; functions
 * that take the name of a member also with an unknown one. test_null.c tests
 * NULL.
 */
#include "tests/unit/libubf/view_test.h"

static UBFH *buffer;
static struct SAMPLE *sample;
static char text[4096];
static BFLDLEN len;
static BFLDOCC occ;
static Bvnext_state_t state;
static FILE *none;

static int take(char **buf, long n, void *arg, int *do_write, FILE *f, int fid)
{
	return 0;
}

static long end(char *buf, long n, void *arg)
{
	return 0;
}

static int is_null(char *p)
{
	free(p);
	return p == NULL ? -1 : 0;
}

#define CS ((char *)sample)
#define STR BFLD_STRING
#define SAMPLE_NAME ((char *)"SAMPLE")
#define PATH ((BFLDID[]){ F_VIEW, 0, BBADFLDOCC })
#define RV F_VIEW, 0, BBADFLDOCC

/* X(function, which name is checked, call with `v` and `cn`) */
#define MEMBERS(X)							       \
	X(Bvnull, Bvnull(CS, cn, 0, v))					       \
	X(Bvselinit, Bvselinit(CS, cn, v))				       \
	X(Bvopt, Bvopt(cn, B_BOTH, v))					       \
	X(CBvget, CBvget(CS, v, cn, 0, text, &len, STR, 0))		       \
	X(CBvgetalloc, is_null(CBvgetalloc(CS, v, cn, 0, STR, 0, NULL)))       \
	X(CBvchg, CBvchg(CS, v, cn, 0, text, 0, STR))			       \
	X(Bvoccur, Bvoccur(CS, v, cn, NULL, NULL, NULL, NULL))		       \
	X(Bvsetoccur, Bvsetoccur(CS, v, cn, 0))

#define VIEWS(X)							       \
	X(Bvsinit, Bvsinit(CS, v))					       \
	X(Bvftos, Bvftos(buffer, CS, v))				       \
	X(Bvstof, Bvstof(buffer, CS, BUPDATE, v))			       \
	X(Bvsizeof, Bvsizeof(v))					       \
	X(Bvneeded, Bvneeded(v))					       \
	X(Bvboolco, is_null(Bvboolco(text, v)))				       \
	X(Bvboolev, Bvboolev(CS, NULL, v))				       \
	X(Bvfloatev, (int)Bvfloatev(CS, NULL, v))			       \
	X(Bvboolpr, (Bvboolpr(NULL, none, v), -1))			       \
	X(Bvcpy, Bvcpy(CS, CS, v))					       \
	X(Bvnext, Bvnext(&state, v, text, NULL, &occ, NULL))		       \
	X(Bvcmp_1, Bvcmp(CS, v, CS, SAMPLE_NAME) + 1)			       \
	X(Bvcmp_2, Bvcmp(CS, SAMPLE_NAME, CS, v) + 1)			       \
	X(Bvprint, Bvprint(CS, v))					       \
	X(Bvfprint, Bvfprint(CS, v, none))				       \
	X(Bvfprintcb, Bvfprintcb(CS, v, take, NULL))			       \
	X(Bvextread, Bvextread(CS, v, none))				       \
	X(Bvextreadcb, Bvextreadcb(CS, v, end, NULL))

#define PATHS(X)							       \
	X(CBvgetr, CBvgetr(buffer, PATH, cn, 0, text, &len, STR, 0))	       \
	X(CBvgetrv, CBvgetrv(buffer, cn, 0, text, &len, STR, 0, RV))	       \
	X(CBvgetallocr,							       \
	  is_null(CBvgetallocr(buffer, PATH, cn, 0, STR, 0, NULL)))	       \
	X(CBvgetallocrv,						       \
	  is_null(CBvgetallocrv(buffer, cn, 0, STR, 0, NULL, RV)))	       \
	X(Bvnullr, Bvnullr(buffer, PATH, cn, 0))			       \
	X(Bvnullrv, Bvnullrv(buffer, cn, 0, RV))

#define CALL(name, ...)							       \
	static int call_##name(char *v, char *cn)			       \
	{								       \
		return (int)(__VA_ARGS__);				       \
	}
MEMBERS(CALL)
VIEWS(CALL)
PATHS(CALL)

#define ROW(name, ...) { #name, call_##name },

struct row {
	const char *name;
	int (*call)(char *v, char *cn);
};

static const struct row members[] = { MEMBERS(ROW) };
static const struct row views[] = { VIEWS(ROW) };
static const struct row paths[] = { PATHS(ROW) };

static void refuse(const struct row *rows, size_t n, const char *view,
		   const char *cname, int error)
{
	struct SAMPLE before = *sample;
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		len = (BFLDLEN)sizeof(text);
		r = rows[i].call((char *)view, (char *)cname);
		if (r != -1 || Berror != error)
			fail_msg("%s of %s.%s: %d, %s", rows[i].name, view,
				 cname, r, Bstrerror(Berror));
	}
	assert_memory_equal(sample, &before, sizeof(before));
	assert_int_equal(Bnum(buffer), 1);
}

#define ALL(rows) (rows), sizeof(rows) / sizeof(*(rows))

static void unknown_views_are_refused(void **state_)
{
	refuse(ALL(members), "NOSUCH", "one", BBADVIEW);
	refuse(ALL(views), "NOSUCH", "one", BBADVIEW);
	refuse(ALL(members), "", "one", BEINVAL);
	refuse(ALL(views), "", "one", BEINVAL);
	refuse(ALL(members), "sample", "one", BBADVIEW);
}

static void unknown_members_are_refused(void **state_)
{
	refuse(ALL(members), "SAMPLE", "nosuch", BNOCNAME);
	refuse(ALL(paths), "", "nosuch", BNOCNAME);
	refuse(ALL(members), "SAMPLE", "C_six", BNOCNAME);
	refuse(ALL(members), "SAMPLE", "", BEINVAL);
	refuse(ALL(paths), "", "", BEINVAL);
}

/* Occurrences that are out of range. */
static void impossible_occurrences_are_refused(void **state_)
{
	static const BFLDOCC bad[] = { -1, 3, 1000000, -2147483647 - 1 };
	char *six = (char *)"six";
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(Bvnull(CS, six, bad[i], SAMPLE_NAME), -1);
		assert_int_equal(Berror, BEINVAL);
		assert_int_equal(CBvget(CS, SAMPLE_NAME, six, bad[i], text,
					NULL, STR, 0), -1);
		assert_int_equal(Berror, BEINVAL);
		assert_int_equal(CBvchg(CS, SAMPLE_NAME, six, bad[i],
					(char *)"1", 0, STR), -1);
		assert_int_equal(Berror, BEINVAL);
		if (bad[i] == 3)
			continue;
		assert_int_equal(Bvsetoccur(CS, SAMPLE_NAME, six, bad[i]),
				 -1);
		assert_int_equal(Berror, BEINVAL);
	}
	assert_int_equal(Bvsetoccur(CS, SAMPLE_NAME, six, 4), -1);
	assert_int_equal(Berror, BEINVAL);
}

static void impossible_types_and_modes_are_refused(void **state_)
{
	static const int types[] = { -1, BFLD_RFU0, BFLD_MAX + 1, 99 };
	char *one = (char *)"one", *v = SAMPLE_NAME;
	size_t i;

	for (i = 0; i < 4; i++) {
		assert_int_equal(CBvget(CS, v, one, 0, text, NULL, types[i],
					0), -1);
		assert_int_equal(Berror, BTYPERR);
		assert_int_equal(CBvchg(CS, v, one, 0, text, 0, types[i]), -1);
		assert_int_equal(Berror, BTYPERR);
		assert_int_equal(Bvstof(buffer, CS, types[i], v), -1);
		assert_int_equal(Berror, BEINVAL);
		assert_int_equal(Bvopt(one, 90 + types[i], v), -1);
		assert_int_equal(Berror, BEINVAL);
	}
	for (i = BFLD_UBF; i <= BFLD_VIEW; i++) {
		assert_int_equal(CBvchg(CS, v, one, 0, text, 0, (int)i), -1);
		assert_int_equal(Berror, BEBADOP);
		assert_int_equal(CBvget(CS, v, one, 0, text, NULL, (int)i, 0),
				 -1);
		assert_int_equal(Berror, BEBADOP);
	}
}

/* Bad paths: no field, not a view, not a buffer, not present. */
static void bad_paths_are_refused(void **state_)
{
	static const struct {
		BFLDID path[6];
		int error;
	} bad[] = {
		{ { BBADFLDOCC }, BBADFLD },
		{ { 0, 0, BBADFLDOCC }, BBADFLD },
		{ { F_VIEW, -1, BBADFLDOCC }, BBADFLD },
		{ { F_VIEW, 1, BBADFLDOCC }, BNOTPRES },
		{ { F_LONG, 0, BBADFLDOCC }, BEBADOP },
		{ { F_VIEW, 0, F_LONG, 0, BBADFLDOCC }, BEBADOP },
		{ { F_UBF, 0, F_VIEW, 0, BBADFLDOCC }, BNOTPRES },
	};
	char *one = (char *)"one";
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		BFLDID *path = (BFLDID *)bad[i].path;

		assert_int_equal(CBvgetr(buffer, path, one, 0, text, NULL, STR,
					 0), -1);
		assert_int_equal(Berror, bad[i].error);
		assert_null(CBvgetallocr(buffer, path, one, 0, STR, 0, NULL));
		assert_int_equal(Berror, bad[i].error);
		assert_int_equal(Bvnullr(buffer, path, one, 0), -1);
		assert_int_equal(Berror, bad[i].error);
	}
}

static int setup(void **state_)
{
	BVIEWFLD f = { 0, "SAMPLE", NULL };

	none = tmpfile();
	if (view_setup(state_) < 0 || none == NULL)
		return -1;
	sample = view_sample();
	buffer = Balloc(10, 4000);
	f.data = CS;
	return Badd(buffer, F_VIEW, (char *)&f, 0);
}

static int teardown(void **state_)
{
	Bfree(buffer);
	free(sample);
	fclose(none);
	return view_teardown(state_);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_views_are_refused),
		cmocka_unit_test(unknown_members_are_refused),
		cmocka_unit_test(impossible_occurrences_are_refused),
		cmocka_unit_test(impossible_types_and_modes_are_refused),
		cmocka_unit_test(bad_paths_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
