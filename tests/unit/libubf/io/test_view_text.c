/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_text.c - Bvfprint, Bvextread, and views in the text of buffers
 */
#include "tests/unit/libubf/view_test.h"

#define V ((char *)"SAMPLE")
#define CN(name) ((char *)(name))

static struct SAMPLE *filled(void)
{
	struct SAMPLE *s = view_sample();

	s->one = -3;
	s->three = '\n';
	s->C_four = 2;
	s->five = 1.25;
	s->C_six = 2;
	s->six[1] = -8;
	s->C_seven = 1;
	strcpy(s->seven[0], "a\\b");
	assert_int_equal(CBvchg((char *)s, V, CN("eight"), 1, CN("\0z"), 2,
				BFLD_CARRAY), 0);
	strcpy(s->ten[1], "x");
	return s;
}

static const char text[] =
	"one\t-3\ntwo\t-1\nthree\t\\0a\nfour\t1.50000\nfour\t1.50000\n"
	"five\t1.250000\nsix\t7\nsix\t-8\nseven\ta\\\\b\n"
	"eight\t\neight\t\\00z\nnine\t-****\n"
	"ten\t\nten\tx\nten\t\nten\t\neleven\t\\00\\0a\\\\'x\n";

static char *printed(struct SAMPLE *s)
{
	static char got[4096];
	FILE *f = fmemopen(got, sizeof(got), "w");

	assert_non_null(f);
	assert_int_equal(Bvfprint((char *)s, V, f), 0);
	fclose(f);
	return got;
}

static int extread(struct SAMPLE *s, const char *lines)
{
	FILE *f = fmemopen((void *)lines, strlen(lines), "r");
	int r;

	assert_non_null(f);
	r = Bvextread((char *)s, V, f);
	fclose(f);
	return r;
}

static void print_and_read_are_inverse(void **state)
{
	struct SAMPLE *s = filled(), *back = view_sample();

	assert_string_equal(printed(s), text);
	assert_int_equal(extread(back, text), 0);
	assert_string_equal(printed(back), text);
	assert_int_equal(Bvcmp((char *)s, V, (char *)back, V), 0);
	free(s);
	free(back);
}

/* Whatever the other structure held: null elements are printed, too. */
static void null_members_print_and_read_back(void **state)
{
	struct SAMPLE *s = view_sample(), *back = filled();

	back->two = 9;
	back->C_four = back->C_six = back->C_seven = 0;
	strcpy(back->nine, "other");
	strcpy(back->ten[3], "y");
	memset(back->eleven, 'z', sizeof(back->eleven));
	assert_int_equal(extread(back, printed(s)), 0);
	assert_int_equal(Bvcmp((char *)s, V, (char *)back, V), 0);
	assert_int_equal(Bvnull((char *)back, CN("two"), 0, V), 1);
	assert_int_equal(Bvnull((char *)back, CN("nine"), 0, V), 1);
	assert_int_equal(Bvnull((char *)back, CN("eight"), 1, V), 1);
	assert_int_equal(Bvnull((char *)back, CN("eleven"), 0, V), 1);
	free(s);
	free(back);
}

static int gather(char **buffer, long datalen, void *to, int *do_write,
		  FILE *outf, int fid)
{
	assert_int_equal(datalen, strlen(*buffer) + 1);
	strcat(to, *buffer);
	return 0;
}

static long give(char *buffer, long bufsz, void *from)
{
	const char **at = from;
	long n = (long)strcspn(*at, "\n");

	n += (*at)[n] == '\n';
	assert_true(n <= bufsz);
	memcpy(buffer, *at, (size_t)n);
	*at += n;
	return n;
}

static void callbacks_write_and_read_lines(void **state)
{
	struct SAMPLE *s = filled(), *back = view_sample();
	char got[4096] = "";
	const char *at = got;

	assert_int_equal(Bvfprintcb((char *)s, V, gather, got), 0);
	assert_string_equal(got, text);
	assert_int_equal(Bvextreadcb((char *)back, V, give, &at), 0);
	assert_int_equal(Bvcmp((char *)s, V, (char *)back, V), 0);
	free(s);
	free(back);
}

