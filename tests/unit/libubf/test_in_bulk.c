/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_in_bulk.c - all fields of a buffer, all members of a structure, in one
 * call
 */
#include "tests/unit/libubf/view_test.h"

#include <stdio.h>
#include <tpbind.h>

#define V    ((char *)"SAMPLE")
#define MANY 100

static union {
	char bytes[16384];
	long align;
} room[3];

static UBFH *fresh(int i, size_t size)
{
	UBFH *b = (UBFH *)room[i].bytes;

	assert_int_equal(Binit(b, (BFLDLEN)size), 0);
	return b;
}

static void add(UBFH *b, BFLDID id, const void *data, int len)
{
	assert_int_equal(Badd(b, id, (char *)data, len), 0);
}

/* Every type, three occurrences of a string, a buffer in a buffer in it. */
static UBFH *sample(void)
{
	UBFH *b = fresh(0, sizeof(room[0])), *in = fresh(1, 4000);
	UBFH *innermost = fresh(2, 1000);
	short s = 7;
	long l = -70000;
	char c = 'c';
	float f = 1.5f;
	double d = 2.25;
	struct SAMPLE *v = view_sample();
	BVIEWFLD view = { 0, "SAMPLE", (char *)v };

	add(innermost, F_LONG, &l, 0);
	add(in, F_STRING, "inside", 0);
	add(in, F_UBF, innermost, 0);
	add(in, F_STRING2, "after", 0);
	add(b, F_SHORT, &s, 0);
	add(b, F_LONG, &l, 0);
	add(b, F_CHAR, &c, 0);
	add(b, F_FLOAT, &f, 0);
	add(b, F_DOUBLE, &d, 0);
	add(b, F_STRING, "one", 0);
	add(b, F_STRING, "", 0);
	add(b, F_STRING, "three", 0);
	add(b, F_CARRAY, "a\0b", 3);
	add(b, F_UBF, in, 0);
	add(b, F_VIEW, &view, 0);
	free(v);
	return b;
}

static const struct Bfield *element(const struct Bfield *f, int n, BFLDID id,
				    BFLDOCC occ, int parent)
{
	int i;

	for (i = 0; i < n; i++)
		if (f[i].id == id && f[i].occ == occ && f[i].parent == parent)
			return &f[i];
	fail_msg("no element %d %d below %d", id, occ, parent);
	return NULL;
}

static int place(const struct Bfield *all, const struct Bfield *f)
{
	return (int)(f - all);
}

static void a_buffer_is_shown_without_copying(void **state)
{
	UBFH *b = sample();
	struct Bfield f[MANY];
	const struct Bfield *e;
	int n = Bgetfields(b, f, MANY), outer, inner, i;
	BFLDLEN len = 0;

	assert_int_equal(n, 15);
	e = element(f, n, F_STRING, 2, -1);
	assert_int_equal(e->type, BFLD_STRING);
	assert_int_equal(e->len, 5);
	assert_ptr_equal(e->data, Bfind(b, F_STRING, 2, &len));
	assert_int_equal(element(f, n, F_STRING, 1, -1)->len, 0);
	e = element(f, n, F_CARRAY, 0, -1);
	assert_int_equal(e->len, 3);
	assert_memory_equal(e->data, "a\0b", 3);
	assert_int_equal(*(short *)element(f, n, F_SHORT, 0, -1)->data, 7);
	assert_int_equal(*(long *)element(f, n, F_LONG, 0, -1)->data, -70000);
	e = element(f, n, F_VIEW, 0, -1);
	assert_string_equal(e->name, "SAMPLE");
	assert_int_equal(e->len, sizeof(struct SAMPLE));
	outer = place(f, element(f, n, F_UBF, 0, -1));
	assert_string_equal(element(f, n, F_STRING, 0, outer)->data, "inside");
	assert_string_equal(element(f, n, F_STRING2, 0, outer)->data, "after");
	inner = place(f, element(f, n, F_UBF, 0, outer));
	assert_int_equal(*(long *)element(f, n, F_LONG, 0, inner)->data,
			 -70000);
	for (i = 0; i < n; i++)
		assert_true(f[i].parent < i);
}

static void a_small_array_gets_the_first_and_learns_how_many(void **state)
{
	UBFH *b = sample();
	struct Bfield f[4] = { { 0 } };

	assert_int_equal(Bgetfields(b, f, 3), 15);
	assert_int_equal(f[3].id, 0);
	assert_int_equal(Bgetfields(b, NULL, 0), 15);
	assert_int_equal(Bgetfields(b, NULL, 1), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bgetfields(NULL, f, 3), -1);
	assert_int_equal(Berror, BNOTFLD);
}

