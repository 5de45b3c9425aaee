/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_load.c - a correct file gives the values in it */
#include "tests/unit/libndrx/config/load.h"

/* A BANK domain as existing users write it, element for element. */
static const char bank[] =
    "<?xml version=\"1.0\" ?>\n<!-- BANK -->\n<endurox>\n<appconfig>"
    "<sanity>5</sanity><brrefresh>6</brrefresh><restart_min>1</restart_min>"
    "<restart_step>1</restart_step><restart_max>5</restart_max>"
    "<restart_to_check>20</restart_to_check>"
    "<gather_pq_stats>Y</gather_pq_stats></appconfig>\n<defaults>"
    "<min>1</min><max>2</max><autokill>1</autokill><start_max>2</start_max>"
    "<pingtime>1</pingtime><ping_max>4</ping_max><end_max>5</end_max>"
    "<killtime>1</killtime></defaults>\n<servers>\n<server name=\"banksv\">"
    "<srvid>1</srvid><min>250</min><max>250</max>"
    "<sysopt>-e ${OW_TEST_HOME}/log/BANKSV -r</sysopt></server></servers>"
    "</endurox>";

static void bank_domain_of_existing_users_is_accepted(void **state)
{
	struct ow_config *c;
	const struct ow_config_server *s;

	setenv("OW_TEST_HOME", "/home/bank", 1);
	c = load(bank);
	assert_int_equal(c->app.sanity_ms, 5000);
	assert_int_equal(c->app.checkpm_ms, 10000);
	assert_int_equal(c->app.brrefresh_ms, 30000);
	assert_int_equal(c->app.restart_max_ms, 25000);
	assert_int_equal(c->app.restart_to_check_ms, 20000);
	assert_true(c->app.gather_pq_stats);
	assert_null(c->app.transport);
	assert_int_equal(c->n_servers, 1);
	s = &c->servers[0];
	assert_string_equal(s->name, "banksv");
	assert_int_equal(s->srvid, 1);
	assert_int_equal(s->min, 250);
	assert_int_equal(s->max, 250);
	assert_true(s->autokill);
	assert_true(s->respawn);
	assert_int_equal(s->start_max_ms, 10000);
	assert_int_equal(s->pingtime_ms, 5000);
	assert_int_equal(s->ping_max_ms, 20000);
	assert_int_equal(s->end_max_ms, 25000);
	assert_int_equal(s->killtime_ms, 5000);
	assert_int_equal(s->killseq[0], 2);
	assert_int_equal(s->killseq[2], 9);
	assert_string_equal(s->sysopt, "-e /home/bank/log/BANKSV -r");
	assert_string_equal(s->file, "t.xml");
	assert_int_equal(s->line, 7);
	assert_int_equal(c->n_notices, 0);
	unsetenv("OW_TEST_HOME");
	ow_config_free(c);
}

static void a_server_needs_a_name_and_an_id_only(void **state)
{
	struct ow_config *c = load(SERVERS(SERVER("a", "<srvid>7</srvid>")));
	const struct ow_config_server *s = &c->servers[0];

	assert_int_equal(c->app.sanity_ms, 1000);
	assert_int_equal(s->min, 0);
	assert_int_equal(s->max, 1);
	assert_int_equal(s->start_max_ms, 60000);
	assert_int_equal(s->end_max_ms, 30000);
	assert_int_equal(s->killtime_ms, 5000);
	assert_int_equal(s->pingtime_ms, 0);
	assert_int_equal(s->srvstartwait_ms, 30000);
	assert_int_equal(s->mindispatchthreads, 1);
	assert_int_equal(s->maxdispatchthreads, 1);
	assert_int_equal(s->rssmax, OW_CONFIG_NO_LIMIT);
	assert_null(s->sysopt);
	/* It would never start: that is said. */
	assert_int_equal(c->n_notices, 1);
	assert_non_null(strstr(c->notices[0], "has no <min>"));
	ow_config_free(c);
}

static void servers_inherit_and_override_defaults(void **state)
{
	struct ow_config *c = load(
	    "<onewake><servers>"
	    SERVER("a", "<srvid>1</srvid>")
	    SERVER("b", "<srvid>10</srvid><min>3</min><respawn>Y</respawn>"
			"<killseq>15</killseq><pingtime>500ms</pingtime>")
	    SERVER("c", "<srvid>20</srvid><max>9</max><sysopt></sysopt>")
	    "</servers><defaults><min>2</min><respawn>N</respawn>"
	    "<max>4</max><sysopt>-r</sysopt><rssmax>1G</rssmax></defaults>"
	    "<appconfig><checkpm>3</checkpm><sanity>2</sanity></appconfig>"
	    "</onewake>");
	const struct ow_config_server *s = c->servers;

	assert_int_equal(c->app.checkpm_ms, 6000);
	assert_int_equal(c->n_servers, 3);
	assert_int_equal(s[0].min, 2);
	assert_int_equal(s[0].max, 4);
	assert_false(s[0].respawn);
	assert_string_equal(s[0].sysopt, "-r");
	assert_int_equal(s[1].min, 3);
	assert_true(s[1].respawn);
	assert_int_equal(s[1].killseq[0], 15);
	assert_int_equal(s[1].killseq[1], 0);
	assert_int_equal(s[1].pingtime_ms, 500);
	assert_int_equal(s[1].ping_max_ms, 2000);
	assert_int_equal(s[1].rssmax, INT64_C(1) << 30);
	assert_int_equal(s[2].max, 9);
	/* An empty element removes the default. */
	assert_null(s[2].sysopt);
	ow_config_free(c);
}

