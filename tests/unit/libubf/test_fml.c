/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fml.c - programs written for FML and FML32, unchanged
 *
 * They use only names of fml.h, fml32.h and fml1632.h, as programs for Tuxedo
 * do.
 */
#include "tests/unit/libubf/view_test.h"

#include <fml.h>
#include <fml1632.h>
#include <fml32.h>

static void a_program_for_fml32_runs(void **state)
{
	FBFR32 *fb = Falloc32(20, 500);
	FLDID32 name = Fmkfldid32(FLD_STRING, 206), id = FIRSTFLDID;
	FLDOCC32 occ = 0, n = 0;
	FLDLEN32 len;
	long amount = 500;
	char value[64], *tree, *p;

	assert_non_null(fb);
	assert_int_equal(Fadd32(fb, name, (char *)"JOHN", 0), 0);
	assert_int_equal(Fadd32(fb, Fldid32((char *)"LONG"), (char *)&amount,
				0), 0);
	assert_int_equal(CFadd32(fb, Fldid32((char *)"LONG"), (char *)"7", 0,
				 FLD_STRING), 0);
	assert_int_equal(Fchg32(fb, name, 1, (char *)"MARY", 0), 0);
	assert_int_equal(Foccur32(fb, name), 2);
	for (;; n++) {
		len = sizeof(value);
		if (Fnext32(fb, &id, &occ, value, &len) != 1)
			break;
		assert_string_equal(Fname32(id), Ftype32(id)[0] == 'l'
						       ? "LONG" : "STRING2");
	}
	assert_int_equal(n, 4);
	tree = Fboolco32((char *)"STRING2[1] == 'MARY' && LONG > 499");
	assert_int_equal(Fboolev32(fb, tree), 1);
	assert_true(Ffloatev32(fb, tree) == 1.0);
	Ftreefree32(tree);
	p = CFfind32(fb, Fldid32((char *)"LONG"), 1, &len, FLD_STRING);
	assert_string_equal(p, "7");
	assert_int_equal(Fdel32(fb, name, 9), -1);
	assert_int_equal(Ferror32, FNOTPRES);
	assert_non_null(strstr(Fstrerror32(Ferror32), "NOTPRES"));
	assert_int_equal(Ffree32(fb), 0);
}

static void a_program_for_fml_runs(void **state)
{
	FBFR *fb = Falloc(10, 200), *copy;
	FBFR32 *big = Falloc32(10, 200);
	FLDID list[] = { Fmkfldid(FLD_SHORT, 101), BADFLDID };
	short s = 5;

	assert_int_equal(Fadd(fb, list[0], (char *)&s, 0), 0);
	assert_int_equal(Fadds(fb, Fmkfldid(FLD_STRING, 106), (char *)"x"), 0);
	assert_int_equal(F16to32(big, fb), 0);
	assert_int_equal(Fcmp32(big, fb), 0);
	copy = Frealloc(Falloc(1, 10), 20, 500);
	assert_int_equal(F32to16(copy, big), 0);
	assert_int_equal(Fproj(copy, list), 0);
	assert_int_equal(Fnum(copy), 1);
	assert_int_equal(Fsubset(fb, copy), 1);
	assert_int_equal(Fpres(copy, list[0], 0), 1);
	assert_int_equal(Ferror, FMINVAL);
	Ffree(fb);
	Ffree(copy);
	Ffree32(big);
}

/* Fadd32 and Fchg32 take a pointer itself, CFadd32 its address. */
static void pointers_and_embedded_buffers_are_fields(void **state)
{
	FBFR32 *fb = Falloc32(20, 2000), *in = Falloc32(5, 100);
	FLDID32 ptr = Fmkfldid32(FLD_PTR, 108);
	FLDID32 sub = Fmkfldid32(FLD_FML32, 109);
	char target[8] = "target", *p = NULL;

	assert_int_equal(Fadd32(fb, ptr, target, 0), 0);
	assert_int_equal(Fget32(fb, ptr, 0, (char *)&p, NULL), 0);
	assert_ptr_equal(p, target);
	assert_int_equal(Fchg32(fb, ptr, 0, target + 1, 0), 0);
	assert_ptr_equal(*(char **)Ffind32(fb, ptr, 0, NULL), target + 1);
	assert_int_equal(Fadds32(in, Fmkfldid32(FLD_STRING, 106),
				 (char *)"inside"), 0);
	assert_int_equal(Fadd32(fb, sub, (char *)in, 0), 0);
	p = Ffindrv32(fb, NULL, sub, 0, Fmkfldid32(FLD_STRING, 106), 0,
		      BADFLDOCC);
	assert_string_equal(p, "inside");
	Ffree32(in);
	Ffree32(fb);
}

