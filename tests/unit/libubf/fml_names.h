/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fml_names.h - every function of FML does what its manual page says
 *
 * The body of test_fml16.c and test_fml32.c, which give each name its width: N(Fget)
 * is Fget or Fget32.
 */
#include "tests/unit/libubf/view_test.h"

#include <stdio.h>

#include <fml.h>
#include <fml32.h>

#define LONG	Fid("LONG")
#define STRING	Fid("STRING")
#define STRING2 Fid("STRING2")

static int Fid(const char *name)
{
	return N(Fldid)((char *)name);
}

/* LONG 1, 2, 3 and STRING "a", "b". */
static UBFH *sample(void)
{
	UBFH *fb = N(Falloc)(20, 500);
	long v;

	for (v = 1; v <= 3; v++)
		assert_int_equal(N(Fadd)(fb, LONG, (char *)&v, 0), 0);
	assert_int_equal(N(Fadds)(fb, STRING, (char *)"a"), 0);
	assert_int_equal(N(Fadds)(fb, STRING, (char *)"b"), 0);
	return fb;
}

static long value(UBFH *fb, int occ)
{
	long v = -1;

	assert_int_equal(N(Fget)(fb, LONG, occ, (char *)&v, NULL), 0);
	return v;
}

static void fields_have_ids_numbers_types_and_names(void **state)
{
	int id = N(Fmkfldid)(FLD_STRING, 106);

	assert_int_equal(id, STRING);
	assert_int_equal(N(Fldno)(id), 106);
	assert_int_equal(N(Fldtype)(id), FLD_STRING);
	assert_string_equal(N(Ftype)(id), "string");
	assert_string_equal(N(Fname)(id), "STRING");
	assert_null(N(Fname)(N(Fmkfldid)(FLD_STRING, 4999)));
	assert_int_equal(Ferror, FBADFLD);
	assert_int_equal(N(Fldid)((char *)"NOBODY"), BADFLDID);
	assert_int_equal(Ferror, FBADNAME);
}

static void a_buffer_knows_its_size(void **state)
{
	char room[512] = "";
	UBFH *fb = (UBFH *)(void *)room, *copy = N(Falloc)(5, 100);

	assert_int_equal(N(Fielded)(fb), 0);
	assert_int_equal(N(Finit)(fb, sizeof(room)), 0);
	assert_int_equal(N(Fielded)(fb), 1);
	assert_int_equal(N(Fsizeof)(fb), sizeof(room));
	assert_int_equal(N(Fused)(fb) + N(Funused)(fb), sizeof(room));
	assert_int_equal(N(Fadds)(fb, STRING, (char *)"a"), 0);
	assert_int_equal(N(Fcpy)(copy, fb), 0);
	assert_int_equal(N(Fcmp)(copy, fb), 0);
	copy = N(Frealloc)(copy, 10, 1000);
	assert_true(N(Fsizeof)(copy) >= N(Fneeded)(10, 1000));
	assert_int_equal(N(Fnum)(copy), 1);
	N(Ffree)(copy);
}

static void values_are_changed_and_deleted(void **state)
{
	UBFH *fb = sample();
	long v = 7;

	assert_int_equal(N(Fchg)(fb, LONG, 4, (char *)&v, 0), 0);
	assert_int_equal(value(fb, 4), 7);
	assert_int_equal(value(fb, 3), 0);
	assert_int_equal(N(Fchgs)(fb, LONG, 4, (char *)"12"), 0);
	assert_int_equal(N(CFchg)(fb, LONG, 3, (char *)"11", 0, FLD_STRING), 0);
	assert_int_equal(N(CFadd)(fb, LONG, (char *)"13", 0, FLD_STRING), 0);
	assert_int_equal(value(fb, 3), 11);
	assert_int_equal(value(fb, 4), 12);
	assert_int_equal(value(fb, 5), 13);
	assert_int_equal(N(Fdel)(fb, LONG, 0), 0);
	assert_int_equal(value(fb, 0), 2);
	assert_int_equal(N(Fchg)(fb, LONG, 0, NULL, 0), 0);
	assert_int_equal(value(fb, 0), 3);
	assert_int_equal(N(Fdelall)(fb, LONG), 0);
	assert_int_equal(N(Foccur)(fb, LONG), 0);
	assert_int_equal(N(Fdelall)(fb, LONG), -1);
	assert_int_equal(Ferror, FNOTPRES);
	N(Ffree)(fb);
}

