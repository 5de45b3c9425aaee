/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_read.c - view files, good and bad
 */
#include "tests/unit/libubf/view_test.h"

#include <errno.h>

#include "libubf/base/cleanup.h"
#include "libubf/viewdef/read.h"

/* Read text as a file "t.v"; returns the last result and the first view. */
static int read_text(const char *text, char *error, struct ow_view **ret_view)
{
	struct ow_view_reader r = { .in.path = "t.v" };
	struct ow_view *v = NULL, *first = NULL;
	int res;

	r.in.file = fmemopen((void *)text, strlen(text), "r");
	assert_non_null(r.in.file);
	while ((res = ow_view_next(&r, &v)) > 0) {
		if (first == NULL)
			first = v;
		else
			ow_view_freep(&v);
	}
	strcpy(error, r.in.error);
	ow_view_close(&r);
	*ret_view = first;
	return res;
}

static struct ow_view *good(const char *text)
{
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_view *v = NULL;

	if (read_text(text, error, &v) != 0)
		fail_msg("%s", error);
	assert_non_null(v);
	return v;
}

static void bad(const char *text, const char *says)
{
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_view *v = NULL;

	assert_int_equal(read_text(text, error, &v), -EBADMSG);
	if (strstr(error, says) == NULL)
		fail_msg("'%s' does not say '%s'", error, says);
	ow_view_freep(&v);
}

/* A view with this line is refused with this message. */
static void bad_line(const char *line, const char *says)
{
	char text[4096];

	snprintf(text, sizeof(text), "VIEW V\n%s\nEND\n", line);
	bad(text, says);
}

static void members_lie_where_the_compiler_puts_them(void **state)
{
#define AT(m) { #m, offsetof(struct SAMPLE, m) }
	static const struct {
		const char *name;
		size_t offset;
	} want[] = { AT(one),	AT(two),   AT(three), AT(four), AT(five),
		     AT(six),	AT(seven), AT(eight), AT(nine), AT(ten),
		     AT(eleven) };
	struct ow_view *v = good(view_file);
	size_t i;

	assert_string_equal(v->name, "SAMPLE");
	assert_int_equal(v->size, sizeof(struct SAMPLE));
	assert_int_equal(v->ncols, sizeof(want) / sizeof(*want));
	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = ow_view_column(v, want[i].name);

		assert_non_null(c);
		assert_int_equal(c->offset, want[i].offset);
	}
	assert_int_equal(ow_view_column(v, "four")->count_at,
			 offsetof(struct SAMPLE, C_four));
	assert_int_equal(ow_view_column(v, "seven")->count_at,
			 offsetof(struct SAMPLE, C_seven));
	assert_int_equal(ow_view_column(v, "seven")->len_at,
			 offsetof(struct SAMPLE, L_seven));
	assert_int_equal(ow_view_column(v, "eight")->len_at,
			 offsetof(struct SAMPLE, L_eight));
	assert_null(ow_view_column(v, "C_seven"));
	ow_view_freep(&v);
}

static void null_values_lose_quotes_and_escapes(void **state)
{
	struct ow_view *v = good(
		"VIEW V\n"
		"string a - 1 - 30 \"a b\\n\\t\\f\\\\\\'\\\"\\v\"\n"
		"carray b - 1 - 30 '\\0\"# '  # comment\n"
		"char c - 1 - - '\\0'\nchar d - 1 - - A\nchar e - 1 - - 65\n"
		"double f - 1 - - -1.5e3\nshort g - 1 - - -32768\n"
		"string h - 1 - 5 \"-\"\nstring i - 1 - 5 'NONE'\n"
		"string k - 1 - 5 NONE\nEND\n");
	struct ow_view_col *c = v->cols;

	assert_int_equal(c[0].null_len, 10);
	assert_memory_equal(c[0].null, "a b\n\t\f\\'\"\v", 10);
	assert_int_equal(c[1].null_len, 4);
	assert_memory_equal(c[1].null, "\0\"# ", 4);
	assert_int_equal(c[2].null[0], 0);
	assert_int_equal(c[3].null[0], 'A');
	assert_int_equal(c[4].null[0], 'A');
	assert_true(*(double *)memcpy(&(double){ 0 }, c[5].null, 8) == -1500.);
	assert_int_equal(*(short *)memcpy(&(short){ 0 }, c[6].null, 2),
			 -32768);
	assert_int_equal(c[7].null_kind, OW_VIEW_NULL_VALUE);
	assert_string_equal(c[8].null, "NONE");
	assert_int_equal(c[9].null_kind, OW_VIEW_NULL_NONE);
	ow_view_freep(&v);
}

