/* SPDX-License-Identifier: Apache-2.0 */
/* test_preflight.c - what would keep a process from starting is found */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libndrx/config/config.h"
#include "libndrx/prepare/preflight.h"

static char found[4096];
static int fatal, minor;

static void note(void *arg, enum ow_preflight_grade grade, const char *text)
{
	size_t n = strlen(found);

	if (grade == OW_PREFLIGHT_FATAL)
		fatal++;
	else
		minor++;
	snprintf(found + n, sizeof(found) - n, "%s\n", text);
}

static void examine(const char *servers, const char *clients)
{
	struct ow_config_error err;
	struct ow_config *c = NULL;
	char text[2048];

	snprintf(text, sizeof(text), "<endurox>\n<servers>%s</servers>\n"
		 "<clients>%s</clients></endurox>", servers, clients);
	if (ow_config_load_mem("t.xml", text, strlen(text), &err, &c) != 0)
		fail_msg("%s", err.text);
	found[0] = '\0';
	fatal = minor = 0;
	ow_preflight_config(c, note, NULL);
	ow_config_free(c);
}

/* A server `true` with these elements is fine but for one finding. */
static void finds(const char *elements, const char *says, int want_fatal)
{
	char text[1024];

	snprintf(text, sizeof(text), "<server name=\"true\"><srvid>7</srvid>"
		 "%s</server>", elements);
	examine(text, "");
	if (fatal != want_fatal || minor != 1 - want_fatal ||
	    strstr(found, says) == NULL)
		fail_msg("%s: %d fatal, %d minor: %s", elements, fatal, minor,
			 found);
	assert_non_null(strstr(found, "t.xml:2: <server name=\"true\">: "));
}

static void a_good_entry_has_no_finding(void **state)
{
	examine("<server name=\"true\"><srvid>1</srvid>"
		"<sysopt>-e /tmp/${NDRX_SVSRVID}.log -D 5 -N</sysopt>"
		"<appopt>-Q 'any thing'</appopt></server>"
		"<server name=\"x\"><srvid>2</srvid><fullpath>/bin/true"
		"</fullpath></server>"
		"<server name=\"true\"><srvid>3</srvid><cmdline>"
		"${NDRX_SVPROCNAME} ${NDRX_SVCLOPT}</cmdline></server>",
		"<client cmdline=\"true -x\" wd=\"/tmp\" log=\"/tmp/x.log\">"
		"<exec tag=\"A\"/></client>");
	assert_string_equal(found, "");
}

static void each_mistake_of_a_server_is_found(void **state)
{
	finds("<fullpath>/nonexistent/sv</fullpath>",
	      "the program /nonexistent/sv: No such file", 1);
	finds("<fullpath>/tmp</fullpath>", "/tmp: Is a directory", 1);
	finds("<cmdline>nosuchwrapper ${NDRX_SVCLOPT}</cmdline>",
	      "the program nosuchwrapper is not in PATH", 1);
	finds("<cmdline>/nonexistent/${NDRX_SVPROCNAME}.sh</cmdline>",
	      "the program /nonexistent/true.sh: No such", 1);
	finds("<env>/nonexistent/env</env>", "/nonexistent/env: No such", 1);
	finds("<env name=\"PATH\">/nonexistent</env>",
	      "the program true is not in PATH", 1);
	finds("<sysopt>-i 5 -Nq</sysopt>", "-q is no option of a server", 1);
	finds("<sysopt>-N -D</sysopt>", "the value of -D is missing", 1);
	finds("<sysopt>-e /nonexistent/${NDRX_SVSRVID}.log</sysopt>",
	      "-e: /nonexistent/7.log: the folder /nonexistent: No such", 0);
	finds("<sysopt>-o /dev/null/x.log</sysopt>", "Not a directory", 0);
	finds("<env name=\"NDRX_ULOG\">/nonexistent</env>",
	      "NDRX_ULOG: the folder /nonexistent: No such", 0);
}

static void a_server_of_another_runtime_is_named_with_what_is_instead(void **state)
{
	examine("<server name=\"WSL\"><srvid>1</srvid></server>", "");
	assert_non_null(strstr(found, "WSL is a server of another runtime: leave "
			       "the entry out; here: there are no"));
	assert_int_equal(fatal, 1);
}

static void all_mistakes_are_found_at_once(void **state)
{
	examine("<server name=\"nosuchsv\"><srvid>1</srvid>"
		"<sysopt>-Q -e /nonexistent/x -Z</sysopt></server>"
		"<server name=\"true\"><srvid>2</srvid>"
		"<env>/nonexistent/env</env><sysopt>-Y</sysopt></server>", "");
	assert_int_equal(fatal, 5);
	assert_int_equal(minor, 1);
}

static void each_mistake_of_a_client_is_found(void **state)
{
	static const struct {
		const char *attrs, *says;
	} wrong[] = {
		{ "cmdline=\"nosuchclient\"", "nosuchclient: No such file" },
		{ "cmdline=\"true\" wd=\"/nonexistent\"", "wd: the folder" },
		{ "cmdline=\"true\" log=\"/nonexistent/l\"", "log: " },
		{ "cmdline=\"true\" stdout=\"/nonexistent/l\"", "stdout: " },
		{ "cmdline=\"true\" stderr=\"/nonexistent/l\"", "stderr: " },
		{ "cmdline=\"true\" env=\"/nonexistent/e\"", "env: env file" },
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "<client %s><exec tag=\"A\" "
			 "subsect=\"B\"/></client>", wrong[i].attrs);
		examine("", text);
		assert_int_equal(fatal, 1);
		assert_int_equal(minor, 0);
		assert_non_null(strstr(found, wrong[i].says));
		assert_non_null(strstr(found, "<exec tag=\"A\" "
					      "subsect=\"B\">: "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_entry_has_no_finding),
		cmocka_unit_test(each_mistake_of_a_server_is_found),
		cmocka_unit_test(
		    a_server_of_another_runtime_is_named_with_what_is_instead),
		cmocka_unit_test(all_mistakes_are_found_at_once),
		cmocka_unit_test(each_mistake_of_a_client_is_found),
	};

	setenv("PATH", "/usr/bin:/bin", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
