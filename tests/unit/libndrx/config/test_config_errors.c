/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_errors.c - a wrong file is refused with a helpful message */
#include "libndrx/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct wrong {
	const char *element;
	const char *value;
	const char *message; /* a part of it */
};

static int load(const char *xml, struct ow_config_error *err)
{
	struct ow_config *config = NULL;
	int r = ow_config_load_mem("t.xml", xml, strlen(xml), err, &config);

	/* *ret_config is untouched on failure. */
	assert_true((r == 0) == (config != NULL));
	ow_config_free(config);
	return r;
}

static void expect(const char *xml, const char *where, const char *what)
{
	struct ow_config_error err = { "" };
	int r = load(xml, &err);

	if (r != OW_CONFIG_BAD ||
	    strncmp(err.text, where, strlen(where)) != 0 ||
	    strstr(err.text, what) == NULL)
		fail_msg("%s\ngave %d: %s\ninstead of: %s ... %s", xml, r,
			 err.text, where, what);
}

static const struct wrong server_values[] = {
	{ "srvid", "abc", "\"abc\" is not a number; give an integer "
			  "from 1 to 65535" },
	{ "srvid", "0", "out of range" },
	{ "srvid", "65536", "out of range" },
	{ "srvid", "", "the value is empty" },
	{ "min", "-1", "from 0 to 65535" },
	{ "max", "0", "from 1 to 65535" },
	{ "mindispatchthreads", "0", "from 1" },
	{ "maxdispatchthreads", "x", "not a number" },
	{ "threadstacksize", "-2", "from -1" },
	{ "autokill", "maybe", "give Y or N" },
	{ "respawn", "2x", "give Y or N" },
	{ "start_max", "0", "greater than 0" },
	{ "pingtime", "-1", "not a time" },
	{ "ping_max", "soon", "not a time" },
	{ "end_max", "1x", "unknown unit" },
	{ "killtime", "400d", "at most 365 days" },
	{ "killseq", "2,99", "no signal" },
	{ "killseq", "1,2,3,4", "at most 3" },
	{ "sleep_after", "1..2", "not a time" },
	{ "srvstartwait", "a", "not a time" },
	{ "srvstopwait", "", "is empty" },
	{ "sysopt", "-e 'x", "quote that is not closed" },
	{ "appopt", "x\\", "ends in a backslash" },
	{ "cmdline", "\"x", "quote that is not closed" },
	{ "sysopt", "${A", "write ${NAME}" },
	{ "cctag", "${dec=QUJD}", "${dec=...}: not encrypted with" },
	{ "cctag", "${enc=QUJD}", "has \"=\" in ${...}" },
	{ "protected", "x", "give Y or N" },
	{ "reloadonchange", "x", "give Y or N" },
	{ "rssmax", "10X", "unknown suffix" },
	{ "vszmax", "big", "not a size" },
	{ "rqaddr", "@x", "must not start with \"@\"" },
	{ "rqaddr", "0123456789012345678901234567890", "at most 30" },
	{ "procgrp", "0123456789012345678901234567890", "at most 30" },
	{ "procgrp", "NONE", "there is no group \"NONE\"" },
	{ "procgrp_lp", "NONE", "there is no group \"NONE\"" },
	{ "restart_tries", "-1", "integer from 0" },
	{ "autoscale", "Y", "give N, or wait=50ms after=1s calm=30s" },
	{ "autoscale", "wait=x", "not a time" },
	{ "autoscale", "after=1s", "names no wait" },
	{ "autoscale", "wait=1 often=2", "is not understood" },
	{ "min", "<x/>", "is not known here" },
	{ "srvidd", "1", "did you mean <srvid>?" },
	{ "pingtme", "1", "did you mean <pingtime>?" },
	{ "zzzzzzzz", "1", "known are: " },
	{ "usegroup", "G", "there is no group \"G\"" },
};