static void the_checksum_is_that_of_the_structure(void **state)
{
	static const char *const other[] = {
		"VIEW W\nlong a F 1 FS - -\nEND\n",
		"VIEW V\nlong b F 1 FS - -\nEND\n",
		"VIEW V\ndouble a F 1 FS - -\nEND\n",
		"VIEW V\nlong a F 2 FS - -\nEND\n",
		"VIEW V\nlong a F 1 FSC - -\nEND\n",
		"VIEW V\nlong a F 1 FS - -\nchar b - 1 - - -\nEND\n",
	};
	struct ow_view *v = good("VIEW V\nlong a F 1 FS - -\nEND\n");
	struct ow_view *w = good("VIEW V\nlong a - 1 - - 55\nEND\n");
	size_t i;

	assert_int_equal(v->cksum, w->cksum);
	ow_view_freep(&w);
	for (i = 0; i < sizeof(other) / sizeof(*other); i++) {
		w = good(other[i]);
		assert_int_not_equal(v->cksum, w->cksum);
		ow_view_freep(&w);
	}
	ow_view_freep(&v);
}

static void messages_on_faults_name_file_and_line(void **state)
{
	bad("VIEW V\nlong a - 1 - - -\nlung b - 1 - - -\nEND\n",
	    "t.v:3: 'lung' is not a type");
	bad("x\n", "t.v:1: 'x' outside of VIEW and END");
	bad("VIEW\n", "VIEW needs a name");
	bad("VIEW 1a\n", "VIEW needs a name");
	bad("VIEW a b\n", "VIEW needs a name");
	bad("VIEW a234567890123456789012345678901234\n", "VIEW needs a name");
	bad("VIEW V\nEND\n", "t.v:2: view V has no members");
	bad("VIEW V\nlong a - 1 - - -\n", "t.v:2: view V has no END");
	bad("VIEW V\nlong a - 1 - - -\nVIEW W\n", "END is missing");
	bad_line("long a - 1 - -", "6 columns");
	bad_line("long a - 1 - - - more", "too many columns");
	bad_line("long a - 1 - - - offset=0;fldsize=8 more", "9 columns");
	bad_line("long a - 1 - - - offset=4;fldsize=8", "lies at 0");
	bad_line("long a - 1 - - -\n#@__ssize=9;@__cksum=1", "has 8 bytes");
	bad_line("long a-b - 1 - - -", "cannot be the name of a member");
	bad_line("long a 1b 1 - - -", "cannot be the name of a field");
	bad_line("long a - 1 F - -", "need the name of a field");
	bad_line("long a - 1 X - -", "'X' in 'X' is not a flag");
	bad_line("long a - 1 L - -", "are for string and carray");
	bad_line("long a - 1 P - -", "are for string and carray");
	bad_line("string a - 1 - - -", "needs 1 to");
	bad_line("string a - 1 - 0 -", "needs 1 to");
	bad_line("string a - 1 L 65536 -", "needs 1 to 65535");
	bad_line("string a - 1 - 9 \"\\400\"", "is no string");
	bad_line("string a - 1 - 9 \"\\8\"", "is no string");
	bad_line("string a - 1 - 9 \"abc", "a quote is not closed");
	bad_line("string a - 1 - 9 \"abc\\", "a quote is not closed");
	bad_line("string a - 1 - 9 \"a\\q\"", "is no string");
	bad_line("string a - 1 - 9 \"a\"b", "a quote is not closed");
	bad_line("char a - 1 - - 'ab'", "is no char");
	bad_line("char a - 1 - - 256", "is no char");
	bad_line("short a - 1 - - 32768", "is no short");
	bad_line("int a - 1 - - 2147483648", "is no int");
	bad_line("long a - 1 - - 9223372036854775808", "is no long");
	bad_line("double a - 1 - - 1x", "is no double");
}

