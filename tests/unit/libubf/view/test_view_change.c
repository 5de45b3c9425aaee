/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_change.c - members of a structure: get, change, null, count
 */
#include "tests/unit/libubf/view_test.h"

#include <limits.h>
#include <pthread.h>

#define V ((char *)"SAMPLE")
#define CN(name) ((char *)(name))

static int chg(struct SAMPLE *s, const char *cname, BFLDOCC occ,
	       const char *text)
{
	return CBvchg((char *)s, V, CN(cname), occ, (char *)text, 0,
		      BFLD_STRING);
}

/* The member as a string, in static memory. */
static const char *get(struct SAMPLE *s, const char *cname, BFLDOCC occ)
{
	static char text[400];
	BFLDLEN len = sizeof(text);

	if (CBvget((char *)s, V, CN(cname), occ, text, &len, BFLD_STRING,
		   0) < 0)
		return Becodestr(Berror);
	assert_int_equal(len, strlen(text) + 1);
	return text;
}

static int null(struct SAMPLE *s, const char *cname, BFLDOCC occ)
{
	return Bvnull((char *)s, CN(cname), occ, V);
}

static void a_new_structure_is_null(void **state)
{
	static const char *const all[] = { "one",   "two",   "three", "four",
					   "six",   "seven", "eight", "nine",
					   "ten",   "eleven" };
	struct SAMPLE *s = view_sample();
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(null(s, all[i], 0), 1);
	assert_int_equal(null(s, "five", 0), 0);
	assert_int_equal(s->two, -1);
	assert_int_equal(s->three, 'x');
	assert_true(s->four[1] == 1.5f);
	assert_int_equal(s->six[2], 7);
	assert_int_equal(s->C_six, 0);
	assert_string_equal(s->seven[2], "none at all");
	assert_string_equal(s->nine, "-****");
	assert_memory_equal(s->eleven, "\0\n\\'x", 5);
	free(s);
}

static void one_member_is_made_null(void **state)
{
	struct SAMPLE *s = view_sample();

	assert_int_equal(chg(s, "six", 1, "5"), 0);
	s->two = 9;
	assert_int_equal(Bvselinit((char *)s, CN("six"), V), 0);
	assert_int_equal(s->C_six, 0);
	assert_int_equal(s->six[1], 7);
	assert_int_equal(s->two, 9);
	assert_int_equal(Bvselinit((char *)s, CN("C_six"), V), -1);
	assert_int_equal(Berror, BNOCNAME);
	free(s);
}

