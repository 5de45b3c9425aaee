/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mkfldhdr.c - the program mkfldhdr, run as users do
 *
 * The path of the program is the first argument.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/libubf/tmpdir.h"

static struct tmpdir dir;
static const char *program;

static int setup(void **state)
{
	return tmpdir_make(&dir);
}

static int teardown(void **state)
{
	tmpdir_remove(&dir);
	return 0;
}

/* Run in the folder with these arguments; output to "out"; exit status. */
static int run(const char *environment, const char *args)
{
	char cmd[1024];
	int status;

	snprintf(cmd, sizeof(cmd), "cd %s && env -u FLDTBLDIR -u FIELDTBLS "
		 "%s %s %s >out 2>&1", dir.path, environment, program, args);
	status = system(cmd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void assert_file(const char *name, const char *want)
{
	char got[4096];

	assert_int_equal(tmpdir_read(&dir, name, got, sizeof(got)), 0);
	assert_string_equal(got, want);
}

static void assert_says(const char *part)
{
	char got[4096];

	assert_int_equal(tmpdir_read(&dir, "out", got, sizeof(got)), 0);
	if (strstr(got, part) == NULL)
		fail_msg("'%s' does not say '%s'", got, part);
}

static const char bank[] = "$#ifndef __BANK_H\n"
			   "$#define __BANK_H\n"
			   "*base 1000\n"
			   "T_ACCNUM\t1\tstring\t-\tAccount number\n"
			   "# comment\n"
			   "T_AMTAVL\t3\tdouble\t-\tBalance\n"
			   "$#endif\n";

static const char bank_header[] =
	"#ifndef __BANK_H\n"
	"#define __BANK_H\n"
	"/*\tfname\tbfldid            */\n"
	"/*\t-----\t-----            */\n"
	"#define\tT_ACCNUM\t((BFLDID32)167773161)\t"
	"/* number: 1001\t type: string */\n"
	"#define\tT_AMTAVL\t((BFLDID32)134218731)\t"
	"/* number: 1003\t type: double */\n"
	"#endif\n";

static void header_is_written_to_the_current_folder(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "bank.fd", bank), 0);
	assert_int_equal(run("", "bank.fd"), 0);
	assert_file("bank.fd.h", bank_header);
	assert_file("out", "");
}

static void tables_come_from_the_environment_without_arguments(void **state)
{
	char env[200];

	assert_int_equal(tmpdir_write(&dir, "bank.fd", bank), 0);
	snprintf(env, sizeof(env), "FLDTBLDIR=/none:%s FIELDTBLS=bank.fd",
		 dir.path);
	assert_int_equal(run(env, "-D 5 -m 0 -p pkg -d ."), 0);
	assert_file("bank.fd.h", bank_header);
	snprintf(env, sizeof(env), "FLDTBLDIR=%s FIELDTBLS=bank.fd,no.fd",
		 dir.path);
	assert_int_equal(run(env, ""), 1);
	assert_says("no.fd: not found in FLDTBLDIR");
	assert_int_equal(run("", ""), 1);
	assert_says("FIELDTBLS is not set, and there is no fld.tbl");
}

static void without_variables_fld_tbl_of_the_current_folder_is_made(
    void **state)
{
	char env[200];

	assert_int_equal(tmpdir_write(&dir, "fld.tbl", bank), 0);
	assert_int_equal(run("", ""), 0);
	assert_file("fld.tbl.h", bank_header);
	assert_int_equal(tmpdir_write(&dir, "bank.fd", bank), 0);
	snprintf(env, sizeof(env), "FLDTBLDIR32=%s FIELDTBLS32=bank.fd",
		 dir.path);
	assert_int_equal(run(env, ""), 0);
	assert_file("bank.fd.h", bank_header);
}

/* mkfldhdr32 is the same program under another name. */
static void of_two_lists_each_name_of_the_program_takes_its_own(void **state)
{
	char cmd[600];

	assert_int_equal(tmpdir_write(&dir, "a.fd", "A 1 long\n"), 0);
	assert_int_equal(tmpdir_write(&dir, "b.fd", "B 1 long\n"), 0);
	assert_int_equal(run("FIELDTBLS=a.fd FIELDTBLS32=b.fd", ""), 0);
	snprintf(cmd, sizeof(cmd), "cd %s && test -e a.fd.h && "
		 "test ! -e b.fd.h && rm a.fd.h && ln -s %s mkfldhdr32 && "
		 "FIELDTBLS=a.fd FIELDTBLS32=b.fd ./mkfldhdr32 && test -e b.fd.h && test ! -e a.fd.h",
		 dir.path, program);
	assert_int_equal(system(cmd), 0);
}

