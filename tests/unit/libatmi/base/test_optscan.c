/* SPDX-License-Identifier: Apache-2.0 */
/* test_optscan.c - options one after the other, with getopt() untouched */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/base/optscan.h"

/* Scan; the results as text, then the index behind the last argument read. */
static const char *scan(const char *known, const char *first, ...)
{
	static const char mark[] = { 'E', 'o', 'w', 'u', 'm' };
	static char text[512];
	enum ow_optscan_result r;
	char *argv[16] = { (char *)"prog" };
	struct ow_optscan s = { .argc = 1, .argv = argv, .known = known,
				.at = 1 };
	va_list ap;
	int n = 0;

	va_start(ap, first);
	for (; first != NULL; first = va_arg(ap, const char *))
		argv[s.argc++] = (char *)first;
	va_end(ap);
	do {
		r = ow_optscan_next(&s);
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%c%s%.1s%s%s ",
			      mark[r], s.letter != '\0' ? ":" : "", &s.letter,
			      s.value != NULL ? "=" : "",
			      s.value != NULL ? s.value : "");
	} while (r != OW_OPTSCAN_END);
	snprintf(text + n, sizeof(text) - (size_t)n, "%d", s.at);
	return text;
}

static void letters_and_values_are_read(void **state)
{
	assert_string_equal(scan("ab:c", "-a", "-b", "x", "-c", NULL),
			    "o:a o:b=x o:c E 5");
	assert_string_equal(scan("ab:c", "-acbx", "-b", "-a", NULL),
			    "o:a o:c o:b=x o:b=-a E 4");
	assert_string_equal(scan("b:", "-b", "", NULL), "o:b= E 3");
	assert_string_equal(scan("a", NULL), "E 1");
}

static void two_dashes_end_the_options(void **state)
{
	assert_string_equal(scan("a", "-a", "--", "-a", NULL), "o:a E 3");
	assert_string_equal(scan("b:", "-b", "--", "x", NULL),
			    "o:b=-- w=x E 4");
}

static void other_arguments_are_words(void **state)
{
	assert_string_equal(scan("a", "x", "-a", "-", "", NULL),
			    "w=x o:a w=- w= E 5");
}

static void mistakes_are_told_apart(void **state)
{
	assert_string_equal(scan("ab:", "-xa", NULL), "u:x o:a E 2");
	assert_string_equal(scan("ab:", "-ab", NULL), "o:a m:b E 2");
	assert_string_equal(scan("ab:", "-:", NULL), "u:: E 2");
	assert_string_equal(scan("a", "--a", NULL), "u:- o:a E 2");
}

static void getopt_begins_as_if_nothing_had_happened(void **state)
{
	char *argv[] = { (char *)"prog", (char *)"w", (char *)"-a", NULL };

	scan("ab:", "-a", "-b", "x", "--", "y", NULL);
	assert_int_equal(optind, 1);
	/* Only a first getopt() heeds the plus: it stops at the word. */
	assert_int_equal(getopt(3, argv, "+a"), -1);
	assert_int_equal(optind, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_and_values_are_read),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(other_arguments_are_words),
		cmocka_unit_test(mistakes_are_told_apart),
		cmocka_unit_test(getopt_begins_as_if_nothing_had_happened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