/* The null value of the only member of a view. */
static const struct ow_view_col *null_of(struct ow_view **v, const char *line)
{
	char text[200];

	snprintf(text, sizeof(text), "VIEW V\n%s\nEND\n", line);
	*v = good(text);
	return &(*v)->cols[0];
}

static void null_value_is(const char *line, const char *bytes, size_t n,
			  int is_cut)
{
	OW_CLEANUP(ow_view_freep) struct ow_view *v = NULL;
	const struct ow_view_col *c = null_of(&v, line);

	assert_memory_equal(c->null, bytes, n);
	assert_int_equal(c->null_len, n);
	assert_int_equal(c->null_cut, is_cut);
}

static void null_values_have_the_escapes_of_c(void **state)
{
	null_value_is("string a - 1 - 9 \"\\101B\\7\"", "AB\7", 3, 0);
	null_value_is("carray a - 1 - 4 \"\\001\\002\\0\"", "\1\2\0", 3, 0);
	null_value_is("string a - 1 - 9 '\\b\\r\\v\\f\\a'", "\b\r\v\f\a", 5, 0);
	null_value_is("char a - 1 - - \"\\377\"", "\377", 1, 0);
}

static void null_values_that_are_too_long_are_cut(void **state)
{
	null_value_is("string a - 1 - 3 abc", "ab", 2, 1);
	null_value_is("carray a - 1 - 3 abcd", "abc", 3, 1);
	null_value_is("carray a - 1 - 3 abc", "abc", 3, 0);
}

static void a_carray_without_size_has_one_byte(void **state)
{
	OW_CLEANUP(ow_view_freep) struct ow_view *v = NULL;

	assert_int_equal(null_of(&v, "carray a - 50000 - - -")->size, 1);
	assert_int_equal(v->size, 50000);
}

static void hostile_numbers_are_refused(void **state)
{
	static const char *const counts[] = {
		"0", "-1", "65536", "99999999999999999999", "1x", "x", "+1",
	};
	char line[200];
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		snprintf(line, sizeof(line), "long a - %s - - -", counts[i]);
		bad_line(line, "is not in 1..65535");
	}
	/* The count member is a short. */
	bad_line("long a - 32768 C - -", "is not in 1..32767");
	bad_line("string a - 1 - 4294967297 -", "needs 1 to");
	bad_line("string a - 1 - 99999999999999999999 -", "needs 1 to");
	bad_line("string a - 32767 - 67108864 -", "is larger than");
	bad_line("string a - 1 - 67108864 -\nchar b - 1 - - -",
		 "is larger than");
	bad_line("string a - 1 C 67108864 -", "is larger than");
}

static void a_member_name_used_twice_is_refused(void **state)
{
	bad_line("long a - 1 - - -\nlong a - 1 - - -", "t.v:3: a, or its C_");
	bad_line("long a - 1 C - -\nlong C_a - 1 - - -", "t.v:3: C_a, or");
	bad_line("long L_a - 1 - - -\nstring a - 1 L 9 -", "t.v:3: a, or");
}

static void a_view_of_many_members_is_read(void **state)
{
	size_t size = 40 * 20000, n = 0;
	char *text = malloc(size);
	struct ow_view *v;
	int i;

	n += (size_t)sprintf(text + n, "VIEW V\n");
	for (i = 0; i < 20000; i++)
		n += (size_t)sprintf(text + n, "char m%d - 1 - - -\n", i);
	sprintf(text + n, "END\n");
	v = good(text);
	assert_int_equal(v->ncols, 20000);
	assert_int_equal(v->size, 20000);
	assert_int_equal(ow_view_column(v, "m19999")->offset, 19999);
	ow_view_freep(&v);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_lie_where_the_compiler_puts_them),
		cmocka_unit_test(null_values_lose_quotes_and_escapes),
		cmocka_unit_test(the_checksum_is_that_of_the_structure),
		cmocka_unit_test(messages_on_faults_name_file_and_line),
		cmocka_unit_test(null_values_have_the_escapes_of_c),
		cmocka_unit_test(null_values_that_are_too_long_are_cut),
		cmocka_unit_test(a_carray_without_size_has_one_byte),
		cmocka_unit_test(hostile_numbers_are_refused),
		cmocka_unit_test(a_member_name_used_twice_is_refused),
		cmocka_unit_test(a_view_of_many_members_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