static void prefixes_change_members(void **state)
{
	struct SAMPLE *s = filled();

	assert_int_equal(extread(s, "# comment\n\n+ one\t8\n- two\t\n"
				 "= ten\tone\n+ six\t1\n"), 0);
	assert_int_equal(s->one, 8);
	assert_int_equal(s->two, -1);
	assert_string_equal(s->ten[0], "8");
	assert_int_equal(s->six[0], 1);
	assert_int_equal(s->C_six, 2);
	free(s);
}

static void fails(const char *lines, int error)
{
	struct SAMPLE *s = view_sample();

	assert_int_equal(extread(s, lines), -1);
	assert_int_equal(Berror, error);
	free(s);
}

static void bad_text_is_refused(void **state)
{
	fails("nothing\t1\n", BNOCNAME);
	fails("C_six\t1\n", BNOCNAME);
	fails("one\n", BSYNTAX);
	fails("one\t1", BSYNTAX);
	fails("\tone\t1\n", BSYNTAX);
	fails("+one\t1\n", BSYNTAX);
	fails("one\t\\4\n", BSYNTAX);
	fails("one\t1\none\t2\n", BEINVAL);
	fails("ten\t1234\n", BNOSPACE);
	fails("= one\tnothing\n", BNOCNAME);
	fails("= one\tsix\n", BNOTPRES);
	assert_int_equal(Bvextread(NULL, V, stdin), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvextread((char *)"", V, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvfprint(NULL, V, stdout), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bvfprint((char *)"", V, NULL), -1);
	assert_int_equal(Bvfprintcb((char *)"", V, NULL, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
}

/* A buffer with views at two levels, one of them empty. */
static UBFH *nested(void)
{
	struct SAMPLE *s = filled();
	BVIEWFLD f = { 0, "SAMPLE", (char *)s }, empty = { 0 };
	UBFH *p = Balloc(20, 8000), *in = Balloc(20, 2000);

	assert_int_equal(Badd(in, F_VIEW, (char *)&f, 0), 0);
	assert_int_equal(Badds(in, F_LONG, CN("5")), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	assert_int_equal(Badd(p, F_VIEW, (char *)&empty, 0), 0);
	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), 0);
	free(s);
	Bfree(in);
	return p;
}

static void buffers_with_views_print_and_read_back(void **state)
{
	UBFH *p = nested(), *back = Balloc(20, 8000);
	char *got = calloc(1, 8192);
	FILE *f = fmemopen(got, 8192, "w");

	assert_int_equal(Bfprint(p, f), 0);
	fclose(f);
	assert_non_null(strstr(got, "UBF\t\n\tLONG\t5\n\tVIEW\tSAMPLE\n"
			       "\t\tone\t-3\n"));
	assert_non_null(strstr(got, "\nVIEW\t\nVIEW\tSAMPLE\n\tone\t-3\n"));
	f = fmemopen(got, strlen(got), "r");
	assert_int_equal(Bextread(back, f), 0);
	fclose(f);
	assert_int_equal(Bcmp(p, back), 0);
	free(got);
	Bfree(p);
	Bfree(back);
}

static void bad_views_in_a_text_are_refused(void **state)
{
	static const struct {
		const char *text;
		int error;
	} bad[] = {
		{ "VIEW\tNOSUCH\n", BBADVIEW },
		{ "VIEW\tSAMPLE\n\tno\t1\n", BNOCNAME },
		{ "VIEW\tSAMPLE\n\t\tone\t1\n", BSYNTAX },
		{ "VIEW\tA234567890123456789012345678901234\n", BSYNTAX },
		{ "VIEW\tSAM\\00PLE\n", BSYNTAX },
	};
	UBFH *p = Balloc(20, 2000);
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		FILE *f = fmemopen((void *)bad[i].text, strlen(bad[i].text),
				   "r");

		assert_int_equal(Bextread(p, f), -1);
		assert_int_equal(Berror, bad[i].error);
		fclose(f);
	}
	assert_int_equal(Bnum(p), 0);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_and_read_are_inverse),
		cmocka_unit_test(null_members_print_and_read_back),
		cmocka_unit_test(callbacks_write_and_read_lines),
		cmocka_unit_test(prefixes_change_members),
		cmocka_unit_test(bad_text_is_refused),
		cmocka_unit_test(buffers_with_views_print_and_read_back),
		cmocka_unit_test(bad_views_in_a_text_are_refused),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
