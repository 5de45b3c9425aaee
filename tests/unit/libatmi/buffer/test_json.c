/* SPDX-License-Identifier: Apache-2.0 */
/* test_json.c - tpubftojson and tpjsontoubf, as programs see them */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <atmi.h>
#include <ubf.h>

#include "tests/unit/libubf/locale_test.h"

static const char table[] = "T_SHORT 1 short\nT_LONG 2 long\nT_CHAR 3 char\n"
			    "T_FLOAT 4 float\nT_DOUBLE 5 double\n"
			    "T_STRING 6 string\nT_CARRAY 7 carray\n"
			    "T_PTR 8 ptr\nT_UBF 9 ubf\n";
static char dir[] = "/tmp/ow-json-test-XXXXXX";
static UBFH *p;
static char text[2048];

static BFLDID id(const char *name)
{
	BFLDID i = Bfldid((char *)name);

	assert_int_not_equal(i, BBADFLDID);
	return i;
}

static void read_json(const char *json)
{
	assert_int_equal(Binit(p, 4096), 0);
	assert_int_equal(tpjsontoubf(p, (char *)json), 0);
}

static void refuse_json(const char *json, const char *why)
{
	assert_int_equal(Binit(p, 4096), 0);
	assert_int_equal(tpjsontoubf(p, (char *)json), -1);
	assert_int_equal(tperrno, TPEINVAL);
	if (strstr(tpstrerror(tperrno), why) == NULL)
		fail_msg("%s lacks: %s", tpstrerror(tperrno), why);
}

static void expect_json(const char *json)
{
	assert_int_equal(tpubftojson(p, text, sizeof(text)), 0);
	assert_string_equal(text, json);
}

static void expect_text(const char *field, BFLDOCC occ, const char *value)
{
	char *s = Bfinds(p, id(field), occ);

	assert_non_null(s);
	assert_string_equal(s, value);
}

static void add(const char *field, const char *value)
{
	assert_int_equal(Badds(p, id(field), (char *)value), 0);
}

/* ---- writing ---- */

static void occurrences_become_an_array(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	expect_json("{}");
	add("T_STRING", "a");
	expect_json("{\"T_STRING\":\"a\"}");
	add("T_STRING", "");
	add("T_LONG", "-7");
	expect_json("{\"T_LONG\":-7,\"T_STRING\":[\"a\",\"\"]}");
}

static void slashes_quotes_and_controls_are_escaped(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	add("T_STRING", "a/b \"q\" \\ \n\t\x01 \xc3\xa9");
	expect_json("{\"T_STRING\":\"a\\/b \\\"q\\\" \\\\ \\n\\t\\u0001 "
		    "\xc3\xa9\"}");
}

static void whole_doubles_are_integers_others_have_six_decimals(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	add("T_DOUBLE", "5");
	add("T_DOUBLE", "-5.25");
	add("T_DOUBLE", "1e15");
	add("T_FLOAT", "1.5");
	add("T_FLOAT", "3");
	expect_json("{\"T_FLOAT\":[1.500000,3],"
		    "\"T_DOUBLE\":[5,-5.250000,1000000000000000]}");
}

static void a_carray_is_base64(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	assert_int_equal(Badd(p, id("T_CARRAY"), (char *)"\0\1\2", 3), 0);
	expect_json("{\"T_CARRAY\":\"AAEC\"}");
	read_json("{\"T_CARRAY\":\"AAEC\"}");
	assert_int_equal(Blen(p, id("T_CARRAY"), 0), 3);
	assert_memory_equal(Bfind(p, id("T_CARRAY"), 0, NULL), "\0\1\2", 3);
}

static void an_embedded_buffer_is_an_object(void **state)
{
	static const char json[] = "{\"T_UBF\":[{\"T_LONG\":1,\"T_UBF\":{}},"
				   "{\"T_STRING\":[\"x\",\"y\"]}]}";

	read_json(json);
	expect_json(json);
}

static void a_field_without_name_keeps_its_number(void **state)
{
	long l = 9;

	assert_int_equal(Binit(p, 4096), 0);
	assert_int_equal(Badd(p, Bmkfldid(BFLD_LONG, 4711), (char *)&l, 0), 0);
	expect_json("{\"((BFLDID32)33559143)\":9}");
	read_json(text);
	assert_int_equal(Boccur(p, Bmkfldid(BFLD_LONG, 4711)), 1);
}