static void env_lists_are_flat_and_in_order(void **state)
{
	struct ow_config *c = load(
	    "<endurox><defaults><envs><env name=\"A\">1</env></envs>"
	    "<envs group=\"G\"><env name=\"B\">2</env></envs>"
	    "<envs group=\"H\"><usegroup>G</usegroup>"
	    "<env name=\"C\" unset=\"Y\"/></envs></defaults><servers>"
	    SERVER("a", "<srvid>1</srvid><envs><usegroup>H</usegroup>"
			"<env name=\"A\"> x y </env></envs>"
			"<env>/etc/file</env>")
	    SERVER("b", "<srvid>2</srvid><usegroup>G</usegroup>"
			"<env name=\"D\"></env>")
	    SERVER("c", "<srvid>3</srvid>")
	    "</servers></endurox>");
	const struct ow_config_server *s = c->servers;

	assert_int_equal(s[0].n_envs, 4);
	assert_string_equal(s[0].envs[0].name, "A");
	assert_string_equal(s[0].envs[0].value, "1");
	assert_string_equal(s[0].envs[1].value, "2");
	assert_string_equal(s[0].envs[2].name, "C");
	assert_null(s[0].envs[2].value);
	assert_string_equal(s[0].envs[3].value, "x y");
	assert_string_equal(s[0].env_file, "/etc/file");
	assert_int_equal(s[1].n_envs, 3);
	assert_string_equal(s[1].envs[2].name, "D");
	assert_string_equal(s[1].envs[2].value, "");
	assert_int_equal(s[2].n_envs, 1);
	ow_config_free(c);
}

static const char *variable(const struct ow_config_server *s, const char *name)
{
	const char *value = NULL;
	size_t i;

	for (i = 0; i < s->n_envs; i++)
		if (strcmp(s->envs[i].name, name) == 0)
			value = s->envs[i].value;
	return value;
}

static void bridges_get_the_cluster_as_variables(void **state)
{
	struct ow_config *c = load(
	    "<endurox><cluster name=\"bank\" urls=\"nats://a\" node=\"3\"/>"
	    "<servers><server name=\"ndrxbridge\"><srvid>1</srvid>"
	    "<env name=\"NDRX_CLUSTER_URLS\">nats://b</env>"
	    "<exportsvcs>A,B</exportsvcs></server><server name=\"s\">"
	    "<srvid>2</srvid><exportsvcs>C</exportsvcs></server></servers>"
	    "</endurox>");
	const struct ow_config_server *s = c->servers;

	(void)state;
	assert_string_equal(variable(s, "NDRX_CLUSTER_NAME"), "bank");
	assert_string_equal(variable(s, "NDRX_CLUSTER_NODE"), "3");
	assert_string_equal(variable(s, "NDRX_CLUSTER_EXPORTSVCS"), "A,B");
	assert_string_equal(variable(s, "NDRX_CLUSTER_URLS"), "nats://b");
	assert_null(variable(s, "NDRX_CLUSTER_REFRESH"));
	assert_int_equal(s[1].n_envs, 0);
	ow_config_free(c);
}

static void process_variables_stay_in_command_lines(void **state)
{
	struct ow_config *c;

	unsetenv("OW_TEST_UNSET");
	unsetenv("NONE");
	c = load(SERVERS(SERVER("a",
	    "<srvid>1</srvid><min>1</min><cctag> x${OW_TEST_UNSET}y ${NONE}</cctag>"
	    "<sysopt>-e ${NDRX_SVSRVID}.log</sysopt>"
	    "<cmdline>sh -c '\\${X} ${NDRX_SVCLOPT}'</cmdline>")));
	assert_string_equal(c->servers[0].cctag, "xy");
	assert_string_equal(c->servers[0].sysopt, "-e ${NDRX_SVSRVID}.log");
	assert_string_equal(c->servers[0].cmdline,
			    "sh -c '\\${X} ${NDRX_SVCLOPT}'");
	assert_int_equal(c->n_notices, 2);
	assert_string_equal(c->notices[0],
			    "t.xml:1: <server name=\"a\">: <cctag>: "
			    "${OW_TEST_UNSET} is not set in the environment; "
			    "nothing is put in its place");
	ow_config_free(c);
}

