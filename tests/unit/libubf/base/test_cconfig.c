/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cconfig.c - the ini configuration that NDRX_CCONFIG names
 */
#include "libubf/base/cconfig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/libubf/tmpdir.h"

static struct tmpdir dir;
static struct ow_cconfig got;

static int begin(void **state)
{
	(void)state;
	unsetenv("NDRX_CCTAG");
	unsetenv("NDRX_CCONFIG");
	unsetenv("NDRX_CCONFIG1");
	unsetenv("NDRX_QPREFIX");
	unsetenv("TUXCONFIG");
	return tmpdir_make(&dir);
}

static int end(void **state)
{
	(void)state;
	ow_cconfig_free(&got);
	tmpdir_remove(&dir);
	return 0;
}

/* Write the file and name it in the variable. */
static void name_file(const char *variable, const char *name, const char *text)
{
	assert_int_equal(tmpdir_write(&dir, name, text), 0);
	setenv(variable, tmpdir_file(&dir, name), 1);
}

static const char *value(const char *section, const char *key)
{
	ow_cconfig_free(&got);
	ow_cconfig_read(section, &got);
	return ow_cconfig_value(&got, key);
}

static void sections_have_keys_and_values(void **state)
{
	(void)state;
	name_file("NDRX_CCONFIG", "a.ini",
		  "; comment\n# comment\nLOST=1\n[@global]\n A = x y \nB=\n"
		  "C=1=2\nLONG=one\n\ttwo\n   three\n[@debug]\n*= ndrx=5\n");
	assert_string_equal(value("@global", "A"), "x y");
	assert_string_equal(value("@global", "B"), "");
	assert_string_equal(value("@global", "C"), "1=2");
	assert_string_equal(value("@global", "LONG"), "one\ntwo\nthree");
	assert_null(value("@global", "LOST"));
	assert_null(value("@global", "*"));
	assert_string_equal(value("@debug", "*"), "ndrx=5");
}

static void the_sub_section_of_the_tag_wins(void **state)
{
	(void)state;
	name_file("NDRX_CCONFIG", "a.ini",
		  "[@global/T2]\nA=t2\n[@global/T1]\nA=t1\nB=t1\n[@global]\n"
		  "A=all\nB=all\nC=all\n[@global/T1/T2]\nC=both\n");
	assert_string_equal(value("@global", "A"), "all");
	setenv("NDRX_CCTAG", "T1", 1);
	assert_string_equal(value("@global", "A"), "t1");
	assert_string_equal(value("@global", "C"), "all");
	setenv("NDRX_CCTAG", "T1/T2", 1);
	assert_string_equal(value("@global", "A"), "t2");
	assert_string_equal(value("@global", "B"), "t1");
	assert_string_equal(value("@global", "C"), "both");
	ow_cconfig_free(&got);
	ow_cconfig_read_tagged("@global", "T1", &got);
	assert_string_equal(ow_cconfig_value(&got, "A"), "t1");
	assert_null(ow_cconfig_value(&got, "NONE"));
}

static void later_files_win_and_folders_have_files(void **state)
{
	char path[600];

	(void)state;
	name_file("NDRX_CCONFIG", "a.ini", "[@global]\nA=1\nB=1\nC=1\n");
	snprintf(path, sizeof(path), "%s/more", dir.path);
	mkdir(path, 0700);
	setenv("NDRX_CCONFIG1", path, 1);
	tmpdir_write(&dir, "more/1.conf", "[@global]\nB=2\nC=2\n");
	tmpdir_write(&dir, "more/2.cfg", "[@global]\nC=3\n");
	tmpdir_write(&dir, "more/3.txt", "[@global]\nC=4\n");
	assert_string_equal(value("@global", "A"), "1");
	assert_string_equal(value("@global", "B"), "2");
	assert_string_equal(value("@global", "C"), "3");
	unlink(tmpdir_file(&dir, "more/1.conf"));
	unlink(tmpdir_file(&dir, "more/2.cfg"));
	unlink(tmpdir_file(&dir, "more/3.txt"));
	rmdir(path);
}

static void values_name_keys_and_variables(void **state)
{
	(void)state;
	setenv("OW_TEST", "env", 1);
	setenv("LOOP", "outer", 1);
	name_file("NDRX_CCONFIG", "a.ini",
		  "[@global]\nA=${B}/${OW_TEST}\nB=b${OW_NONE}\nC=\\${B}\n"
		  "LOOP=${LOOP}:more\nE=${open\n");
	assert_string_equal(value("@global", "A"), "b/env");
	assert_string_equal(value("@global", "C"), "${B}");
	assert_string_equal(value("@global", "LOOP"), "outer:more");
	assert_string_equal(value("@global", "E"), "${open");
}