static void values_that_json_cannot_express_are_an_error(void **state)
{
	double d = NAN;

	assert_int_equal(Binit(p, 4096), 0);
	assert_int_equal(Badd(p, id("T_DOUBLE"), (char *)&d, 0), 0);
	assert_int_equal(tpubftojson(p, text, sizeof(text)), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_non_null(strstr(tpstrerror(tperrno), "T_DOUBLE"));
}

static void a_string_that_is_not_utf_8_is_tpeinval_and_named(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	add("T_STRING", "\xff");
	assert_int_equal(tpubftojson(p, text, sizeof(text)), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_non_null(strstr(tpstrerror(tperrno), "T_STRING"));
	setenv("NDRX_APIFLAGS", "json_escape", 1);
	expect_json("{\"T_STRING\":\"\\\\ff\"}");
	read_json(text);
	expect_text("T_STRING", 0, "\xff");
	unsetenv("NDRX_APIFLAGS");
}

static void too_small_a_buffer_is_tpeos(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	add("T_LONG", "7");
	assert_int_equal(tpubftojson(p, text, 12), -1); /* {"T_LONG":7} */
	assert_int_equal(tperrno, TPEOS);
	assert_int_equal(tpubftojson(p, text, 13), 0);
}

/* ---- reading ---- */

static void reading_updates_by_occurrence(void **state)
{
	assert_int_equal(Binit(p, 4096), 0);
	add("T_STRING", "a");
	add("T_STRING", "b");
	add("T_LONG", "1");
	assert_int_equal(tpjsontoubf(p, (char *)"{\"T_STRING\":\"A\","
				     "\"T_SHORT\":[5,6]}"), 0);
	expect_json("{\"T_SHORT\":[5,6],\"T_LONG\":1,"
		    "\"T_STRING\":[\"A\",\"b\"]}");
	assert_int_equal(tpjsontoubf(p, (char *)"{\"T_STRING\":[null,\"B\","
				     "\"C\"]}"), 0);
	expect_json("{\"T_SHORT\":[5,6],\"T_LONG\":1,"
		    "\"T_STRING\":[\"A\",\"B\",\"C\"]}");
}

static void numbers_and_text_convert(void **state)
{
	read_json("{\"T_STRING\":[5,-0,5.25,12345678901234567890123,true],"
		  "\"T_LONG\":[\"12\",7.9,9223372036854775807,1e3,false],"
		  "\"T_DOUBLE\":[3,0.1,\"2.5\",-1.5e-3],\"T_CHAR\":\"xyz\"}");
	expect_text("T_STRING", 0, "5");
	expect_text("T_STRING", 1, "-0");
	expect_text("T_STRING", 2, "5.250000");
	expect_text("T_STRING", 3, "12345678901234567890123");
	expect_text("T_STRING", 4, "1");
	expect_json("{\"T_LONG\":[12,7,9223372036854775807,1000,0],"
		    "\"T_CHAR\":\"x\",\"T_DOUBLE\":[3,0.100000,2.500000,"
		    "-0.001500],\"T_STRING\":[\"5\",\"-0\",\"5.250000\","
		    "\"12345678901234567890123\",\"1\"]}");
	assert_true(*(double *)(void *)Bfind(p, id("T_DOUBLE"), 1, NULL) ==
		    0.1);
}

static void unknown_names_are_ignored(void **state)
{
	read_json("{\"NOBODY\":{\"T_LONG\":1,\"x\":[[{}],2]},\"T_LONG\":3,"
		  "\"ANYBODY\":[1,2,{\"T_LONG\":4}]}");
	expect_json("{\"T_LONG\":3}");
}

static void pointers_are_not_taken_from_text(void **state)
{
	read_json("{\"T_PTR\":\"0x1234\",\"T_LONG\":1}");
	expect_json("{\"T_LONG\":1}");
	setenv("NDRX_APIFLAGS", "ubf_ptrparse", 1);
	read_json("{\"T_PTR\":\"0x1234\",\"T_LONG\":1}");
	expect_json("{\"T_LONG\":1,\"T_PTR\":\"0x1234\"}");
	unsetenv("NDRX_APIFLAGS");
}

static void pointers_to_buffers_are_objects(void **state)
{
	UBFH *in = (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 1024), *out;
	long nowhere = 0x1234;

	assert_int_equal(Bchg(in, id("T_LONG"), 0, (char *)&nowhere, 0), 0);
	Binit(p, Bsizeof(p));
	assert_int_equal(Bchg(p, id("T_PTR"), 0, (char *)&in, 0), 0);
	assert_int_equal(Bchg(p, id("T_PTR"), 1, (char *)&nowhere, 0), 0);
	expect_json("{\"T_PTR\":[{\"buftype\":\"UBF\",\"version\":1,"
		    "\"data\":{\"T_LONG\":4660}},null]}");
	Binit(p, Bsizeof(p));
	tpfree((char *)in);
	read_json("{\"T_PTR\":{\"buftype\":\"UBF\",\"version\":1,"
		  "\"data\":{\"T_LONG\":7}}}");
	out = *(UBFH **)(void *)Bfind(p, id("T_PTR"), 0, NULL);
	assert_int_equal(*(long *)(void *)Bfind(out, id("T_LONG"), 0, NULL), 7);
	tpfree((char *)out);
	Binit(p, Bsizeof(p));
}

static void impossible_values_are_refused(void **state)
{
	refuse_json("", "JSON");
	refuse_json("[]", "object");
	refuse_json("7", "object");
	refuse_json("{\"T_LONG\":1} x", "JSON");
	refuse_json("{\"T_LONG\":01}", "JSON");
	refuse_json("{\"T_STRING\":\"\xff\"}", "JSON");
	refuse_json("{\"T_STRING\":\"a\\u0000b\"}", "T_STRING");
	refuse_json("{\"T_LONG\":{}}", "T_LONG");
	refuse_json("{\"T_LONG\":[[1]]}", "T_LONG");
	refuse_json("{\"T_UBF\":1}", "T_UBF");
	refuse_json("{\"T_CARRAY\":\"A\"}", "base64");
}

static void a_full_buffer_is_tpeos(void **state)
{
	assert_int_equal(Binit(p, 80), 0);
	assert_int_equal(tpjsontoubf(p, (char *)"{\"T_LONG\":[1,2,3,4,5]}"),
			 -1);
	assert_int_equal(tperrno, TPEOS);
	assert_int_equal(Boccur(p, id("T_LONG")), 2);
}

static void the_locale_does_not_matter(void **state)
{
	if (!comma_locale_begin())
		skip();
	read_json("{\"T_DOUBLE\":[1.5,123456789.12345678901]}");
	comma_locale_end();
	expect_json("{\"T_DOUBLE\":[1.500000,123456789.123457]}");
}

static void bad_arguments_are_tpeinval(void **state)
{
	char junk[256] __attribute__((aligned(8))) = "junk";

	assert_int_equal(tpubftojson(NULL, text, 10), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpubftojson(p, NULL, 10), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpubftojson(p, text, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpubftojson((UBFH *)(void *)junk, text, 10), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpjsontoubf(NULL, text), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpjsontoubf(p, NULL), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpjsontoubf((UBFH *)(void *)junk, (char *)"{}"), -1);
	assert_int_equal(tperrno, TPEINVAL);
}

static int make_table(void **state)
{
	char path[64];
	FILE *f;

	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/t.fd", dir);
	f = fopen(path, "w");
	if (f == NULL || fputs(table, f) < 0 || fclose(f) != 0)
		return -1;
	setenv("FLDTBLDIR", dir, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	(void)Bfldid((char *)"T_LONG");
	unlink(path);
	rmdir(dir);
	p = (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 4096);
	return p == NULL;
}

static int drop(void **state)
{
	tpfree((char *)p);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(occurrences_become_an_array),
		cmocka_unit_test(slashes_quotes_and_controls_are_escaped),
		cmocka_unit_test(
		    whole_doubles_are_integers_others_have_six_decimals),
		cmocka_unit_test(a_carray_is_base64),
		cmocka_unit_test(an_embedded_buffer_is_an_object),
		cmocka_unit_test(a_field_without_name_keeps_its_number),
		cmocka_unit_test(values_that_json_cannot_express_are_an_error),
		cmocka_unit_test(
		    a_string_that_is_not_utf_8_is_tpeinval_and_named),
		cmocka_unit_test(too_small_a_buffer_is_tpeos),
		cmocka_unit_test(reading_updates_by_occurrence),
		cmocka_unit_test(numbers_and_text_convert),
		cmocka_unit_test(unknown_names_are_ignored),
		cmocka_unit_test(pointers_are_not_taken_from_text),
		cmocka_unit_test(pointers_to_buffers_are_objects),
		cmocka_unit_test(impossible_values_are_refused),
		cmocka_unit_test(a_full_buffer_is_tpeos),
		cmocka_unit_test(the_locale_does_not_matter),
		cmocka_unit_test(bad_arguments_are_tpeinval),
	};

	return cmocka_run_group_tests(tests, make_table, drop);
}
