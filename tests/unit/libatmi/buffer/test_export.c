/* SPDX-License-Identifier: Apache-2.0 */
/* test_export.c - tpexport and tpimport: typed buffers as text and back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <atmi.h>
#include <ubf.h>

#define F_LONG 33554433	   /* long 1 */
#define F_STRING 167772161 /* string 1 */

static char text[65536];

static char *export(char *data, long len, long flags)
{
	long olen = sizeof(text);

	assert_int_equal(tpexport(data, len, text, &olen, flags), 0);
	assert_int_equal(olen, strlen(text) + 1);
	return text;
}

static char *import(const char *json, const char *type, long *len)
{
	char *data = NULL, name[9] = "";

	assert_int_equal(tpimport((char *)json, 0, &data, len, 0), 0);
	assert_non_null(data);
	assert_true(tptypes(data, name, NULL) > 0);
	assert_string_equal(name, type);
	return data;
}

static void all_names_of_field_buffers_are_ubf(void **state)
{
	static const char *const names[] = { "UBF", "UBF32", "FML", "FML32" };
	char type[9] = "", *p;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		p = tpalloc((char *)names[i], NULL, 0);
		assert_true(tptypes(p, type, NULL) >= 1024);
		assert_string_equal(type, "UBF");
		tpfree(p);
	}
}

static void strict_tuxedo_says_fml32(void **state)
{
	char type[9] = "", *p = tpalloc((char *)"UBF", NULL, 0);

	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	tptypes(p, type, NULL);
	assert_string_equal(type, "FML32");
	setenv("NDRX_COMPAT", "strict-enduro", 1);
	tptypes(p, type, NULL);
	assert_string_equal(type, "UBF");
	unsetenv("NDRX_COMPAT");
	tpfree(p);
}

static void strings_are_exported_and_imported(void **state)
{
	char *p = tpalloc((char *)"STRING", NULL, 20), *q;
	long len;

	strcpy(p, "say \"hi\"/");
	assert_string_equal(export(p, 0, 0),
			    "{\"buftype\":\"STRING\",\"version\":1,"
			    "\"data\":\"say \\\"hi\\\"\\/\"}");
	q = import(text, "STRING", &len);
	assert_string_equal(q, p);
	assert_int_equal(len, strlen(p) + 1);
	tpfree(p);
	tpfree(q);
}

static void a_carray_has_the_length_given(void **state)
{
	char *p = tpalloc((char *)"CARRAY", NULL, 20), *q;
	long len;

	memcpy(p, "a\0b\xff", 4);
	assert_string_equal(export(p, 4, 0),
			    "{\"buftype\":\"CARRAY\",\"version\":1,"
			    "\"data\":\"YQBi\\/w==\"}");
	q = import(text, "CARRAY", &len);
	assert_int_equal(len, 4);
	assert_memory_equal(q, "a\0b\xff", 4);
	tpfree(p);
	tpfree(q);
}

static void json_and_null_are_exported_and_imported(void **state)
{
	char *p = tpalloc((char *)"JSON", NULL, 20), *q;
	long len;

	strcpy(p, "{\"a\":1}");
	export(p, 0, TPEX_STRING);
	q = NULL;
	assert_int_equal(tpimport(text, (long)strlen(text), &q, &len,
				  TPEX_STRING), 0);
	assert_string_equal(q, p);
	tpfree(p);
	tpfree(q);
	p = tpalloc((char *)"NULL", NULL, 0);
	q = import(export(p, 0, 0), "NULL", &len);
	assert_int_equal(len, 0);
	tpfree(p);
	tpfree(q);
}

static void refuse(const char *json, int error)
{
	char *p = NULL;

	assert_int_equal(tpimport((char *)json, 0, &p, NULL, 0), -1);
	assert_int_equal(tperrno, error);
	assert_null(p);
}

