/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ubb.c - a UBBCONFIG is read as it is meant
 */
#include "clients/xadmin/import/ubb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ow_ubb ubb;
static char why[OW_UBB_WHY];

static int read_text(const char *text)
{
	ow_ubb_free(&ubb);
	return ow_ubb_read(text, &ubb, why);
}

static struct ow_ubb_entry *entry(const char *name)
{
	struct ow_ubb_entry *e = ubb.entries;

	while (e != NULL && strcmp(e->name, name) != 0)
		e = e->next;
	assert_non_null(e);
	return e;
}

static void resources_are_a_keyword_and_the_rest_of_the_line(void **state)
{
	(void)state;
	assert_int_equal(read_text("*RESOURCES\nmodel MP # two\n"
				   "OPTIONS LAN, MIGRATE  \nDOMAINID \"a b\"\n"
				   "EMPTY\nLAST 1\n"), 0);
	assert_string_equal(ow_ubb_value(entry(""), "MODEL"), "MP");
	assert_string_equal(ow_ubb_value(entry(""), "OPTIONS"), "LAN, MIGRATE");
	assert_string_equal(ow_ubb_value(entry(""), "DOMAINID"), "a b");
	assert_string_equal(ow_ubb_value(entry(""), "EMPTY"), "");
	assert_string_equal(ow_ubb_value(entry(""), "LAST"), "1");
	assert_null(ow_ubb_value(entry(""), "NOPE"));
}

static void an_entry_may_span_lines(void **state)
{
	(void)state;
	assert_int_equal(read_text("*SERVERS\n"
				   "a SRVGRP=G\tSRVID = 1 # one\n"
				   "\n  min=2\nMAX\n=\n3\n"
				   "\"b c\"\n"
				   "  CLOPT=\"-A # no comment\"\n"), 0);
	assert_string_equal(ow_ubb_value(entry("a"), "SRVID"), "1");
	assert_string_equal(ow_ubb_value(entry("a"), "MIN"), "2");
	assert_string_equal(ow_ubb_value(entry("a"), "MAX"), "3");
	assert_string_equal(ow_ubb_value(entry("b c"), "CLOPT"),
			    "-A # no comment");
	assert_int_equal(entry("a")->line, 2);
	assert_int_equal(entry("b c")->line, 8);
}

static void a_backslash_keeps_a_quote_in_a_value(void **state)
{
	(void)state;
	assert_int_equal(read_text("*SERVERS\n"
				   "a CLOPT=\"-- -x \\\"b c\\\" d\\e\" MIN=2\n"),
			 0);
	assert_string_equal(ow_ubb_value(entry("a"), "CLOPT"),
			    "-- -x \"b c\" d\\e");
	assert_string_equal(ow_ubb_value(entry("a"), "MIN"), "2");
	assert_int_equal(read_text("*SERVERS\na CLOPT=\"a\\\\b \\\\\\\"c\\\\\" "
				   "MIN=2\n"), 0);
	assert_string_equal(ow_ubb_value(entry("a"), "CLOPT"), "a\\b \\\"c\\");
	assert_string_equal(ow_ubb_value(entry("a"), "MIN"), "2");
	assert_int_equal(read_text("*SERVERS\na CLOPT=\"-A \\\"\n"), 1);
	assert_non_null(strstr(why, "2: a quote is not closed"));
}

static void defaults_apply_to_later_entries_of_the_section(void **state)
{
	(void)state;
	assert_int_equal(read_text("*SERVERS\na MIN=1\nDEFAULT: MAX=7\n"
				   "b MIN=2\nc MAX=8\n"
				   "*SERVICES\nS PRIO=5\n"), 0);
	assert_null(ow_ubb_value(entry("a"), "MAX"));
	assert_string_equal(ow_ubb_value(entry("b"), "MAX"), "7");
	assert_string_equal(ow_ubb_value(entry("c"), "MAX"), "8");
	assert_null(ow_ubb_value(entry("S"), "MAX"));
	assert_string_equal(entry("S")->section, "SERVICES");
}

static void values_that_were_read_are_marked(void **state)
{
	(void)state;
	assert_int_equal(read_text("*GROUPS\nG LMID=S GRPNO=1\n"), 0);
	ow_ubb_value(entry("G"), "GRPNO");
	assert_false(entry("G")->params->used);
	assert_true(entry("G")->params->next->used);
}

static void a_text_goes_on_in_the_next_line(void **state)
{
	(void)state;
	assert_int_equal(read_text("*ROUTING\nR RANGES=\"MIN-9:*,\r\n"
				   "\t\t10-19:G1,\n  *:*\" FIELD=F\n"
				   "S RANGES=\"a\\\n   b\\\r\nc\"\n"), 0);
	assert_string_equal(ow_ubb_value(entry("R"), "RANGES"),
			    "MIN-9:*, 10-19:G1, *:*");
	assert_string_equal(ow_ubb_value(entry("R"), "FIELD"), "F");
	assert_string_equal(ow_ubb_value(entry("S"), "RANGES"), "abc");
	assert_int_equal(entry("S")->line, 5);
	assert_int_equal(read_text("*GROUPS\nG OPENINFO=\"a\n"), 1);
}

static void errors_name_the_line(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "1: the file is empty" },
		{ "# only\n\n", "the file is empty" },
		{ "root:x:0\n", "1: give a section first" },
		{ "*SERVERS\na CLOPT=\"-A\n", "2: a quote is not closed" },
		{ "*SERVERS\na CLOPT=\"-A\nb CLOPT=\"-A\"\n",
		  "2: a quote is not closed" },
		{ "*MACHINES\na TUXDIR=\"/x\n\"b\" LMID=B\n",
		  "2: a quote is not closed" },
		{ "*SERVERS\na CLOPT=\"-A\n*SERVICES\nA ROUTING=\"x\"\n",
		  "2: a quote is not closed" },
		{ "*SERVERS\n\nX=1\n", "3: KEYWORD=VALUE before" },
		{ "*SERVERS\na X=1\n=", "3: = without a keyword" },
		{ "*SERVERS\na X=\n=", "2: X= has no value" },
		{ "*SERVERS\na X=", "2: X= has no value" },
		{ "*\n", "1: the name of a section follows" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_text(cases[i].text), 1);
		if (strstr(why, cases[i].want) == NULL)
			fail_msg("\"%s\": %s", cases[i].text, why);
	}
}

static void random_bytes_do_no_harm(void **state)
{
	static const char parts[] = "*\"=# \n\tAB:";
	unsigned int seed = 1;
	char text[64];
	int i, k;

	(void)state;
	for (i = 0; i < 20000; i++) {
		for (k = 0; k < 40; k++)
			text[k] = parts[rand_r(&seed) % (sizeof(parts) - 1)];
		text[40] = '\0';
		memcpy(text, "*SERVERS\n", i % 2 ? 9 : 0);
		assert_in_range(read_text(text), 0, 1);
	}
	ow_ubb_free(&ubb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    resources_are_a_keyword_and_the_rest_of_the_line),
		cmocka_unit_test(an_entry_may_span_lines),
		cmocka_unit_test(
		    defaults_apply_to_later_entries_of_the_section),
		cmocka_unit_test(a_backslash_keeps_a_quote_in_a_value),
		cmocka_unit_test(values_that_were_read_are_marked),
		cmocka_unit_test(a_text_goes_on_in_the_next_line),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(random_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
