/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_view_expr.c - boolean expressions over the members of a view, by their
 * names of FML; checksums and copies of buffers
 */
#include <fml.h>
#include <fml32.h>

#include "tests/unit/libubf/view_test.h"

#define VIEW ((char *)"SAMPLE")

static struct SAMPLE *filled(void)
{
	struct SAMPLE *s = view_sample();

	s->one = 42;
	s->two = 1000000;
	s->three = 'G';
	s->five = 2.5;
	s->C_six = 2;
	s->six[0] = 7;
	s->six[1] = 9;
	strcpy(s->ten[1], "abc");
	memcpy(s->eleven, "Smith", 5);
	return s;
}

/* -1: it does not compile. */
static int truth(const char *text)
{
	struct SAMPLE *s = filled();
	char *tree = Fvboolco32((char *)text, VIEW);
	int r = tree != NULL ? Fvboolev32((char *)s, tree, VIEW) : -1;

	if (tree != NULL)
		Ftreefree32(tree);
	free(s);
	return r;
}

static void members_are_the_names_of_an_expression(void **state)
{
	assert_int_equal(truth("one == 42 && two > 999999"), 1);
	assert_int_equal(truth("three == 'G'"), 1);
	assert_int_equal(truth("five * 2 == 5.0"), 1);
	assert_int_equal(truth("six[1] == 9"), 1);
	assert_int_equal(truth("six[?] == 9"), 1);
	assert_int_equal(truth("ten[1] %% 'a.c'"), 1);
	assert_int_equal(truth("ten[1] %% 'b'"), 0);
	assert_int_equal(truth("eleven == '\\53mith'"), 1);
	assert_int_equal(truth("one < 42 || !(two)"), 0);
}

static void an_element_beyond_the_count_is_not_present(void **state)
{
	assert_int_equal(truth("six[1]"), 1);
	assert_int_equal(truth("six[2]"), 0);
	assert_int_equal(truth("six[?] == 5"), 0);
	assert_int_equal(truth("six[2] != 1"), 1);
	assert_int_equal(truth("one[1]"), 0);
	assert_int_equal(truth("seven"), 0);
}

static void other_names_and_functions_do_not_compile(void **state)
{
	assert_int_equal(truth("SHORT == 42"), -1);
	assert_int_equal(Ferror32, FBADNAME);
	assert_int_equal(truth("one.two == 42"), -1);
	assert_int_equal(Ferror32, FEBADOP);
	assert_int_equal(truth("f() == 1"), -1);
	assert_int_equal(Ferror32, FEBADOP);
	assert_int_equal(truth("one == "), -1);
	assert_int_equal(Ferror32, FSYNTAX);
	assert_null(Fvboolco((char *)"one", (char *)"NOVIEW"));
	assert_int_equal(Ferror, FBADVIEW);
}

static void a_tree_belongs_to_its_view(void **state)
{
	struct SAMPLE *s = filled();
	char *of_view = Fvboolco((char *)"one == 42", VIEW);
	char *of_buffer = Fboolco((char *)"SHORT == 42");
	FBFR *fb = Falloc(4, 100);

	assert_int_equal(Fvboolev((char *)s, of_view, VIEW), 1);
	assert_int_equal(Fvboolev((char *)s, of_view, (char *)"SMALL"), -1);
	assert_int_equal(Ferror, FEINVAL);
	assert_int_equal(Fvboolev((char *)s, of_buffer, VIEW), -1);
	assert_int_equal(Ferror, FEINVAL);
	assert_int_equal(Fboolev(fb, of_view), -1);
	assert_int_equal(Ferror, FEINVAL);
	assert_true(Ffloatev(fb, of_view) < 0);
	assert_int_equal(Ferror, FEINVAL);
	Ftreefree(of_view);
	Ftreefree(of_buffer);
	Ffree(fb);
	free(s);
}

static void its_value_and_text(void **state)
{
	static char out[100];
	FILE *f = fmemopen(out, sizeof(out), "w");
	struct SAMPLE *s = filled();
	char *tree = Fvboolco((char *)"six[0] + one * 2", VIEW);

	assert_true(Fvfloatev((char *)s, tree, VIEW) == 91.0);
	assert_true(Fvfloatev32((char *)s, tree, VIEW) == 91.0);
	Fvboolpr(tree, f, VIEW);
	assert_int_equal(Ferror, FMINVAL);
	fclose(f);
	Fvboolpr32(tree, NULL, VIEW);
	assert_int_equal(Ferror32, FEINVAL);
	assert_string_equal(out, "(six[0]+(one*2))\n");
	Ftreefree(tree);
	free(s);
}

static void a_checksum_is_that_of_the_fields(void **state)
{
	FBFR32 *a = Falloc32(20, 500), *b = Falloc32(200, 9000);
	FLDID32 id = Fmkfldid32(FLD_STRING, 106);

	assert_int_equal(Fadds32(a, id, (char *)"one"), 0);
	assert_int_equal(Fadds32(b, id, (char *)"two"), 0);
	assert_int_not_equal(Fchksum32(a), Fchksum32(b));
	assert_int_equal(Fchgs32(b, id, 0, (char *)"one"), 0);
	assert_int_equal(Fchksum32(a), Fchksum32(b));
	assert_int_equal(Fchksum(a), Fchksum32(a));
	assert_true(Fchksum32(a) >= 0);
	Ffree32(a);
	Ffree32(b);
}

static void a_buffer_moves_to_any_memory(void **state)
{
	FBFR32 *a = Falloc32(20, 500);
	FLDID32 id = Fmkfldid32(FLD_STRING, 106);
	char *to;

	assert_int_equal(Fadds32(a, id, (char *)"one"), 0);
	to = malloc((size_t)Fsizeof32(a));
	assert_int_equal(Fmove(to, a), 0);
	assert_int_equal(Fmove32(to, a), 0);
	assert_int_equal(Fcmp32((FBFR32 *)(void *)to, a), 0);
	assert_int_equal(Fadds32((FBFR32 *)(void *)to, id, (char *)"two"), 0);
	free(to);
	Ffree32(a);
}

static void a_view_needs_the_bytes_of_its_structure(void **state)
{
	assert_true(Fvneeded32(VIEW) >= (long)sizeof(struct SAMPLE));
	assert_int_equal(Fvneeded((char *)"NOVIEW"), -1);
	assert_int_equal(Ferror, FBADVIEW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_the_names_of_an_expression),
		cmocka_unit_test(an_element_beyond_the_count_is_not_present),
		cmocka_unit_test(other_names_and_functions_do_not_compile),
		cmocka_unit_test(a_tree_belongs_to_its_view),
		cmocka_unit_test(its_value_and_text),
		cmocka_unit_test(a_checksum_is_that_of_the_fields),
		cmocka_unit_test(a_buffer_moves_to_any_memory),
		cmocka_unit_test(a_view_needs_the_bytes_of_its_structure),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
