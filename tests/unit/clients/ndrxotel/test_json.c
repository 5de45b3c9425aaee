/* SPDX-License-Identifier: Apache-2.0 */
/* test_json.c - the JSON of spans: digits, escapes, and what is no UTF-8 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "clients/ndrxotel/json.h"

static struct ow_otel_json json;

static void is(const char *want)
{
	assert_false(json.failed);
	assert_int_equal(json.len, strlen(want));
	assert_string_equal(json.bytes, want);
	ow_otel_json_again(&json);
}

static void numbers_have_all_their_digits(void **state)
{
	static const uint64_t some[] = { 0, 9, 10, 99, 100, 1009, UINT64_MAX };
	size_t i;

	for (i = 0; i < sizeof(some) / sizeof(*some); i++)
		ow_otel_json_u64(&json, NULL, some[i]);
	is("\"0\",\"9\",\"10\",\"99\",\"100\",\"1009\","
	   "\"18446744073709551615\"");
	ow_otel_json_number(&json, NULL, INT64_MIN);
	ow_otel_json_number(&json, "n", -70);
	ow_otel_json_number(&json, "n", 0);
	is("-9223372036854775808,\"n\":-70,\"n\":0");
}

static void ids_are_hexadecimal(void **state)
{
	static const uint8_t id[] = { 0, 1, 0x0f, 0x10, 0x9a, 0xa9, 0xfe, 0xff };

	ow_otel_json_hex(&json, "id", id, sizeof(id));
	is("\"id\":\"00010f109aa9feff\"");
}

static void texts_are_escaped(void **state)
{
	ow_otel_json_text(&json, NULL, "");
	ow_otel_json_text(&json, NULL, "a\"b\\c");
	ow_otel_json_text(&json, NULL, "\n");
	ow_otel_json_text(&json, NULL, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80.");
	ow_otel_json_text(&json, NULL, "\xc3(\xff\xe2\x82");
	is("\"\",\"a\\u0022b\\u005cc\",\"\\u000a\","
	   "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80.\",\"?(???\"");
}

/* Six bytes for one, and memory that grows in the middle of it. */
static void a_long_text_is_escaped_to_its_end(void **state)
{
	char text[20001], want[6 * 20000 + 3] = "\"", *p = want + 1;
	size_t i;

	memset(text, 1, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (i = 0; i < sizeof(text) - 1; i++)
		p = mempcpy(p, "\\u0001", 6);
	strcpy(p, "\"");
	ow_otel_json_text(&json, NULL, text);
	is(want);
}

static void an_attribute_is_an_object_of_its_list(void **state)
{
	ow_otel_json_open(&json, "attributes", '[');
	ow_otel_json_attribute(&json, "a.b", "stringValue");
	ow_otel_json_text(&json, NULL, "x");
	ow_otel_json_attribute_end(&json);
	ow_otel_json_attribute(&json, "c", "intValue");
	ow_otel_json_u64(&json, NULL, 7);
	ow_otel_json_attribute_end(&json);
	ow_otel_json_close(&json, ']');
	ow_otel_json_number(&json, "n", 1);
	is("\"attributes\":[{\"key\":\"a.b\",\"value\":{\"stringValue\":\"x\"}},"
	   "{\"key\":\"c\",\"value\":{\"intValue\":\"7\"}}],\"n\":1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_all_their_digits),
		cmocka_unit_test(ids_are_hexadecimal),
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(a_long_text_is_escaped_to_its_end),
		cmocka_unit_test(an_attribute_is_an_object_of_its_list),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	ow_otel_json_clear(&json);
	return failed;
}