static void error_in_server_names_line_and_element(void **state)
{
	for (size_t i = 0; i < COUNT(server_values); i++) {
		const struct wrong *c = &server_values[i];
		bool has_id = strcmp(c->element, "srvid") == 0;
		char xml[1024];
		char path[128];

		snprintf(xml, sizeof(xml),
			 "<endurox>\n<servers>\n<server name=\"s\">\n%s\n"
			 "<%s>%s</%s>\n</server></servers></endurox>",
			 has_id ? "" : "<srvid>1</srvid>", c->element,
			 c->value, c->element);
		snprintf(path, sizeof(path),
			 "t.xml:5: <server name=\"s\">: <%s>: ", c->element);
		expect(xml, path, c->message);
	}
}

static void error_in_appconfig_names_line_and_element(void **state)
{
	static const struct wrong cases[] = {
		{ "sanity", "0", "greater than 0" },
		{ "sanity", "x", "not a time" },
		{ "checkpm", "x", "not a time" },
		{ "brrefresh", "x", "not a time" },
		{ "restart_min", "x", "not a time" },
		{ "restart_step", "x", "not a time" },
		{ "restart_max", "0.5", "less than <restart_min>" },
		{ "restart_to_check", "x", "not a time" },
		{ "gather_pq_stats", "x", "give Y or N" },
		{ "rqaddrttl", "x", "not a time" },
		{ "ddrreload", "x", "not a time" },
		{ "transport", "pigeon", "give one of: auto posix shm" },
		{ "wake", "loudly", "give one of: bell exclusive herd" },
		{ "sanitty", "1", "did you mean <sanity>?" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct wrong *c = &cases[i];
		char xml[512];
		char path[128];

		snprintf(xml, sizeof(xml),
			 "<endurox>\n<appconfig>\n<%s>%s</%s></appconfig>"
			 "</endurox>",
			 c->element, c->value, c->element);
		snprintf(path, sizeof(path), "t.xml:3: <appconfig>: <%s>: ",
			 c->element);
		expect(xml, path, c->message);
	}
}

struct document {
	const char *xml;
	const char *where;
	const char *message;
};

#define SERVER(name, inner) "<server name=\"" name "\">" inner "</server>"
#define GROUP(attrs) \
	"<endurox><procgroups>\n<procgroup " attrs "/></procgroups></endurox>"
#define EXEC(attrs) \
	"<endurox><clients>\n<client>\n<exec " attrs "/></client></clients>" \
	"</endurox>"
#define LOCKED(more) \
	"<endurox><procgroups><procgroup name=\"G\" grpno=\"1\"/>" \
	"</procgroups>\n<servers><server name=\"a\"><srvid>1</srvid>" \
	"<procgrp_lp>G</procgrp_lp>" more "</server></servers></endurox>"
#define SERVERS(inner)	    "<endurox><servers>" inner "</servers></endurox>"

static const struct document documents[] = {
	{ "", "t.xml:1: ", "empty" },
	{ "<endurox>", "t.xml:1: ", "not XML" },
	{ "<endurox>\n<a>\n</endurox>", "t.xml:3: ", "not XML" },
	{ "<domain/>", "t.xml:1: <domain>: ", "stands in <endurox>" },
	{ "<endurox><server/></endurox>", "t.xml:1: <server>: ",
	  "did you mean <servers>?" },
	{ "<endurox a=\"1\"/>", "t.xml:1: <endurox>: ", "attribute a" },
	{ "<endurox>text</endurox>", "t.xml:1: <endurox>: ",
	  "the text \"text\"" },
	{ "<endurox><defaults><srvid>1</srvid></defaults></endurox>",
	  "t.xml:1: <defaults>: <srvid>: ", "cannot have a default" },
	{ SERVERS("<sever/>"), "t.xml:1: <sever>: ", "<server>?" },
	{ SERVERS("<server/>"), "t.xml:1: <server>: ",
	  "attribute name: missing; write <server name=\"program\">" },
	{ SERVERS(SERVER("a/b", "<srvid>1</srvid>")),
	  "t.xml:1: <server name=\"a/b\">: ",
	  "no program name" },
	{ SERVERS(SERVER("a,b", "<srvid>1</srvid>")), "t.xml:1: ",
	  "no program name" },
	{ SERVERS(SERVER("", "<srvid>1</srvid>")), "t.xml:1: ",
	  "no program name" },
	{ SERVERS(SERVER("a", "")), "t.xml:1: <server name=\"a\">: ",
	  "has no <srvid>; add one" },
	{ SERVERS("<server name=\"a\" nme=\"b\"/>"), "t.xml:1: ",
	  "did you mean name?" },
	{ SERVERS(SERVER("a", "<srvid x=\"1\">1</srvid>")), "t.xml:1: ",
	  "attribute x" },
	{ SERVERS(SERVER("a", "<srvid>65535</srvid><max>2</max>")),
	  "t.xml:1: <server name=\"a\">: ", "need ids up to 65536" },
	{ SERVERS(SERVER("a", "<srvid>1</srvid>\n<min>3</min><max>2</max>")),
	  "t.xml:2: <server name=\"a\">: <min>: ", "<max> is 2 (line 2)" },
	{ SERVERS(SERVER("a", "<srvid>1</srvid><mindispatchthreads>3"
			 "</mindispatchthreads><maxdispatchthreads>2"
			 "</maxdispatchthreads>")),
	  "t.xml:1: ", "<mindispatchthreads> is 3" },
	{ "<endurox>\n<defaults><max>2</max></defaults><servers>\n"
	  "<server name=\"a\"><srvid>1</srvid><min>9</min></server>"
	  "</servers></endurox>",
	  "t.xml:3: <server name=\"a\">: <min>: ",
	  "<min> is 9 (line 3) and <max> is 2 (line 2)" },
	{ SERVERS(SERVER("a", "<srvid>5</srvid>") "\n" SERVER("b",
		  "<srvid>1</srvid><max>5</max>")),
	  "t.xml:2: <server name=\"b\">: <srvid>: ",
	  "ids 1 to 5 overlap with ids 5 to 5 of <server name=\"a\"> at "
	  "t.xml:1" },
	{ SERVERS(SERVER("a", "<srvid>1</srvid><env name=\"\">1</env>")),
	  "t.xml:1: ", "no name of a variable" },
	{ SERVERS(SERVER("a", "<srvid>1</srvid><envs><env>1</env></envs>")),
	  "t.xml:1: <server name=\"a\">: <envs>: <env>: ",
	  "attribute name: missing; write <env name=\"NAME\">" },
	{ SERVERS(SERVER("a", "<srvid>1</srvid><envs group=\"G\"/>")),
	  "t.xml:1: ", "defined in <defaults>" },
	{ SERVERS(SERVER("a", "<srvid>1</srvid><env name=\"A\" unset=\"x\"/>")),
	  "t.xml:1: ", "attribute unset: \"x\" is neither" },
	{ "<endurox><defaults><envs group=\"G\"/>\n<envs group=\"\"/>"
	  "</defaults></endurox>", "t.xml:2: ", "give each group a name" },
	{ "<endurox><clients>\n<client cmdlin=\"x\"/></clients></endurox>",
	  "t.xml:2: <clients>: <client>: ", "did you mean cmdline?" },
	{ "<endurox><clients><client><exc/></client></clients></endurox>",
	  "t.xml:1: ", "did you mean <exec>?" },
	{ "<endurox><services><servce/></services></endurox>", "t.xml:1: ",
	  "did you mean <service>?" },
	{ "<endurox><routing><route routing=\"R\"><feld/></route></routing>"
	  "</endurox>",
	  "t.xml:1: ", "did you mean <field>?" },
	{ "<endurox><routing>\n<route/></routing></endurox>",
	  "t.xml:2: <routing>: <route>: ", "attribute routing: missing" },
	{ "<endurox><services>\n<service/></services></endurox>",
	  "t.xml:2: <services>: <service>: ", "attribute svcnm: missing" },
	{ "<endurox><services>\n<service svcnm=\"\"/></services></endurox>",
	  "t.xml:2: <services>: <service>: ", "attribute svcnm: is empty" },
	{ "<endurox><procgroups>\n<defaults sg_nodes=\"x\"/></procgroups>"
	  "</endurox>",
	  "t.xml:2: <procgroups>: <defaults>: ", "attribute sg_nodes: give" },
	{ "<endurox><defaults>\n<procgrp>NONE</procgrp></defaults></endurox>",
	  "t.xml:2: <defaults>: <procgrp>: ", "there is no group \"NONE\"" },
	{ "<endurox><procgroups><procgroup nam=\"x\"/></procgroups></endurox>",
	  "t.xml:1: ", "did you mean name?" },
	{ GROUP("grpno=\"1\""), "t.xml:2: <procgroups>: <procgroup>: ",
	  "attribute name: missing" },
	{ GROUP("name=\"a-b\" grpno=\"1\""), "t.xml:2: ",
	  "attribute name: has other characters" },
	{ GROUP("name=\"G\""), "t.xml:2: <procgroups>: <procgroup "
	  "name=\"G\">: ", "attribute grpno: missing" },
	{ GROUP("name=\"G\" grpno=\"0\""), "t.xml:2: ",
	  "attribute grpno: \"0\" is out of range" },
	{ GROUP("name=\"G\" grpno=\"1\" noorder=\"x\""), "t.xml:2: ",
	  "attribute noorder: \"x\" is neither" },
	{ GROUP("name=\"G\" grpno=\"1\" singleton=\"x\""), "t.xml:2: ",
	  "attribute singleton: \"x\" is neither" },
	{ GROUP("name=\"G\" grpno=\"1\" sg_nodes=\"x\""), "t.xml:2: ",
	  "attribute sg_nodes: give node numbers" },
	{ GROUP("name=\"G\" grpno=\"1\" sg_nodes_verify=\"x\""),
	  "t.xml:2: ", "attribute sg_nodes_verify: \"x\"" },
	{ GROUP("name=\"G\" grpno=\"1\"/><procgroup name=\"H\" "
		"grpno=\"1\""), "t.xml:2: ", "grpno is that of" },
	{ GROUP("name=\"G\" grpno=\"1\"/><procgroup name=\"G\" "
		"grpno=\"2\""), "t.xml:2: ", "name is that of" },
	{ "<endurox><procgroups><defaults lockfile=\"x\"/></procgroups>"
	  "</endurox>", "t.xml:1: ", "lockfile cannot have a default" },
	{ EXEC("cmdline=\"p\""), "t.xml:3: <clients>: <client>: <exec>: ",
	  "attribute tag: missing" },
	{ EXEC("tag=\"T\""), "t.xml:3: ", "attribute cmdline: missing" },
	{ EXEC("tag=\"a/b\" cmdline=\"p\""), "t.xml:3: ",
	  "attribute tag: wrong" },
	{ EXEC("tag=\"T\" subsect=\"%\" cmdline=\"p\""), "t.xml:3: ",
	  "attribute subsect: wrong" },
	{ EXEC("tag=\"T\" cmdline=\"'\""), "t.xml:3: ",
	  "attribute cmdline: \"'\" has a quote" },
	{ EXEC("tag=\"T\" cmdline=\"p\" klevel=\"3\""), "t.xml:3: ",
	  "attribute klevel: \"3\" is out of range" },
	{ EXEC("tag=\"T\" cmdline=\"p\" autostart=\"x\""), "t.xml:3: ",
	  "attribute autostart: \"x\"" },
	{ EXEC("tag=\"T\" cmdline=\"p\" rssmax=\"x\""), "t.xml:3: ",
	  "attribute rssmax: \"x\"" },
	{ EXEC("tag=\"T\" cmdline=\"p\" vszmax=\"x\""), "t.xml:3: ",
	  "attribute vszmax: \"x\"" },
	{ EXEC("tag=\"T\" cmdline=\"p\" subsectfrom=\"x\""), "t.xml:3: ",
	  "attribute subsectfrom: \"x\"" },
	{ EXEC("tag=\"T\" cmdline=\"p\" subsectfrom=\"1\""), "t.xml:3: ",
	  "attribute subsectto: the value is empty" },
	{ EXEC("tag=\"T\" cmdline=\"p\" subsectfrom=\"9\" "
	       "subsectto=\"1\""), "t.xml:3: ",
	  "subsectto: 1 after subsectfrom 9" },
	{ EXEC("tag=\"T\" cmdline=\"p\" procgrp=\"NONE\""), "t.xml:3: ",
	  "there is no group \"NONE\"" },
	{ EXEC("tag=\"T\" cmdline=\"p\"/><exec tag=\"T\" "
	       "cmdline=\"q\""), "t.xml:3: <exec tag=\"T\" subsect=\"-\">",
	  "is there twice" },
	{ "<endurox><clients><client tag=\"T\"/></clients></endurox>",
	  "t.xml:1: ",
	  "attribute tag cannot have a default; give it in each <exec>" },
	{ "<endurox><clients><envs/></clients></endurox>", "t.xml:1: ",
	  "attribute group: missing; write <envs group=" },
	{ LOCKED("<procgrp>G</procgrp>"), "t.xml:2: <server name=\"a\">: "
	  "<procgrp_lp>: ", "wait for itself" },
	{ LOCKED("<max>2</max>"), "t.xml:2: ", "has one lock provider" },
	{ LOCKED("</server><server name=\"b\"><srvid>2</srvid>"
		 "<procgrp_lp>G</procgrp_lp>"), "t.xml:2: ",
	  "has a lock provider already" },
	{ "<endurox><x:servers xmlns:x=\"u\"/></endurox>", "t.xml:1: ",
	  "<x:servers>: is not known" },
};

static void wrong_document_is_refused_with_its_position(void **state)
{
	for (size_t i = 0; i < COUNT(documents); i++)
		expect(documents[i].xml, documents[i].where,
		       documents[i].message);
}

static void unsafe_entities_are_refused(void **state)
{
	static const struct document cases[] = {
		{ "<!DOCTYPE e [<!ENTITY a SYSTEM \"/dev/zero\">]>\n"
		  "<endurox>&a;</endurox>",
		  "t.xml:2: ", "not a regular file" },
		{ "<!DOCTYPE e [<!ENTITY a SYSTEM \"http://x/y\">]>\n"
		  "<endurox>&a;</endurox>",
		  "t.xml:2: ", "not a local file" },
		{ "<!DOCTYPE e [<!ENTITY a SYSTEM \"/no/such\">]>\n"
		  "<endurox>&a;</endurox>",
		  "t.xml:2: ", "/no/such: No such file" },
		{ "<!DOCTYPE e [<!ENTITY % a \"x\">]><endurox/>", "t.xml:1: ",
		  "parameter entities are not supported" },
		{ "<!DOCTYPE e [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]>"
		  "<endurox>&a;</endurox>",
		  "t.xml:", "entities" },
		{ "<endurox>&nothing;</endurox>", "t.xml:1: ", "not XML" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		expect(cases[i].xml, cases[i].where, cases[i].message);
}

/* Ten entities, each ten times the one before: 10^10 times `seed`. */
static void expect_bomb_refused(const char *seed, const char *use)
{
	char xml[4096];
	size_t n = (size_t)snprintf(
	    xml, sizeof(xml), "<!DOCTYPE e [<!ENTITY e0 \"%s\">", seed);

	for (int i = 1; i <= 10; i++) {
		n += (size_t)snprintf(xml + n, sizeof(xml) - n,
				      "<!ENTITY e%d \"", i);
		for (int j = 0; j < 10; j++)
			n += (size_t)snprintf(xml + n, sizeof(xml) - n,
					      "&e%d;", i - 1);
		n += (size_t)snprintf(xml + n, sizeof(xml) - n, "\">");
	}
	snprintf(xml + n, sizeof(xml) - n, "]>%s", use);
	expect(xml, "t.xml:", ": ");
}

static void expansion_bombs_are_refused(void **state)
{
	static const char *const seeds[] = { "", "bang", "&#60;a/>" };

	for (size_t i = 0; i < COUNT(seeds); i++) {
		expect_bomb_refused(seeds[i], "<endurox>&e10;</endurox>");
		expect_bomb_refused(seeds[i], "<endurox a=\"&e10;\"/>");
	}
}

static void groups_of_groups_are_bounded(void **state)
{
	char xml[8192];
	size_t n = (size_t)sprintf(xml, "<endurox><defaults>\n"
					"<envs group=\"G0\">"
					"<env name=\"A\">1</env></envs>");

	for (int i = 1; i <= 40; i++)
		n += (size_t)sprintf(xml + n,
				     "<envs group=\"G%d\">"
				     "<usegroup>G%d</usegroup>"
				     "<usegroup>G%d</usegroup></envs>",
				     i, i - 1, i - 1);
	strcpy(xml + n, "</defaults></endurox>");
	expect(xml, "t.xml:2: <defaults>: <envs>: <usegroup>: ",
	       "give at most 4096");
}

static void depth_and_length_are_bounded(void **state)
{
	char *xml = calloc(1, 100000);
	size_t n = 0;

	assert_non_null(xml);
	for (int i = 0; i < 100; i++)
		n += (size_t)sprintf(xml + n, "<endurox>");
	for (int i = 0; i < 100; i++)
		n += (size_t)sprintf(xml + n, "</endurox>");
	expect(xml, "t.xml:1: ", "nested too deeply");
	n = (size_t)sprintf(xml, "<endurox><defaults><sysopt>");
	memset(xml + n, 'x', 70000);
	strcpy(xml + n + 70000, "</sysopt></defaults></endurox>");
	expect(xml, "t.xml:1: ", "too long");
	free(xml);
}

static void unreadable_file_gives_its_errno(void **state)
{
	struct ow_config_error err = { "" };
	struct ow_config *config = NULL;

	assert_int_equal(ow_config_load("/no/such/file", &err, &config), -2);
	assert_string_equal(err.text,
			    "/no/such/file: No such file or directory");
	assert_int_equal(ow_config_load("/", &err, &config), -21);
	assert_int_equal(ow_config_load("/dev/zero", &err, &config),
			 OW_CONFIG_BAD);
	assert_non_null(strstr(err.text, "too large"));
	assert_null(config);
}

static void memory_without_name_reads_no_entity_file(void **state)
{
	static const char xml[] =
	    "<!DOCTYPE e [<!ENTITY a SYSTEM \"/etc/hostname\">]>"
	    "<endurox>&a;</endurox>";
	struct ow_config_error err = { "" };
	struct ow_config *config = NULL;

	assert_int_equal(ow_config_load_mem(NULL, xml, sizeof(xml) - 1, &err,
					    &config), OW_CONFIG_BAD);
	assert_non_null(strstr(err.text, "not read here"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_in_server_names_line_and_element),
		cmocka_unit_test(
		    error_in_appconfig_names_line_and_element),
		cmocka_unit_test(wrong_document_is_refused_with_its_position),
		cmocka_unit_test(unsafe_entities_are_refused),
		cmocka_unit_test(expansion_bombs_are_refused),
		cmocka_unit_test(groups_of_groups_are_bounded),
		cmocka_unit_test(depth_and_length_are_bounded),
		cmocka_unit_test(unreadable_file_gives_its_errno),
		cmocka_unit_test(memory_without_name_reads_no_entity_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
