/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_value.c - values and variables are read as documented */
#include "libndrx/config/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xatmi.h>

#include "libndrx/config/subst.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void times_are_cycles_or_have_a_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms; /* with a unit of 5 s */
	} cases[] = {
		{ "0", 0 },	   { "1", 5000 },      { "1.5", 7500 },
		{ "250ms", 250 },  { "1.5s", 1500 },   { "2 s", 2000 },
		{ "2m", 120000 },  { "1h", 3600000 },  { "1d", 86400000 },
		{ "0.0001s", 1 },  { "0.001", 5 },     { "0ms", 0 },
		{ "10S", 10000 },  { "365d", OW_VALUE_MS_MAX },
	};
	char why[OW_VALUE_WHY];

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t ms = 77;

		assert_int_equal(
		    ow_value_time(cases[i].text, 5000, why, &ms), 0);
		assert_int_equal(ms, cases[i].ms);
	}
}

static void malformed_times_are_refused(void **state)
{
	static const char *const texts[] = {
		"", "abc", "-1", "1.", ".5", "1x", "1 fortnight", "366d",
		"99999999999999999999999", "1e3", "0x10", "inf", "1,5",
	};
	char why[OW_VALUE_WHY];

	for (size_t i = 0; i < COUNT(texts); i++) {
		uint64_t ms = 77;

		assert_int_equal(ow_value_time(texts[i], 1000, why, &ms),
				 OW_VALUE_BAD);
		assert_int_equal(ms, 77);
		assert_non_null(strstr(why, "; give "));
	}
}

static void integers_have_ranges(void **state)
{
	struct ow_value_range range = { 1, 65535 };
	char why[OW_VALUE_WHY];
	int64_t v = 0;

	assert_int_equal(ow_value_int("65535", &range, why, &v), 0);
	assert_int_equal(v, 65535);
	assert_int_equal(ow_value_int("65536", &range, why, &v), 1);
	assert_int_equal(ow_value_int("0", &range, why, &v), 1);
	assert_int_equal(ow_value_int("99999999999999999999999999", &range,
				      why, &v), 1);
	assert_int_equal(ow_value_int("1.5", &range, why, &v), 1);
	assert_int_equal(ow_value_int("abc", &range, why, &v), 1);
	assert_string_equal(why, "\"abc\" is not a number; give an integer "
				 "from 1 to 65535");
	assert_int_equal(v, 65535);
}

static void booleans_have_several_spellings(void **state)
{
	static const char *const yes[] = { "Y", "y", "1", "yes", "TRUE" };
	static const char *const no[] = { "N", "n", "0", "no", "false" };
	char why[OW_VALUE_WHY];

	for (size_t i = 0; i < COUNT(yes); i++) {
		bool v = false;

		assert_int_equal(ow_value_bool(yes[i], why, &v), 0);
		assert_true(v);
		assert_int_equal(ow_value_bool(no[i], why, &v), 0);
		assert_false(v);
	}
	assert_int_equal(ow_value_bool("2x", why, &(bool){ false }),
			 1);
	assert_int_equal(ow_value_bool("", why, &(bool){ false }), 1);
	assert_string_equal(why, "the value is empty; give Y or N");
}

static void sizes_have_suffixes(void **state)
{
	char why[OW_VALUE_WHY];
	int64_t v = 0;

	assert_int_equal(ow_value_size("1000", why, &v), 0);
	assert_int_equal(v, 1000);
	assert_int_equal(ow_value_size("1.5G", why, &v), 0);
	assert_int_equal(v, 1610612736);
	assert_int_equal(ow_value_size("2t", why, &v), 0);
	assert_int_equal(v, INT64_C(2) << 40);
	assert_int_equal(ow_value_size("0", why, &v), 0);
	assert_int_equal(v, -1);
	assert_int_equal(ow_value_size("10X", why, &v), 1);
	assert_int_equal(ow_value_size("99999999T", why, &v), 1);
	assert_int_equal(ow_value_size("-2", why, &v), 1);
}

static void kill_sequences_have_one_to_three_signals(void **state)
{
	char why[OW_VALUE_WHY];
	int s[3] = { 0 };

	assert_int_equal(ow_value_killseq("15, 9", why, s), 0);
	assert_int_equal(s[0], 15);
	assert_int_equal(s[1], 9);
	assert_int_equal(s[2], 0);
	assert_int_equal(ow_value_killseq("2\t15 9,", why, s), 0);
	assert_int_equal(s[2], 9);
	assert_int_equal(ow_value_killseq("1,2,3,4", why, s), 1);
	assert_int_equal(ow_value_killseq("0", why, s), 1);
	assert_int_equal(ow_value_killseq("65", why, s), 1);
	assert_int_equal(ow_value_killseq("2;9", why, s), 1);
	assert_int_equal(ow_value_killseq(" , ", why, s), 1);
	assert_int_equal(ow_value_killseq("", why, s), 1);
}

