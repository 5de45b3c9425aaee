/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config_schema.c - the schema says what the tables say, and is used
 *
 * Configurations are loaded from files, because only ow_config_load()
 * validates against the schema.
 */
#include "libndrx/config/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libatmi/transport/transport.h"
#include "libndrx/config/grammar.h"
#include "libndrx/config/relaxng.h"
#include "tests/unit/libatmi/scratch.h"

static struct ow_config_error err;
static size_t servers;

static int load_path(const char *path)
{
	struct ow_config *c = NULL;
	int r = ow_config_load(path, &err, &c);

	servers = r == 0 ? c->n_servers : 0;
	ow_config_free(c);
	return r;
}

static int load_text(const char *text)
{
	const char *path = scratch_path("ndrxconfig.xml");

	scratch_write(path, text);
	return load_path(path);
}

/* The words of a field of <appconfig>. */
static const char *words_of(const char *name)
{
	size_t i;

	for (i = 0; i < ow_config_app_table.n; i++)
		if (strcmp(ow_config_app_table.fields[i].name, name) == 0)
			return ow_config_app_table.fields[i].words;
	return "";
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = words; (p = strstr(p, word)) != NULL; p += n)
		if ((p == words || p[-1] == ' ') &&
		    (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

static size_t count_words(const char *words)
{
	size_t n = *words != '\0';

	for (; *words != '\0'; words++)
		n += *words == ' ';
	return n;
}

static void all_transports_and_wake_modes_can_be_configured(void **state)
{
	const struct ow_transport *t;
	uint32_t i, k, modes = 0;

	(void)state;
	for (i = 0; (t = ow_transport_at(i)) != NULL; i++) {
		assert_true(has_word(words_of("transport"), t->name));
		for (k = 0; k < t->nwakes; k++)
			assert_true(has_word(words_of("wake"),
					     ow_wake_word(t->wakes[k])));
	}
	assert_true(has_word(words_of("transport"), "auto"));
	assert_int_equal(count_words(words_of("transport")), i + 1);
	for (k = 0; k < OW_WAKE_END; k++)
		modes += has_word(words_of("wake"),
				  ow_wake_word((enum ow_wake)k));
	assert_int_equal(count_words(words_of("wake")), modes);
}

static void schema_file_is_what_the_tables_say(void **state)
{
	static char file[131072];
	FILE *f = fopen(OW_CONF "/ndrxconfig.rng", "r");
	char *text = NULL;
	size_t len, n;

	(void)state;
	assert_non_null(f);
	n = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_int_equal(ow_config_relaxng(&text, &len), 0);
	if (n != len || memcmp(file, text, len) != 0)
		fail_msg("conf/ndrxconfig.rng is not current: cmake --build "
			 "BUILD --target schema");
	free(text);
}

/* Validate without the check that precedes it in a load. */
static int validate(const char *text)
{
	struct ow_config_source source = { .name = "t.xml", .data = text,
					   .len = strlen(text) };

	return ow_config_schema_check(&source, &err);
}

/* values: one accepted, one refused, in place of the %s. */
static void expect_border(const char *form, const char *const *values)
{
	char text[512];

	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), form, values[i]);
		if (validate(text) != (i == 0 ? 0 : OW_CONFIG_BAD))
			fail_msg("%s: %s", text,
				 i == 0 ? err.text : "is no error");
	}
}

