/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_map.c - Bvftos and Bvstof, all modes
 */
#include "tests/unit/libubf/view_test.h"

#include <sys/wait.h>
#include <unistd.h>

#define V ((char *)"SAMPLE")
#define CN(name) ((char *)(name))
#define F_LONGS F_LONG2

static UBFH *buffer(void)
{
	UBFH *p = Balloc(50, 2000);

	assert_non_null(p);
	return p;
}

static void add(UBFH *p, BFLDID id, const char *text)
{
	assert_int_equal(Badds(p, id, CN(text)), 0);
}

static void fields_become_members(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p = buffer();

	add(p, F_SHORT, "3");
	add(p, F_CHAR, "c");
	add(p, F_LONGS, "10");
	add(p, F_LONGS, "11");
	add(p, F_STRING, "text");
	assert_int_equal(CBadd(p, F_CARRAY, CN("a\0b"), 3, BFLD_CARRAY), 0);
	s->two = 99;
	strcpy(s->nine, "lost");
	assert_int_equal(Bvftos(p, (char *)s, V), 0);
	assert_int_equal(s->one, 3);
	assert_int_equal(s->two, -1);	/* absent: null */
	assert_int_equal(s->three, 'c');
	assert_int_equal(s->C_six, 2);
	assert_int_equal(s->six[1], 11);
	assert_int_equal(s->six[2], 7);
	assert_int_equal(s->C_seven, 1);
	assert_string_equal(s->seven[0], "text");
	assert_int_equal(s->L_eight[0], 3);
	assert_memory_equal(s->eight[0], "a\0b", 3);
	assert_string_equal(s->nine, "-****");	/* not mapped: null */
	Bfree(p);
	free(s);
}

static void arrays_are_cut_and_long_strings_refused(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p = buffer();
	int i;

	for (i = 0; i < 5; i++)
		add(p, F_LONGS, "1");
	assert_int_equal(Bvftos(p, (char *)s, V), 0);
	assert_int_equal(s->C_six, 3);
	add(p, F_STRING, "0123456789ab");
	assert_int_equal(Bvftos(p, (char *)s, V), -1);
	assert_int_equal(Berror, BNOSPACE);
	Bfree(p);
	free(s);
}

static void null_elements_keep_their_place(void **state)
{
	struct SAMPLE *s = view_sample(), *back = view_sample();
	UBFH *p = buffer();

	strcpy(s->ten[2], "abc");
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), 0);
	assert_int_equal(Boccur(p, F_STRING2), 3);
	assert_string_equal(Bfind(p, F_STRING2, 0, NULL), "");
	assert_string_equal(Bfind(p, F_STRING2, 2, NULL), "abc");
	assert_int_equal(Bpres(p, F_LONG, 0), 0);	/* null */
	assert_int_equal(Bpres(p, F_DOUBLE, 0), 1);	/* never null */
	assert_int_equal(Bvftos(p, (char *)back, V), 0);
	assert_int_equal(Bvcmp((char *)s, V, (char *)back, V), 0);
	Bfree(p);
	free(s);
	free(back);
}

/* LONG2 10, 11 and SHORT 1 in the buffer; 20 and STRING x in the structure. */
static UBFH *mixed(struct SAMPLE *s, int mode)
{
	UBFH *p = buffer();

	add(p, F_SHORT, "1");
	add(p, F_LONGS, "10");
	add(p, F_LONGS, "11");
	s->six[0] = 20;
	s->C_six = 1;
	strcpy(s->seven[0], "x");
	s->C_seven = 1;
	assert_int_equal(Bvopt(CN("five"), B_FTOS, V), 0);
	assert_int_equal(Bvstof(p, (char *)s, mode, V), 0);
	assert_int_equal(Bvopt(CN("five"), B_BOTH, V), 0);
	return p;
}

static long get_long(UBFH *p, BFLDID id, BFLDOCC occ)
{
	long n = -99;

	(void)CBget(p, id, occ, (char *)&n, NULL, BFLD_LONG);
	return n;
}

static void modes_merge_as_the_buffer_functions_do(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p;

	p = mixed(s, BUPDATE);
	assert_int_equal(Bnum(p), 4);
	assert_int_equal(get_long(p, F_LONGS, 0), 20);
	assert_int_equal(get_long(p, F_LONGS, 1), 11);
	Bfree(p);
	p = mixed(s, BCONCAT);
	assert_int_equal(Bnum(p), 5);
	assert_int_equal(get_long(p, F_LONGS, 2), 20);
	Bfree(p);
	p = mixed(s, BJOIN);
	assert_int_equal(Bnum(p), 1);
	assert_int_equal(get_long(p, F_LONGS, 0), 20);
	Bfree(p);
	p = mixed(s, BOJOIN);
	assert_int_equal(Bnum(p), 3);
	assert_int_equal(get_long(p, F_LONGS, 0), 20);
	assert_int_equal(Bpres(p, F_STRING, 0), 0);
	Bfree(p);
	free(s);
}

static void bvstof_copies_all_or_nothing(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p = malloc(100), *was = buffer();

	assert_int_equal(Binit(p, 100), 0);
	add(p, F_SHORT, "1");
	assert_int_equal(Bcpy(was, p), 0);
	s->one = 2;
	strcpy(s->ten[3], "abc");
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_int_equal(Bcmp(p, was), 0);
	free(p);
	Bfree(was);
	free(s);
}

static void a_count_beyond_the_array_is_refused(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p = buffer();

	s->C_six = 4;
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), -1);
	assert_int_equal(Berror, BEINVAL);
	s->C_six = -1;
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), -1);
	assert_int_equal(Berror, BBADACM);
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
	free(s);
}