static void routes_are_read(void **state)
{
	struct ow_config *c = load(
	    "<endurox>\n<services><defaults prio=\"50\"/><service svcnm=\"S\"/>"
	    "<defaults prio=\"60\"/><service svcnm=\"T\"/></services>\n"
	    "<routing><route routing=\"R\"><field>T_X</field>"
	    "<ranges>0-9:A,*:*</ranges><buftype>UBF</buftype>"
	    "<fieldtype>LONG</fieldtype></route></routing></endurox>");

	assert_int_equal(c->n_notices, 0);
	assert_int_equal(c->n_routes, 1);
	assert_string_equal(c->routes[0].name, "R");
	assert_string_equal(c->routes[0].ranges, "0-9:A,*:*");
	assert_ptr_equal(ow_config_route_find(c, "R"), &c->routes[0]);
	assert_null(ow_config_route_find(c, "S"));
	assert_null(ow_config_route_find(c, NULL));
	ow_config_free(c);
}

static void services_have_the_priority_of_preceding_defaults(void **state)
{
	struct ow_config *c = load(
	    "<endurox><services><service svcnm=\"A\"/>\n"
	    "<defaults prio=\"60\"/><service svcnm=\"B\"/>\n"
	    "<service svcnm=\"C\" prio=\"7\" autotran=\"Y\" "
	    "svctimeout=\"1.5\"/></services>"
	    "</endurox>");

	assert_int_equal(c->n_services, 3);
	assert_string_equal(c->services[1].name, "B");
	assert_int_equal(c->services[0].prio, 50);
	assert_int_equal(c->services[1].prio, 60);
	assert_int_equal(c->services[2].prio, 7);
	assert_int_equal(c->services[0].svctimeout_ms, 0);
	assert_int_equal(c->services[2].svctimeout_ms, 1500);
	assert_ptr_equal(ow_config_service_find(c, "C"), &c->services[2]);
	assert_null(ow_config_service_find(c, "D"));
	assert_int_equal(c->n_notices, 0);
	assert_false(c->services[1].autotran);
	assert_true(c->services[2].autotran);
	assert_int_equal(c->services[2].trantime_ms, 30000);
	ow_config_free(c);
}

static void process_groups_take_their_defaults(void **state)
{
	struct ow_config *c = load(
	    "<endurox><procgroups><defaults noorder=\"Y\" singleton=\"Y\"/>"
	    "<procgroup name=\"G\" grpno=\"1\" sg_nodes=\"1,2\" "
	    "sg_nodes_verify=\"Y\" lockfile=\"/tmp/g.lock\"/>"
	    "<procgroup name=\"H\" grpno=\"7\" noorder=\"N\" "
	    "singleton=\"N\"/></procgroups>"
	    "<servers><server name=\"a\"><srvid>1</srvid>"
	    "<procgrp>G</procgrp></server><server name=\"b\">"
	    "<srvid>2</srvid><procgrp_lp>G</procgrp_lp></server></servers>"
	    "</endurox>");
	const struct ow_config_procgroup *g = ow_config_procgroup_find(c, "G");

	assert_int_equal(c->n_groups, 2);
	assert_non_null(g);
	assert_true(g->noorder && g->singleton && g->sg_nodes_verify);
	assert_int_equal(g->grpno, 1);
	assert_string_equal(g->sg_nodes, "1,2");
	assert_string_equal(g->lockfile, "/tmp/g.lock");
	assert_false(c->groups[1].noorder || c->groups[1].singleton);
	assert_string_equal(c->servers[0].procgrp, "G");
	assert_string_equal(c->servers[1].procgrp_lp, "G");
	assert_null(ow_config_procgroup_find(c, "X"));
	assert_null(ow_config_procgroup_find(c, NULL));
	ow_config_free(c);
}

static const char some_clients[] =
    "<endurox><procgroups><procgroup name=\"G\" grpno=\"1\"/></procgroups>"
    "<clients><envs group=\"E\"><env name=\"A\">1</env></envs>"
    "<client cmdline=\"prog -t ${NDRX_CLTTAG} '${NDRX_CLTSUBSECT}'\" "
    "rssmax=\"1G\" log=\"/l/${NDRX_CLTTAG}.${NDRX_CLTSUBSECT}\" "
    "klevel=\"2\"><envs><usegroup>E</usegroup></envs>"
    "<exec tag=\"T\" subsect=\"S\" autostart=\"Y\" procgrp=\"G\"/>"
    "<exec tag=\"N\" subsectfrom=\"8\" subsectto=\"11\" klevel=\"0\" "
    "stdout=\"/o\" stderr=\"/e\" wd=\"/tmp\" cctag=\"C\" env=\"/f\" "
    "vszmax=\"2G\" cmdline=\"other\"><envs>"
    "<env name=\"B\">${NDRX_CLTSUBSECT}</env></envs></exec>"
    "</client></clients></endurox>";