static void what_was_shown_builds_the_same_buffer(void **state)
{
	UBFH *b = sample(), *copy = fresh(1, sizeof(room[1]));
	struct Bfield f[MANY];
	int n = Bgetfields(b, f, MANY), bad = 7, i;

	add(copy, F_LONG2, &(long){ 1 }, 0); /* goes */
	assert_int_equal(Bputfields(copy, f, n, &bad), 0);
	assert_int_equal(bad, -1);
	assert_int_equal(Bcmp(b, copy), 0);
	/* The same, embedded buffers made of what is behind them. */
	for (i = 0; i < n; i++)
		if (f[i].type == BFLD_UBF)
			f[i].data = NULL;
	assert_int_equal(Bputfields(copy, f, n, &bad), 0);
	assert_int_equal(Bcmp(b, copy), 0);
}

static void values_convert_and_occurrences_may_be_in_any_order(void **state)
{
	UBFH *b = fresh(0, 4000);
	long l = 42;
	struct Bfield f[] = {
		{ F_STRING, 2, BFLD_LONG, -1, NULL, (char *)&l, 0 },
		{ F_STRING, 0, BFLD_CARRAY, -1, NULL, (char *)"first, cut",
		  5 },
		{ F_LONG, -1, BFLD_STRING, -1, NULL, (char *)"17", 2 },
		{ F_LONG, -1, BFLD_LONG, -1, NULL, (char *)&l, 0 },
	};
	BFLDLEN len = sizeof(l);

	assert_int_equal(Bputfields(b, f, 4, NULL), 0);
	assert_int_equal(Boccur(b, F_STRING), 3);
	assert_string_equal(Bfind(b, F_STRING, 0, NULL), "first");
	assert_string_equal(Bfind(b, F_STRING, 1, NULL), "");
	assert_string_equal(Bfind(b, F_STRING, 2, NULL), "42");
	assert_int_equal(Bget(b, F_LONG, 0, (char *)&l, &len), 0);
	assert_int_equal(l, 17);
	assert_int_equal(Boccur(b, F_LONG), 2);
}

/* What is wrong is found, and the text names it. */
static void refuses(const struct Bfield *f, int n, int error, int at,
		    const char *words)
{
	UBFH *b = fresh(0, 600);
	int bad = 77;

	assert_int_equal(Bputfields(b, f, n, &bad), -1);
	assert_int_equal(Berror, error);
	assert_int_equal(bad, at);
	if (strstr(Bstrerror(Berror), words) == NULL)
		fail_msg("%s: no %s", Bstrerror(Berror), words);
}

/* Each is made once, also where it is larger than the room that was guessed for it
 * in those around it: it would take years. The next one is refused. */
static void buffers_lie_inside_each_other_up_to_a_limit(void **state)
{
	struct Bfield f[MANY], got[MANY];
	UBFH *b = fresh(0, sizeof(room[0]));
	int i, bad;

	(void)state;
	for (i = 0; i < MANY; i++)
		f[i] = (struct Bfield){ .id = F_UBF, .occ = -1,
					.type = BFLD_UBF, .parent = i - 1 };
	f[32] = (struct Bfield){ .id = F_STRING, .occ = -1,
				 .type = BFLD_STRING, .parent = 31,
				 .data = (char *)"x", .len = 1 };
	assert_int_equal(Bputfields(b, f, 33, &bad), 0);
	assert_int_equal(Bgetfields(b, got, MANY), 33);
	assert_int_equal(got[32].parent, 31);
	f[32] = f[31];
	f[32].parent = 31;
	refuses(f, 33, BEINVAL, 32, "32 buffers inside");
}

static void an_error_names_the_element(void **state)
{
	static char large[700];
	struct Bfield f[3] = {
		{ F_STRING, -1, BFLD_STRING, -1, NULL, (char *)"good", 4 },
		{ F_UBF, -1, BFLD_UBF, -1, NULL, NULL, 0 },
		{ F_STRING2, -1, BFLD_STRING, 1, NULL, NULL, 0 },
	};

	assert_int_equal(Bfldid((char *)"STRING2"), F_STRING2);
	memset(large, 'x', sizeof(large) - 1);
	refuses(f, 3, BEINVAL, 2, "element 2, field STRING2 occurrence -1");
	f[2].data = large;
	f[2].len = (long)sizeof(large) - 1;
	refuses(f, 3, BNOSPACE, 1, "element 1, field UBF");
	f[2].parent = 0;
	refuses(f, 3, BEINVAL, 2, "parent is 0");
	f[2].parent = 2;
	refuses(f, 3, BEINVAL, 2, "parent is 2");
	f[2] = (struct Bfield){ 0, -1, BFLD_LONG, -1, NULL, large, 8 };
	refuses(f, 3, BBADFLD, 2, "element 2");
	f[2] = (struct Bfield){ F_LONG, -1, 77, -1, NULL, large, 8 };
	refuses(f, 3, BTYPERR, 2, "element 2, field LONG");
	f[2] = (struct Bfield){ F_LONG, -1, BFLD_LONG, -1, NULL, large, -1 };
	refuses(f, 3, BEINVAL, 2, "-1 bytes");
	refuses(NULL, 1, BEINVAL, -1, "array");
}

