/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_expr_syntax.c - syntax errors, and the printing of expressions
 */
#include "tests/unit/libubf/expr/expr_test.h"

#include "libubf/expr/expr.h"

struct wrong {
	const char *expr;
	int error;
	unsigned int byte;	/* the byte that the message names */
};

static const struct wrong wrongs[] = {
	{ "", BSYNTAX, 1 },	       { "   ", BSYNTAX, 4 },
	{ "(", BSYNTAX, 2 },	       { ")", BSYNTAX, 1 },
	{ "()", BSYNTAX, 2 },	       { "(1", BSYNTAX, 1 },
	{ "1)", BSYNTAX, 2 },	       { "((1)", BSYNTAX, 1 },
	{ "(1))", BSYNTAX, 4 },	       { "1 2", BSYNTAX, 3 },
	{ "L S", BSYNTAX, 3 },	       { "1 'a'", BSYNTAX, 3 },
	{ "1 (2)", BSYNTAX, 3 },       { "1 +", BSYNTAX, 4 },
	{ "* 1", BSYNTAX, 1 },	       { "1 * / 2", BSYNTAX, 5 },
	{ "== 1", BSYNTAX, 1 },	       { "1 == == 1", BSYNTAX, 6 },
	{ "1 = 1", BSYNTAX, 3 },       { "1 & 1", BSYNTAX, 3 },
	{ "1 | 1", BSYNTAX, 3 },       { "1 &&", BSYNTAX, 5 },
	{ "|| 1", BSYNTAX, 1 },	       { "!", BSYNTAX, 2 },
	{ "1 !", BSYNTAX, 3 },	       { "1 ~ 2", BSYNTAX, 3 },
	{ "1 @ 2", BSYNTAX, 3 },       { "#", BSYNTAX, 1 },
	{ "\x80", BSYNTAX, 1 },	       { "1 ? 2 : 3", BSYNTAX, 3 },
	{ "'a", BSYNTAX, 1 },	       { "'", BSYNTAX, 1 },
	{ "1 == 'a", BSYNTAX, 6 },     { "\"a\"", BSYNTAX, 1 },
	{ "1a", BSYNTAX, 2 },	       { "1.2.3", BSYNTAX, 4 },
	{ "1e", BSYNTAX, 2 },	       { "1e+", BSYNTAX, 2 },
	{ "0x10", BSYNTAX, 2 },	       { ".", BSYNTAX, 1 },
	{ "L[", BSYNTAX, 3 },	       { "L[]", BSYNTAX, 3 },
	{ "L[1", BSYNTAX, 4 },	       { "L[-1]", BSYNTAX, 3 },
	{ "L[a]", BSYNTAX, 3 },	       { "L[1.5]", BSYNTAX, 4 },
	{ "L[?", BSYNTAX, 4 },	       { "L[2147483648]", BSYNTAX, 3 },
	{ "L[99999999999999999999]", BSYNTAX, 3 },
	{ "L[0][0]", BSYNTAX, 5 },     { "U.", BSYNTAX, 3 },
	{ "U.1", BSYNTAX, 3 },	       { "U..L", BSYNTAX, 3 },
	{ "NOSUCH", BBADNAME, 1 },     { "1 == NOSUCH", BBADNAME, 6 },
	{ "U.NOSUCH", BBADNAME, 3 },   { "l", BBADNAME, 1 },
	{ "nosuch()", BBADNAME, 1 },   { "L()", BBADNAME, 1 },
	{ "f(", BSYNTAX, 3 },	       { "f(1)", BSYNTAX, 3 },
	{ "f('a'", BSYNTAX, 6 },       { "f('a',1)", BSYNTAX, 6 },
	{ "f('a)", BSYNTAX, 3 },       { "L.S", BEBADOP, 3 },
	{ "L[0].S", BEBADOP, 6 },      { "V.a.b", BEBADOP, 3 },
	{ "U == 1", BEBADOP, 1 },      { "1 + U", BEBADOP, 5 },
	{ "V == 1", BEBADOP, 1 },      { "-U", BEBADOP, 2 },
	{ "U %% 'a'", BEBADOP, 1 },    { "L[?] + 1", BEBADOP, 6 },
	{ "U", BEBADOP, 1 },	       { "(U[1])", BEBADOP, 2 },
	{ "!U", BEBADOP, 2 },	       { "L && U.U", BEBADOP, 6 },
	{ "V", BEBADOP, 1 },	       { "U[?] || V[0]", BEBADOP, 1 },
	{ "-L[?]", BEBADOP, 1 },       { "1 * U[?].L", BEBADOP, 3 },
	{ "L %% S", BSYNTAX, 3 },      { "L %% 1", BSYNTAX, 3 },
	{ "L %% ('a' == 'b')", BSYNTAX, 3 },
	{ "1 %% 'a'", BSYNTAX, 3 },    { "(1 + 1) %% 'a'", BSYNTAX, 9 },
	{ "L == 1 %% 'a'", BSYNTAX, 8 }, { "!L %% 'a'", BSYNTAX, 4 },
	{ "L %% '['", BSYNTAX, 3 },    { "L %% '('", BSYNTAX, 3 },
	{ "L %% 'a{2,1}'", BSYNTAX, 3 }, { "L !% '*a['", BSYNTAX, 3 },
	{ "L %% 'a++++++++++++++++++++'", BSYNTAX, 3 },
	{ "L %% '(((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9})'", BSYNTAX, 3 },
	{ "L %% '((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+'", BSYNTAX, 3 },
	{ "STR %% '(.)\\1'", BSYNTAX, 5 },
	{ "STR !% '^(a*)(b*)\\1\\2$'", BSYNTAX, 5 },
};

