/* SPDX-License-Identifier: Apache-2.0 */
/* test_observed.c - answers that programs written for Enduro/X count on */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>


static char memory[4][2048];

static UBFH *buffer(int i)
{
	UBFH *p = (UBFH *)memory[i];

	assert_int_equal(Binit(p, sizeof(memory[i])), 0);
	return p;
}

#define FAILS(call, error)                        \
	do {                                      \
		assert_true((long)(call) == -1);  \
		assert_int_equal(Berror, error);  \
	} while (0)

static void an_occurrence_below_minus_one_is_not_valid(void **state)
{
	UBFH *p = buffer(0);
	char value[64];
	BFLDLEN len = sizeof(value);

	Badd(p, F_STRING, (char *)"abc", 0);
	FAILS(Bget(p, F_STRING, -2, value, &len), BEINVAL);
	FAILS(CBget(p, F_STRING, -2, value, &len, BFLD_LONG), BEINVAL);
	FAILS(Blen(p, F_STRING, -2), BEINVAL);
	FAILS(Bdel(p, F_STRING, -2), BEINVAL);
	assert_null(Bfind(p, F_STRING, -2, NULL));
	assert_int_equal(Berror, BEINVAL);
	assert_null(CBfind(p, F_STRING, -2, NULL, BFLD_LONG));
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bpres(p, F_STRING, -2), 0);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bpres(p, F_STRING, 1), 0);
	assert_int_equal(Berror, BMINVAL);
	FAILS(Bget(p, F_STRING, 1, value, &len), BNOTPRES);
}

static void deleting_only_absent_fields_is_reported(void **state)
{
	UBFH *p = buffer(0);
	BFLDID absent[] = { F_LONG, F_CHAR, BBADFLDID };
	BFLDID one[] = { F_LONG, F_STRING, BBADFLDID };

	Badd(p, F_STRING, (char *)"abc", 0);
	FAILS(Bdelete(p, absent), BNOTPRES);
	assert_int_equal(Bdelete(p, one), 0);
	assert_int_equal(Bnum(p), 0);
}

/* The address is no buffer, no view, and not mapped. */
static void a_value_that_does_not_convert_is_not_looked_at(void **state)
{
	char *wild = (char *)11;
	UBFH *p = buffer(0);
	BFLDLEN len;

	FAILS(CBchg(p, F_SHORT, 0, wild, 0, BFLD_VIEW), BEBADOP);
	FAILS(CBchg(p, F_VIEW, 0, wild, 0, BFLD_SHORT), BEBADOP);
	FAILS(CBadd(p, F_STRING, wild, 0, BFLD_UBF), BEBADOP);
	FAILS(CBadd(p, F_UBF, wild, 0, BFLD_STRING), BEBADOP);
	assert_null(Btypcvt(&len, BFLD_STRING, wild, BFLD_UBF, 0));
	assert_int_equal(Berror, BEBADOP);
	assert_null(Btypcvt(&len, BFLD_LONG, wild, BFLD_VIEW, 0));
	assert_int_equal(Berror, BEBADOP);
	assert_int_equal(Bnum(p), 0);
}

static void carrays_are_compared_by_length_first(void **state)
{
	UBFH *a = buffer(0), *b = buffer(1);

	Badd(a, F_CARRAY, (char *)"z", 1);
	Badd(b, F_CARRAY, (char *)"ab", 2);
	assert_int_equal(Bcmp(a, b), -1);
	assert_int_equal(Bcmp(b, a), 1);
}

static void a_subset_reaches_into_embedded_buffers(void **state)
{
	UBFH *hay = buffer(0), *needle = buffer(1), *in = buffer(2);
	long two = 2;

	Badd(in, F_STRING, (char *)"abc", 0);
	Badd(needle, F_UBF, (char *)in, 0);
	Badd(in, F_LONG, (char *)&two, 0);
	Badd(hay, F_UBF, (char *)in, 0);
	assert_int_equal(Bsubset(hay, needle), 1);
	assert_int_equal(Bsubset(needle, hay), 0);
}

static void room_for_nothing_is_not_valid(void **state)
{
	FAILS(Bneeded(0, 10), BEINVAL);
	FAILS(Bneeded(10, 0), BEINVAL);
	assert_true(Bneeded(1, 1) > 0);
}