/* A text, a text without NUL and a number for a field: is it taken? */
static int takes(BFLDID id, int type, const void *data, long len, BFLDOCC occ)
{
	struct Bfield f = { .id = id, .occ = occ, .type = type, .parent = -1,
			    .data = (char *)data, .len = len };
	UBFH *b = fresh(0, 2000);
	int bad = 7;

	if (Bputfields(b, &f, 1, &bad) == 0)
		return 1;
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(bad, 0);
	if (strstr(Bstrerror(Berror), ": \"") == NULL &&
	    strstr(Bstrerror(Berror), " does not fit type ") == NULL)
		fail_msg("%s", Bstrerror(Berror));
	return 0;
}

static int takes_text(BFLDID id, const char *text)
{
	long len = (long)strlen(text);
	int r = takes(id, BFLD_STRING, text, len, -1);

	assert_int_equal(takes(id, BFLD_STRING, text, len, 1), r);
	assert_int_equal(takes(id, BFLD_CARRAY, text, len, -1), r);
	return r;
}

/* CBadd() makes 4464, 0 and infinity of some of these. */
static void a_text_that_is_not_a_number_of_the_field_is_refused(void **state)
{
	static const struct {
		BFLDID id;
		const char *text;
	} taken[] = {
		{ F_SHORT, "32767" }, { F_SHORT, "-32768" },
		{ F_SHORT, " +7\t" }, { F_LONG, "-9223372036854775808" },
		{ F_FLOAT, "3e38" },	{ F_FLOAT, "1e-300" },
		{ F_FLOAT, "-inf" },	{ F_DOUBLE, "nan" },
		{ F_DOUBLE, " 1.5 " },	{ F_DOUBLE, "1e300" },
		{ F_CHAR, "x" },	{ F_CHAR, "" },
		{ F_STRING, "70000" },
	}, refused[] = {
		{ F_SHORT, "70000" },	{ F_SHORT, "-32769" },
		{ F_SHORT, "abc" },	{ F_SHORT, "" },
		{ F_SHORT, " " },	{ F_SHORT, "12x" },
		{ F_SHORT, "1 2" },	{ F_SHORT, "1.5" },
		{ F_SHORT, "0x10" },	{ F_LONG, "1e3" },
		{ F_LONG, "9223372036854775808" },
		{ F_FLOAT, "1e300" },	{ F_FLOAT, "1e999" },
		{ F_DOUBLE, "-1e999" }, { F_DOUBLE, "1,5" },
		{ F_DOUBLE, "" },	{ F_CHAR, "xy" },
	};
	char large[600];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!takes_text(taken[i].id, taken[i].text))
			fail_msg("\"%s\": %s", taken[i].text,
				 Bstrerror(Berror));
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (takes_text(refused[i].id, refused[i].text))
			fail_msg("\"%s\" is taken", refused[i].text);
	/* A text of C with its NULs is one number; behind these is nothing. */
	assert_true(takes(F_SHORT, BFLD_CARRAY, "12\0\0", 4, -1));
	assert_false(takes(F_SHORT, BFLD_CARRAY, "12\0x", 4, -1));
	assert_false(takes(F_SHORT, BFLD_CARRAY, "\0", 1, -1));
	assert_false(takes(F_CHAR, BFLD_CARRAY, "x\0", 2, -1));
	memset(large, ' ', sizeof(large)); /* more than conv.c reads */
	memset(large + 505, '1', 10);
	assert_false(takes(F_LONG, BFLD_CARRAY, large, sizeof(large), -1));
}

static void a_number_beyond_the_range_of_the_field_is_refused(void **state)
{
	short s = -1;
	int i = 256;
	long l = 32768;
	float f = 1e30f;
	double large = 1e300, half = -32768.5, nan = strtod("nan", NULL);

	(void)state;
	assert_false(takes(F_CHAR, BFLD_SHORT, &s, 0, -1));
	assert_false(takes(F_CHAR, BFLD_INT, &i, 0, -1));
	assert_false(takes(F_SHORT, BFLD_LONG, &l, 0, -1));
	assert_false(takes(F_SHORT, BFLD_LONG, &l, 0, 3));
	assert_false(takes(F_LONG, BFLD_FLOAT, &f, 0, -1));
	assert_false(takes(F_LONG, BFLD_DOUBLE, &nan, 0, -1));
	assert_false(takes(F_FLOAT, BFLD_DOUBLE, &large, 0, -1));
	assert_true(takes(F_LONG, BFLD_SHORT, &s, 0, -1));
	assert_true(takes(F_SHORT, BFLD_INT, &i, 0, -1));
	assert_true(takes(F_FLOAT, BFLD_LONG, &l, 0, -1));
	assert_true(takes(F_DOUBLE, BFLD_FLOAT, &f, 0, -1));
	assert_true(takes(F_FLOAT, BFLD_DOUBLE, &nan, 0, -1));
	assert_true(takes(F_SHORT, BFLD_DOUBLE, &half, 0, -1));
	assert_true(takes(F_STRING, BFLD_DOUBLE, &large, 0, -1));
}

