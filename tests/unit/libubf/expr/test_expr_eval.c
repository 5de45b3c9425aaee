/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_expr_eval.c - results of expressions on a buffer
 */
#include "tests/unit/libubf/expr/expr_test.h"

#include <math.h>
#include <pthread.h>

struct truth {
	const char *expr;
	int is;
};

struct number {
	const char *expr;
	double is;
};

static void check_truth(UBFH *p, const char *expr, int is)
{
	char *tree = Bboolco((char *)expr);
	int r;

	if (tree == NULL)
		fail_msg("%s: %s", expr, Bstrerror(Berror));
	r = Bboolev(p, tree);
	if (r != is)
		fail_msg("%s is %d, expected %d", expr, r, is);
	assert_int_equal(Berror, 0);
	Btreefree(tree);
}

static void check_all(const struct truth *t, size_t n)
{
	UBFH *p = expr_buffer();
	size_t i;

	for (i = 0; i < n; i++)
		check_truth(p, t[i].expr, t[i].is);
	Bfree(p);
}

#define CHECK_ALL(t) check_all(t, sizeof(t) / sizeof(*(t)))

static void constants_are_compared(void **state)
{
	static const struct truth t[] = {
		{ "1", 1 }, { "0", 0 }, { "0.0", 0 }, { "0.1", 1 },
		{ "'a'", 1 }, { "''", 0 }, { "'0'", 1 },
		{ "1 == 1", 1 }, { "1 == 2", 0 }, { "1 != 2", 1 },
		{ "1 != 1", 0 }, { "1 < 2", 1 }, { "2 < 1", 0 },
		{ "1 < 1", 0 }, { "1 <= 1", 1 }, { "2 <= 1", 0 },
		{ "2 > 1", 1 }, { "1 > 1", 0 }, { "1 >= 1", 1 },
		{ "0 >= 1", 0 }, { "1.0 == 1", 1 }, { "1.5 > 1", 1 },
		{ "1 < 1.5", 1 }, { "1.0000001 == 1", 1 },
		{ "1.00001 == 1", 0 }, { "1.0000001 != 1", 0 },
		{ "1.0000001 <= 1", 1 }, { "1.0000001 >= 1", 1 },
		{ "1.00001 > 1", 1 }, { "1e3 == 1000", 1 },
		{ "1.5e-3 == 0.0015", 1 }, { "1E+2 == 100", 1 },
		{ ".5 == 0.5", 1 }, { "5. == 5", 1 },
		{ "9223372036854775807 == 9223372036854775807", 1 },
		{ "9223372036854775807 == 9223372036854775806", 0 },
		{ "9223372036854775806 < 9223372036854775807", 1 },
		{ "9223372036854775808 > 9223372036854775807", 0 },
		{ "1e400 == 1e400", 1 }, { "1e400 > 1", 1 },
		{ "123456789012345678901234567890 > 1", 1 },
		{ "'abc' == 'abc'", 1 }, { "'abc' == 'abd'", 0 },
		{ "'abc' < 'abd'", 1 }, { "'abc' < 'abcd'", 1 },
		{ "'b' > 'abcd'", 1 }, { "'B' < 'a'", 1 },
		{ "'' < 'a'", 1 }, { "'' == ''", 1 }, { "'a' != 'b'", 1 },
		{ "'a' >= 'a'", 1 }, { "'a' <= 'a'", 1 },
		{ "'10' < '9'", 1 }, { "'10.0' == '10'", 0 },
		{ "'10.0' == 10", 1 }, { "10 == '10.0'", 1 },
		{ "'10' < 9", 0 }, { "'abc' == 0", 1 },
		{ "'12abc' == 12", 1 }, { "' 12' == 12", 1 },
		{ "'-12' == -12", 1 }, { "'+12' == 12", 1 },
		{ "'0x10' == 0", 1 }, { "'1e2' == 100", 1 },
		{ "'1e' == 1", 1 }, { "'1.' == 1", 1 }, { "'.5' == 0.5", 1 },
		{ "'.' == 0", 1 }, { "'-' == 0", 1 }, { "'nan' == 0", 1 },
		{ "'inf' == 0", 1 }, { "'' == 0", 1 },
		{ "'9007199254740993' == 9007199254740993", 1 },
		{ "'9007199254740993' == 9007199254740992", 0 },
	};

	CHECK_ALL(t);
}

