/* SPDX-License-Identifier: Apache-2.0 */
/* test_masks.c - masked members of JSON are starred at any depth */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "clients/xadmin/domain/masks.h"

static void becomes(const char *json, const char *wanted)
{
	static const struct ow_masks masks = { .names = "CARD, PIN" };
	char *text = ow_masks_json(&masks, json);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
}

static void members_are_starred_whatever_their_value_is(void **state)
{
	becomes("{\"CARD\":4711,\"NAME\":\"Ann\"}",
		"{\"CARD\":\"***\",\"NAME\":\"Ann\"}");
	becomes("{\"A\":[{\"PIN\" : [1,{\"B\":2}] , \"C\":[3]}],\"CARD\":{}}",
		"{\"A\":[{\"PIN\":\"***\" , \"C\":[3]}],\"CARD\":\"***\"}");
	becomes("{\"CARDS\":1, \"password\":\"x\\\"y\"}",
		"{\"CARDS\":1, \"password\":\"***\"}");
	becomes("{\"CARD\":null}", "{\"CARD\":\"***\"}");
	becomes("{\"\\u0043ARD\":1}", "{\"\\u0043ARD\":\"***\"}");
}

static void names_that_are_longer_than_those_of_fields_are_looked_at(void **state)
{
	char json[400] = "{\"", *text;

	becomes("{\"the_password_of_the_customer_in_full\":\"x\"}",
		"{\"the_password_of_the_customer_in_full\":\"***\"}");
	becomes("{\"the_given_name_of_the_customer_in_full\":\"x\"}",
		"{\"the_given_name_of_the_customer_in_full\":\"x\"}");
	becomes("{\"NAME\\u0000\":1}", "{\"NAME\\u0000\":\"***\"}");
	memset(json + 2, 'A', 300);
	strcpy(json + 302, "\":1}");
	text = ow_masks_json(&(struct ow_masks){ .names = NULL }, json);
	assert_non_null(strstr(text, ":\"***\""));
	free(text);
}

static void other_texts_stay(void **state)
{
	becomes("[\"CARD\",4711]", "[\"CARD\",4711]");
	becomes("12345678901234567890.5", "12345678901234567890.5");
	assert_null(ow_masks_json(&(struct ow_masks){ .names = "CARD" },
				  "{\"CARD\":4711"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_starred_whatever_their_value_is),
		cmocka_unit_test(
		    names_that_are_longer_than_those_of_fields_are_looked_at),
		cmocka_unit_test(other_texts_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
