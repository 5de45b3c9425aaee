/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_file.c - files: parts, text, printing, comparing, many entries */
#include "tests/unit/libndrx/config/load.h"

#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

struct folder {
	char dir[32];
	char main[64];
	char part[64];
};

static int make_folder(void **state)
{
	struct folder *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -1;
	strcpy(f->dir, "/tmp/owconfigXXXXXX");
	if (mkdtemp(f->dir) == NULL) {
		free(f);
		return -1;
	}
	snprintf(f->main, sizeof(f->main), "%s/main.xml", f->dir);
	snprintf(f->part, sizeof(f->part), "%s/part.xml", f->dir);
	*state = f;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *f = *state;

	unlink(f->main);
	unlink(f->part);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void entity_files_are_read_and_keep_their_positions(void **state)
{
	struct folder *f = *state;
	struct ow_config_error err = { "" };
	struct ow_config *c = NULL;
	char expected[128];

	write_file(f->main,
		   "<!DOCTYPE endurox [<!ENTITY part SYSTEM \"part.xml\">\n"
		   "<!ENTITY opt \"-a &#60;b\">]>\n<endurox><servers>\n&part;\n"
		   "<server name=\"z\"><srvid>9</srvid>"
		   "<appopt>x y</appopt></server></servers></endurox>");
	write_file(f->part, "\n<server name=\"p\">\n<srvid>1</srvid>\n"
			    "</server>\n<server name=\"q\">\n"
			    "<srvid>2</srvid></server>");
	assert_int_equal(ow_config_load(f->main, &err, &c), 0);
	assert_int_equal(c->n_servers, 3);
	assert_string_equal(c->servers[1].name, "q");
	assert_string_equal(c->servers[1].file, f->part);
	assert_int_equal(c->servers[1].line, 5);
	assert_string_equal(c->servers[2].file, f->main);
	assert_int_equal(c->servers[2].line, 5);
	c = ow_config_free(c);

	write_file(f->part, "\n<server name=\"p\">\n<srvid>x</srvid></server>");
	assert_int_equal(ow_config_load(f->main, &err, &c), OW_CONFIG_BAD);
	snprintf(expected, sizeof(expected),
		 "%s:3: <server name=\"p\">: <srvid>: \"x\"", f->part);
	assert_memory_equal(err.text, expected, strlen(expected));
	assert_null(c);
}

static void internal_entities_and_cdata_are_text(void **state)
{
	struct ow_config *c = load(
	    "<!DOCTYPE e [<!ENTITY id \"4\"><!ENTITY o \"-x 1\">]>"
	    SERVERS(SERVER("a", "<srvid>&id;2</srvid><appopt> &o; &amp;"
				"<!-- no --><![CDATA[ <y>]]> </appopt>")));

	assert_int_equal(c->servers[0].srvid, 42);
	assert_string_equal(c->servers[0].appopt, "-x 1 & <y>");
	ow_config_free(c);
}

static void sample_file_survives_printing_and_loading(void **state)
{
	struct ow_config_error err = { "" };
	struct ow_config *c = NULL;
	struct ow_config *again;
	char *first;
	char *second;

	if (ow_config_load(OW_SAMPLE_CONFIG, &err, &c) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(c->n_servers, 6);
	first = print(c);
	assert_non_null(strstr(first, "<service svcnm=\"REPORT\" "
				     "prio=\"30\" "
				     "svctimeout=\"300000ms\" "
				     "queuehigh=\"0\" queuelow=\"0\" "
				     "durable=\"N\" autotran=\"N\" "
				     "trantime=\"30000ms\"/>"));
	assert_non_null(strstr(first, "autotran=\"Y\" "
				     "trantime=\"20000ms\"/>"));
	again = load(first);
	second = print(again);
	assert_string_equal(first, second);
	for (size_t i = 0; i < c->n_servers; i++)
		assert_int_equal(ow_config_server_same(&c->servers[i],
						       &again->servers[i]), 1);
	free(first);
	free(second);
	ow_config_free(c);
	ow_config_free(again);
}

static int same(const char *inner_a, const char *inner_b)
{
	char xml[1024];
	struct ow_config *c;
	int r;

	snprintf(xml, sizeof(xml),
		 SERVERS(SERVER("a", "<srvid>1</srvid>%s")
			 SERVER("a", "<srvid>50</srvid>%s")),
		 inner_a, inner_b);
	c = load(xml);
	r = ow_config_server_same(&c->servers[0], &c->servers[1]);
	ow_config_free(c);
	return r;
}

static void changed_start_parameters_need_a_restart(void **state)
{
	assert_int_equal(same("", ""), 1);
	assert_int_equal(same("<min>2</min>", "<respawn>N</respawn>"), 1);
	assert_int_equal(same("<pingtime>1</pingtime>", ""), 1);
	assert_int_equal(same("<killseq>9</killseq>", ""), 1);
	assert_int_equal(same("<sysopt>-r</sysopt>",
			      "<sysopt>-r</sysopt>"), 1);
	assert_int_equal(same("<sysopt>-r</sysopt>", ""), 0);
	assert_int_equal(same("<appopt>a</appopt>",
			      "<appopt>b</appopt>"), 0);
	assert_int_equal(same("", "<fullpath>/x</fullpath>"), 0);
	assert_int_equal(same("", "<cmdline>x</cmdline>"), 0);
	assert_int_equal(same("", "<cctag>x</cctag>"), 0);
	assert_int_equal(same("", "<env>file</env>"), 0);
	assert_int_equal(same("<env name=\"A\">1</env>",
			      "<env name=\"A\">1</env>"), 1);
	assert_int_equal(same("<env name=\"A\">1</env>",
			      "<env name=\"A\" unset=\"Y\"/>"), 0);
	assert_int_equal(same("<maxdispatchthreads>2</maxdispatchthreads>",
			      ""), 0);
}

static void server_find_gives_the_entry_with_the_id(void **state)
{
	struct ow_config *c = load(SERVERS(
	    SERVER("a", "<srvid>10</srvid><max>5</max>")
	    SERVER("b", "<srvid>15</srvid>") SERVER("c", "<srvid>9</srvid>")));

	assert_ptr_equal(ow_config_server_find(c, 14), &c->servers[0]);
	assert_ptr_equal(ow_config_server_find(c, 15), &c->servers[1]);
	assert_ptr_equal(ow_config_server_find(c, 9), &c->servers[2]);
	assert_null(ow_config_server_find(c, 16));
	ow_config_free(c);
}

static void ten_thousand_servers_load(void **state)
{
	size_t size = 1024 * 1024 * 2;
	char *xml = malloc(size);
	struct ow_config *c;
	size_t n;

	assert_non_null(xml);
	n = (size_t)snprintf(xml, size, "<endurox><servers>");
	for (int i = 10000; i > 0; i--)
		n += (size_t)snprintf(xml + n, size - n,
				      SERVER("s", "<srvid>%d</srvid>\n"), i);
	snprintf(xml + n, size - n, "</servers></endurox>");
	c = load(xml);
	assert_int_equal(c->n_servers, 10000);
	assert_int_equal(c->servers[9999].line, 10000);
	ow_config_free(c);
	free(xml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    entity_files_are_read_and_keep_their_positions,
		    make_folder, remove_folder),
		cmocka_unit_test(internal_entities_and_cdata_are_text),
		cmocka_unit_test(sample_file_survives_printing_and_loading),
		cmocka_unit_test(
		    changed_start_parameters_need_a_restart),
		cmocka_unit_test(server_find_gives_the_entry_with_the_id),
		cmocka_unit_test(ten_thousand_servers_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