static void operators_bind_as_documented(void **state)
{
	static const struct truth t[] = {
		{ "1 || 0 && 0", 1 }, { "(1 || 0) && 0", 0 },
		{ "0 && 0 || 1", 1 }, { "0 && (0 || 1)", 0 },
		{ "1 && 0 ^ 1", 1 }, { "(1 && 0) ^ 1", 1 },
		{ "0 && 0 ^ 1", 0 }, { "(0 && 0) ^ 1", 1 },
		{ "1 ^ 1 == 1", 0 }, { "0 ^ 2 == 1", 0 },
		{ "(0 ^ 2) == 1", 1 }, { "3 == 2 < 1", 0 },
		{ "0 == 2 < 1", 1 }, { "(0 == 2) < 1", 1 },
		{ "1 == 1 + 1", 0 }, { "2 == 1 + 1", 1 },
		{ "1 < 1 + 1", 1 }, { "1 + 2 * 3 == 7", 1 },
		{ "(1 + 2) * 3 == 9", 1 }, { "2 * 3 + 1 == 7", 1 },
		{ "10 - 3 - 2 == 5", 1 }, { "10 - (3 - 2) == 9", 1 },
		{ "100 / 10 / 5 == 2", 1 }, { "100 / (10 / 5) == 50", 1 },
		{ "17 % 10 % 4 == 3", 1 }, { "17 % (10 % 4) == 1", 1 },
		{ "2 * 7 % 4 == 2", 1 }, { "-2 * 3 == -6", 1 },
		{ "2 - -3 == 5", 1 }, { "2--3 == 5", 1 }, { "2+-3 == -1", 1 },
		{ "!0 == 1", 1 }, { "!(0 == 1)", 1 }, { "!1 + 1 == 1", 1 },
		{ "~0 == -1", 1 }, { "~5 == -6", 1 }, { "~~5 == 5", 1 },
		{ "!!5 == 1", 1 }, { "!!!5 == 0", 1 }, { "--5 == 5", 1 },
		{ "- -5 == 5", 1 }, { "-+-5 == 5", 1 }, { "~-1 == 0", 1 },
		{ "1 == 1 == 1", 1 }, { "2 == 2 == 2", 0 },
		{ "3 > 2 > 1", 0 }, { "1 < 3 < 2", 1 },
		{ "1 ^ 1 ^ 1", 1 }, { "1 ^ 0", 1 }, { "5 ^ 3", 0 },
		{ "0 ^ 0", 0 }, { "1 || 1 ^ 1", 1 },
		{ "((((1))))", 1 }, { " ( 1 ) ", 1 }, { "\t1\n==\r1", 1 },
		{ "'abc' %% 'b' == 1", 1 }, { "0 == 1 != 1", 1 },
		{ "1&&1||0", 1 }, { "1||0&&0||0", 1 }, { "0||0||1", 1 },
		{ "1&&1&&0", 0 }, { "!'a'", 0 }, { "!''", 1 },
	};

	CHECK_ALL(t);
}

static void fields_are_values_of_their_type(void **state)
{
	static const struct truth t[] = {
		{ "S == 7", 1 }, { "L == 42", 1 }, { "F == 1.5", 1 },
		{ "D == 3.25", 1 }, { "D == 3.250000001", 1 },
		{ "STR == 'HELLO WORLD'", 1 }, { "STR == 'HELLO'", 0 },
		{ "STR < 'I'", 1 }, { "C == 'A'", 1 }, { "C == 65", 0 },
		{ "C == 0", 1 }, { "CD == 7", 1 }, { "CD == '7'", 1 },
		{ "CD + 1 == 8", 1 }, { "C < 'B'", 1 }, { "CNUL == ''", 1 },
		{ "CAR == 'bin'", 1 }, { "CAR %% '^bin$'", 1 },
		{ "NUM == 10", 1 }, { "NUM == '10'", 0 },
		{ "NUM == '10.0'", 1 }, { "L == '42'", 1 },
		{ "L == '42.0'", 0 }, { "'42' == L", 1 }, { "S < L", 1 },
		{ "S * 6 == L", 1 }, { "L / S == 6", 1 }, { "L % 5 == 2", 1 },
		{ "D > F", 1 }, { "D - F == 1.75", 1 }, { "NEG < 0", 1 },
		{ "-NEG == 3", 1 }, { "+NEG == -3", 1 }, { "~L == -43", 1 },
		{ "~D == -4", 1 }, { "~NUM == -11", 1 }, { "NUM + 1 == 11", 1 },
		{ "STR + 1 == 1", 1 }, { "WORD + 1 == 13", 1 },
		{ "BIG == 9007199254740993", 1 },
		{ "BIG == 9007199254740992", 0 }, { "P == 16", 1 },
		{ "L[0] == 42", 1 }, { "+L[0] == 42", 1 },
		{ "MULTI[0] == 1", 1 }, { "MULTI[1] == 2", 1 },
		{ "MULTI[ 2 ] == 3", 1 }, { "MULTI[3] == 4", 0 },
		{ "MS[1] == 'bc'", 1 }, { "MULTI == 1", 1 },
		{ "L + S", 1 }, { "ZERO + 0", 0 }, { "EMPTY == ''", 1 },
		{ "L + 5 * 2 > 50 && S < 100", 1 },
		{ "L == 42 && STR %% 'HELLO.*' || D > 10", 1 },
		{ "L == 41 && STR %% 'HELLO.*' || D > 10", 0 },
		{ "L == 41 && STR %% 'HELLO.*' || D > 1", 1 },
	};

	CHECK_ALL(t);
}

