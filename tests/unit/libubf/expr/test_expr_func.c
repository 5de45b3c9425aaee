/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_expr_func.c - functions for expressions, and failing allocations
 */
#include "tests/unit/libubf/expr/expr_test.h"

#include <pthread.h>

#include "tests/unit/libubf/failing_alloc.h"

static UBFH *seen_buffer;
static char seen_name[80], seen_arg[600];

static long plain(UBFH *p, char *name)
{
	seen_buffer = p;
	strcpy(seen_name, name);
	strcpy(seen_arg, "no argument");
	return 7;
}

static long with_arg(UBFH *p, char *name, char *arg)
{
	seen_buffer = p;
	strcpy(seen_name, name);
	strcpy(seen_arg, arg);
	return Bboolev(p, NULL) == -1 ? -8 : 0;
}

static double value(UBFH *p, const char *expr)
{
	char *tree = Bboolco((char *)expr);
	double d;

	if (tree == NULL)
		fail_msg("%s: %s", expr, Bstrerror(Berror));
	d = Bfloatev(p, tree);
	Btreefree(tree);
	return d;
}

static void functions_get_buffer_name_and_argument(void **state)
{
	UBFH *p = expr_buffer();

	assert_int_equal(Bboolsetcbf((char *)"one", plain), 0);
	assert_int_equal(Bboolsetcbf2((char *)"two_2", with_arg), 0);
	assert_true(value(p, "one() + 1") == 8.0);
	assert_ptr_equal(seen_buffer, p);
	assert_string_equal(seen_name, "one");
	assert_true(value(p, "two_2('some text') == -8") == 1.0);
	assert_string_equal(seen_name, "two_2");
	assert_string_equal(seen_arg, "some text");
	assert_true(value(p, "two_2()") == -8.0);
	assert_string_equal(seen_arg, "");
	Bfree(p);
}

static void function_can_be_replaced_and_removed(void **state)
{
	UBFH *p = expr_buffer();
	char *tree;

	assert_int_equal(Bboolsetcbf((char *)"r", plain), 0);
	tree = Bboolco((char *)"r()");
	assert_true(Bfloatev(p, tree) == 7.0);
	assert_int_equal(Bboolsetcbf2((char *)"r", with_arg), 0);
	assert_true(Bfloatev(p, tree) == -8.0);
	assert_int_equal(Bboolsetcbf((char *)"r", plain), 0);
	assert_true(Bfloatev(p, tree) == 7.0);
	assert_int_equal(Bboolsetcbf((char *)"r", NULL), 0);
	assert_true(Bfloatev(p, tree) == -1.0);
	assert_int_equal(Berror, BBADNAME);
	assert_int_equal(Bboolev(p, tree), -1);
	assert_int_equal(Berror, BBADNAME);
	assert_null(Bboolco((char *)"r()"));
	assert_int_equal(Berror, BBADNAME);
	assert_int_equal(Bboolsetcbf2((char *)"r", with_arg), 0);
	assert_true(Bfloatev(p, tree) == -8.0);
	assert_int_equal(Bboolsetcbf2((char *)"never_set", NULL), 0);
	Btreefree(tree);
	Bfree(p);
}

static void names_of_functions_are_checked(void **state)
{
	char name[70];

	memset(name, 'n', sizeof(name));
	name[65] = '\0';
	assert_int_equal(Bboolsetcbf(name, plain), -1);
	assert_int_equal(Berror, BBADNAME);
	name[64] = '\0';
	assert_int_equal(Bboolsetcbf(name, plain), 0);
	assert_int_equal(Bboolsetcbf(NULL, plain), -1);
	assert_int_equal(Berror, BBADNAME);
	assert_int_equal(Bboolsetcbf2(NULL, with_arg), -1);
	assert_int_equal(Berror, BBADNAME);
	assert_int_equal(Bboolsetcbf((char *)"", plain), -1);
	assert_int_equal(Bboolsetcbf((char *)"a b", plain), -1);
	assert_int_equal(Bboolsetcbf((char *)"1a", plain), -1);
}

static void *replace(void *arg)
{
	int i;

	for (i = 0; i < 20000; i++) {
		if (i & 1)
			Bboolsetcbf((char *)"t", plain);
		else
			Bboolsetcbf2((char *)"t", with_arg);
	}
	return NULL;
}

static void a_function_is_callable_while_it_is_replaced(void **state)
{
	UBFH *p = expr_buffer();
	pthread_t thread;
	char *tree;
	int i;

	assert_int_equal(Bboolsetcbf((char *)"t", plain), 0);
	tree = Bboolco((char *)"t()");
	assert_int_equal(pthread_create(&thread, NULL, replace, NULL), 0);
	for (i = 0; i < 20000; i++)
		assert_int_equal(Bboolev(p, tree), 1);
	pthread_join(thread, NULL);
	Btreefree(tree);
	Bfree(p);
}

static void every_failing_allocation_is_reported(void **state)
{
	static const char expr[] = "L == 1 && STR %% 'a[b]' || U[?].L == 2 "
				   "|| STR !% '^(x|y)+$'";
	char *tree = NULL;
	long n, r = -1;

	for (n = 0; tree == NULL && n < 100; n++) {
		countdown = n;
		tree = Bboolco((char *)expr);
		countdown = -1;
		if (tree == NULL)
			assert_int_equal(Berror, BMALLOC);
	}
	assert_non_null(tree);
	assert_true(n > 1);
	Btreefree(tree);
	for (n = 0; r < 0 && n < 100; n++) {
		countdown = n;
		r = Bboolsetcbf((char *)"new_name", plain);
		countdown = -1;
		if (r < 0)
			assert_int_equal(Berror, BMALLOC);
	}
	assert_int_equal(n, 2);
}

static void evaluation_does_not_allocate(void **state)
{
	UBFH *p = expr_buffer();
	char *tree = Bboolco((char *)"L + 1 == 43 && STR %% 'HELLO.*' && "
			     "MULTI[?] == 3 && U[?].L[?] == 8 && "
			     "BIG == 9007199254740993 && D %% '^3\\.25'");

	assert_non_null(tree);
	countdown = 0;
	assert_int_equal(Bboolev(p, tree), 1);
	assert_int_equal(countdown, 0);
	countdown = -1;
	Btreefree(tree);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_get_buffer_name_and_argument),
		cmocka_unit_test(function_can_be_replaced_and_removed),
		cmocka_unit_test(names_of_functions_are_checked),
		cmocka_unit_test(a_function_is_callable_while_it_is_replaced),
		cmocka_unit_test(every_failing_allocation_is_reported),
		cmocka_unit_test(evaluation_does_not_allocate),
	};

	return cmocka_run_group_tests(tests, expr_tables, expr_tables_gone);
}