static void schema_alone_has_every_kind_of_rule(void **state)
{
#define SERVER(inner) \
	"<endurox><servers><server name=\"a\">" inner "</server></servers>" \
	"</endurox>"
#define IN(section, inner) \
	"<endurox><" section ">" inner "</" section "></endurox>"
	static const struct {
		const char *form;
		const char *values[2];
	} borders[] = {
		{ SERVER("<srvid>%s</srvid>"), { "1", "0" } },
		{ SERVER("<srvid>%s</srvid>"), { "65535", "65536" } },
		{ SERVER("<srvid>1</srvid>%s"),
		  { "<srvid>2</srvid>", "<srvid/>" } },
		{ SERVER("%s"), { "<srvid>1</srvid>", "<max>1</max>" } },
		{ IN("defaults", "%s"),
		  { "<max>1</max>", "<srvid>1</srvid>" } },
		{ IN("defaults", "%s"),
		  { "<env>/file</env>", "<env unset=\"Y\"/>" } },
		{ IN("defaults", "<killseq>%s</killseq>"),
		  { "1,2,3", "1,2,3,4" } },
		{ IN("defaults", "<respawn>%s</respawn>"), { "N", "maybe" } },
		{ IN("defaults", "<rssmax>%s</rssmax>"), { "-1", "-2" } },
		{ IN("defaults", "<start_max>%s</start_max>"),
		  { "0.1", "0.0" } },
		{ IN("defaults", "<pingtime>%s</pingtime>"), { "0", "-1" } },
		{ IN("defaults", "<pingtime>%s</pingtime>"),
		  { "1.5min", "1 week" } },
		{ IN("appconfig", "<transport>%s</transport>"),
		  { "shm", "pigeon" } },
		{ IN("appconfig", "%s"), { "<checkpm>1</checkpm>", "<no/>" } },
		{ IN("procgroups", "<procgroup name=\"G\" grpno=\"%s\"/>"),
		  { "4096", "4097" } },
		{ IN("procgroups", "<procgroup name=\"G\" %s/>"),
		  { "grpno=\"1\"", "" } },
		{ IN("procgroups", "<defaults %s/>"),
		  { "noorder=\"Y\"", "grpno=\"1\"" } },
		{ IN("clients", "<client %s/>"),
		  { "wd=\"/\"", "tag=\"T\"" } },
		{ IN("clients", "<client><exec %s/></client>"),
		  { "tag=\"T\"", "wd=\"/\"" } },
		{ IN("services", "<service svcnm=\"%s\"/>"),
		  { "012345678901234567890123456789",
		    "0123456789012345678901234567890" } },
		{ "<endurox>%s</endurox>", { "<appconfig/><appconfig/>",
					     "<server/>" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
		expect_border(borders[i].form, borders[i].values);
}

static void installed_configurations_are_valid(void **state)
{
	(void)state;
	if (load_path(OW_CONF "/ndrxconfig.sample.xml") != 0)
		fail_msg("%s", err.text);
	assert_true(servers >= 4);
	setenv("NDRX_APPHOME", "/x", 1);
	if (load_path(OW_EXAMPLE_CONFIG) != 0)
		fail_msg("%s", err.text);
}

static void every_value_may_be_a_variable(void **state)
{
	(void)state;
	setenv("OW_T_N", "3", 1);
	setenv("OW_T_Y", "Y", 1);
	setenv("OW_T_W", "bell", 1);
	if (load_text("<endurox><appconfig><sanity>${OW_T_N}</sanity>"
		      "<wake>${OW_T_W}</wake></appconfig>"
		      "<defaults><autokill>${OW_T_Y}</autokill></defaults>"
		      "<servers><server name=\"a${OW_T_N}\">"
		      "<srvid>${OW_T_N}</srvid><max>${OW_T_N}</max>"
		      "<killseq>${OW_T_N}</killseq>"
		      "<rssmax>${OW_T_N}M</rssmax></server></servers>"
		      "<services><service svcnm=\"S\" prio=\"${OW_T_N}\"/>"
		      "</services></endurox>") != 0)
		fail_msg("%s", err.text);
}

static void text_that_only_the_schema_checks_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *want[3];
	} cases[] = {
		{ "<routing>\n<route routing=\"R\"><field>A B</field></route>"
		  "</routing>",
		  { ":3: ", "<field>", "\"A B\"" } },
		{ "<routing><route routing=\"R\"><ranges>1-5</ranges></route>"
		  "</routing>",
		  { ":2: ", "<ranges>", "\"1-5\"" } },
		{ "<routing><route routing=\"R\"><ranges>MIN-5:A,</ranges>"
		  "</route></routing>",
		  { ":2: ", "<ranges>", "\"MIN-5:A,\"" } },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "<endurox>\n%s</endurox>",
			 cases[i].text);
		assert_int_equal(load_text(text), OW_CONFIG_BAD);
		for (int k = 0; k < 3; k++)
			if (strstr(err.text, cases[i].want[k]) == NULL)
				fail_msg("%s: %s", cases[i].want[k],
					 err.text);
	}
}

