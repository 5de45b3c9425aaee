/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config_observed.c - configurations of existing domains are accepted as
 * they are: facts that were observed elsewhere
 */
#include "libndrx/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libndrx/config/cmdline.h"
#include "libndrx/config/schema.h"
#include "libndrx/config/source.h"
#include "tests/unit/libatmi/scratch.h"

static struct ow_config *config;

static int end(void **state)
{
	(void)state;
	ow_config_freep(&config);
	return 0;
}

/* Load; the schema accepts it, too. */
static void load(const char *xml)
{
	struct ow_config_source source = { .name = "t.xml", .data = xml,
					   .len = strlen(xml) };
	struct ow_config_error err = { "" };

	ow_config_freep(&config);
	if (ow_config_load_mem("t.xml", xml, strlen(xml), &err, &config) != 0)
		fail_msg("%s\n%s", xml, err.text);
	if (ow_config_schema_check(&source, &err) != 0)
		fail_msg("%s\n%s", xml, err.text);
}

static void assert_notice(const char *text)
{
	for (size_t i = 0; i < config->n_notices; i++)
		if (strstr(config->notices[i], text) != NULL)
			return;
	fail_msg("no notice: %s", text);
}

static void yes_and_no_take_numbers(void **state)
{
	(void)state;
	load("<endurox><defaults><min>1</min></defaults><servers>"
	     "<server name=\"a\"><srvid>1</srvid><respawn>0</respawn>"
	     "<autokill>2</autokill><protected>1</protected>"
	     "<reloadonchange>-1</reloadonchange></server></servers>"
	     "</endurox>");
	assert_false(config->servers[0].respawn);
	assert_true(config->servers[0].autokill);
	assert_true(config->servers[0].protect);
	assert_true(config->servers[0].reloadonchange);
}

static void ping_max_may_be_0(void **state)
{
	(void)state;
	load("<endurox><defaults><min>1</min><pingtime>5</pingtime>"
	     "<ping_max>0</ping_max></defaults><servers><server name=\"a\">"
	     "<srvid>1</srvid></server></servers></endurox>");
	assert_int_equal(config->servers[0].ping_max_ms, 20000);
}

static void of_an_element_given_twice_the_last_one_counts(void **state)
{
	(void)state;
	load("<endurox><appconfig><sanity>1</sanity><checkpm>3</checkpm>"
	     "<checkpm>4</checkpm></appconfig><servers>\n<server name=\"a\">"
	     "<srvid>9</srvid><min>1</min>\n<srvid>1</srvid><min>2</min>"
	     "</server></servers></endurox>");
	assert_int_equal(config->app.checkpm_ms, 4000);
	assert_int_equal(config->servers[0].srvid, 1);
	assert_int_equal(config->servers[0].min, 2);
	assert_notice("t.xml:3: <server name=\"a\">: <min>: is given twice, "
		      "first at t.xml:2; the last one counts");
}

static void each_defaults_holds_for_what_follows(void **state)
{
	(void)state;
	load("<endurox><defaults><min>1</min><autokill>Y</autokill></defaults>"
	     "<servers><server name=\"a\"><srvid>1</srvid></server></servers>"
	     "<defaults><min>3</min></defaults><servers><server name=\"b\">"
	     "<srvid>10</srvid></server></servers></endurox>");
	assert_int_equal(config->servers[0].min, 1);
	assert_int_equal(config->servers[1].min, 3);
	assert_true(config->servers[1].autokill);
	/* The first one, wherever it stands, for all. */
	load("<endurox><servers><server name=\"a\"><srvid>1</srvid></server>"
	     "</servers><defaults><min>4</min></defaults></endurox>");
	assert_int_equal(config->servers[0].min, 4);
}

static void an_environment_group_given_twice_is_merged(void **state)
{
	const struct ow_config_server *s;

	(void)state;
	load("<endurox><defaults><min>1</min><envs group=\"G\">"
	     "<env name=\"A\">1</env></envs><envs group=\"G\">"
	     "<env name=\"B\">2</env></envs></defaults><servers>"
	     "<server name=\"a\"><srvid>1</srvid><envs><usegroup>G</usegroup>"
	     "</envs></server></servers></endurox>");
	s = &config->servers[0];
	assert_int_equal(s->n_envs, 2);
	assert_string_equal(s->envs[0].name, "A");
	assert_string_equal(s->envs[1].name, "B");
	assert_notice("group \"G\" is defined twice");
}