static void text_in_double_quotes_has_its_own_message(void **state)
{
	assert_null(Bboolco((char *)"L == \"a\""));
	assert_non_null(strstr(Bstrerror(Berror), "byte 6: strings stand in "
			       "single quotes"));
	assert_null(Bboolco((char *)"L $ 1"));
	assert_non_null(strstr(Bstrerror(Berror), "nothing begins with $"));
}

static void messages_name_the_fault_and_its_place(void **state)
{
	char where[32];
	size_t i;

	for (i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++) {
		const struct wrong *w = wrongs + i;
		char *tree = Bboolco((char *)w->expr);

		if (tree != NULL || Berror != w->error)
			fail_msg("%s: %s", w->expr, Bstrerror(Berror));
		snprintf(where, sizeof(where), "byte %u:", w->byte);
		if (strstr(Bstrerror(Berror), where) == NULL)
			fail_msg("%s: %s instead of %s", w->expr,
				 Bstrerror(Berror), where);
	}
}

static void a_null_expression_is_refused(void **state)
{
	assert_null(Bboolco(NULL));
	assert_int_equal(Berror, BEINVAL);
}

/* `n` times `a`, then `mid`, then n times `z`. */
static char *sandwich(size_t n, const char *a, const char *mid, const char *z)
{
	size_t la = strlen(a), lm = strlen(mid), lz = strlen(z), i;
	char *s = malloc(n * (la + lz) + lm + 1), *p = s;

	for (i = 0; i < n; i++, p += la)
		memcpy(p, a, la);
	memcpy(p, mid, lm);
	p += lm;
	for (i = 0; i < n; i++, p += lz)
		memcpy(p, z, lz);
	*p = '\0';
	return s;
}

static void deep_nesting_is_refused(void **state)
{
	static const char *const parts[][2] = {
		{ "(", ")" }, { "!", "" }, { "-", "" }, { "(1 + ", ")" },
		{ "1 && (", ")" }, { "!(0 || (2 * ", "))" },
		{ "1||1&&1^1==1<1+1*-(", ")" },
	};
	size_t i;
	char *s, *tree;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		s = sandwich(100, parts[i][0], "1", parts[i][1]);
		tree = Bboolco(s);
		assert_non_null(tree);
		Btreefree(tree);
		free(s);
		s = sandwich(20000, parts[i][0], "1", parts[i][1]);
		assert_null(Bboolco(s));
		assert_int_equal(Berror, BSYNTAX);
		free(s);
	}
}

static int count_bytes(char *text, long len, void *arg)
{
	*(long *)arg += len - 1;
	return 0;
}

static void long_chains_are_not_nested(void **state)
{
	UBFH *p = expr_buffer();
	char *s = sandwich(100000, "0 || ", "1", ""), *tree = Bboolco(s);
	long bytes = 0;

	assert_non_null(tree);
	assert_int_equal(Bboolev(p, tree), 1);
	Bboolprcb(tree, count_bytes, &bytes);
	assert_int_equal(bytes, 100000 * 7 + 2);
	Btreefree(tree);
	free(s);
	s = sandwich(100000, "1 + ", "1", "");
	tree = Bboolco(s);
	assert_true(Bfloatev(p, tree) == 100001.0);
	Btreefree(tree);
	free(s);
	Bfree(p);
}

static void too_long_is_refused(void **state)
{
	char *s = sandwich(OW_EXPR_LEN_MAX, " ", "1", ""), *tree;

	assert_null(Bboolco(s));
	assert_int_equal(Berror, BSYNTAX);
	tree = Bboolco(s + 1);
	assert_non_null(tree);
	Btreefree(tree);
	free(s);
}

static long yes(UBFH *p, char *name, char *arg)
{
	return (long)strlen(arg);
}