static void structures_map_to_buffers(void **state)
{
	struct SAMPLE *s = view_sample(), *back = view_sample();
	FBFR32 *fb = Falloc32(50, 2000);
	FVIEWFLD field = { 0, "SAMPLE", (char *)s };

	s->one = 3;
	assert_int_equal(Fvstof32(fb, (char *)s, FUPDATE, (char *)"SAMPLE"), 0);
	assert_int_equal(Fvftos32(fb, (char *)back, (char *)"SAMPLE"), 0);
	assert_int_equal(back->one, 3);
	assert_int_equal(Fvnull32((char *)back, (char *)"two", 0,
				  (char *)"SAMPLE"), 1);
	assert_int_equal(Fadd32(fb, Fmkfldid32(FLD_VIEW32, 110),
				(char *)&field, 0), 0);
	assert_int_equal(Fvopt32((char *)"two", F_OFF, (char *)"SAMPLE"), 0);
	assert_int_equal(Fvopt32((char *)"two", F_BOTH, (char *)"SAMPLE"), 0);
	free(s);
	free(back);
	Ffree32(fb);
}

/* Findex32() and its like do nothing, and nothing is slower for it. */
static void there_is_no_index(void **state)
{
	FBFR32 *fb = Falloc32(20, 500);

	assert_int_equal(Fadds32(fb, Fmkfldid32(FLD_STRING, 106),
				 (char *)"x"), 0);
	assert_int_equal(Findex32(fb, 1), 0);
	assert_int_equal(Fidxused32(fb), 0);
	assert_int_equal(Funindex32(fb), 0);
	assert_int_equal(Frstrindex32(fb, 1), 0);
	assert_int_equal(Foccur32(fb, Fmkfldid32(FLD_STRING, 106)), 1);
	Ffree32(fb);
}

static void tables_and_views_stay_when_they_are_unloaded(void **state)
{
	struct SAMPLE *s = view_sample();

	assert_true(Fldid32((char *)"LONG") != BADFLDID);
	Fidnm_unload32();
	Fnmid_unload32();
	assert_true(Fldid32((char *)"LONG") != BADFLDID);
	assert_int_equal(Fvnull32((char *)s, (char *)"two", 0,
				  (char *)"SAMPLE"), 1);
	Fvrefresh32();
	assert_int_equal(Fvnull32((char *)s, (char *)"two", 0,
				  (char *)"SAMPLE"), 1);
	free(s);
}

static void both_widths_have_one_error_of_the_thread(void **state)
{
	assert_ptr_equal(&Ferror, &Ferror32);
	assert_int_equal(Fneeded32(0, 10), -1);
	assert_int_equal(Ferror, FEINVAL);
	assert_int_equal(Fneeded32(10, 0), -1);
	assert_int_equal(Ferror32, FEINVAL);
}

static void buffers_have_up_to_4_gb_in_both_widths(void **state)
{
	assert_true(MAXFBLEN == MAXFBLEN32 && MAXFBLEN > UINT32_MAX / 2);
}

static void appended_fields_are_in_order(void **state)
{
	FBFR32 *fb = Falloc32(20, 500);
	FLDID32 id = FIRSTFLDID;
	FLDOCC32 occ = 0;

	assert_int_equal(Fappend32(fb, Fmkfldid32(FLD_STRING, 206),
				   (char *)"b", 0), 0);
	assert_int_equal(Fappend32(fb, Fmkfldid32(FLD_STRING, 106),
				   (char *)"a", 0), 0);
	assert_int_equal(Fnext32(fb, &id, &occ, NULL, NULL), 1);
	assert_int_equal(id, Fmkfldid32(FLD_STRING, 106));
	Ffree32(fb);
}

static void members_without_a_field_become_null(void **state)
{
	struct SAMPLE *s = view_sample();
	FBFR32 *fb = Falloc32(20, 500);

	s->one = 3;
	assert_int_equal(Fvftos32(fb, (char *)s, (char *)"SAMPLE"), 0);
	assert_int_equal(Fvnull32((char *)s, (char *)"one", 0,
				  (char *)"SAMPLE"), 1);
	free(s);
	Ffree32(fb);
}

/* NAME[?] is any occurrence, ~ bitwise, division by zero false. */
static void a_value_is_had_without_a_look(void **state)
{
	FBFR *fb = Falloc(20, 500);
	FLDID text = Fmkfldid(FLD_STRING, 206), n = Fmkfldid(FLD_SHORT, 207);
	short amount = -5;

	assert_int_equal(Fadd(fb, text, (char *)"JOHN", 0), 0);
	assert_int_equal(Fadd(fb, n, (char *)&amount, 0), 0);
	assert_string_equal(Fvals(fb, text, 0), "JOHN");
	assert_int_equal(Fvall(fb, n, 0), -5);
	assert_string_equal(Fvals32(fb, text, 1), "");
	assert_int_equal(Ferror, FNOTPRES);
	assert_int_equal(Fvall32(fb, text, 0), 0);
	assert_int_equal(Ferror, FTYPERR);
	assert_string_equal(Fvals(NULL, text, 0), "");
	assert_int_equal(Ferror, FNOTFLD);
	assert_int_equal(Ffree(fb), 0);
}