static void a_variable_may_refer_to_those_before_it(void **state)
{
	const struct ow_config_server *s;

	(void)state;
	setenv("OW_BASE", "/environment", 1);
	load("<endurox><defaults><min>1</min><envs group=\"G\">"
	     "<env name=\"OW_BASE\">/data</env>"
	     "<env name=\"DIR\">${OW_BASE}/in</env></envs></defaults><servers>"
	     "<server name=\"a\"><srvid>1</srvid><envs>"
	     "<env name=\"FIRST\">${OW_BASE}</env><usegroup>G</usegroup>"
	     "<env name=\"DEEP\">${DIR}/x</env></envs></server></servers>"
	     "</endurox>");
	s = &config->servers[0];
	assert_int_equal(s->n_envs, 4);
	assert_string_equal(s->envs[0].value, "/environment");
	assert_string_equal(s->envs[2].value, "/data/in");
	assert_string_equal(s->envs[3].value, "/data/in/x");
	assert_int_equal(config->n_notices, 0);
}

static void quotes_may_be_nested_in_options(void **state)
{
	struct ow_cmdline cmd = { 0 };

	(void)state;
	load("<endurox><defaults><min>1</min></defaults><servers>"
	     "<server name=\"a\"><srvid>1</srvid><appopt>-x \"it's 'so'\" "
	     "'say \"hi\"' \\\"q</appopt></server></servers></endurox>");
	assert_int_equal(ow_cmdline_split(&cmd, config->servers[0].appopt), 0);
	assert_int_equal(cmd.argc, 4);
	assert_string_equal(cmd.argv[1], "it's 'so'");
	assert_string_equal(cmd.argv[2], "say \"hi\"");
	assert_string_equal(cmd.argv[3], "\"q");
	ow_cmdline_clear(&cmd);
}

static void clopt_is_sysopt_and_appopt_in_one(void **state)
{
	const struct ow_config_server *s;

	(void)state;
	load("<endurox><defaults><min>1</min></defaults><servers>"
	     "<server name=\"a\"><srvid>1</srvid><clopt> -A -e '/tmp/a -- b'"
	     " -- -x \"it's 'so'\" -- ${NDRX_SVSRVID} </clopt></server>"
	     "<server name=\"b\"><srvid>2</srvid><appopt>-y</appopt>"
	     "<clopt>-r</clopt></server>"
	     "<server name=\"c\"><srvid>3</srvid><clopt>-- -z</clopt>"
	     "<sysopt>-r</sysopt></server></servers></endurox>");
	s = config->servers;
	assert_string_equal(s[0].sysopt, "-A -e '/tmp/a -- b'");
	assert_string_equal(s[0].appopt, "-x \"it's 'so'\" -- "
					 "${NDRX_SVSRVID}");
	assert_string_equal(s[1].sysopt, "-r");
	assert_null(s[1].appopt);
	assert_string_equal(s[2].sysopt, "-r");
	assert_string_equal(s[2].appopt, "-z");
}

static void sections_given_twice_are_merged(void **state)
{
	(void)state;
	load("<endurox><appconfig><sanity>2</sanity><checkpm>3</checkpm>"
	     "<restart_max>9</restart_max></appconfig>\n<procgroups>"
	     "<procgroup name=\"A\" grpno=\"1\"/></procgroups><appconfig>"
	     "<checkpm>4</checkpm><sanity>5</sanity></appconfig>\n<procgroups>"
	     "<defaults noorder=\"Y\"/><procgroup name=\"B\" grpno=\"2\"/>"
	     "<defaults noorder=\"N\"/><procgroup name=\"C\" grpno=\"3\"/>"
	     "</procgroups></endurox>");
	assert_int_equal(config->app.sanity_ms, 5000);
	assert_int_equal(config->app.checkpm_ms, 20000);
	assert_int_equal(config->app.restart_max_ms, 45000);
	assert_int_equal(config->n_groups, 3);
	assert_false(config->groups[0].noorder);
	assert_true(config->groups[1].noorder);
	assert_false(config->groups[2].noorder);
	assert_notice("t.xml:2: <appconfig>: is there twice, first at "
		      "t.xml:1;");
	assert_notice("t.xml:3: <procgroups>: is there twice, first at "
		      "t.xml:2;");
}

static void of_a_service_given_twice_the_last_one_counts(void **state)
{
	(void)state;
	load("<endurox><services><service svcnm=\"A\" prio=\"10\"/>"
	     "<service svcnm=\"B\"/><service svcnm=\"A\" prio=\"20\"/>"
	     "</services></endurox>");
	assert_int_equal(config->n_services, 2);
	assert_string_equal(config->services[0].name, "A");
	assert_int_equal(config->services[0].prio, 20);
	assert_notice("A is there twice");
}

