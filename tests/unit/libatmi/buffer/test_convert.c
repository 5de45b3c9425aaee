/* SPDX-License-Identifier: Apache-2.0 */
/* test_convert.c - typed buffers as buffers of another type */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <atmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/convert.h"
#include "libubf/json/parse.h"
#include "tests/unit/libatmi/scratch.h"

#define F_LONG 33554433	   /* long 1 */
#define F_STRING 167772161 /* string 1 */

static char error[OW_JSON_ERROR_MAX];

static char *json(const char *text)
{
	char *p = tpalloc((char *)"JSON", NULL, (long)strlen(text) + 1);

	assert_non_null(p);
	return strcpy(p, text);
}

static char *converted(const char *data, enum ow_buf_type to)
{
	struct ow_buf_info info;
	char *p = NULL;

	assert_int_equal(ow_buf_convert(data, to, &p, error), 0);
	assert_int_equal(ow_buf_find(p, &info), 0);
	assert_int_equal(info.type, to);
	return p;
}

static void refuse(const char *text, enum ow_buf_type to)
{
	char *data = json(text), *p = NULL;

	assert_int_equal(ow_buf_convert(data, to, &p, error), -EBADMSG);
	assert_null(p);
	assert_true(strlen(error) > 0);
	tpfree(data);
}

static void json_becomes_ubf_and_ubf_json(void **state)
{
	static const char text[] = "{\"((BFLDID32)33554433)\":[1,2],"
				   "\"((BFLDID32)167772161)\":\"x\"}";
	char *data = json(text), *ubf = converted(data, OW_BUF_UBF), *back;

	assert_int_equal(Boccur((UBFH *)(void *)ubf, F_LONG), 2);
	assert_string_equal(Bfind((UBFH *)(void *)ubf, F_STRING, 0, NULL), "x");
	back = converted(ubf, OW_BUF_JSON);
	assert_string_equal(back, text);
	tpfree(data);
	tpfree(ubf);
	tpfree(back);
}

/* Longer than its text. */
static void a_buffer_grows_as_needed(void **state)
{
	char *text = calloc(1, 8192), *data, *ubf;
	int i;

	strcpy(text, "{\"((BFLDID32)33554433)\":[0");
	for (i = 1; i < 2000; i++)
		strcat(text, ",0");
	strcat(text, "]}");
	data = json(text);
	ubf = converted(data, OW_BUF_UBF);
	assert_int_equal(Boccur((UBFH *)(void *)ubf, F_LONG), 2000);
	tpfree(data);
	tpfree(ubf);
	free(text);
}

static void json_becomes_a_view_and_a_view_json(void **state)
{
	static const char text[] = "{\"PAIR\":{\"number\":7,\"name\":\"Ada\"}}";
	char *data = json(text), *view = converted(data, OW_BUF_VIEW), *back;
	char type[9] = "", sub[34] = "";

	assert_true(tptypes(view, type, sub) > 0);
	assert_string_equal(sub, "PAIR");
	back = converted(view, OW_BUF_JSON);
	assert_string_equal(back, text);
	tpfree(data);
	tpfree(view);
	tpfree(back);
}

static void what_does_not_convert_is_refused(void **state)
{
	char *p = tpalloc((char *)"STRING", NULL, 10), *q = NULL, local[8];

	refuse("", OW_BUF_UBF);
	refuse("{x", OW_BUF_UBF);
	refuse("[1]", OW_BUF_UBF);
	refuse("{\"((BFLDID32)33554433)\":{}}", OW_BUF_UBF);
	refuse("{}", OW_BUF_VIEW);
	refuse("{\"NONE\":{}}", OW_BUF_VIEW);
	assert_int_equal(ow_buf_convert(p, OW_BUF_UBF, &q, error), -EBADMSG);
	assert_int_equal(ow_buf_convert(local, OW_BUF_UBF, &q, error),
			 -EBADMSG);
	assert_null(q);
	tpfree(p);
}

static int setup(void **state)
{
	scratch_views("VIEW PAIR\nlong number - 1 - - -\n"
		      "string name - 1 - 20 -\nEND\n");
	setenv("FLDTBLDIR", scratch_dir, 1);
	setenv("FIELDTBLS", "none", 1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_becomes_ubf_and_ubf_json),
		cmocka_unit_test(a_buffer_grows_as_needed),
		cmocka_unit_test(json_becomes_a_view_and_a_view_json),
		cmocka_unit_test(what_does_not_convert_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