static void expressions_of_enduro_x_have_their_values(void **state)
{
	FBFR32 *fb = Falloc32(20, 500);
	FLDID32 number = Fldid32((char *)"LONG");
	static const struct {
		const char *text;
		int value;
	} cases[] = {
		{ "LONG[?] == 7", 1 }, { "LONG[?] == 8", 0 },
		{ "~5 == -6", 1 },     { "LONG / 0 == 1", 0 },
		{ "LONG % 0 == 1", 0 },
	};
	long a = 5, b = 7;
	size_t i;
	char *tree;

	assert_int_equal(Fadd32(fb, number, (char *)&a, 0), 0);
	assert_int_equal(Fadd32(fb, number, (char *)&b, 0), 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree = Fboolco32((char *)cases[i].text);
		assert_non_null(tree);
		if (Fboolev32(fb, tree) != cases[i].value)
			fail_msg("%s", cases[i].text);
		Ftreefree32(tree);
	}
	Ffree32(fb);
}

/* The value of an expression of Tuxedo for a buffer with STRING2 "Johnny", LONG
 * 1042. */
static int truth(const char *text)
{
	FBFR32 *fb = Falloc32(4, 100);
	long number = 1042;
	char *tree;
	int r;

	assert_int_equal(Fadd32(fb, Fldid32((char *)"STRING2"),
				(char *)"Johnny", 0), 0);
	assert_int_equal(Fadd32(fb, Fldid32((char *)"LONG"), (char *)&number,
				0), 0);
	tree = Fboolco32((char *)text);
	r = tree != NULL ? Fboolev32(fb, tree) : -1;
	if (tree != NULL)
		Ftreefree32(tree);
	Ffree32(fb);
	return r;
}

static void a_pattern_of_tuxedo_matches_the_whole_value(void **state)
{
	UBFH *p = Balloc(4, 100);
	char *tree;

	assert_int_equal(truth("STRING2 %% 'J.*y'"), 1);
	assert_int_equal(truth("STRING2 %% 'J.*n'"), 0);
	assert_int_equal(truth("STRING2 %% 'John'"), 0);
	assert_int_equal(truth("STRING2 %% 'Johnny'"), 1);
	assert_int_equal(truth("STRING2 %% 'x|Johnny'"), 1);
	assert_int_equal(truth("STRING2 %% 'John|nny'"), 0);
	assert_int_equal(truth("STRING2 %% '^Johnny$'"), 1);
	assert_int_equal(truth("STRING2 !% 'ohn'"), 1);
	assert_int_equal(truth("LONG %% '10'"), 0);
	assert_int_equal(truth("LONG %% '10..'"), 1);
	tree = Bboolco((char *)"'Johnny' %% 'ohn'");
	assert_int_equal(Bboolev(p, tree), 1); /* not of Tuxedo */
	Btreefree(tree);
	Bfree(p);
}

static void a_code_in_a_text_of_tuxedo_is_its_character(void **state)
{
	static char out[200];
	FILE *f = fmemopen(out, sizeof(out), "w");
	char *tree;

	assert_int_equal(truth("STRING2 == '\\4aohn\\6E\\79'"), 1);
	assert_int_equal(truth("STRING2 %% '\\4a\\2e*'"), 1);
	assert_int_equal(truth("STRING2 != 'Johnny\\'"), 1);
	assert_int_equal(truth("'a\\zz' == 'a\\zz' && 'a\\5c' == 'a\\'"), 1);
	assert_null(Fboolco32((char *)"STRING2 %% 'J\\00'"));
	assert_int_equal(Ferror32, FSYNTAX);
	tree = Fboolco32((char *)"STRING2 == 'it\\27s \\5c\\01\\e4'");
	assert_non_null(tree);
	Fboolpr32(tree, f);
	fclose(f);
	assert_string_equal(out, "(STRING2 == 'it\\27s \\5c\\01\\e4')\n");
	Ftreefree32(tree);
	tree = Bboolco((char *)"'\\41' == 'A'");
	assert_non_null(tree);
	Btreefree(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_of_tuxedo_matches_the_whole_value),
		cmocka_unit_test(a_code_in_a_text_of_tuxedo_is_its_character),
		cmocka_unit_test(a_program_for_fml32_runs),
		cmocka_unit_test(a_program_for_fml_runs),
		cmocka_unit_test(pointers_and_embedded_buffers_are_fields),
		cmocka_unit_test(structures_map_to_buffers),
		cmocka_unit_test(there_is_no_index),
		cmocka_unit_test(tables_and_views_stay_when_they_are_unloaded),
		cmocka_unit_test(both_widths_have_one_error_of_the_thread),
		cmocka_unit_test(buffers_have_up_to_4_gb_in_both_widths),
		cmocka_unit_test(appended_fields_are_in_order),
		cmocka_unit_test(members_without_a_field_become_null),
		cmocka_unit_test(a_value_is_had_without_a_look),
		cmocka_unit_test(expressions_of_enduro_x_have_their_values),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
