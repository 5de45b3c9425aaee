/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config_origin.c - every effective value has file and line of its origin
 */
#include "libndrx/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "<endurox>\n"			  /* 1 */
    "<appconfig><sanity>2</sanity>\n"	  /* 2 */
    "<checkpm>${OW_T_CHECK}</checkpm>\n"  /* 3 */
    "</appconfig>\n"			  /* 4 */
    "<defaults><min>1</min>\n"		  /* 5 */
    "<envs><env name=\"TZ\">UTC</env></envs></defaults>\n" /* 6 */
    "<servers><server name=\"a\">\n"	  /* 7 */
    "<srvid>10</srvid>\n"		  /* 8 */
    "<appopt>-x ${OW_T_A}/${OW_T_B} \\${NO}</appopt>\n" /* 9 */
    "<envs><env name=\"TZ\" unset=\"Y\"/></envs>\n"	 /* 10 */
    "</server></servers></endurox>\n";

struct wanted {
	const char *server; /* NULL: <appconfig> */
	const char *name;
	bool is_env;
	/* found: */
	int n;
	char value[64];
	unsigned int line; /* 0: default */
	char variables[64];
};

static void on_value(const struct ow_config_setting *v, void *arg)
{
	struct wanted *w = arg;

	if ((w->server == NULL) != (v->server == NULL) ||
	    w->is_env != v->is_env || strcmp(w->name, v->name) != 0)
		return;
	w->n++;
	snprintf(w->value, sizeof(w->value), "%s",
		 v->value != NULL ? v->value : "(none)");
	w->line = v->origin->file != NULL ? v->origin->line : 0;
	if (v->origin->file != NULL)
		assert_string_equal(v->origin->file, "t.xml");
	snprintf(w->variables, sizeof(w->variables), "%s",
		 v->origin->variables != NULL ? v->origin->variables : "");
}

static struct wanted find(const char *server, const char *name, bool is_env)
{
	struct wanted w = { .server = server, .name = name,
			    .is_env = is_env };
	struct ow_config_error err;
	struct ow_config *c = NULL;

	setenv("OW_T_CHECK", "3", 1);
	setenv("OW_T_A", "a", 1);
	setenv("OW_T_B", "b", 1);
	if (ow_config_load_mem("t.xml", text, strlen(text), &err, &c) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(ow_config_each_value(c, on_value, &w), 0);
	ow_config_free(c);
	return w;
}

static void a_value_names_its_line(void **state)
{
	struct wanted w = find(NULL, "sanity", false);

	(void)state;
	assert_string_equal(w.value, "2s");
	assert_int_equal(w.line, 2);
	w = find("a", "srvid", false);
	assert_string_equal(w.value, "10");
	assert_int_equal(w.line, 8);
}

static void a_default_names_its_line_in_defaults(void **state)
{
	struct wanted w = find("a", "min", false);

	(void)state;
	assert_string_equal(w.value, "1");
	assert_int_equal(w.line, 5);
}

static void a_value_not_given_has_no_origin(void **state)
{
	struct wanted w = find("a", "end_max", false);

	(void)state;
	assert_string_equal(w.value, "30s");
	assert_int_equal(w.line, 0);
	w = find("a", "fullpath", false);
	assert_string_equal(w.value, "(none)");
	w = find(NULL, "restart_max", false);
	assert_string_equal(w.value, "20s"); /* ten cycles of 2 s */
	assert_int_equal(w.line, 0);
}

static void variables_in_a_value_are_named(void **state)
{
	struct wanted w = find(NULL, "checkpm", false);

	(void)state;
	assert_string_equal(w.value, "6s");
	assert_string_equal(w.variables, "OW_T_CHECK");
	w = find("a", "appopt", false);
	assert_string_equal(w.variables, "OW_T_A OW_T_B");
	assert_int_equal(w.line, 9);
	w = find("a", "srvid", false);
	assert_string_equal(w.variables, "");
}

static void environment_variables_are_listed_in_file_order(void **state)
{
	struct wanted w = find("a", "TZ", true);

	(void)state;
	assert_int_equal(w.n, 2);
	assert_string_equal(w.value, "(none)"); /* removed by the later entry */
	assert_int_equal(w.line, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_names_its_line),
		cmocka_unit_test(a_default_names_its_line_in_defaults),
		cmocka_unit_test(a_value_not_given_has_no_origin),
		cmocka_unit_test(variables_in_a_value_are_named),
		cmocka_unit_test(
		    environment_variables_are_listed_in_file_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