static void quoted_texts_are_short_and_printable(void **state)
{
	char buf[12];

	assert_string_equal(ow_value_quote("a\nb", buf, sizeof(buf)),
			    "\"a?b\"");
	assert_string_equal(
	    ow_value_quote("abcdefghijklmnop", buf, sizeof(buf)),
	    "\"abcdef...\"");
}

static const char *get(void *arg, const char *name)
{
	if (strcmp(name, "A") == 0)
		return "value ${B}";
	return ow_subst_is_process_variable(name) ? NULL : "";
}

static void variables_are_replaced_once(void **state)
{
	static const struct {
		const char *text;
		const char *result;
	} cases[] = {
		{ "", "" },
		{ "x${A}y", "xvalue ${B}y" },
		{ "${B}", "" },
		{ "\\${A}", "${A}" },
		{ "$A \\n \\\\", "$A \\n \\\\" },
		{ "${NDRX_SVSRVID}.log", "${NDRX_SVSRVID}.log" },
	};
	struct ow_subst subst = { .get = get };

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = NULL;

		assert_int_equal(ow_subst(&subst, cases[i].text, &text), 0);
		assert_string_equal(text, cases[i].result);
		free(text);
	}
}

static void broken_variables_are_refused(void **state)
{
	char why[OW_CCONFIG_WHY] = "";
	struct ow_subst subst = { .get = get, .why = why };
	char *text = NULL;

	assert_int_equal(ow_subst(&subst, "a${B", &text), OW_SUBST_UNCLOSED);
	assert_int_equal(ow_subst(&subst, "a${}", &text), OW_SUBST_UNCLOSED);
	assert_int_equal(ow_subst(&subst, "${enc=QQ==}", &text),
			 OW_SUBST_FUNCTION);
	assert_int_equal(ow_subst(&subst, "${dec=QQ==}", &text),
			 OW_SUBST_ENCRYPTED);
	assert_non_null(strstr(why, "not encrypted with the key"));
	assert_int_equal(ow_subst(&subst, "${dec=QQ", &text),
			 OW_SUBST_UNCLOSED);
	assert_int_equal(ow_subst(&subst, "${dec=Q}", &text),
			 OW_SUBST_ENCRYPTED);
	assert_non_null(strstr(why, "not base64"));
	assert_null(text);
}

static void an_encrypted_value_is_kept_for_the_second_pass(void **state)
{
	char why[OW_CCONFIG_WHY], hidden[256], in[300], *a = NULL, *b = NULL;
	struct ow_subst first = { .get = get, .keep_escapes = true,
				  .why = why };
	struct ow_subst second = { .get = get, .why = why };
	long n = sizeof(hidden);

	assert_int_equal(tpencrypt((char *)"a ${B} b", 0, hidden, &n,
				   TPEX_STRING), 0);
	snprintf(in, sizeof(in), "x${dec=%s}y", hidden);
	assert_int_equal(ow_subst(&first, in, &a), 0);
	assert_string_equal(a, in);
	assert_int_equal(ow_subst(&second, a, &b), 0);
	assert_string_equal(b, "xa ${B} by");
	free(a);
	free(b);
}

static void a_kept_escape_is_replaced_in_the_second_pass(void **state)
{
	struct ow_subst first = { .get = get, .keep_escapes = true };
	struct ow_subst second = { .get = get };
	char *a = NULL;
	char *b = NULL;

	assert_int_equal(ow_subst(&first, "\\${A} ${B}", &a), 0);
	assert_string_equal(a, "\\${A} ");
	assert_int_equal(ow_subst(&second, a, &b), 0);
	assert_string_equal(b, "${A} ");
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_cycles_or_have_a_unit),
		cmocka_unit_test(malformed_times_are_refused),
		cmocka_unit_test(integers_have_ranges),
		cmocka_unit_test(booleans_have_several_spellings),
		cmocka_unit_test(sizes_have_suffixes),
		cmocka_unit_test(kill_sequences_have_one_to_three_signals),
		cmocka_unit_test(quoted_texts_are_short_and_printable),
		cmocka_unit_test(variables_are_replaced_once),
		cmocka_unit_test(broken_variables_are_refused),
		cmocka_unit_test(a_kept_escape_is_replaced_in_the_second_pass),
		cmocka_unit_test(an_encrypted_value_is_kept_for_the_second_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