static void values_are_read(void **state)
{
	UBFH *fb = sample();
	FLDLEN len = 64, extra = 10;
	FLDOCC occ;
	char text[64];
	short s = 0;
	char *p;

	assert_int_equal(N(Fget)(fb, STRING, 1, text, &len), 0);
	assert_string_equal(text, "b");
	assert_int_equal(len, 2);
	len = 1;
	assert_int_equal(N(Fget)(fb, STRING, 1, text, &len), -1);
	assert_int_equal(Ferror, FNOSPACE);
	assert_int_equal(N(Fgets)(fb, LONG, 2, text), 0);
	assert_string_equal(text, "3");
	len = 64;
	assert_int_equal(N(Fgetlast)(fb, STRING, &occ, text, &len), 0);
	assert_int_equal(occ, 1);
	assert_int_equal(N(CFget)(fb, LONG, 1, (char *)&s, NULL, FLD_SHORT), 0);
	assert_int_equal(s, 2);
	p = N(Fgetsa)(fb, LONG, 2, &extra);
	assert_string_equal(p, "3");
	free(p);
	p = N(Fgetalloc)(fb, STRING, 0, NULL);
	assert_string_equal(p, "a");
	free(p);
	p = N(CFgetalloc)(fb, LONG, 2, FLD_STRING, NULL);
	assert_string_equal(p, "3");
	free(p);
	assert_int_equal(N(Flen)(fb, STRING, 0), 2);
	N(Ffree)(fb);
}

static void values_are_found_where_they_lie(void **state)
{
	UBFH *fb = sample();
	FLDLEN len = 0;
	FLDOCC occ = 0;

	assert_string_equal(N(Ffind)(fb, STRING, 1, &len), "b");
	assert_int_equal(len, 2);
	assert_string_equal(N(Ffinds)(fb, LONG, 0), "1");
	assert_string_equal(N(Ffindlast)(fb, STRING, &occ, NULL), "b");
	assert_int_equal(occ, 1);
	assert_string_equal(N(CFfind)(fb, LONG, 1, NULL, FLD_STRING), "2");
	assert_int_equal(N(Ffindocc)(fb, STRING, (char *)"b", 0), 1);
	assert_int_equal(N(CFfindocc)(fb, LONG, (char *)"3", 0, FLD_STRING), 2);
	assert_null(N(Ffind)(fb, STRING2, 0, NULL));
	assert_int_equal(Ferror, FNOTPRES);
	assert_int_equal(N(Fpres)(fb, LONG, 2), 1);
	assert_int_equal(N(Fpres)(fb, LONG, 3), 0);
	N(Ffree)(fb);
}

static void fields_come_one_after_the_other(void **state)
{
	UBFH *fb = sample();
	FLDID id = FIRSTFLDID;
	FLDOCC occ = 0;
	FLDLEN len;
	char text[64];
	int n = 0;

	for (len = sizeof(text); N(Fnext)(fb, &id, &occ, text, &len) == 1;
	     len = sizeof(text))
		n++;
	assert_int_equal(n, 5);
	assert_int_equal(n, N(Fnum)(fb));
	N(Ffree)(fb);
}

/* LONG 10 and STRING2 "z". */
static UBFH *other(void)
{
	UBFH *fb = N(Falloc)(20, 500);
	long v = 10;

	N(Fadd)(fb, LONG, (char *)&v, 0);
	N(Fadds)(fb, STRING2, (char *)"z");
	return fb;
}

static void buffers_are_joined(void **state)
{
	UBFH *from = other(), *fb = sample();

	/* What has no counterpart in `from` goes. */
	assert_int_equal(N(Fjoin)(fb, from), 0);
	assert_int_equal(N(Fnum)(fb), 1);
	assert_int_equal(value(fb, 0), 10);
	N(Ffree)(fb);
	/* It stays. */
	fb = sample();
	assert_int_equal(N(Fojoin)(fb, from), 0);
	assert_int_equal(N(Fnum)(fb), 5);
	assert_int_equal(value(fb, 0), 10);
	assert_int_equal(N(Fpres)(fb, STRING2, 0), 0);
	/* What is only in `from` comes. */
	assert_int_equal(N(Fupdate)(fb, from), 0);
	assert_int_equal(N(Fnum)(fb), 6);
	assert_int_equal(N(Fconcat)(fb, from), 0);
	assert_int_equal(N(Fnum)(fb), 8);
	assert_int_equal(value(fb, 3), 10);
	N(Ffree)(fb);
	N(Ffree)(from);
}

static void buffers_are_projected(void **state)
{
	UBFH *fb = sample(), *to = N(Falloc)(20, 500);
	FLDID list[] = { STRING, BADFLDID };

	assert_int_equal(N(Fprojcpy)(to, fb, list), 0);
	assert_int_equal(N(Fnum)(to), 2);
	assert_int_equal(N(Fproj)(fb, list), 0);
	assert_int_equal(N(Fcmp)(fb, to), 0);
	assert_int_equal(N(Fdelete)(fb, list), 0);
	assert_int_equal(N(Fnum)(fb), 0);
	N(Ffree)(fb);
	N(Ffree)(to);
}

