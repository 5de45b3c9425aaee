/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_extread.c - fields from text
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "libubf/store/check.h"
#include "tests/unit/libubf/tmpdir.h"

static struct tmpdir dir;

static int group_setup(void **state)
{
	return tmpdir_fields(&dir, "S 106 string\nC 103 char\n"
			    "L 102 long\nD 105 double\nU 109 ubf\n"
			    "A 107 carray\nP 108 ptr\nV 110 view\n");
}

static int group_teardown(void **state)
{
	tmpdir_remove(&dir);
	return 0;
}

static int read_text(UBFH *p, const char *text)
{
	FILE *f = tmpfile();
	int r;

	fputs(text, f);
	rewind(f);
	r = Bextread(p, f);
	fclose(f);
	return r;
}

static void assert_prints(UBFH *p, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(Bfprint(p, f), 0);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

/* Read `text` into an empty buffer; printed, it must be `want`. */
static void reads_as(const char *text, const char *want)
{
	UBFH *p = Balloc(50, 4000);

	if (read_text(p, text) < 0)
		fail_msg("%s", Bstrerror(Berror));
	assert_prints(p, want);
	Bfree(p);
}

static void reads_what_print_writes(void **state)
{
	static const char *const texts[] = {
		"", "L\t-5\n", "S\ta\nS\t\nS\tb b\n",
		"C\tx\nD\t1.500000\nS\t\\09\\\\\\e9\nA\t\\00\\01z\n",
		"S\tout\nU\t\n\tS\tin\n\tU\t\n\t\tL\t7\nU\t\n",
		"((BFLDID32)7)\t3\nC\t\\00\n",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		reads_as(texts[i], texts[i]);
}

static void blank_lines_and_comments_are_skipped(void **state)
{
	reads_as("\n# L\t1\nL\t1\n\n\nL\t2\n", "L\t1\nL\t2\n");
	reads_as("U\t\n\tL\t1\n\n# x\n\tL\t2\nL\t3\n",
		 "L\t3\nU\t\n\tL\t1\n\tL\t2\n");
}

static void prefixes_change_delete_and_copy(void **state)
{
	reads_as("S\ta\nS\tb\n+ S\tc\n", "S\tc\nS\tb\n");
	reads_as("+ S\tnew\n", "S\tnew\n");
	reads_as("S\ta\nS\tb\n- S\t\n", "S\tb\n");
	reads_as("S\ta\nS\tb\n- S\t\n", "S\tb\n");
	reads_as("S\t12\n= L\tS\n", "L\t12\nS\t12\n");
	reads_as("+ U\t\n\tL\t1\n+ U\t\n\tL\t2\n", "U\t\n\tL\t2\n");
}

static void pointers_are_skipped_unless_asked_for(void **state)
{
	reads_as("P\t0x1234\nL\t1\n", "L\t1\n");
	setenv("NDRX_APIFLAGS", "ubf_ptrparse", 1);
	reads_as("P\t0x1234\nL\t1\n", "L\t1\nP\t0x1234\n");
	unsetenv("NDRX_APIFLAGS");
}

static void fails_with(const char *text, int error, const char *says)
{
	UBFH *p = Balloc(50, 4000);

	assert_int_equal(read_text(p, text), -1);
	assert_int_equal(Berror, error);
	if (strstr(Bstrerror(error), says) == NULL)
		fail_msg("'%s' does not say '%s'", Bstrerror(error), says);
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	Bfree(p);
}

static void messages_on_malformed_text_name_the_line(void **state)
{
	fails_with("L\t1\nL\t2", BSYNTAX, "line 2: no newline");
	fails_with("L\n", BSYNTAX, "line 1: no tab");
	fails_with("+L\t1\n", BSYNTAX, "need a blank");
	fails_with("L\t1\n\tL\t2\n", BSYNTAX, "line 2: too many tabs");
	fails_with("U\t\n\t\tL\t2\n", BSYNTAX, "line 2: too many tabs");
	fails_with("S\ta\\\n", BSYNTAX, "backslash");
	fails_with("S\ta\\1\n", BSYNTAX, "backslash");
	fails_with("S\ta\\g1\n", BSYNTAX, "backslash");
	fails_with("U\tx\n", BSYNTAX, "has no value");
	fails_with("\nNONE\t1\n", BBADNAME, "line 2: there is no field 'NONE'");
	fails_with("((BFLDID32)0)\t1\n", BBADNAME, "line 1: 0");
	fails_with("= L\tNONE\n", BBADNAME, "line 1: there is no field 'NONE'");
	fails_with("= L\tS\n", BNOTPRES, "line 1: field S occurrence 0 is not");
	fails_with("- L\t\n", BNOTPRES, "line 1: field L occurrence 0 is not");
	fails_with("V\tVIEW\n", BBADVIEW, "line 1: VIEWFILES is not set");
	fails_with("U\t\n\tL\t1\n\tNONE\t2\n", BBADNAME, "line 3: there");
}

static void text_that_does_not_fit_gives_bnospace(void **state)
{
	UBFH *p = Balloc(1, 10);

	assert_int_equal(read_text(p, "S\t0123456789012345678901234567890123"
				   "456789\n"), -1);
	assert_int_equal(Berror, BNOSPACE);
	assert_non_null(strstr(Bstrerror(Berror), "line 1: CBadd: no room for "
			       "field S (string)"));
	assert_int_equal(Bextread(p, NULL), -1);
	assert_int_equal(Bextreadcb(p, NULL, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	Bfree(p);
}

struct feed {
	const char *text;
	long piece;	/* bytes at a time; 0: lines with their NUL */
};

static long feed_some(char *buffer, long bufsz, void *dataptr1)
{
	struct feed *f = dataptr1;
	long left = (long)strlen(f->text), n = f->piece;

	if (left == 0)
		return 0;
	if (n == 0) {
		n = strchr(f->text, '\n') + 1 - f->text;
		memcpy(buffer, f->text, (size_t)n);
		buffer[n] = '\0';
		f->text += n;
		return n + 1;
	}
	n = n < left ? n : left;
	memcpy(buffer, f->text, (size_t)n);
	f->text += n;
	return n;
}

static long feed_error(char *buffer, long bufsz, void *dataptr1)
{
	return -1;
}

/* Fill a buffer with values of any type and size until one does not fit. */
static void fill_up(UBFH *p, uint64_t *seed)
{
	static const BFLDID ids[] = { F_STRING, F_CARRAY, F_LONG, F_CHAR,
				      F_STRING2, F_DOUBLE };
	char value[24];
	BFLDLEN len;
	BFLDID id;

	memset(value, 'x', sizeof(value));
	do {
		id = ids[rnd_below(seed, 6)];
		len = 1 + (BFLDLEN)rnd_below(seed, 20);
		value[len] = '\0';
		if (id == F_CHAR || id == F_LONG || id == F_DOUBLE)
			snprintf(value, sizeof(value), "%d", (int)len % 10);
		if (CBadd(p, id, value, len, id == F_CARRAY ? BFLD_CARRAY
							   : BFLD_STRING) < 0)
			return;
		memset(value, 'x', sizeof(value));
	} while (1);
}

static void what_was_in_a_full_buffer_fits_one_of_its_size(void **state)
{
	uint64_t seed = 20261127;
	UBFH *p, *q;
	long size;
	FILE *f;
	int i;

	for (i = 0; i < 3000; i++) {
		size = 200 + rnd_below(&seed, 1200) / 8 * 8;
		p = calloc(1, (size_t)size);
		q = calloc(1, (size_t)size);
		Binit(p, size);
		Binit(q, size);
		fill_up(p, &seed);
		f = tmpfile();
		assert_int_equal(Bfprint(p, f), 0);
		rewind(f);
		if (Bextread(q, f) < 0)
			fail_msg("%d of %ld bytes: %s", i, size,
				 Bstrerror(Berror));
		assert_int_equal(Bcmp(p, q), 0);
		assert_int_equal(ow_ubf_check(q, (size_t)size), 0);
		fclose(f);
		free(p);
		free(q);
	}
}

static void callbacks_may_return_pieces_of_any_size(void **state)
{
	static const char text[] = "L\t1\nS\tsome text\nU\t\n\tL\t2\n";
	UBFH *p = Balloc(50, 4000);
	long piece;

	for (piece = 0; piece < 40; piece++) {
		struct feed f = { text, piece };

		assert_int_equal(Bproj(p, NULL), 0);
		assert_int_equal(Bextreadcb(p, feed_some, &f), 0);
		assert_prints(p, text);
	}
	assert_int_equal(Bextreadcb(p, feed_error, NULL), -1);
	assert_int_equal(Berror, BEUNIX);
	Bfree(p);
}

static void the_last_line_of_a_function_needs_no_newline(void **state)
{
	struct feed f = { "L\t1\nS\tlast", 3 };
	UBFH *p = Balloc(50, 4000);

	assert_int_equal(Bextreadcb(p, feed_some, &f), 0);
	assert_prints(p, "L\t1\nS\tlast\n");
	Bfree(p);
}

static void long_lines_are_read_completely(void **state)
{
	UBFH *p = Balloc(5, 100000);
	char *text = malloc(60000);

	memset(text, 'x', 60000);
	memcpy(text, "S\t", 2);
	strcpy(text + 59000, "\n");
	assert_int_equal(read_text(p, text), 0);
	assert_int_equal(Blen(p, F_STRING, 0), 59000 - 2 + 1);
	free(text);
	Bfree(p);
}

static void embedded_buffers_may_be_large(void **state)
{
	enum { LARGE = 70 << 20 };
	UBFH *in = Balloc(2, LARGE), *p = Balloc(2, LARGE + 1000);
	UBFH *q = Balloc(2, LARGE + 1000);
	char *text = malloc(LARGE), *printed = NULL;
	size_t len;
	FILE *f = open_memstream(&printed, &len);

	memset(text, 'x', LARGE - 1);
	text[LARGE - 1] = '\0';
	assert_int_equal(Badd(in, F_STRING, text, 0), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	free(text);
	Bfree(in);
	assert_int_equal(Bfprint(p, f), 0);
	fclose(f);
	f = fmemopen(printed, len, "r");
	if (Bextread(q, f) < 0)
		fail_msg("%s", Bstrerror(Berror));
	assert_int_equal(Bcmp(p, q), 0);
	fclose(f);
	free(printed);
	Bfree(p);
	Bfree(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_print_writes),
		cmocka_unit_test(blank_lines_and_comments_are_skipped),
		cmocka_unit_test(prefixes_change_delete_and_copy),
		cmocka_unit_test(pointers_are_skipped_unless_asked_for),
		cmocka_unit_test(messages_on_malformed_text_name_the_line),
		cmocka_unit_test(text_that_does_not_fit_gives_bnospace),
		cmocka_unit_test(
		    what_was_in_a_full_buffer_fits_one_of_its_size),
		cmocka_unit_test(callbacks_may_return_pieces_of_any_size),
		cmocka_unit_test(the_last_line_of_a_function_needs_no_newline),
		cmocka_unit_test(long_lines_are_read_completely),
		cmocka_unit_test(embedded_buffers_may_be_large),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