static void members_are_shown_and_put_back(void **state)
{
	struct SAMPLE *s = view_sample(), *copy = view_sample();
	struct Bfield f[MANY];
	long two = 5;
	int n, i, bad = 7, seven = 0, nulls = 0;

	assert_int_equal(CBvchg((char *)s, V, (char *)"two", 0, (char *)&two,
				0, BFLD_LONG), 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(CBvchg((char *)s, V, (char *)"seven", i,
					(char *)"text", 0, BFLD_STRING), 0);
	n = Bvgetfields((char *)s, V, f, MANY);
	assert_true(n > 5);
	for (i = 0; i < n; i++) {
		if (strcmp(f[i].name, "two") == 0)
			assert_ptr_equal(f[i].data, &s->two);
		if (strcmp(f[i].name, "seven") == 0) {
			assert_string_equal(f[i].data, "text");
			assert_int_equal(f[i].len, 4);
			assert_int_equal(f[i].occ, seven++);
		}
		nulls += f[i].data == NULL;
	}
	assert_int_equal(seven, 2);
	assert_true(nulls > 0);
	assert_int_equal(Bvputfields((char *)copy, V, f, n, &bad), 0);
	assert_int_equal(bad, -1);
	assert_int_equal(Bvcmp((char *)s, V, (char *)copy, V), 0);
	assert_int_equal(Bvgetfields((char *)s, V, f, 1), n);
	free(s);
	free(copy);
}

static void an_error_names_the_member(void **state)
{
	struct SAMPLE *s = view_sample();
	struct Bfield f[2] = {
		{ 0, 0, BFLD_STRING, -1, "two", (char *)"7", 1 },
		{ 0, 0, BFLD_STRING, -1, "unknown", (char *)"7", 1 },
	};
	int bad = 7;

	assert_int_equal(Bvputfields((char *)s, V, f, 2, &bad), -1);
	assert_int_equal(Berror, BNOCNAME);
	assert_int_equal(bad, 1);
	assert_non_null(strstr(Bstrerror(Berror), "element 1, member unknown"));
	f[1] = (struct Bfield){ 0, 5, BFLD_STRING, -1, "seven", (char *)"x", 1 };
	assert_int_equal(Bvputfields((char *)s, V, f, 2, &bad), -1);
	assert_int_equal(Berror, BEINVAL);
	f[1] = (struct Bfield){ 0, 0, BFLD_STRING, -1, "ten", (char *)"toolong",
				7 };
	assert_int_equal(Bvputfields((char *)s, V, f, 2, &bad), -1);
	assert_int_equal(Berror, BNOSPACE);
	f[1] = (struct Bfield){ 0, 1, BFLD_STRING, -1, "six", (char *)"1e9", 3 };
	assert_int_equal(Bvputfields((char *)s, V, f, 2, &bad), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_non_null(strstr(Bstrerror(Berror), "element 1, member six "
			       "occurrence 1: \"1e9\" does not fit type int"));
	f[1] = (struct Bfield){ 0, 5, BFLD_LONG, -1, "one", NULL, 0 };
	assert_int_equal(Bvputfields((char *)s, V, f, 2, &bad), 0);
	assert_int_equal(Bvputfields((char *)s, (char *)"NOVIEW", f, 2, &bad),
			 -1);
	assert_int_equal(Berror, BBADVIEW);
	assert_int_equal(bad, -1);
	assert_int_equal(Bvgetfields(NULL, V, f, 2), -1);
	assert_int_equal(Berror, BEINVAL);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_is_shown_without_copying),
		cmocka_unit_test(
		    a_small_array_gets_the_first_and_learns_how_many),
		cmocka_unit_test(what_was_shown_builds_the_same_buffer),
		cmocka_unit_test(
		    values_convert_and_occurrences_may_be_in_any_order),
		cmocka_unit_test(buffers_lie_inside_each_other_up_to_a_limit),
		cmocka_unit_test(an_error_names_the_element),
		cmocka_unit_test(
		    a_text_that_is_not_a_number_of_the_field_is_refused),
		cmocka_unit_test(
		    a_number_beyond_the_range_of_the_field_is_refused),
		cmocka_unit_test(members_are_shown_and_put_back),
		cmocka_unit_test(an_error_names_the_member),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
