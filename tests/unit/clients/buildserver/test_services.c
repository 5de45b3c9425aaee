/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_services.c - the services of a server, as buildserver -s names them
 */
#include "clients/buildserver/services.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct services s;
static char why[512];

static int end(void **state)
{
	(void)state;
	services_free(&s);
	return 0;
}

static int add(const char *text)
{
	return services_add(&s, text, why, sizeof(why));
}

static void assert_row(size_t i, const char *name, const char *func)
{
	assert_true(i < s.n);
	assert_string_equal(s.list[i].name, name);
	assert_string_equal(s.list[i].func, func);
}

static void a_service_has_the_function_of_its_name(void **state)
{
	(void)state;
	assert_int_equal(add("A,B"), 0);
	assert_int_equal(add("C:F"), 0);
	assert_int_equal(add("D,E:G"), 0);
	assert_int_equal(add(":H"), 0);
	assert_int_equal(s.n, 6);
	assert_row(0, "A", "A");
	assert_row(1, "B", "B");
	assert_row(2, "C", "F");
	assert_row(4, "E", "G");
	assert_row(5, "", "H");
}

static void a_file_has_one_text_per_line(void **state)
{
	char name[] = "/tmp/ow-build-XXXXXX", text[64];
	FILE *f = fdopen(mkstemp(name), "w");

	(void)state;
	fputs("# services\n\n A,B:F \nC\n", f);
	fclose(f);
	snprintf(text, sizeof(text), "@%s", name);
	assert_int_equal(add(text), 0);
	assert_int_equal(s.n, 3);
	assert_row(1, "B", "F");
	assert_row(2, "C", "C");
	unlink(name);
	assert_int_equal(add(text), -1);
	assert_non_null(strstr(why, "No such file"));
}

static void wrong_names_are_refused(void **state)
{
	(void)state;
	assert_int_equal(add("A:9x"), -1);
	assert_int_equal(add("A.B"), -1);
	assert_non_null(strstr(why, "\"A.B\" is not the name of a function"));
	assert_int_equal(add("A.B:F"), 0);
	assert_int_equal(add("ABCDEFGHIJKLMNOPQRSTUVWXYZ12345:F"), -1);
	assert_non_null(strstr(why, "more than 30"));
}

static void main_has_each_function_once(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	add("A,B:F");
	services_write_main(&s, "xasw", 1, f);
	fclose(f);
	assert_non_null(strstr(text, "extern void F(TPSVCINFO *);\nextern "
				     "struct xa_switch_t xasw;\n#pragma"));
	assert_non_null(strstr(text, "{ (char *)\"A\", (char *)\"F\", F, 0, 0 "
				     "},\n\t{ (char *)\"B\""));
	assert_non_null(strstr(text, "args.xa_switch = &xasw;"));
	assert_non_null(strstr(text, "_tmbuilt_with_thread_option = 1;"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
		    a_service_has_the_function_of_its_name, end),
		cmocka_unit_test_teardown(a_file_has_one_text_per_line, end),
		cmocka_unit_test_teardown(wrong_names_are_refused, end),
		cmocka_unit_test_teardown(main_has_each_function_once, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