static void clients_are_one_process_per_exec_and_sub_section(void **state)
{
	struct ow_config *c = load(some_clients);
	const struct ow_config_client *t = ow_config_client_find(c, "T", "S");
	const struct ow_config_client *n = ow_config_client_find(c, "N", "10");

	assert_int_equal(c->n_clients, 5);
	assert_int_equal(c->n_notices, 0);
	assert_non_null(t);
	assert_string_equal(t->cmdline, "prog -t T 'S'");
	assert_string_equal(t->log, "/l/T.S");
	assert_string_equal(t->procgrp, "G");
	assert_int_equal(t->rssmax, INT64_C(1) << 30);
	assert_int_equal(t->vszmax, OW_CONFIG_NO_LIMIT);
	assert_int_equal(t->klevel, 2);
	assert_true(t->autostart);
	assert_int_equal(t->n_envs, 1);
	assert_non_null(n);
	assert_string_equal(n->cmdline, "other");
	assert_string_equal(n->log, "/l/N.10");
	assert_string_equal(n->out, "/o");
	assert_string_equal(n->err, "/e");
	assert_string_equal(n->wd, "/tmp");
	assert_string_equal(n->cctag, "C");
	assert_string_equal(n->env_file, "/f");
	assert_int_equal(n->klevel, 0);
	assert_false(n->autostart);
	assert_int_equal(n->n_envs, 2);
	assert_string_equal(n->envs[1].value, "10");
	assert_null(ow_config_client_find(c, "N", "12"));
	assert_int_equal(ow_config_client_same(t, t), 1);
	assert_int_equal(ow_config_client_same(t, n), 0);
	ow_config_free(c);
}

static void autoscale_and_restart_tries_are_taken_from_defaults(void **state)
{
	struct ow_config *c = load(
	    "<endurox><defaults><restart_tries>5</restart_tries>"
	    "<autoscale>wait=50ms, calm=1m</autoscale></defaults><servers>"
	    "<server name=\"a\"><srvid>1</srvid><max>5</max></server>"
	    "<server name=\"b\"><srvid>10</srvid><autoscale>N</autoscale>"
	    "<restart_tries>0</restart_tries></server></servers></endurox>");

	assert_int_equal(c->servers[0].restart_tries, 5);
	assert_int_equal(c->servers[0].scale.wait_ms, 50);
	assert_int_equal(c->servers[0].scale.after_ms, 1000);
	assert_int_equal(c->servers[0].scale.calm_ms, 60000);
	assert_int_equal(c->servers[1].scale.wait_ms, 0);
	assert_int_equal(c->servers[1].restart_tries, 0);
	ow_config_free(c);
}

static void programs_that_ndrxd_replaces_are_stand_ins(void **state)
{
	struct ow_config *c = load(
	    "<endurox><servers><server name=\"cpmsrv\"><srvid>1</srvid>"
	    "<sysopt>-i 15 -k 30</sysopt></server><server name=\"b\">"
	    "<srvid>2</srvid></server><server name=\"cpmsrv\">"
	    "<srvid>3</srvid><fullpath>/my/own</fullpath></server></servers>"
	    "</endurox>");

	assert_int_equal(c->n_servers, 3);
	assert_string_equal(c->servers[0].name, "cpmsrv");
	assert_string_equal(c->servers[2].fullpath, "/my/own");
	assert_string_equal(c->notices[0],
			    "t.xml:1: <server name=\"cpmsrv\">: ndrxd itself "
			    "looks after <clients>: the process only stands for "
			    "it");
	ow_config_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bank_domain_of_existing_users_is_accepted),
		cmocka_unit_test(a_server_needs_a_name_and_an_id_only),
		cmocka_unit_test(servers_inherit_and_override_defaults),
		cmocka_unit_test(env_lists_are_flat_and_in_order),
		cmocka_unit_test(bridges_get_the_cluster_as_variables),
		cmocka_unit_test(process_variables_stay_in_command_lines),
		cmocka_unit_test(
		    routes_are_read),
		cmocka_unit_test(
		    services_have_the_priority_of_preceding_defaults),
		cmocka_unit_test(process_groups_take_their_defaults),
		cmocka_unit_test(
		    clients_are_one_process_per_exec_and_sub_section),
		cmocka_unit_test(
		    autoscale_and_restart_tries_are_taken_from_defaults),
		cmocka_unit_test(
		    programs_that_ndrxd_replaces_are_stand_ins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