static int n_keys; /* that were found, and forgotten again */
static int n_forgotten;

static void forget(void *key)
{
	assert_ptr_equal(key, &n_keys);
	n_forgotten++;
}

/* What libatmi does: here with ROT1. */
static int decrypt(void **key, const char *text, size_t len, char **ret,
		   char why[OW_CCONFIG_WHY])
{
	char *plain = strndup(text, len);

	n_keys += *key == NULL;
	*key = &n_keys;
	if (getenv("NDRX_ENCKEYFILE") == NULL || *plain == '?') {
		snprintf(why, OW_CCONFIG_WHY, "no key");
		free(plain);
		return -1;
	}
	for (char *p = plain; *p != '\0'; p++)
		(*p)++;
	*ret = plain;
	return 0;
}

#define ENCRYPTED \
	"[@global]\nUSER=u\nOPEN=${USER}/${PASS}@db\nPASS=${dec=ab}\n" \
	"BAD=x${dec=?}\nALL=${BAD}:${USER}\nLAST=\\${dec=ab}\n"

static void an_encrypted_value_that_nobody_can_decrypt_is_left_out(void **state)
{
	(void)state;
	unsetenv("NDRX_ENCKEYFILE");
	name_file("NDRX_CCONFIG", "a.ini", ENCRYPTED);
	assert_null(value("@global", "PASS"));
	assert_null(value("@global", "OPEN"));
	assert_string_equal(value("@global", "LAST"), "${dec=ab}");
	ow_cconfig_decrypt_by(decrypt, forget);
	assert_null(value("@global", "PASS"));
	assert_int_equal(got.n, 2);
}

static void what_gives_the_key_may_stand_beside_it(void **state)
{
	(void)state;
	ow_cconfig_decrypt_by(decrypt, forget);
	name_file("NDRX_CCONFIG", "a.ini", ENCRYPTED "NDRX_ENCKEYFILE=/key\n");
	unsetenv("NDRX_ENCKEYFILE");
	setenv("BAD", "of before", 1);
	ow_cconfig_load();
	assert_string_equal(getenv("NDRX_ENCKEYFILE"), "/key");
	assert_string_equal(getenv("PASS"), "bc");
	assert_string_equal(getenv("OPEN"), "u/bc@db");
	assert_string_equal(getenv("BAD"), "of before");
	assert_null(getenv("ALL"));
	unsetenv("NDRX_ENCKEYFILE");
	unsetenv("BAD");
}

static void values_that_are_read_together_have_one_key(void **state)
{
	(void)state;
	setenv("NDRX_ENCKEYFILE", "/key", 1);
	name_file("NDRX_CCONFIG", "a.ini", "[@global]\nA=${dec=ab}\n"
		  "B=${dec=ab}\nC=${dec=?}\nD=${dec=ab}\n");
	n_keys = n_forgotten = 0;
	assert_string_equal(value("@global", "D"), "bc");
	assert_int_equal(n_keys, 1);
	assert_int_equal(n_forgotten, 1);
	assert_string_equal(value("@global", "A"), "bc");
	assert_int_equal(n_keys, 2);
	assert_int_equal(n_forgotten, 2);
	unsetenv("NDRX_ENCKEYFILE");
}

static void the_global_section_replaces_variables(void **state)
{
	(void)state;
	setenv("OW_TEST", "before", 1);
	name_file("NDRX_CCONFIG", "a.ini", "[@global]\nOW_TEST=after\n");
	ow_cconfig_load();
	assert_string_equal(getenv("OW_TEST"), "after");
}

static void the_section_of_the_field_data_base_names_its_folder(void **state)
{
	(void)state;
	setenv("NDRX_CCTAG", "T", 1);
	name_file("NDRX_CCONFIG", "a.ini", "[@global]\nOW_TEST=/srv\n[@ubfdb]\n"
		  "resource=/none\nmap_size=1\n[@ubfdb/T]\n"
		  "resource=${OW_TEST}/fields\n");
	ow_cconfig_load();
	assert_string_equal(getenv("NDRX_UBFDB"), "/srv/fields");
	unsetenv("NDRX_UBFDB");
}