static void values_that_the_check_accepts_are_valid(void **state)
{
	static const char *const elements[][2] = {
		{ "killtime", "2 sec" },   { "killtime", "1.5MIN" },
		{ "killtime", "250 ms" },  { "killtime", "1h" },
		{ "pingtime", "0" },	   { "end_max", "1d" },
		{ "rssmax", "1.5 g" },	   { "rssmax", "0" },
		{ "vszmax", "-1" },	   { "vszmax", "100T" },
		{ "respawn", "True" },	   { "autokill", "0" },
		{ "max", "+5" },	   { "min", "007" },
		{ "killseq", "2, 15 9" },  { "threadstacksize", "-1" },
		{ "autoscale", "N" },	   { "restart_tries", "1000000" },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		snprintf(text, sizeof(text),
			 "<endurox><defaults><max>9</max></defaults><servers>"
			 "<server name=\"a\"><srvid>1</srvid><%s>%s</%s>"
			 "</server></servers></endurox>", elements[i][0],
			 elements[i][1], elements[i][0]);
		if (load_text(text) != 0)
			fail_msg("%s %s: %s", elements[i][0], elements[i][1],
				 err.text);
	}
}

static void the_wrong_element_is_named_not_its_parent(void **state)
{
	(void)state;
	assert_int_equal(load_text("<endurox><routing>\n<route routing=\"R\">"
				   "<field>9F</field>\n<ranges>1-2:A</ranges>\n"
				   "<buftype>UBF</buftype>\n</route></routing>"
				   "</endurox>"), OW_CONFIG_BAD);
	assert_non_null(strstr(err.text, ":2: <field>: \"9F\" does not"));
}

static void ranges_of_every_form_are_valid(void **state)
{
	static const char *const ranges[] = {
		"MIN-5:A,6-MAX:B", "1-1.5e3:A,-7--1:B,*:*", "'a b'-'c':G1",
		"'it\\'s':A , 5:B", "A-F:ONE,*:*", "${RANGES}", "7:*",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		snprintf(text, sizeof(text),
			 "<endurox><routing><route routing=\"R\"><field>"
			 "T_AMOUNT</field><ranges>%s</ranges><buftype>UBF"
			 "</buftype></route></routing></endurox>", ranges[i]);
		if (load_text(text) != 0)
			fail_msg("%s: %s", ranges[i], err.text);
	}
}

static void errors_of_the_check_are_reported_by_the_check(void **state)
{
	(void)state;
	assert_int_equal(load_text("<endurox><servers><server name=\"a\">"
				   "<srvid>0</srvid></server></servers>"
				   "</endurox>"), OW_CONFIG_BAD);
	assert_null(strstr(err.text, "schema"));
	assert_non_null(strstr(err.text, "1 to 65535"));
}

static void entity_files_are_checked_too(void **state)
{
	const char *part = scratch_path("part.xml");
	char text[512];

	(void)state;
	scratch_write(part, "<service svcnm=\"A\" prio=\"500\"/>");
	snprintf(text, sizeof(text),
		 "<!DOCTYPE endurox [ <!ENTITY e SYSTEM \"%s\"> ]>\n"
		 "<endurox><services>&e;</services></endurox>", part);
	assert_int_equal(load_text(text), OW_CONFIG_BAD);
	assert_non_null(strstr(err.text, "attribute prio: \"500\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    all_transports_and_wake_modes_can_be_configured),
		cmocka_unit_test(schema_file_is_what_the_tables_say),
		cmocka_unit_test(schema_alone_has_every_kind_of_rule),
		cmocka_unit_test(installed_configurations_are_valid),
		cmocka_unit_test(every_value_may_be_a_variable),
		cmocka_unit_test(text_that_only_the_schema_checks_is_refused),
		cmocka_unit_test(values_that_the_check_accepts_are_valid),
		cmocka_unit_test(
		    the_wrong_element_is_named_not_its_parent),
		cmocka_unit_test(ranges_of_every_form_are_valid),
		cmocka_unit_test(errors_of_the_check_are_reported_by_the_check),
		cmocka_unit_test(entity_files_are_checked_too),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