/* As in Enduro/X; a constant without quotes compares as a number. */
static void a_number_beside_a_quoted_constant_is_compared_as_text(void **state)
{
	static const struct truth t[] = {
		{ "L == '42'", 1 }, { "L == '42.0'", 0 }, { "L < '5'", 1 },
		{ "L < 5", 0 }, { "'5' > L", 1 }, { "S != '07'", 1 },
		{ "F == '1.50000'", 1 }, { "F == '1.5'", 0 },
		{ "D == '3.250000'", 1 }, { "NEG == '-3'", 1 },
		{ "MULTI[?] == '3'", 1 }, { "MULTI[?] == '03'", 0 },
		{ "L + 0 == '42.0'", 1 }, { "NOL == '0'", 0 },
	};

	CHECK_ALL(t);
}

static void a_field_alone_is_true_if_present(void **state)
{
	static const struct truth t[] = {
		{ "L", 1 }, { "ZERO", 1 }, { "EMPTY", 1 }, { "ZD", 1 },
		{ "(ZERO)", 1 }, { "!ZERO", 0 }, { "!!ZERO", 1 },
		{ "NOL", 0 }, { "NOS", 0 }, { "!NOL", 1 },
		{ "!!NOL", 0 }, { "ZERO && EMPTY", 1 }, { "ZERO && NOL", 0 },
		{ "NOL || ZERO", 1 }, { "NOL || NOS", 0 }, { "L ^ ZERO", 0 },
		{ "L ^ NOL", 1 }, { "NOL ^ NOS", 0 }, { "MULTI[2]", 1 },
		{ "MULTI[3]", 0 }, { "MULTI[?]", 1 }, { "NOL[?]", 0 },
		{ "!MULTI[?]", 0 }, { "!NOL[?]", 1 }, { "U.L", 1 },
		{ "U[2].L", 0 }, { "!NOU.L", 1 },
		{ "U[1].L[2]", 1 }, { "U[1].L[3]", 0 }, { "U.NOL", 0 },
		{ "NOU.L", 0 }, { "U[?].U[?].L", 1 },
		{ "V.member", 0 }, { "V.member == 1", 0 },
		{ "V.member != 1", 1 }, { "ZERO && 1", 1 }, { "1 && ZERO", 1 },
		{ "ZERO && 0", 0 }, { "0 || ZERO", 1 },
	};

	CHECK_ALL(t);
}

static void absent_field_is_unequal_and_otherwise_false(void **state)
{
	static const struct truth t[] = {
		{ "NOL == 0", 0 }, { "NOL != 0", 1 }, { "NOL < 1", 0 },
		{ "NOL <= 0", 0 }, { "NOL > 0", 0 }, { "NOL >= 0", 0 },
		{ "0 == NOL", 0 }, { "0 != NOL", 1 }, { "1 > NOL", 0 },
		{ "NOL == NOS", 0 }, { "NOL != NOS", 1 }, { "NOS == ''", 0 },
		{ "NOS != ''", 1 }, { "NOS < 'a'", 0 }, { "NOC == ''", 0 },
		{ "NOS %% '.*'", 0 }, { "NOS !% '.*'", 1 },
		{ "NOL %% '.*'", 0 }, { "NOL !% '.*'", 1 },
		{ "NOL + 1", 0 }, { "1 + NOL", 0 }, { "NOL * 1", 0 },
		{ "NOL + 1 == 1", 0 }, { "NOL + 1 != 1", 1 },
		{ "NOL + 1 > 0", 0 }, { "-NOL", 0 }, { "-NOL == 0", 0 },
		{ "~NOL", 0 }, { "~NOL == -1", 0 }, { "+NOL", 0 },
		{ "!(NOL == 1)", 1 }, { "!(NOL + 1)", 1 },
		{ "MULTI[9] == 1", 0 }, { "MULTI[9] != 1", 1 },
		{ "L == 42 || NOL == 1", 1 }, { "NOL == 1 && L == 42", 0 },
		{ "L / NOL", 0 },
	};

	CHECK_ALL(t);
}