static void a_quote_that_stays_open_behind_a_name_is_a_bad_name(void **state)
{
	assert_null(Bboolco((char *)"NAME=='abc"));
	assert_int_equal(Berror, BBADNAME);
	assert_null(Bboolco((char *)"'abc"));
	assert_int_equal(Berror, BSYNTAX);
}

static long yes(UBFH *p_ub, char *name)
{
	return 1;
}

static void a_callback_needs_a_valid_name(void **state)
{
	char longer[66];

	memset(longer, 'a', 65);
	longer[65] = '\0';
	FAILS(Bboolsetcbf(NULL, yes), BBADNAME);
	FAILS(Bboolsetcbf((char *)"", yes), BBADNAME);
	FAILS(Bboolsetcbf(longer, yes), BBADNAME);
}

static void an_expression_is_printed_with_blanks_around_comparisons_only(
    void **state)
{
	char *tree = Bboolco((char *)"1+2*3 && 1<1"), text[128] = "";
	FILE *f = tmpfile();

	assert_non_null(tree);
	Bboolpr(tree, f);
	rewind(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_string_equal(text, "((1+(2*3)) && (1 < 1))\n");
	fclose(f);
	Btreefree(tree);
}

static int extread(const char *text)
{
	UBFH *p = buffer(0);
	FILE *f = tmpfile();
	int r;

	fputs(text, f);
	rewind(f);
	r = Bextread(p, f);
	fclose(f);
	return r;
}

static void text_of_fields_needs_a_tab_and_a_field(void **state)
{
	FAILS(extread("- NAME\n\n"), BSYNTAX);
	FAILS(extread("((BFLDID32)0)\tx\n\n"), BBADNAME);
}

/* Each type has memory of its own until the next CBfind() of that type. */
static void a_converted_value_stays_until_the_next_of_its_type(void **state)
{
	UBFH *p = buffer(0);
	long n = 42;
	char *text, *more;
	double *real;

	Badd(p, F_LONG, (char *)&n, 0);
	text = CBfind(p, F_LONG, 0, NULL, BFLD_STRING);
	real = (double *)(void *)CBfind(p, F_LONG, 0, NULL, BFLD_DOUBLE);
	assert_non_null(CBfind(p, F_LONG, 0, NULL, BFLD_SHORT));
	assert_string_equal(text, "42");
	assert_true(*real > 41.9 && *real < 42.1);
	n = 7;
	Badd(p, F_LONG, (char *)&n, 0);
	more = Bfinds(p, F_LONG, 1);
	assert_ptr_equal(more, text);
	assert_string_equal(text, "7");
}

/* An embedded buffer by itself is no operand. */
static void an_embedded_buffer_alone_is_a_bad_operation(void **state)
{
	UBFH *p = buffer(0), *in = buffer(1);
	BFLDLEN len = 64;
	char value[64];

	Badd(in, F_STRING, (char *)"x", 0);
	Badd(p, F_UBF, (char *)in, 0);
	FAILS(CBget(p, F_UBF, 0, value, &len, BFLD_STRING), BEBADOP);
	FAILS(CBadd(p, F_UBF, (char *)"x", 0, BFLD_STRING), BEBADOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_occurrence_below_minus_one_is_not_valid),
		cmocka_unit_test(deleting_only_absent_fields_is_reported),
		cmocka_unit_test(
		    a_value_that_does_not_convert_is_not_looked_at),
		cmocka_unit_test(carrays_are_compared_by_length_first),
		cmocka_unit_test(a_subset_reaches_into_embedded_buffers),
		cmocka_unit_test(room_for_nothing_is_not_valid),
		cmocka_unit_test(
		    a_quote_that_stays_open_behind_a_name_is_a_bad_name),
		cmocka_unit_test(a_callback_needs_a_valid_name),
		cmocka_unit_test(
		    an_expression_is_printed_with_blanks_around_comparisons_only),
		cmocka_unit_test(text_of_fields_needs_a_tab_and_a_field),
		cmocka_unit_test(
		    a_converted_value_stays_until_the_next_of_its_type),
		cmocka_unit_test(an_embedded_buffer_alone_is_a_bad_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