/* What the function prints on `f`. */
static char *printed(FILE **ret, char (*text)[512])
{
	memset(*text, 0, sizeof(*text));
	*ret = fmemopen(*text, sizeof(*text), "w");
	assert_non_null(*ret);
	return *text;
}

static void expressions_are_evaluated_and_printed(void **state)
{
	UBFH *fb = sample();
	char *tree = N(Fboolco)((char *)"LONG[2] + 1 == 4 && STRING == 'a'");
	char text[512];
	FILE *f;

	assert_non_null(tree);
	assert_int_equal(N(Fboolev)(fb, tree), 1);
	printed(&f, &text);
	N(Fboolpr)(tree, f);
	fclose(f);
	assert_non_null(strstr(text, "(LONG[2]+1)"));
	free(tree);
	tree = N(Fboolco)((char *)"LONG[1] * 3");
	assert_true(N(Ffloatev)(fb, tree) == 6.0);
	free(tree);
	assert_null(N(Fboolco)((char *)"LONG =="));
	assert_int_equal(Ferror, FSYNTAX);
	N(Ffree)(fb);
}

static void buffers_are_printed_and_read(void **state)
{
	UBFH *fb = sample(), *back = N(Falloc)(20, 500);
	char text[512];
	FILE *f;

	printed(&f, &text);
	assert_int_equal(N(Ffprint)(fb, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "LONG\t3\n"));
	assert_int_equal(N(Fprint)(fb), 0); /* on standard output */
	f = fmemopen(text, strlen(text), "r");
	assert_int_equal(N(Fextread)(back, f), 0);
	fclose(f);
	assert_int_equal(N(Fcmp)(fb, back), 0);
	f = tmpfile();
	assert_int_equal(N(Fwrite)(fb, f), 0);
	rewind(f);
	N(Fdelall)(back, LONG);
	assert_int_equal(N(Fread)(back, f), 0);
	fclose(f);
	assert_int_equal(N(Fcmp)(fb, back), 0);
	N(Ffree)(fb);
	N(Ffree)(back);
}

static void errors_have_texts(void **state)
{
	assert_int_equal(N(Fget)(NULL, LONG, 0, NULL, NULL), -1);
	assert_int_equal(Ferror, FNOTFLD);
	assert_non_null(strstr(N(Fstrerror)(Ferror), "NOTFLD"));
	N(F_error)((char *)"on standard error");
	N(F_ERROR)((char *)"the same");
}

static void views_and_buffers_are_converted(void **state)
{
	struct SAMPLE *s = view_sample(), back;
	UBFH *fb = N(Falloc)(40, 2000);

	assert_int_equal(N(Fvnull)((char *)s, (char *)"two", 0,
				   (char *)"SAMPLE"), 1);
	s->two = 5;
	assert_int_equal(N(Fvnull)((char *)s, (char *)"two", 0,
				   (char *)"SAMPLE"), 0);
	assert_int_equal(N(Fvstof)(fb, (char *)s, FUPDATE, (char *)"SAMPLE"), 0);
	assert_int_equal(value(fb, 0), 5);
	assert_int_equal(N(Fvsinit)((char *)&back, (char *)"SAMPLE"), 0);
	assert_int_equal(N(Fvftos)(fb, (char *)&back, (char *)"SAMPLE"), 0);
	assert_int_equal(back.two, 5);
	assert_int_equal(N(Fvselinit)((char *)&back, (char *)"two",
				      (char *)"SAMPLE"), 0);
	assert_int_equal(back.two, -1);
	assert_int_equal(N(Fvopt)((char *)"two", F_OFF, (char *)"SAMPLE"), 0);
	assert_int_equal(N(Fvftos)(fb, (char *)&back, (char *)"SAMPLE"), 0);
	assert_int_equal(back.two, -1);
	assert_int_equal(N(Fvopt)((char *)"two", F_BOTH, (char *)"SAMPLE"), 0);
	N(Ffree)(fb);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_ids_numbers_types_and_names),
		cmocka_unit_test(a_buffer_knows_its_size),
		cmocka_unit_test(values_are_changed_and_deleted),
		cmocka_unit_test(values_are_read),
		cmocka_unit_test(values_are_found_where_they_lie),
		cmocka_unit_test(fields_come_one_after_the_other),
		cmocka_unit_test(buffers_are_joined),
		cmocka_unit_test(buffers_are_projected),
		cmocka_unit_test(expressions_are_evaluated_and_printed),
		cmocka_unit_test(buffers_are_printed_and_read),
		cmocka_unit_test(errors_have_texts),
		cmocka_unit_test(views_and_buffers_are_converted),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
