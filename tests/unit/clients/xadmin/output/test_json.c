/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_json.c - what is written is JSON, whatever the names are
 */
#include "tests/unit/clients/xadmin/output/written.h"

static void an_empty_listing_is_an_empty_array(void **state)
{
	struct written f;

	(void)state;
	written_begin(&f, false);
	ow_json_list_begin(&f.j, NULL);
	ow_json_list_end(&f.j);
	assert_written(&f, "[\n]\n");
}

static void rows_are_objects_with_commas_between(void **state)
{
	struct written f;

	(void)state;
	written_begin(&f, false);
	ow_json_list_begin(&f.j, NULL);
	ow_json_row_begin(&f.j);
	ow_json_str(&f.j, "a", "x");
	ow_json_int(&f.j, "b", -1);
	ow_json_row_end(&f.j);
	ow_json_row_begin(&f.j);
	ow_json_uint(&f.j, "c", UINT64_MAX);
	ow_json_bool(&f.j, "d", true);
	ow_json_row_end(&f.j);
	ow_json_list_end(&f.j);
	assert_written(&f, "[\n{\"a\":\"x\",\"b\":-1},\n"
			   "{\"c\":18446744073709551615,\"d\":true}\n]\n");
}

static void a_row_may_hold_a_list(void **state)
{
	struct written f;

	(void)state;
	written_begin(&f, false);
	ow_json_list_begin(&f.j, NULL);
	ow_json_row_begin(&f.j);
	ow_json_list_begin(&f.j, "h");
	ow_json_uint(&f.j, NULL, 1);
	ow_json_uint(&f.j, NULL, 2);
	ow_json_list_end(&f.j);
	ow_json_str(&f.j, "e", "");
	ow_json_row_end(&f.j);
	ow_json_list_end(&f.j);
	assert_written(&f, "[\n{\"h\":[1,2],\"e\":\"\"}\n]\n");
}

static void string_is_written(const char *in, const char *want)
{
	char expect[256];
	struct written f;

	written_begin(&f, false);
	ow_json_list_begin(&f.j, NULL);
	ow_json_str(&f.j, NULL, in);
	ow_json_list_end(&f.j);
	snprintf(expect, sizeof(expect), "[\n\"%s\"\n]\n", want);
	assert_written(&f, expect);
}

static void quotes_and_controls_are_escaped(void **state)
{
	(void)state;
	string_is_written("a\"b\\c", "a\\\"b\\\\c");
	string_is_written("\n\t\r\b\f", "\\n\\t\\r\\b\\f");
	string_is_written("\x01\x1f\x7f", "\\u0001\\u001f\\u007f");
	string_is_written("a/b", "a/b");
}

static void utf8_passes_and_other_bytes_are_replaced(void **state)
{
	(void)state;
	string_is_written("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
			  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	string_is_written("a\xff z", "a\\ufffd z");
	string_is_written("\xc3", "\\ufffd");		  /* cut */
	string_is_written("\xe2\x82", "\\ufffd\\ufffd"); /* cut */
	string_is_written("\xc0\xaf", "\\ufffd\\ufffd"); /* overlong */
	string_is_written("\xed\xa0\x80",
			  "\\ufffd\\ufffd\\ufffd"); /* surrogate */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_listing_is_an_empty_array),
		cmocka_unit_test(rows_are_objects_with_commas_between),
		cmocka_unit_test(a_row_may_hold_a_list),
		cmocka_unit_test(quotes_and_controls_are_escaped),
		cmocka_unit_test(utf8_passes_and_other_bytes_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