static void a_division_by_zero_is_false(void **state)
{
	static const struct truth t[] = {
		{ "1 / 0", 0 }, { "1 / 0 == 0", 0 }, { "1 / 0 != 0", 1 },
		{ "1 % 0", 0 }, { "1 % 0 > 0", 0 }, { "1.0 / 0", 0 },
		{ "1.5 % 0.5", 0 }, { "L / ZERO == 0", 0 },
		{ "!(1 / 0)", 1 }, { "1 / 0 || L == 42", 1 },
	};

	CHECK_ALL(t);
}

static void one_occurrence_of_a_path_is_enough(void **state)
{
	static const struct truth t[] = {
		{ "MULTI[?] == 1", 1 }, { "MULTI[?] == 3", 1 },
		{ "MULTI[?] == 4", 0 }, { "MULTI[?] != 1", 1 },
		{ "MULTI[?] > 2", 1 }, { "MULTI[?] > 3", 0 },
		{ "3 == MULTI[?]", 1 }, { "4 < MULTI[?]", 0 },
		{ "2 < MULTI[?]", 1 }, { "MULTI[?] == MD[?]", 0 },
		{ "MULTI[?] < MD[?]", 1 }, { "MD[?] > 2", 1 },
		{ "MULTI[?] == MULTI[?]", 1 }, { "L[?] != 42", 0 },
		{ "MS[?] == 'bc'", 1 }, { "MS[?] == 'b'", 0 },
		{ "MS[?] %% 'c'", 1 }, { "MS[?] %% '^c'", 1 },
		{ "MS[?] %% 'x'", 0 }, { "MS[?] !% 'c'", 1 },
		{ "MS[?] !% '.'", 0 }, { "MULTI[?] %% '^3$'", 1 },
		{ "NOL[?] == 1", 0 }, { "NOL[?] != 1", 1 },
		{ "NOL[?] %% '.*'", 0 }, { "NOL[?] !% '.*'", 1 },
		{ "NOL[?] == NOS[?]", 0 }, { "NOL[?] != NOS[?]", 1 },
		{ "U[?].L == 5", 1 }, { "U[?].L == 6", 1 },
		{ "U[?].L == 7", 0 }, { "U[?].L[?] == 7", 1 },
		{ "U[?].L[?] == 8", 1 }, { "U[?].L[?] == 9", 0 },
		{ "U[?].U[?].L[?] == 9", 1 }, { "U[1].U.L == 9", 1 },
		{ "U[0].L[?] == 6", 0 }, { "U[1].L[?] == 6", 1 },
		{ "U.L == 5", 1 }, { "U[1].L == 6", 1 },
		{ "U[1].L[1] == 7", 1 }, { "U.STR %% '^inner'", 1 },
		{ "U[?].STR == 'inner one'", 1 }, { "U[2].L == 5", 0 },
		{ "U[2].L != 5", 1 }, { "U[ ? ].L[1] == 7", 1 },
		{ "U[0].L + U[1].L == 11", 1 }, { "U[0].U.L", 0 },
	};

	CHECK_ALL(t);
}