static void values_convert_both_ways(void **state)
{
	struct SAMPLE *s = view_sample();
	double d;

	assert_int_equal(chg(s, "one", 0, "-12"), 0);
	assert_int_equal(s->one, -12);
	assert_string_equal(get(s, "one", 0), "-12");
	assert_int_equal(chg(s, "four", 1, "2.25"), 0);
	assert_string_equal(get(s, "four", 1), "2.25000");
	assert_int_equal(chg(s, "five", 0, "1e3"), 0);
	assert_string_equal(get(s, "five", 0), "1000.000000");
	assert_int_equal(chg(s, "six", 2, "-2147483648"), 0);
	assert_int_equal(s->six[2], INT_MIN);
	assert_string_equal(get(s, "six", 2), "-2147483648");
	assert_int_equal(CBvget((char *)s, V, CN("six"), 2, (char *)&d, NULL,
				BFLD_DOUBLE, 0), 0);
	assert_true(d == -2147483648.);
	assert_int_equal(CBvchg((char *)s, V, CN("seven"), 0, (char *)&d, 0,
				BFLD_DOUBLE), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(CBvget((char *)s, V, CN("one"), 0, (char *)&d, NULL,
				BFLD_UBF, 0), -1);
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(CBvchg((char *)s, V, CN("one"), 0, (char *)&d, 0,
				BFLD_VIEW), -1);
	assert_int_equal(Berror, BEBADOP);
	free(s);
}

static void change_raises_the_count(void **state)
{
	struct SAMPLE *s = view_sample();

	assert_int_equal(chg(s, "seven", 1, "abc"), 0);
	assert_int_equal(s->C_seven, 2);
	assert_int_equal(s->L_seven[1], 4);
	assert_int_equal(chg(s, "seven", 0, "x"), 0);
	assert_int_equal(s->C_seven, 2);
	assert_string_equal(get(s, "seven", 2), "none at all");
	assert_int_equal(null(s, "seven", 2), 1);
	assert_string_equal(get(s, "seven", 3), "BEINVAL");
	assert_int_equal(null(s, "seven", 3), -1);
	assert_int_equal(chg(s, "seven", 3, "x"), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(chg(s, "seven", -1, "x"), -1);
	free(s);
}

static void a_value_too_long_changes_nothing(void **state)
{
	struct SAMPLE *s = view_sample(), was;

	assert_int_equal(chg(s, "seven", 0, "0123456789a"), 0);
	was = *s;
	assert_int_equal(chg(s, "seven", 0, "0123456789ab"), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(chg(s, "seven", 2, "0123456789ab"), -1);
	assert_int_equal(CBvchg((char *)s, V, CN("eight"), 0,
				CN("123456789"), 9, BFLD_CARRAY), -1);
	assert_memory_equal(s, &was, sizeof(was));
	free(s);
}

static void carrays_have_lengths(void **state)
{
	struct SAMPLE *s = view_sample();
	char buf[8];
	BFLDLEN len = sizeof(buf);

	assert_int_equal(CBvchg((char *)s, V, CN("eight"), 1, CN("a\0b"), 3,
				BFLD_CARRAY), 0);
	assert_int_equal(s->L_eight[1], 3);
	assert_int_equal(CBvget((char *)s, V, CN("eight"), 1, buf, &len,
				BFLD_CARRAY, BVACCESS_NOTNULL), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(buf, "a\0b", 3);
	len = 2;
	assert_int_equal(CBvget((char *)s, V, CN("eight"), 1, buf, &len,
				BFLD_CARRAY, 0), -1);
	assert_int_equal(Berror, BNOSPACE);
	/* A zero byte is a value. */
	assert_int_equal(CBvchg((char *)s, V, CN("eight"), 0, CN(""), 1,
				BFLD_CARRAY), 0);
	assert_int_equal(null(s, "eight", 0), 0);
	/* A wrong length member leads to no byte outside. */
	s->L_eight[1] = 65535;
	len = sizeof(buf);
	assert_int_equal(CBvget((char *)s, V, CN("eight"), 1, buf, &len,
				BFLD_CARRAY, 0), 0);
	assert_int_equal(len, 8);
	free(s);
}

static void null_gives_bnotpres_with_notnull(void **state)
{
	struct SAMPLE *s = view_sample();
	long n = 5;

	assert_int_equal(CBvget((char *)s, V, CN("two"), 0, (char *)&n, NULL,
				BFLD_LONG, 0), 0);
	assert_int_equal(n, -1);
	assert_int_equal(CBvget((char *)s, V, CN("two"), 0, (char *)&n, NULL,
				BFLD_LONG, BVACCESS_NOTNULL), -1);
	assert_int_equal(Berror, BNOTPRES);
	assert_null(CBvgetalloc((char *)s, V, CN("two"), 0, BFLD_LONG,
				BVACCESS_NOTNULL, NULL));
	assert_int_equal(Berror, BNOTPRES);
	free(s);
}

static void padding_counts_as_null(void **state)
{
	struct SAMPLE *s = view_sample();

	strcpy(s->nine, "-*");
	assert_int_equal(null(s, "nine", 0), 1);
	strcpy(s->nine, "-***");
	assert_int_equal(null(s, "nine", 0), 1);
	strcpy(s->nine, "-");
	assert_int_equal(null(s, "nine", 0), 0);
	strcpy(s->nine, "-**x");
	assert_int_equal(null(s, "nine", 0), 0);
	memset(s->nine, '-', 6);	/* no NUL in it */
	assert_int_equal(null(s, "nine", 0), 0);
	assert_string_equal(get(s, "nine", 0), "------");
	free(s);
}

static void bvoccur_returns_counts_and_sizes(void **state)
{
	struct SAMPLE *s = view_sample();
	BFLDOCC max, real;
	long dim;
	int type;

	assert_int_equal(Bvoccur((char *)s, V, CN("ten"), &max, &real, &dim,
				 &type), 4);
	assert_int_equal(max, 4);
	assert_int_equal(real, 0);
	assert_int_equal(dim, 4);
	assert_int_equal(type, BFLD_STRING);
	assert_int_equal(chg(s, "ten", 2, "abc"), 0);
	assert_int_equal(Bvoccur((char *)s, V, CN("ten"), NULL, &real, NULL,
				 NULL), 4);
	assert_int_equal(real, 3);
	assert_int_equal(Bvsetoccur((char *)s, V, CN("six"), 3), 0);
	assert_int_equal(Bvoccur((char *)s, V, CN("six"), NULL, &real, NULL,
				 NULL), 3);
	assert_int_equal(real, 0);
	assert_int_equal(Bvsetoccur((char *)s, V, CN("six"), 4), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvsetoccur((char *)s, V, CN("six"), -1), -1);
	assert_int_equal(s->C_six, 3);
	/* A wrong count member is limited. */
	s->C_six = 32767;
	assert_int_equal(Bvoccur((char *)s, V, CN("six"), NULL, NULL, NULL,
				 NULL), 3);
	s->C_six = -5;
	assert_int_equal(Bvoccur((char *)s, V, CN("six"), NULL, NULL, NULL,
				 NULL), 0);
	free(s);
}

static void two_walks_at_once_do_not_disturb_each_other(void **state)
{
	static const char *const want[] = { "one",  "two",   "three", "four",
					    "five", "six",   "seven", "eight",
					    "nine", "ten",   "eleven" };
	Bvnext_state_t a = { 0 }, b = { 0 };
	char name[NDRX_VIEW_CNAME_LEN + 1];
	BFLDOCC max;
	long dim;
	int i, type;

	assert_int_equal(Bvnext(&a, NULL, name, NULL, NULL, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	for (i = 0; i < 11; i++) {
		assert_int_equal(Bvnext(&a, i == 0 ? V : NULL, name, &type,
					&max, &dim), 1);
		assert_string_equal(name, want[i]);
		if (i == 0)
			assert_int_equal(Bvnext(&b, CN("SMALL"), name, NULL,
						NULL, NULL), 1);
		if (i == 5) {
			assert_int_equal(type, BFLD_INT);
			assert_int_equal(max, 3);
			assert_int_equal(dim, 4);
		}
	}
	assert_int_equal(Bvnext(&a, NULL, name, NULL, NULL, NULL), 0);
	assert_int_equal(Bvnext(&a, NULL, name, NULL, NULL, NULL), 0);
	assert_int_equal(Bvnext(&b, NULL, name, NULL, NULL, NULL), 0);
	memset(&a, 0xa5, sizeof(a));
	assert_int_equal(Bvnext(&a, NULL, name, NULL, NULL, NULL), -1);
}

static void structures_compare_by_members(void **state)
{
	struct SAMPLE *a = view_sample(), *b = view_sample();

	memset((char *)a + offsetof(struct SAMPLE, one) + 2, 1, 2);
	assert_int_equal(Bvcmp((char *)a, V, (char *)b, V), 0);
	a->six[0] = -1;
	assert_int_equal(Bvcmp((char *)a, V, (char *)b, V), 0);
	a->C_six = b->C_six = 1;
	assert_int_equal(Bvcmp((char *)a, V, (char *)b, V), -1);
	assert_int_equal(Bvcmp((char *)b, V, (char *)a, V), 1);
	b->six[0] = -1;
	b->C_six = 2;
	assert_int_equal(Bvcmp((char *)a, V, (char *)b, V), -1);
	assert_int_equal(Bvcmp((char *)a, V, (char *)b, CN("SMALL")), -1);
	assert_int_equal(Bvcmp(NULL, V, (char *)b, V), -2);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvcmp((char *)a, CN("NO"), (char *)b, V), -2);
	assert_int_equal(Berror, BBADVIEW);
	assert_int_equal(Bvcpy((char *)a, (char *)b, V),
			 sizeof(struct SAMPLE));
	assert_int_equal(Bvcmp((char *)a, V, (char *)b, V), 0);
	free(a);
	free(b);
}

static void arguments_are_checked(void **state)
{
	struct SAMPLE *s = view_sample();
	char *p = (char *)s;

	assert_int_equal(Bvsizeof(V), sizeof(*s));
	assert_int_equal(Bvsizeof(NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvsizeof(CN("")), -1);
	assert_int_equal(Bvsizeof(CN("NONE")), -1);
	assert_int_equal(Berror, BBADVIEW);
	assert_int_equal(Bvsinit(NULL, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvcpy(NULL, p, V), -1);
	assert_int_equal(Bvcpy(p, NULL, V), -1);
	assert_int_equal(CBvget(NULL, V, CN("one"), 0, p, NULL, 0, 0), -1);
	assert_int_equal(CBvget(p, V, NULL, 0, p, NULL, 0, 0), -1);
	assert_int_equal(CBvget(p, V, CN("one"), 0, NULL, NULL, 0, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(CBvget(p, V, CN("one"), 0, p, NULL, 99, 0), -1);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(CBvget(p, V, CN("no"), 0, p, NULL, 0, 0), -1);
	assert_int_equal(Berror, BNOCNAME);
	assert_int_equal(CBvchg(p, V, CN("one"), 0, NULL, 0, 0), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(CBvchg(p, V, CN("one"), 0, p, 0, BFLD_RFU0), -1);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(Bvnext(NULL, V, p, NULL, NULL, NULL), -1);
	assert_int_equal(Bvopt(CN("one"), 0, V), -1);
	assert_int_equal(Bvopt(CN("one"), 5, V), -1);
	assert_int_equal(Bvopt(CN("nine"), B_BOTH, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvoccur(NULL, V, CN("one"), NULL, NULL, NULL, NULL),
			 -1);
	Bvrefresh();
	free(s);
}

static void *use_views(void *arg)
{
	return (void *)(Bvsizeof(CN("SMALL")) - 1);
}

/* Must be the first test: the views are not loaded yet. */
static void threads_load_the_views_once(void **state)
{
	pthread_t t[4];
	void *r;
	int i;

	assert_int_equal(tmpdir_write(&view_dir, "bad.v", "VIEW SMALL\n"
				      "long a - 1 - - -\nEND\n"), 0);
	setenv("VIEWFILES", "sample.v,bad.v", 1);
	assert_int_equal(Bvsizeof(V), -1);
	assert_int_equal(Berror, BVFSYNTAX);
	assert_non_null(strstr(Bstrerror(Berror), "bad.v:3: another view "
			       "SMALL"));
	unsetenv("VIEWFILES");
	assert_int_equal(Bvsizeof(V), -1);
	assert_int_equal(Berror, BBADVIEW);
	assert_non_null(strstr(Bstrerror(Berror), "VIEWFILES is not set"));
	/* A folder cannot be read as a file. */
	setenv("VIEWFILES", ".", 1);
	assert_int_equal(Bvsizeof(V), -1);
	assert_int_equal(Berror, BVFOPEN);
	setenv("VIEWFILES", "none.v,sample.v,gone.v,sample.v", 1);
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, use_views, NULL);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &r);
		assert_null(r);
	}
}

static void a_view_file_that_is_missing_is_named(void **state)
{
	assert_int_equal(Bvsizeof(CN("NOVIEW")), -1);
	assert_int_equal(Berror, BBADVIEW);
	assert_non_null(strstr(Bstrerror(Berror), "no view 'NOVIEW' (view file "
			       "none.v is in no folder of VIEWDIR)"));
}

static void beyond_the_count_the_element_is_read_with_flag_0(void **state)
{
	struct SAMPLE *s = view_sample();
	long n = 5;

	s->C_six = 1;
	s->six[2] = 11;
	assert_int_equal(CBvget((char *)s, V, CN("six"), 2, (char *)&n, NULL,
				BFLD_LONG, 0), 0);
	assert_int_equal(n, 11);
	assert_int_equal(CBvget((char *)s, V, CN("six"), 1, (char *)&n, NULL,
				BFLD_LONG, 0), 0);
	assert_int_equal(n, 7);	/* as Bvsinit() left it */
	assert_int_equal(CBvget((char *)s, V, CN("six"), 2, (char *)&n, NULL,
				BFLD_LONG, BVACCESS_NOTNULL), -1);
	assert_int_equal(Berror, BNOTPRES);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_load_the_views_once),
		cmocka_unit_test(a_view_file_that_is_missing_is_named),
		cmocka_unit_test(
		    beyond_the_count_the_element_is_read_with_flag_0),
		cmocka_unit_test(a_new_structure_is_null),
		cmocka_unit_test(one_member_is_made_null),
		cmocka_unit_test(values_convert_both_ways),
		cmocka_unit_test(change_raises_the_count),
		cmocka_unit_test(a_value_too_long_changes_nothing),
		cmocka_unit_test(carrays_have_lengths),
		cmocka_unit_test(null_gives_bnotpres_with_notnull),
		cmocka_unit_test(padding_counts_as_null),
		cmocka_unit_test(bvoccur_returns_counts_and_sizes),
		cmocka_unit_test(two_walks_at_once_do_not_disturb_each_other),
		cmocka_unit_test(structures_compare_by_members),
		cmocka_unit_test(arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