static void sizes_have_limits(void **state)
{
	char *text = sandwich(511, "a", "", ""), *expr = malloc(2000), *tree;
	int i;

	sprintf(expr, "'%s' == 'b'", text);
	tree = Bboolco(expr);
	assert_non_null(tree);
	Btreefree(tree);
	sprintf(expr, "'%sa' == 'b'", text);
	assert_null(Bboolco(expr));
	assert_int_equal(Berror, BSYNTAX);
	assert_int_equal(Bboolsetcbf2((char *)"f2", yes), 0);
	sprintf(expr, "f2('%s')", text);
	assert_null(Bboolco(expr));
	assert_int_equal(Berror, BSYNTAX);
	sprintf(expr, "f2('%s')", text + 1);
	tree = Bboolco(expr);
	assert_non_null(tree);
	Btreefree(tree);
	text[65] = '\0';
	assert_null(Bboolco(text));
	assert_int_equal(Berror, BBADNAME);
	strcpy(expr, "U");
	for (i = 0; i < 14; i++)
		strcat(expr, ".U");
	strcat(expr, ".L");
	tree = Bboolco(expr);
	assert_non_null(tree);
	Btreefree(tree);
	memcpy(expr + strlen(expr) - 1, "U.L", 4);
	assert_null(Bboolco(expr));
	assert_int_equal(Berror, BSYNTAX);
	free(expr);
	free(text);
}

static char *printed(const char *expr)
{
	char *tree = Bboolco((char *)expr), *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	if (tree == NULL)
		fail_msg("%s: %s", expr, Bstrerror(Berror));
	Bboolpr(tree, f);
	assert_int_equal(Berror, 0);
	fclose(f);
	Btreefree(tree);
	return out;
}

static void printing_parenthesises_and_reads_back(void **state)
{
	static const char *const t[][2] = {
		{ "1", "1\n" }, { "L", "L\n" }, { "1.5", "1.500000\n" },
		{ "'a b'", "'a b'\n" }, { "(((1)))", "1\n" },
		{ "1+2*3", "(1+(2*3))\n" }, { "-1", "(-1)\n" },
		{ "!-~+1", "(!(-(~(+1))))\n" }, { "--1", "(-(-1))\n" },
		{ "1-2-3", "((1-2)-3)\n" }, { "f()", "f()\n" },
		{ "f ( )", "f()\n" }, { "f( 'x y' )", "f('x y')\n" },
		{ "L==42&&STR%%'HELLO.*'||D>10.5",
		  "(((L == 42) && (STR %% 'HELLO.*')) || (D > 10.500000))\n" },
		{ "L[ 007 ]", "L[7]\n" }, { "L[0]", "L[0]\n" },
		{ "L[ ? ] == 1", "(L[?] == 1)\n" },
		{ "U[1].U.L[?] != 1", "(U[1].U.L[?] != 1)\n" },
		{ "V[2].member[3]", "V[2].member[3]\n" },
		{ "L !% 'x'", "(L !% 'x')\n" }, { "1^0^1", "((1 ^ 0) ^ 1)\n" },
		{ "1||0&&1^1==2!=3<4<=5>6>=7+8-9*1/2%3",
		  "(1 || (0 && (1 ^ ((1 == 2) != ((((3 < 4) <= 5) > 6) >= "
		  "((7+8)-(((9*1)/2)%3)))))))\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		char *once = printed(t[i][0]), *twice = printed(once);

		assert_string_equal(once, t[i][1]);
		assert_string_equal(twice, once);
		free(once);
		free(twice);
	}
}

static int stop(char *text, long len, void *arg)
{
	assert_int_equal(len, (long)strlen(text) + 1);
	return --*(int *)arg < 0 ? -1 : 0;
}

static void callback_can_stop_the_printing(void **state)
{
	char *tree = Bboolco((char *)"L == 1 && (S || f('x'))");
	int n = 3, enough = 100;

	Bboolprcb(tree, stop, &n);
	assert_int_equal(Berror, BEUNIX);
	assert_int_equal(n, -1);
	Bboolprcb(tree, stop, &enough);
	assert_int_equal(Berror, 0);
	Btreefree(tree);
}

static void pointers_that_are_no_expression_are_refused(void **state)
{
	long foreign[32] = { 0 };
	char *trees[] = { NULL, (char *)foreign, (char *)foreign + 1 };
	UBFH *p = expr_buffer();
	size_t i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(Bboolev(p, trees[i]), -1);
		assert_int_equal(Berror, BEINVAL);
		assert_true(Bfloatev(p, trees[i]) == -1.0);
		assert_int_equal(Berror, BEINVAL);
		Bboolpr(trees[i], stdout);
		assert_int_equal(Berror, BEINVAL);
		Bboolprcb(trees[i], stop, NULL);
		assert_int_equal(Berror, BEINVAL);
		Btreefree(trees[i]);
	}
	Bfree(p);
}

static long dummy(UBFH *p, char *name)
{
	return 0;
}

static int set_up(void **state)
{
	return expr_tables(state) < 0 ||
	       Bboolsetcbf((char *)"f", dummy) < 0 ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_name_the_fault_and_its_place),
		cmocka_unit_test(text_in_double_quotes_has_its_own_message),
		cmocka_unit_test(a_null_expression_is_refused),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(long_chains_are_not_nested),
		cmocka_unit_test(too_long_is_refused),
		cmocka_unit_test(sizes_have_limits),
		cmocka_unit_test(printing_parenthesises_and_reads_back),
		cmocka_unit_test(callback_can_stop_the_printing),
		cmocka_unit_test(pointers_that_are_no_expression_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, expr_tables_gone);
}