static void regular_expressions_search(void **state)
{
	static const struct truth t[] = {
		{ "STR %% 'HELLO'", 1 }, { "STR %% 'WORLD'", 1 },
		{ "STR %% 'O W'", 1 }, { "STR %% 'WORLDS'", 0 },
		{ "STR %% '^HELLO'", 1 }, { "STR %% '^WORLD'", 0 },
		{ "STR %% 'WORLD$'", 1 }, { "STR %% 'HELLO$'", 0 },
		{ "STR %% '^HELLO WORLD$'", 1 }, { "STR %% '^HELLO$'", 0 },
		{ "STR %% 'HELLO.*'", 1 }, { "STR %% '.*WORLD'", 1 },
		{ "STR %% '.*O W.*'", 1 }, { "STR %% 'H.*D'", 1 },
		{ "STR %% '^H.*D$'", 1 }, { "STR %% 'HEL+O'", 1 },
		{ "STR %% 'HEL{2}O'", 1 }, { "STR %% 'HEL{3}O'", 0 },
		{ "STR %% '(FOO|BAR|WORLD)'", 1 }, { "STR %% '[a-z]'", 0 },
		{ "STR %% '[A-Z]+ [A-Z]+'", 1 }, { "STR %% ''", 1 },
		{ "STR %% '^'", 1 }, { "STR %% '^$'", 0 },
		{ "EMPTY %% '^$'", 1 }, { "EMPTY %% ''", 1 },
		{ "EMPTY %% '.'", 0 }, { "EMPTY %% '.*'", 1 },
		{ "STR !% 'HELLO'", 0 }, { "STR !% 'hello'", 1 },
		{ "L %% '^42$'", 1 }, { "L %% '4'", 1 }, { "L !% '5'", 1 },
		{ "F %% '^1.50000$'", 1 }, { "D %% '^3\\.250000$'", 1 },
		{ "NUM %% '10\\.0'", 1 }, { "NUM %% '10\\.1'", 0 },
		{ "'a.c' %% 'a\\.c'", 1 }, { "'abc' %% 'a\\.c'", 0 },
		{ "'abc' %% 'a.c'", 1 }, { "C %% 'A'", 1 },
		{ "CD %% '[0-9]'", 1 }, { "'a' %% 'a' && 'b' %% 'b'", 1 },
	};

	CHECK_ALL(t);
}

static void bfloatev_returns_numbers(void **state)
{
	static const struct number t[] = {
		{ "1 + 2", 3 }, { "5 / 2", 2 }, { "5.0 / 2", 2.5 },
		{ "5 / 2.0", 2.5 }, { "-5 / 2", -2 }, { "-5 % 3", -2 },
		{ "5.9 % 3", 2 }, { "L", 42 }, { "ZERO", 0 }, { "D", 3.25 },
		{ "F", 1.5 }, { "NUM", 10 }, { "STR", 0 }, { "CD", 7 },
		{ "MULTI[1]", 2 }, { "MULTI[?]", 1 }, { "U[1].L", 6 },
		{ "NOL", 0 }, { "NOL + 1", 0 }, { "L + D", 45.25 },
		{ "L * -1", -42 }, { "~5", -6 }, { "!5", 0 }, { "!!5", 1 },
		{ "--5", 5 }, { "1 == 1", 1 }, { "1 > 2", 0 },
		{ "5 ^ 0", 1 }, { "5 ^ 3", 0 }, { "1 ^ 0 ^ 1", 0 },
		{ "L && S", 1 }, { "NOL || NOS", 0 }, { "3 && 4", 1 },
		{ "0 || 7", 1 }, { "'3.5'", 3.5 }, { "STR %% 'H'", 1 },
		{ "1e2", 100 }, { "0.1 + 0.2", 0.3 },
		{ "9223372036854775807 + 1", -0x1p63 },
		{ "(-9223372036854775807 - 1) / -1", -0x1p63 },
		{ "(-9223372036854775807 - 1) % -1", 0 },
		{ "-(-9223372036854775807 - 1)", -0x1p63 },
		{ "1e300 * 1e300 % 7", 0 }, { "~1e300", -0x1p63 },
	};
	UBFH *p = expr_buffer();
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		char *tree = Bboolco((char *)t[i].expr);
		double d;

		assert_non_null(tree);
		d = Bfloatev(p, tree);
		if (fabs(d - t[i].is) > 1e-9)
			fail_msg("%s is %f, expected %f", t[i].expr, d,
				 t[i].is);
		Btreefree(tree);
	}
	Bfree(p);
}

static long calls;

static long count_call(UBFH *p, char *name)
{
	calls++;
	return 1;
}

