/* SPDX-License-Identifier: Apache-2.0 */
/* test_ranges.c - ranges of a route: read, refused, searched */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libatmi/route/ranges.h"
#include "tests/unit/libubf/locale_test.h"

static struct ow_ranges *parse(const char *text)
{
	struct ow_ranges *r = NULL;

	if (ow_ranges_parse(text, &r) != 0)
		fail_msg("%s is refused", text);
	return r;
}

static const char *find(const char *ranges, struct ow_ranges_value v)
{
	static char group[OW_ROUTE_GROUP];
	struct ow_ranges *r = parse(ranges);
	const char *g = ow_ranges_find(r, &v);
	int i;

	for (i = 0; g != NULL && (group[i] = g[i]) != '\0'; i++)
		;
	ow_ranges_free(r);
	return g == NULL ? "" : group;
}

#define INTEGER(n) ((struct ow_ranges_value){ OW_RANGES_INTEGER, .integer = (n) })
#define REAL(n)	   ((struct ow_ranges_value){ OW_RANGES_REAL, .real = (n) })
#define TEXT(t)	   ((struct ow_ranges_value){ OW_RANGES_TEXT, .text = (t) })

static void integers(void **state)
{
	const char *r = "MIN--10 : A , -9 - -5:B,0:C,1-9:D,10-MAX:E";

	assert_string_equal(find(r, INTEGER(INT64_MIN)), "A");
	assert_string_equal(find(r, INTEGER(-10)), "A");
	assert_string_equal(find(r, INTEGER(-9)), "B");
	assert_string_equal(find(r, INTEGER(-5)), "B");
	assert_string_equal(find(r, INTEGER(-4)), "");
	assert_string_equal(find(r, INTEGER(0)), "C");
	assert_string_equal(find(r, INTEGER(9)), "D");
	assert_string_equal(find(r, INTEGER(INT64_MAX)), "E");
	assert_string_equal(find("1.5-2.5:A", INTEGER(2)), "A");
	assert_string_equal(find("1.5-2.5:A", INTEGER(3)), "");
	assert_string_equal(find("9007199254740993:A,*:B",
				 INTEGER(INT64_C(9007199254740992))), "B");
}

static void numbers_are_equal_when_they_differ_by_little(void **state)
{
	assert_string_equal(find("0.1:A,*:B", REAL(0.1 + 5e-7)), "A");
	assert_string_equal(find("0.1:A,*:B", REAL(0.1 + 5e-6)), "B");
	assert_string_equal(find("1-2:A", REAL(2.0000005)), "A");
	assert_string_equal(find("1-2:A", REAL(2.1)), "");
}

static void fractions_have_a_point_in_every_locale(void **state)
{
	const char *r = "0-0.5:A,0.6-0.9:B,*:C";
	char low[OW_ROUTE_GROUP], high[OW_ROUTE_GROUP];

	if (!comma_locale_begin())
		skip();
	strcpy(low, find(r, REAL(0.4)));
	strcpy(high, find(r, REAL(0.7)));
	comma_locale_end();
	assert_string_equal(low, "A");
	assert_string_equal(high, "B");
}

static void texts(void **state)
{
	const char *r = "'a-b':A,'it\\'s \\\\':B,b-d:C,MIN-'':D,MAX:E";

	assert_string_equal(find(r, TEXT("a-b")), "A");
	assert_string_equal(find(r, TEXT("it's \\")), "B");
	assert_string_equal(find(r, TEXT("c,:")), "C");
	assert_string_equal(find(r, TEXT("d")), "C");
	assert_string_equal(find(r, TEXT("")), "D");
	assert_string_equal(find("'MIN'-'MIN':A", TEXT("MIN")), "A");
	assert_string_equal(find("'MIN'-'MIN':A", TEXT("A")), "");
}

static void the_first_range_wins_and_a_star_holds_all(void **state)
{
	assert_string_equal(find("1-5:A,1-9:B,*:*", INTEGER(3)), "A");
	assert_string_equal(find("1-5:A,1-9:B,*:*", INTEGER(7)), "B");
	assert_string_equal(find("1-5:A,1-9:B,*:*", INTEGER(10)), "*");
}

static void what_is_no_range_is_refused(void **state)
{
	static const char *const bad[] = {
		"", ",", "1", "1:", ":A", "1-:A", "-:A", "1:A,", "1:A;2:B",
		"1:A B", "'x:A", "'x", "1-2-3:A", "*", "*:", "1:ABCDEFGHIJKLMNOP",
		"1::A", "1:A:B", "\\:",
	};
	struct ow_ranges *r = NULL;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ow_ranges_parse(bad[i], &r) != -EINVAL)
			fail_msg("%s is taken", bad[i]);
	assert_null(r);
	ow_ranges_free(parse("1:ABCDEFGHIJKLMNO"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(numbers_are_equal_when_they_differ_by_little),
		cmocka_unit_test(fractions_have_a_point_in_every_locale),
		cmocka_unit_test(texts),
		cmocka_unit_test(the_first_range_wins_and_a_star_holds_all),
		cmocka_unit_test(what_is_no_range_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