static void options_change_the_mapping(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p = buffer();

	s->one = 5;
	assert_int_equal(Bvopt(CN("one"), B_FTOS, V), 0);
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), 0);
	assert_int_equal(Bpres(p, F_SHORT, 0), 0);
	assert_int_equal(Bvopt(CN("one"), B_STOF, V), 0);
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), 0);
	assert_int_equal(Bpres(p, F_SHORT, 0), 1);
	s->one = 6;
	assert_int_equal(Bvftos(p, (char *)s, V), 0);
	assert_int_equal(s->one, 0);	/* not mapped to here: null */
	s->one = 6;
	assert_int_equal(Bvopt(CN("one"), B_OFF, V), 0);
	s->one = 6;
	assert_int_equal(Bvstof(p, (char *)s, BUPDATE, V), 0);
	assert_int_equal(get_long(p, F_SHORT, 0), 5);
	assert_int_equal(Bvopt(CN("one"), B_BOTH, V), 0);
	assert_int_equal(Bvftos(p, (char *)s, V), 0);
	assert_int_equal(s->one, 5);
	Bfree(p);
	free(s);
}

static void arguments_are_checked(void **state)
{
	struct SAMPLE *s = view_sample();
	UBFH *p = buffer();

	assert_int_equal(Bvstof(p, (char *)s, 0, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvstof(p, (char *)s, 5, V), -1);
	assert_int_equal(Bvstof(p, NULL, BUPDATE, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvstof(NULL, (char *)s, BUPDATE, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvftos(NULL, (char *)s, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvftos(p, NULL, V), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvftos(p, (char *)s, CN("NO")), -1);
	assert_int_equal(Berror, BBADVIEW);
	assert_int_equal(Bvftos(p, (char *)s, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	Bfree(p);
	free(s);
}

static const char flags_file[] =
	"VIEW NOFLAG\nlong a LONG 1 - - -\nEND\n"
	"VIEW ONLYF\nlong a LONG 1 F - -\nEND\n"
	"VIEW ONLYS\nlong a LONG 1 S - -\nEND\n"
	"VIEW BOTH\nlong a LONG 1 F,S - -\nEND\n"
	"VIEW NONE\nlong a LONG 1 N - -\nEND\n"
	"VIEW NONEFS\nlong a LONG 1 FSN - -\nEND\n"
	"VIEW COUNTED\nshort b SHORT 1 - - -\nlong a LONG 1 C - -\nEND\n"
	"VIEW NOFIELD\nlong a - 1 - - -\nEND\n";

static int setup_flags(void **state)
{
	if (view_setup(state) != 0 ||
	    tmpdir_write(&view_dir, "flags.v", flags_file) < 0)
		return -1;
	return setenv("VIEWFILES", "sample.v,flags.v", 1);
}

/* What is mapped: 1, the buffer reaches the structure; 2, the structure the
 * buffer; -1: an error. */
static int mapped(const char *view)
{
	UBFH *p = Balloc(50, 2000), *q = Balloc(50, 2000);
	long a = 5, five = 42;
	int r;

	if (CBadd(p, F_LONG, (char *)&five, 0, BFLD_LONG) < 0 ||
	    Bvftos(p, (char *)&a, CN(view)) < 0)
		return -1;
	r = a == 42 ? 1 : 0;
	if (r == 0 && a != 0)
		return -1;
	a = 6;
	if (Bvstof(q, (char *)&a, BUPDATE, CN(view)) < 0)
		return -1;
	r += Boccur(q, F_LONG) == 1 ? 2 : 0;
	Bfree(p);
	Bfree(q);
	return r;
}

/* In a child, which loads the views itself: before they are loaded here. */
static void view_explicit_maps_flagged_members_only(void **state)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		setenv("NDRX_APIFLAGS", "json_escape,view_explicit", 1);
		_exit(mapped("NOFLAG") == 0 && mapped("ONLYS") == 1 &&
		      mapped("BOTH") == 3 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void without_a_flag_a_field_is_mapped_both_ways(void **state)
{
	struct {
		short b;
		short C_a;
		long a;
	} counted = { .C_a = 1, .a = 7 };
	UBFH *p = buffer();

	assert_int_equal(mapped("NOFLAG"), 3);
	assert_int_equal(mapped("ONLYF"), 2);
	assert_int_equal(mapped("ONLYS"), 1);
	assert_int_equal(mapped("BOTH"), 3);
	assert_int_equal(mapped("NONE"), 0);
	assert_int_equal(mapped("NONEFS"), 0);
	assert_int_equal(mapped("NOFIELD"), 0);
	/* Other flags do not change that. */
	assert_int_equal(Bvstof(p, (char *)&counted, BUPDATE, CN("COUNTED")),
			 0);
	assert_int_equal(Boccur(p, F_LONG), 1);
	counted.C_a = 0;
	assert_int_equal(Bvftos(p, (char *)&counted, CN("COUNTED")), 0);
	assert_int_equal(counted.C_a, 1);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(view_explicit_maps_flagged_members_only),
		cmocka_unit_test(fields_become_members),
		cmocka_unit_test(arrays_are_cut_and_long_strings_refused),
		cmocka_unit_test(null_elements_keep_their_place),
		cmocka_unit_test(modes_merge_as_the_buffer_functions_do),
		cmocka_unit_test(bvstof_copies_all_or_nothing),
		cmocka_unit_test(a_count_beyond_the_array_is_refused),
		cmocka_unit_test(options_change_the_mapping),
		cmocka_unit_test(without_a_flag_a_field_is_mapped_both_ways),
		cmocka_unit_test(arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, setup_flags, view_teardown);
}