static void a_missing_file_leaves_the_rest(void **state)
{
	(void)state;
	setenv("NDRX_CCONFIG", tmpdir_file(&dir, "none.ini"), 1);
	name_file("NDRX_CCONFIG1", "a.ini", "[@global]\nA=1\n");
	assert_string_equal(value("@global", "A"), "1");
}

static char told[256];

static int take_nothing(void *arg, const char *section, const char *key,
			const char *text)
{
	(void)arg;
	(void)section;
	(void)key;
	(void)text;
	return 0;
}

static void tell(const char *path, const char *why)
{
	(void)path;
	snprintf(told, sizeof(told), "%s", why);
}

/* Its keys would be those of the section above it. */
static void a_section_that_is_not_closed_is_left_out_and_told(void **state)
{
	(void)state;
	name_file("NDRX_CCONFIG", "a.ini",
		  "[@global]\nA=1\n[@queue\nQ=2\n[@debug]\nD=1\n"
		  "[@global]\n=3\nB=3\n");
	assert_string_equal(value("@global", "A"), "1");
	assert_string_equal(value("@global", "B"), "3");
	assert_null(value("@global", "Q"));
	assert_int_equal(got.n, 2);
	assert_string_equal(value("@debug", "D"), "1");
	told[0] = '\0';
	ow_cconfig_source(getenv("NDRX_CCONFIG"), take_nothing, NULL, tell);
	assert_string_equal(told, "line 3 is no [SECTION] and no KEY=VALUE, and "
				  "is left out");
	name_file("NDRX_CCONFIG", "a.ini", "[@global]\nA\n B\n");
	told[0] = '\0';
	ow_cconfig_source(getenv("NDRX_CCONFIG"), take_nothing, NULL, tell);
	assert_string_equal(told, "");
}

static void tuxconfig_is_read_where_no_domain_is_named(void **state)
{
	(void)state;
	name_file("TUXCONFIG", "tux", OW_CCONFIG_MARK " from x\n[@global]\n"
				      "A=tux\n");
	assert_string_equal(value("@global", "A"), "tux");
	setenv("NDRX_QPREFIX", "/x", 1);
	assert_null(value("@global", "A"));
	unsetenv("NDRX_QPREFIX");
	name_file("TUXCONFIG", "tux", "binary [@global]\nA=tux\n");
	assert_null(value("@global", "A"));
}

static void random_bytes_do_no_harm(void **state)
{
	static const char parts[] = "[@global]=${A}\\;#\n\n \tAB/";
	unsigned int seed = 1;
	char text[80];
	int i, k;

	(void)state;
	for (i = 0; i < 500; i++) {
		for (k = 0; k < 70; k++)
			text[k] = parts[rand_r(&seed) % (sizeof(parts) - 1)];
		text[70] = '\0';
		memcpy(text, "[@global]\n", i % 2 ? 10 : 0);
		name_file("NDRX_CCONFIG", "a.ini", text);
		value("@global", "A");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sections_have_keys_and_values,
						begin, end),
		cmocka_unit_test_setup_teardown(the_sub_section_of_the_tag_wins,
						begin, end),
		cmocka_unit_test_setup_teardown(
		    later_files_win_and_folders_have_files, begin, end),
		cmocka_unit_test_setup_teardown(values_name_keys_and_variables,
						begin, end),
		cmocka_unit_test_setup_teardown(
		    an_encrypted_value_that_nobody_can_decrypt_is_left_out,
		    begin, end),
		cmocka_unit_test_setup_teardown(
		    what_gives_the_key_may_stand_beside_it, begin, end),
		cmocka_unit_test_setup_teardown(
		    values_that_are_read_together_have_one_key, begin, end),
		cmocka_unit_test_setup_teardown(
		    the_global_section_replaces_variables, begin, end),
		cmocka_unit_test_setup_teardown(a_missing_file_leaves_the_rest,
						begin, end),
		cmocka_unit_test_setup_teardown(
		    a_section_that_is_not_closed_is_left_out_and_told, begin,
		    end),
		cmocka_unit_test_setup_teardown(
		    tuxconfig_is_read_where_no_domain_is_named, begin, end),
		cmocka_unit_test_setup_teardown(
		    the_section_of_the_field_data_base_names_its_folder, begin,
		    end),
		cmocka_unit_test_setup_teardown(random_bytes_do_no_harm, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