/* As JSON, not as a string; the text stays as it is. */
static void json_is_embedded_as_json(void **state)
{
	static const char json[] = "{ \"a\":[1,{\"b\":\"}]\"}], \"c\":1.50}";
	char *p = tpalloc((char *)"JSON", NULL, 200), *q, want[300];
	long len;

	strcpy(p, json);
	snprintf(want, sizeof(want), "{\"buftype\":\"JSON\",\"version\":1,"
		 "\"data\":%s}", json);
	assert_string_equal(export(p, 0, 0), want);
	q = import(text, "JSON", &len);
	assert_string_equal(q, json);
	assert_int_equal(len, sizeof(json));
	tpfree(q);
	strcpy(p, " [1, 2]");
	q = import(export(p, 0, 0), "JSON", NULL);
	assert_string_equal(q, "[1, 2]");
	tpfree(q);
	strcpy(p, "\"just text\"");
	q = import(export(p, 0, 0), "JSON", NULL);
	assert_string_equal(q, "\"just text\"");
	tpfree(q);
	strcpy(p, "{\"a\":}");
	len = sizeof(text);
	assert_int_equal(tpexport(p, 0, text, &len, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	tpfree(p);
}

static void text_without_a_version_is_refused(void **state)
{
	refuse("{\"buftype\":\"STRING\",\"data\":\"a\"}", TPEINVAL);
	assert_non_null(strstr(tpstrerror(tperrno), "no \"version\""));
}

/* A field of type view that holds none. */
static void an_empty_view_is_imported(void **state)
{
	UBFH *p = (UBFH *)(void *)import(
		"{\"buftype\":\"UBF\",\"version\":1,\"data\":{"
		"\"((BFLDID32)369098753)\":{\"\":{}}}}", "UBF", NULL);
	BVIEWFLD *f = (BVIEWFLD *)(void *)Bfind(p, 369098753, 0, NULL);

	assert_non_null(f);
	assert_string_equal(f->vname, "");
	tpfree((char *)p);
}

static UBFH *large_buffer(void)
{
	UBFH *p = (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 32768);
	long i;

	for (i = 0; i < 500; i++)
		assert_int_equal(Badd(p, F_LONG, (char *)&i, 0), 0);
	assert_int_equal(Badd(p, F_STRING, (char *)"text", 0), 0);
	return p;
}

static void a_large_ubf_buffer_grows_as_needed(void **state)
{
	UBFH *p = large_buffer();
	char *q;
	long len;

	q = import(export((char *)p, 0, 0), "UBF", &len);
	assert_int_equal(Bcmp((UBFH *)(void *)q, p), 0);
	assert_int_equal(len, Bused((UBFH *)(void *)q));
	tpfree(q);
	/* A small buffer is replaced, not updated. */
	q = tpalloc((char *)"UBF", NULL, 1024);
	assert_int_equal(Badd((UBFH *)(void *)q, F_STRING + 1, (char *)"x", 0),
			 0);
	assert_int_equal(tpimport(text, 0, &q, NULL, TPEX_NOCHANGE), 0);
	assert_int_equal(Bcmp((UBFH *)(void *)q, p), 0);
	tpfree((char *)p);
	tpfree(q);
}

static void nochange_keeps_the_type(void **state)
{
	static const char json[] = "{\"buftype\":\"STRING\",\"version\":1,"
				   "\"data\":\"x\"}";
	char *p = tpalloc((char *)"CARRAY", NULL, 20), *was = p;
	char type[9] = "";

	assert_int_equal(tpimport((char *)json, 0, &p, NULL, TPEX_NOCHANGE),
			 -1);
	assert_int_equal(tperrno, TPEOTYPE);
	assert_ptr_equal(p, was);
	assert_int_equal(tpimport((char *)json, 0, &p, NULL, 0), 0);
	assert_true(tptypes(p, type, NULL) > 0);
	assert_string_equal(type, "STRING");
	tpfree(p);
}

static void too_little_room_tells_the_size_needed(void **state)
{
	char *p = tpalloc((char *)"STRING", NULL, 20);
	long len = sizeof(text), need;

	strcpy(p, "x");
	assert_int_equal(tpexport(p, 0, text, &len, 0), 0);
	need = len--;
	assert_int_equal(tpexport(p, 0, text, &len, 0), -1);
	assert_int_equal(tperrno, TPEOS);
	assert_int_equal(len, need);
	assert_int_equal(tpexport(p, 0, text, &len, 0), 0);
	tpfree(p);
}

static void malformed_text_is_refused(void **state)
{
	refuse("", TPEINVAL);
	refuse("[]", TPEINVAL);
	refuse("{}", TPEINVAL);
	refuse("{\"buftype\":\"STRING\"}", TPEINVAL);
	refuse("{\"buftype\":\"STRING\",\"data\":1}", TPEINVAL);
	refuse("{\"buftype\":\"STRING\",\"data\":\"a\\u0000\"}", TPEINVAL);
	refuse("{\"buftype\":\"STRING\",\"version\":2,\"data\":\"\"}",
	       TPEINVAL);
	refuse("{\"buftype\":\"CARRAY\",\"data\":\"A\"}", TPEINVAL);
	refuse("{\"data\":\"\",\"buftype\":\"STRING\"}", TPEINVAL);
	refuse("{\"buftype\":\"STRING\",\"data\":\"\",\"data\":\"\"}",
	       TPEINVAL);
	refuse("{\"buftype\":\"UBF\",\"data\":{}", TPEINVAL);
	refuse("{\"buftype\":\"UBF\",\"data\":7}", TPEINVAL);
	refuse("{\"buftype\":\"JSON\",\"version\":1,\"data\":{}", TPEINVAL);
	refuse("{\"buftype\":\"JSON\",\"version\":1,\"data\":7}", TPEINVAL);
	refuse("{\"buftype\":\"PAPER\",\"data\":{}}", TPEOTYPE);
	refuse("{\"buftype\":\"TPINIT\",\"data\":{}}", TPEOTYPE);
}

/* ---- fields that point to buffers ---- */

#define F_PTR 301989889 /* ptr 1 */
#define F_UBF 335544321 /* ubf 1 */

static UBFH *new_ubf(void)
{
	return (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 1024);
}

static void point(UBFH *from, void *to)
{
	assert_int_equal(Badd(from, F_PTR, (char *)&to, 0), 0);
}

static char *pointee(UBFH *p, BFLDOCC occ)
{
	char *to = NULL;

	assert_int_equal(Bget(p, F_PTR, occ, (char *)&to, NULL), 0);
	return to;
}

/* p -> "one"; p.F_UBF -> a buffer -> "two" */
static UBFH *pointing_buffer(void)
{
	UBFH *p = new_ubf(), *far = new_ubf(), *in = Balloc(4, 100);
	char *one = tpalloc((char *)"STRING", NULL, 20);
	char *two = tpalloc((char *)"STRING", NULL, 20);

	strcpy(one, "one");
	strcpy(two, "two");
	point(p, one);
	point(far, two);
	point(in, far);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	Bfree(in);
	return p;
}

static void buffers_pointed_to_are_exported(void **state)
{
	UBFH *p = pointing_buffer(), *q, *far;

	assert_string_equal(
		export((char *)p, 0, 0),
		"{\"buftype\":\"UBF\",\"version\":1,\"data\":{"
		"\"((BFLDID32)301989889)\":{\"buftype\":\"STRING\","
		"\"version\":1,\"data\":\"one\"},"
		"\"((BFLDID32)335544321)\":{\"((BFLDID32)301989889)\":{"
		"\"buftype\":\"UBF\",\"version\":1,\"data\":{"
		"\"((BFLDID32)301989889)\":{\"buftype\":\"STRING\","
		"\"version\":1,\"data\":\"two\"}}}}}}");
	q = (UBFH *)(void *)import(text, "UBF", NULL);
	assert_ptr_not_equal(pointee(q, 0), pointee(p, 0));
	assert_string_equal(pointee(q, 0), "one");
	far = (UBFH *)(void *)pointee((UBFH *)(void *)Bfind(q, F_UBF, 0, NULL),
				      0);
	assert_string_equal(pointee(far, 0), "two");
	tpfree((char *)p);
	assert_string_equal(pointee(far, 0), "two");
	tpfree((char *)q);
}

static void tpfree_frees_the_buffers_pointed_to(void **state)
{
	UBFH *p = pointing_buffer(), *far;
	char *one = pointee(p, 0), *two, local[16] = "not a buffer";

	far = (UBFH *)(void *)pointee((UBFH *)(void *)Bfind(p, F_UBF, 0, NULL),
				      0);
	two = pointee(far, 0);
	point(far, p);	/* in a circle */
	point(p, local);
	point(p, one);	/* twice */
	tpfree((char *)p);
	assert_int_equal(tptypes(one, NULL, NULL), -1);
	assert_int_equal(tptypes(two, NULL, NULL), -1);
	assert_int_equal(tptypes((char *)far, NULL, NULL), -1);
	assert_string_equal(local, "not a buffer");
}

static void circles_cannot_be_exported(void **state)
{
	UBFH *p = new_ubf();
	long len = sizeof(text);

	point(p, p);
	assert_int_equal(tpexport((char *)p, 0, text, &len, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_non_null(strstr(tpstrerror(tperrno), "point to each other"));
	tpfree((char *)p);
}

static void other_pointers_are_null_or_addresses(void **state)
{
	UBFH *p = new_ubf(), *q;

	point(p, (void *)0x1234);
	point(p, NULL);
	assert_non_null(strstr(export((char *)p, 0, 0), ":[null,null]"));
	setenv("NDRX_APIFLAGS", "ubf_ptrparse", 1);
	assert_non_null(strstr(export((char *)p, 0, 0),
			       ":[\"0x1234\",\"0x0\"]"));
	unsetenv("NDRX_APIFLAGS");
	q = (UBFH *)(void *)import(text, "UBF", NULL);
	assert_int_equal(Boccur(q, F_PTR), 0);
	tpfree((char *)p);
	tpfree((char *)q);
}

#define POINTING(to) "{\"buftype\":\"UBF\",\"data\":{"                      \
		     "\"((BFLDID32)301989889)\":" to "}}"

static void malformed_pointees_are_refused(void **state)
{
	static char deep[8000];
	int i;

	refuse(POINTING("{}"), TPEINVAL);
	refuse(POINTING("{\"buftype\":\"STRING\"}"), TPEINVAL);
	refuse(POINTING("{\"buftype\":\"PAPER\",\"data\":1}"), TPEOTYPE);
	refuse(POINTING("{\"buftype\":\"STRING\",\"data\":\"a\"},\"x\":"),
	       TPEINVAL);
	refuse(POINTING("[{\"buftype\":\"STRING\",\"data\":\"a\"},"
			"{\"buftype\":\"UBF\",\"data\":{\"x\":[}]"), TPEINVAL);
	for (i = 0; i < 60; i++)
		strcat(deep, "{\"buftype\":\"UBF\",\"data\":{"
		       "\"((BFLDID32)301989889)\":");
	refuse(deep, TPEINVAL);
}

/* The buffer is too small at first, and the text is read again. */
static void many_pointees_are_made(void **state)
{
	UBFH *p = (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 30000), *q;
	char *to;
	int i;

	for (i = 0; i < 300; i++) {
		to = tpalloc((char *)"STRING", NULL, 20);
		sprintf(to, "%d", i);
		point(p, to);
	}
	q = (UBFH *)(void *)import(export((char *)p, 0, 0), "UBF", NULL);
	assert_int_equal(Boccur(q, F_PTR), 300);
	for (i = 0; i < 300; i++)
		assert_int_equal(atoi(pointee(q, i)), i);
	tpfree((char *)p);
	tpfree((char *)q);
}

static void unknown_members_are_ignored(void **state)
{
	char *p = import("{\"x\":{\"data\":1},\"buftype\":\"STRING\","
			 "\"version\":1,\"y\":[{}],\"data\":\"d\",\"z\":null}", "STRING", NULL);

	assert_string_equal(p, "d");
	tpfree(p);
}

static void bad_arguments_are_tpeinval(void **state)
{
	char *p = tpalloc((char *)"STRING", NULL, 20), local[8], *q = local;
	char *tpinit_data = tpalloc((char *)"TPINIT", NULL, sizeof(TPINIT));
	long len = sizeof(text);

	strcpy(p, "x");
	assert_int_equal(tpexport(NULL, 0, text, &len, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpexport(local, 0, text, &len, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpexport(p, 0, NULL, &len, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpexport(p, 0, text, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpexport(p, 0, text, &len, 1), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpexport(tpinit_data, 0, text, &len, 0), -1);
	assert_int_equal(tperrno, TPEOTYPE);
	assert_int_equal(tpimport(NULL, 0, &p, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpimport(text, 0, NULL, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpimport(text, 0, &q, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpimport((char *)"!!", 0, &p, NULL, TPEX_STRING), -1);
	assert_int_equal(tperrno, TPEINVAL);
	tpfree(p);
	tpfree(tpinit_data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_names_of_field_buffers_are_ubf),
		cmocka_unit_test(strict_tuxedo_says_fml32),
		cmocka_unit_test(strings_are_exported_and_imported),
		cmocka_unit_test(a_carray_has_the_length_given),
		cmocka_unit_test(json_and_null_are_exported_and_imported),
		cmocka_unit_test(json_is_embedded_as_json),
		cmocka_unit_test(text_without_a_version_is_refused),
		cmocka_unit_test(an_empty_view_is_imported),
		cmocka_unit_test(a_large_ubf_buffer_grows_as_needed),
		cmocka_unit_test(nochange_keeps_the_type),
		cmocka_unit_test(too_little_room_tells_the_size_needed),
		cmocka_unit_test(malformed_text_is_refused),
		cmocka_unit_test(unknown_members_are_ignored),
		cmocka_unit_test(buffers_pointed_to_are_exported),
		cmocka_unit_test(tpfree_frees_the_buffers_pointed_to),
		cmocka_unit_test(circles_cannot_be_exported),
		cmocka_unit_test(other_pointers_are_null_or_addresses),
		cmocka_unit_test(malformed_pointees_are_refused),
		cmocka_unit_test(many_pointees_are_made),
		cmocka_unit_test(bad_arguments_are_tpeinval),
	};

	setenv("FLDTBLDIR", "/nowhere", 1);
	setenv("FIELDTBLS", "none", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