static void and_and_or_skip_sides_that_cannot_decide(void **state)
{
	static const struct {
		const char *expr;
		int is;
		long calls;
	} t[] = {
		{ "0 && f()", 0, 0 }, { "1 || f()", 1, 0 },
		{ "1 && f()", 1, 1 }, { "0 || f()", 1, 1 },
		{ "0 && f() || f()", 1, 1 }, { "1 || f() && f()", 1, 0 },
		{ "1 && 1 && 0 && f()", 0, 0 }, { "f() && f() && f()", 1, 3 },
		{ "f() || f() || f()", 1, 1 }, { "!f() && f()", 0, 1 },
		{ "0 && (f() || f())", 0, 0 }, { "1 ^ f()", 0, 1 },
		{ "0 ^ f()", 1, 1 }, { "(0 && f()) == f()", 0, 1 },
	};
	UBFH *p = expr_buffer();
	size_t i;

	assert_int_equal(Bboolsetcbf((char *)"f", count_call), 0);
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		calls = 0;
		check_truth(p, t[i].expr, t[i].is);
		assert_int_equal(calls, t[i].calls);
	}
	Bfree(p);
}

/* The structure of EXPR_VIEW (expr_test.h). */
struct point {
	short C_n;
	long n[3];
	char name[8];
	double d;
};

static void members_of_views_are_operands(void **state)
{
	static const struct truth t[] = {
		{ "V.n", 1 }, { "V[1].n", 0 }, { "V.n == 10", 1 },
		{ "V.n[1] == 20", 1 }, { "V[0].n[1] + 1 == 21", 1 },
		{ "V.n[2]", 0 }, { "V.n[2] == 30", 0 }, { "V.n[2] != 30", 1 },
		{ "V.n[?] == 20", 1 }, { "V.n[?] == 30", 0 },
		{ "V[?].n[?] == 20", 1 }, { "V[1].n == 10", 0 },
		{ "V.name == 'here'", 1 }, { "V.name %% '^he'", 1 },
		{ "V.d > 2", 1 }, { "V.d == 2.5", 1 }, { "V.nosuch", 0 },
		{ "V.nosuch != 1", 1 }, { "V.name[1]", 0 },
	};
	struct point at = { 2, { 10, 20, 30 }, "here", 2.5 };
	BVIEWFLD f = { 0, "POINT", (char *)&at };
	UBFH *p = expr_buffer();
	size_t i;

	if (Badd(p, Bfldid((char *)"V"), (char *)&f, 0) < 0)
		fail_msg("%s", Bstrerror(Berror));
	for (i = 0; i < sizeof(t) / sizeof(*t); i++)
		check_truth(p, t[i].expr, t[i].is);
	Bfree(p);
}

struct job {
	UBFH *p;
	char *tree;
	int wrong;
};

static void *evaluate(void *arg)
{
	struct job *j = arg;
	int i;

	for (i = 0; i < 2000; i++)
		j->wrong += Bboolev(j->p, j->tree) != 1;
	return NULL;
}

static void threads_share_an_expression(void **state)
{
	char *tree = Bboolco((char *)"L == 42 && STR %% 'H[A-Z]+ W' && "
			     "MS[?] %% '^c' && U[?].L[?] * 1 == 8 || 0");
	struct job jobs[4];
	pthread_t threads[4];
	int i;

	assert_null(tree);	/* [?] can only be compared */
	tree = Bboolco((char *)"L == 42 && STR %% 'H[A-Z]+ W' && "
		       "MS[?] %% '^c' && U[?].L[?] == 8 || 0");
	assert_non_null(tree);
	for (i = 0; i < 4; i++) {
		jobs[i] = (struct job){ expr_buffer(), tree, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, evaluate,
						&jobs[i]), 0);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(jobs[i].wrong, 0);
		Bfree(jobs[i].p);
	}
	Btreefree(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_are_compared),
		cmocka_unit_test(operators_bind_as_documented),
		cmocka_unit_test(fields_are_values_of_their_type),
		cmocka_unit_test(
		    a_number_beside_a_quoted_constant_is_compared_as_text),
		cmocka_unit_test(a_field_alone_is_true_if_present),
		cmocka_unit_test(absent_field_is_unequal_and_otherwise_false),
		cmocka_unit_test(a_division_by_zero_is_false),
		cmocka_unit_test(one_occurrence_of_a_path_is_enough),
		cmocka_unit_test(regular_expressions_search),
		cmocka_unit_test(bfloatev_returns_numbers),
		cmocka_unit_test(and_and_or_skip_sides_that_cannot_decide),
		cmocka_unit_test(members_of_views_are_operands),
		cmocka_unit_test(threads_share_an_expression),
	};

	return cmocka_run_group_tests(tests, expr_tables, expr_tables_gone);
}
