/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mkfldhdr.c - the program mkfldhdr, run as users do
 *
 * The path of the program is the first argument.
 */
#include "ubf_test.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tmpdir.h"

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
	"/*\tfname\tbfldid            */\n"
	"/*\t-----\t-----            */\n"
	"#ifndef __BANK_H\n"
	"#define __BANK_H\n"
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
	assert_says("FLDTBLDIR is not set");
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

static void wrong_usage_is_told(void **state)
{
	assert_int_equal(run("", "none.fd"), 1);
	assert_says("none.fd: No such file");
	assert_int_equal(run("", "-m 2 none.fd"), 2);
	assert_says("not built yet");
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
		T(faulty_table_leaves_the_old_header),
		T(duplicates_are_refused),
		T(wrong_usage_is_told),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: test_mkfldhdr PROGRAM\n");
		return 2;
	}
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