static void cpmsrv_is_the_client_monitor_of_ndrxd(void **state)
{
	(void)state;
	load("<endurox><defaults><min>1</min></defaults><servers>"
	     "<server name=\"cpmsrv\"><srvid>9</srvid><sysopt>-e x -r</sysopt>"
	     "<appopt>-k3 -i1</appopt></server></servers><clients><client "
	     "cmdline=\"sleep 1\"><exec tag=\"A\" autostart=\"Y\"/></client>"
	     "</clients></endurox>");
	assert_int_equal(config->n_servers, 1);
	assert_int_equal(config->n_clients, 1);
	assert_notice("ndrxd itself looks after <clients>");
}

/* A domain whose exsinglesv finds its lock file in the ini configuration. */
static const char locked[] =
    "<endurox><procgroups><procgroup name=\"A\" grpno=\"1\" singleton=\"Y\"/>"
    "<procgroup name=\"B\" grpno=\"2\" singleton=\"Y\"/>"
    "<procgroup name=\"C\" grpno=\"3\" singleton=\"Y\" lockfile=\"/own\"/>"
    "</procgroups><defaults><min>1</min></defaults><servers>"
    "<server name=\"exsinglesv\"><srvid>1</srvid><procgrp_lp>A</procgrp_lp>"
    "<cctag>FIRST</cctag></server><server name=\"exsinglesv\">"
    "<srvid>2</srvid><procgrp_lp>B</procgrp_lp></server>"
    "<server name=\"exsinglesv\"><srvid>3</srvid><procgrp_lp>C</procgrp_lp>"
    "<cctag>FIRST</cctag></server></servers></endurox>";

static void the_lock_file_of_exsinglesv_is_that_of_the_group(void **state)
{
	const char *path = scratch_path("app.ini");

	(void)state;
	load(locked);
	assert_null(config->groups[0].lockfile);
	scratch_write(path, "[@exsinglesv]\nlockfile_1=/nfs/${OW_NONE}all\n"
			    "[@exsinglesv/FIRST]\nlockfile_1=/nfs/a\n"
			    "exec_on_locked=mount /x\n");
	setenv("NDRX_CCONFIG", path, 1);
	load(locked);
	unsetenv("NDRX_CCONFIG");
	assert_int_equal(config->n_servers, 3);
	assert_string_equal(config->groups[0].lockfile, "/nfs/a");
	assert_string_equal(config->groups[1].lockfile, "/nfs/all");
	assert_string_equal(config->groups[2].lockfile, "/own");
	assert_notice("lock file of group A: /nfs/a, from [@exsinglesv]");
	assert_notice("[@exsinglesv] exec_on_locked: no effect");
}

static void settings_of_features_to_come_are_accepted(void **state)
{
	(void)state;
	load("<endurox><appconfig><sanity>1</sanity><brrefresh>5</brrefresh>"
	     "<ddrreload>3</ddrreload><rqaddrttl>4</rqaddrttl></appconfig>"
	     "</endurox>");
	assert_notice("<rqaddrttl>: accepted, no effect yet");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(yes_and_no_take_numbers, end),
		cmocka_unit_test_teardown(ping_max_may_be_0, end),
		cmocka_unit_test_teardown(
		    of_an_element_given_twice_the_last_one_counts, end),
		cmocka_unit_test_teardown(each_defaults_holds_for_what_follows,
					  end),
		cmocka_unit_test_teardown(
		    an_environment_group_given_twice_is_merged, end),
		cmocka_unit_test_teardown(
		    a_variable_may_refer_to_those_before_it, end),
		cmocka_unit_test_teardown(quotes_may_be_nested_in_options, end),
		cmocka_unit_test_teardown(clopt_is_sysopt_and_appopt_in_one,
					  end),
		cmocka_unit_test_teardown(sections_given_twice_are_merged, end),
		cmocka_unit_test_teardown(
		    of_a_service_given_twice_the_last_one_counts, end),
		cmocka_unit_test_teardown(cpmsrv_is_the_client_monitor_of_ndrxd,
					  end),
		cmocka_unit_test_teardown(
		    the_lock_file_of_exsinglesv_is_that_of_the_group, end),
		cmocka_unit_test_teardown(
		    settings_of_features_to_come_are_accepted, end),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
