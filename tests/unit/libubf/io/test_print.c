/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_print.c - a buffer as text
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "tests/unit/libubf/tmpdir.h"

static struct tmpdir dir;

static int group_setup(void **state)
{
	return tmpdir_fields(&dir, "T_STRING 106 string\n"
			    "T_CHAR 103 char\nT_FLOAT 104 float\n"
			    "T_DOUBLE 105 double\nT_UBF 109 ubf\n"
			    "T_CARRAY 107 carray\nT_PTR 108 ptr\n");
}

static int group_teardown(void **state)
{
	tmpdir_remove(&dir);
	return 0;
}

static void assert_prints(UBFH *p, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(Bfprint(p, f), 0);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
	Bfree(p);
}

static void values_print_by_type(void **state)
{
	UBFH *p = Balloc(20, 500);
	void *ptr = (void *)0x1234abc;

	Badds(p, F_STRING, (char *)"two");
	Badds(p, F_STRING, (char *)"");
	Badds(p, F_LONG, (char *)"-9");
	Badds(p, F_SHORT, (char *)"7");
	Badds(p, F_CHAR, (char *)"c");
	Badds(p, F_FLOAT, (char *)"1.5");
	Badds(p, F_DOUBLE, (char *)"2.5");
	Badd(p, F_PTR, (char *)&ptr, 0);
	assert_prints(p, "((BFLDID32)101)\t7\n"
			 "((BFLDID32)33554534)\t-9\n"
			 "T_CHAR\tc\n"
			 "T_FLOAT\t1.50000\n"
			 "T_DOUBLE\t2.500000\n"
			 "T_STRING\ttwo\n"
			 "T_STRING\t\n"
			 "T_PTR\t0x1234abc\n");
}

static void unprintable_bytes_are_escaped(void **state)
{
	UBFH *p = Balloc(20, 500);

	Badds(p, F_STRING, (char *)"tab\there\\ \n\xe9");
	Badd(p, F_CARRAY, (char *)"\0\x01z", 3);
	assert_prints(p, "T_STRING\ttab\\09here\\\\ \\0a\\e9\n"
			 "T_CARRAY\t\\00\\01z\n");
}

static void embedded_buffers_are_indented(void **state)
{
	UBFH *p = Balloc(20, 900), *in = Balloc(5, 300), *in2 = Balloc(2, 50);

	Badds(in2, F_CHAR, (char *)"x");
	Badds(in, F_STRING, (char *)"in");
	Badd(in, F_UBF, (char *)in2, 0);
	Badd(p, F_UBF, (char *)in, 0);
	Badds(p, F_STRING, (char *)"out");
	Bfree(in);
	Bfree(in2);
	assert_prints(p, "T_STRING\tout\n"
			 "T_UBF\t\n"
			 "\tT_STRING\tin\n"
			 "\tT_UBF\t\n"
			 "\t\tT_CHAR\tx\n");
}

static void long_values_are_printed_completely(void **state)
{
	UBFH *p = Balloc(2, 100000);
	char *big = malloc(50001), *want = malloc(50100);

	memset(big, 'b', 50000);
	big[50000] = '\0';
	snprintf(want, 50100, "T_STRING\t%s\nT_CARRAY\tx\n", big);
	Badds(p, F_STRING, big);
	Badd(p, F_CARRAY, (char *)"x", 1);
	assert_prints(p, want);
	free(big);
	free(want);
}

struct seen {
	int lines;
	int fail_at;
	char text[200];
};

static int take_line(char **buffer, long datalen, void *dataptr1,
		     int *do_write, FILE *outf, int fid)
{
	struct seen *s = dataptr1;

	assert_int_equal(strlen(*buffer) + 1, datalen);
	if (s->lines == s->fail_at)
		return -1;
	s->lines++;
	strcat(s->text, *buffer);
	return 0;
}

static void callback_gets_line_by_line(void **state)
{
	UBFH *p = Balloc(20, 500);
	struct seen s = { .fail_at = -1 };

	Badds(p, F_STRING, (char *)"a");
	Badds(p, F_STRING, (char *)"b");
	assert_int_equal(Bfprintcb(p, take_line, &s), 0);
	assert_int_equal(s.lines, 2);
	assert_string_equal(s.text, "T_STRING\ta\nT_STRING\tb\n");
	s.fail_at = 2;
	assert_int_equal(Bfprintcb(p, take_line, &s), -1);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bfprintcb(p, NULL, &s), -1);
	Bfree(p);
}

static int replace_buffer(char **buffer, long datalen, void *dataptr1,
			  int *do_write, FILE *outf, int fid)
{
	free(*buffer);
	*buffer = malloc(1);
	++*(int *)dataptr1;
	return 0;
}

static void callback_may_replace_the_memory(void **state)
{
	UBFH *p = Balloc(20, 500);
	int lines = 0;

	Badds(p, F_STRING, (char *)"a");
	Badds(p, F_STRING, (char *)"b");
	assert_int_equal(Bfprintcb(p, replace_buffer, &lines), 0);
	assert_int_equal(lines, 2);
	Bfree(p);
}

static void unwritable_files_give_beunix(void **state)
{
	UBFH *p = Balloc(20, 500);
	FILE *f = fopen("/dev/null", "r");

	Badds(p, F_STRING, (char *)"a");
	assert_int_equal(Bfprint(p, f), -1);
	assert_int_equal(Berror, BEUNIX);
	assert_int_equal(Bfprint(p, NULL), -1);
	assert_int_equal(Berror, BEINVAL);
	fclose(f);
	Bfree(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_print_by_type),
		cmocka_unit_test(unprintable_bytes_are_escaped),
		cmocka_unit_test(embedded_buffers_are_indented),
		cmocka_unit_test(long_values_are_printed_completely),
		cmocka_unit_test(callback_gets_line_by_line),
		cmocka_unit_test(callback_may_replace_the_memory),
		cmocka_unit_test(unwritable_files_give_beunix),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
