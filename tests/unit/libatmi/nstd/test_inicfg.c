/* SPDX-License-Identifier: Apache-2.0 */
/* test_inicfg.c - ini files, and those of NDRX_CCONFIG, read by an application */
#include <cconfig.h>
#include <inicfg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "tests/unit/libatmi/scratch.h"

/* A file of that text: its path. */
static char *file(const char *name, const char *text)
{
	char *path = (char *)scratch_path(name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void assert_value(ndrx_inicfg_section_keyval_t *h, const char *key,
			 const char *value)
{
	ndrx_inicfg_section_keyval_t *kv = ndrx_keyval_hash_get(h, (char *)key);

	if (value == NULL) {
		assert_null(kv);
		return;
	}
	assert_non_null(kv);
	assert_string_equal(kv->val, value);
}

static void a_sub_section_has_the_keys_of_its_section(void **state)
{
	char *path = file("one.ini", "[app]\na=1\nb=2\n[app/x]\nb=3\nc=${OW_T}\n"
				     "[app/x/y]\nc=\\${OW_T}\n; not this\n");
	ndrx_inicfg_section_keyval_t *out = NULL, *kv, *next;
	ndrx_inicfg_t *cfg = ndrx_inicfg_new();
	int n = 0;

	setenv("OW_T", "of the environment", 1);
	assert_int_equal(ndrx_inicfg_add(cfg, path, NULL), 0);
	assert_int_equal(ndrx_inicfg_get_subsect(cfg, NULL, (char *)"app/x",
						 &out), 0);
	assert_value(out, "a", "1");
	assert_value(out, "b", "3");
	assert_value(out, "c", "of the environment");
	assert_value(out, "d", NULL);
	EXHASH_ITER(hh, out, kv, next)
		n++;
	assert_int_equal(n, 3);
	assert_string_equal(ndrx_keyval_hash_get(out, (char *)"a")->section,
			    "app");
	ndrx_keyval_hash_free(out);
	out = NULL;
	assert_int_equal(ndrx_inicfg_get_subsect(cfg, NULL, (char *)"app/x/y",
						 &out), 0);
	assert_value(out, "c", "${OW_T}");
	assert_value(out, "b", "3");
	ndrx_keyval_hash_free(out);
	ndrx_inicfg_free(cfg);
}

static void of_several_resources_the_later_one_wins(void **state)
{
	char *folder = strdup(scratch_path("ini")), *only[] = { NULL, NULL };
	char *starts[] = { (char *)"s", NULL };
	ndrx_inicfg_section_keyval_t *out = NULL;
	ndrx_inicfg_section_t *sections = NULL;
	ndrx_inicfg_t *cfg = ndrx_inicfg_new();

	assert_int_equal(mkdir(folder, 0700), 0);
	file("ini/1.ini", "[s]\na=1\nb=1\n[t]\na=1\n");
	file("ini/2.conf", "[s]\nb=2\n");
	file("ini/3.txt", "[s]\nb=3\n");
	only[0] = file("last.cfg", "[s]\nc=4\na=4\n");
	assert_int_equal(ndrx_inicfg_add(cfg, folder, starts), 0);
	assert_int_equal(ndrx_inicfg_add(cfg, only[0], NULL), 0);
	ndrx_inicfg_get_subsect(cfg, NULL, (char *)"s", &out);
	assert_value(out, "a", "4");
	assert_value(out, "b", "2");
	ndrx_keyval_hash_free(out);
	out = NULL;
	ndrx_inicfg_get_subsect(cfg, only, (char *)"s", &out);
	assert_value(out, "b", NULL);
	ndrx_keyval_hash_free(out);
	assert_int_equal(ndrx_inicfg_iterate(cfg, NULL, NULL, &sections), 0);
	assert_int_equal(EXHASH_COUNT(sections), 1); /* [t] was left out */
	assert_value(sections->values, "a", "4");
	ndrx_inicfg_sections_free(sections);
	ndrx_inicfg_free(cfg);
	free(folder);
}

static void what_has_changed_is_read_again(void **state)
{
	char *path = file("change.ini", "[s]\na=1\nb=1\n");
	ndrx_inicfg_section_keyval_t *before = NULL, *out = NULL;
	ndrx_inicfg_t *cfg = ndrx_inicfg_new2(1);

	assert_int_equal(ndrx_inicfg_add(cfg, path, NULL), 0);
	ndrx_inicfg_get_subsect(cfg, NULL, (char *)"s", &before);
	file("change.ini", "[s]\na=2\n[@global]\nOW_G=g\n");
	assert_int_equal(ndrx_inicfg_reload(cfg, NULL), 0);
	ndrx_inicfg_get_subsect(cfg, NULL, (char *)"s", &out);
	assert_value(out, "a", "2");
	assert_value(out, "b", NULL);
	assert_value(before, "a", "1"); /* a copy */
	assert_string_equal(getenv("OW_G"), "g");
	ndrx_keyval_hash_free(out);
	ndrx_keyval_hash_free(before);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ndrx_inicfg_update_single(cfg, path, NULL), -1);
	assert_int_equal(Nerror, NEINVALINI);
	assert_int_equal(ndrx_inicfg_add(NULL, path, NULL), -1);
	assert_int_equal(Nerror, NEINVAL);
	ndrx_inicfg_free(cfg);
}

static void tags_choose_sub_sections_of_the_process(void **state)
{
	ndrx_inicfg_section_keyval_t *out = NULL;
	ndrx_inicfg_t *own = NULL;

	setenv("NDRX_CCONFIG", file("c.ini", "[@a]\nk=0\nl=0\nm=0\nn=0\n[@a/x]"
				   "\nl=1\nm=1\n[@a/y]\nm=2\nn=2\n[@a/x/y]\nn=3\n"), 1);
	setenv("NDRX_CCONFIG2", file("c2.ini", "[@a]\nk=5\n"), 1);
	setenv("NDRX_CCTAG", "x/y", 1);
	assert_int_equal(ndrx_cconfig_load(), 0);
	assert_int_equal(ndrx_cconfig_get((char *)"@a", &out), 0);
	assert_value(out, "k", "5");
	assert_value(out, "l", "1");
	assert_value(out, "m", "2");
	assert_value(out, "n", "3");
	ndrx_keyval_hash_free(out);
	out = NULL;
	file("c2.ini", "[@a]\nk=6\n");
	assert_int_equal(ndrx_cconfig_reload(), 0);
	unsetenv("NDRX_CCTAG");
	assert_int_equal(ndrx_cconfig_get_cf(ndrx_get_G_cconfig(),
					     (char *)"@a", &out), 0);
	assert_value(out, "k", "6");
	assert_value(out, "m", "0");
	ndrx_keyval_hash_free(out);
	assert_int_equal(ndrx_cconfig_load_general(&own), 0);
	assert_ptr_not_equal(own, ndrx_get_G_cconfig());
	ndrx_inicfg_free(own);
	setenv("NDRX_CCONFIG1", scratch_path("none.ini"), 1);
	own = NULL;
	assert_int_equal(ndrx_cconfig_load_general(&own), -1);
	assert_int_equal(Nerror, NEINVALINI);
	assert_null(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sub_section_has_the_keys_of_its_section),
		cmocka_unit_test(of_several_resources_the_later_one_wins),
		cmocka_unit_test(what_has_changed_is_read_again),
		cmocka_unit_test(tags_choose_sub_sections_of_the_process),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