static void titles_stand_above_the_first_field_once(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "x.fd", "$/* text */\nA 1 long\n"
				      "$/* more */\nB 2 view32\n"), 0);
	assert_int_equal(run("", "x.fd"), 0);
	assert_file("x.fd.h", "/* text */\n"
		    "/*\tfname\tbfldid            */\n"
		    "/*\t-----\t-----            */\n"
		    "#define\tA\t((BFLDID32)33554433)\t"
		    "/* number: 1\t type: long */\n/* more */\n"
		    "#define\tB\t((BFLDID32)369098754)\t"
		    "/* number: 2\t type: view */\n");
}

static void faulty_table_leaves_the_old_header(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "x.fd", "A 1 long\nB 2 lung\n"),
			 0);
	assert_int_equal(tmpdir_write(&dir, "x.fd.h", "old"), 0);
	assert_int_equal(run("", "x.fd"), 1);
	assert_says("x.fd:2: 'lung' is not a field type");
	assert_file("x.fd.h", "old");
}

static void duplicates_are_refused(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "x.fd", "A 1 long\nB 1 long\n"),
			 0);
	assert_int_equal(run("", "x.fd"), 1);
	assert_says("x.fd:2: field B (id 33554433) is already there as A");
	assert_int_equal(run("NDRX_APIFLAGS=ubf_dupfidok", "x.fd"), 0);
}

static void other_languages_get_constants(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "bank.fd", bank), 0);
	assert_int_equal(run("", "-m 1 bank.fd"), 0);
	assert_file("bank.fd.go",
		    "// Code generated by mkfldhdr. DO NOT EDIT.\n"
		    "package ubftab\n\nconst (\n"
		    "\tT_ACCNUM = 167773161 // number: 1001 type: string\n"
		    "\tT_AMTAVL = 134218731 // number: 1003 type: double\n"
		    ")\n");
	assert_int_equal(run("", "-m 2 -p org.bank bank.fd"), 0);
	assert_file("bank_fd.java",
		    "package org.bank;\n\n/** Generated by mkfldhdr. */\n"
		    "public final class bank_fd {\n"
		    "\tprivate bank_fd() {}\n\n"
		    "\t/** number: 1001 type: string */\n"
		    "\tpublic static final int T_ACCNUM = 167773161;\n"
		    "\t/** number: 1003 type: double */\n"
		    "\tpublic static final int T_AMTAVL = 134218731;\n"
		    "}\n");
	assert_int_equal(run("", "-m 3 bank.fd"), 0);
	assert_file("bank_fd.py",
		    "# Generated by mkfldhdr.\n"
		    "T_ACCNUM = 167773161  # number: 1001 type: string\n"
		    "T_AMTAVL = 134218731  # number: 1003 type: double\n");
}

static void wrong_usage_is_reported(void **state)
{
	assert_int_equal(run("", "none.fd"), 1);
	assert_says("none.fd: No such file");
	assert_int_equal(run("", "-m 4 none.fd"), 2);
	assert_says("modes are 0 (C)");
	assert_int_equal(run("", "-x"), 2);
	assert_says("usage:");
	assert_int_equal(tmpdir_write(&dir, "bank.fd", bank), 0);
	assert_int_equal(run("", "-d /nowhere bank.fd"), 1);
	assert_says("/nowhere/bank.fd.h: No such file");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(header_is_written_to_the_current_folder),
		T(tables_come_from_the_environment_without_arguments),
		T(without_variables_fld_tbl_of_the_current_folder_is_made),
		T(of_two_lists_each_name_of_the_program_takes_its_own),
		T(titles_stand_above_the_first_field_once),
		T(faulty_table_leaves_the_old_header),
		T(duplicates_are_refused),
		T(other_languages_get_constants),
		T(wrong_usage_is_reported),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: test_mkfldhdr PROGRAM\n");
		return 2;
	}
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
