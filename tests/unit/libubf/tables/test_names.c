/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_names.c - field ids, field tables and names
 *
 * A process loads its tables once, so each test runs in a child process.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libubf/base/apiflag.h"
#include "tests/unit/libubf/tmpdir.h"

static struct tmpdir dir;

static const char bank[] = "$#ifndef BANK\n"
			   "*base 1000\n"
			   "# a comment\n"
			   "\n"
			   "T_NUM\t1\tstring\t-\tAccount number\r\n"
			   "  T_CUR 2 string\n"
			   "T_AMT 3 double 1 two words\n"
			   "*base 0\n"
			   "T_SUB 7 fml32 M\n"
			   "$#endif\n";

static int setup(void **state)
{
	if (tmpdir_make(&dir) < 0)
		return -1;
	return tmpdir_write(&dir, "bank.fd", bank);
}

static int teardown(void **state)
{
	tmpdir_remove(&dir);
	return 0;
}

/* Run `operation` in a child with these tables; it returns 0 for success. */
static void in_child(const char *dirs, const char *tables,
		     int (*operation)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		unsetenv("FLDTBLDIR");
		unsetenv("FIELDTBLS");
		if (dirs != NULL)
			setenv("FLDTBLDIR", dirs, 1);
		if (tables != NULL)
			setenv("FIELDTBLS", tables, 1);
		_exit(operation());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (!(cond)) {                                                 \
			fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__,          \
				__LINE__, #cond, Bstrerror(Berror));           \
			return 1;                                              \
		}                                                              \
	} while (0)

static void ids_are_made_of_type_and_number(void **state)
{
	assert_int_equal(Bmkfldid(BFLD_LONG, 1000), 33555432);
	assert_int_equal(Bmkfldid(BFLD_STRING, 1001), 167773161);
	assert_int_equal(Bmkfldid(BFLD_SHORT, 5), 5);
	assert_int_equal(Bfldtype(167773161), BFLD_STRING);
	assert_int_equal(Bfldno(167773161), 1001);
	assert_string_equal(Btype(167773161), "string");
	assert_string_equal(Btype(5), "short");
	assert_string_equal(Btype(F_VIEW), "view");
	assert_null(Btype(-1));
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(Bmkfldid(12, 1), BBADFLDID);
	assert_int_equal(Berror, BTYPERR);
	assert_int_equal(Bmkfldid(1, 0), BBADFLDID);
	assert_int_equal(Bmkfldid(1, 33554432), BBADFLDID);
	assert_int_equal(Berror, BBADFLD);
}

static int other_names_of_types_child(void)
{
	CHECK(Bfldid((char *)"T_MB") == Bmkfldid(BFLD_CARRAY, 4));
	CHECK(Bfldid((char *)"T_FML32") == Bmkfldid(BFLD_UBF, 1));
	CHECK(Bfldid((char *)"T_UBF32") == Bmkfldid(BFLD_UBF, 2));
	CHECK(Bfldid((char *)"T_VIEW32") == Bmkfldid(BFLD_VIEW, 3));
	CHECK(strcmp(Btype(Bfldid((char *)"T_VIEW32")), "view") == 0);
	return 0;
}

static void types_of_embedded_buffers_may_end_in_32(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "types.fd", "T_FML32 1 fml32\n"
				      "T_UBF32 2 ubf32\nT_VIEW32 3 view32\n"
				      "T_MB 4 mbstring\n"),
			 0);
	in_child(dir.path, "types.fd", other_names_of_types_child);
}

static int names_resolve_child(void)
{
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	CHECK(Bfldid((char *)"T_AMT") == Bmkfldid(BFLD_DOUBLE, 1003));
	CHECK(Bfldid((char *)"T_SUB") == Bmkfldid(BFLD_UBF, 7));
	CHECK(strcmp(Bfname(167773161), "T_NUM") == 0);
	CHECK(Bfldid((char *)"NONE") == BBADFLDID && Berror == BBADNAME);
	CHECK(Bfname(5) == NULL && Berror == BBADFLD);
	CHECK(Bfldid(NULL) == BBADFLDID && Berror == BEINVAL);
	return 0;
}

static void names_and_ids_are_found(void **state)
{
	char dirs[200];

	snprintf(dirs, sizeof(dirs), "/nowhere::%s", dir.path);
	in_child(dirs, "bank.fd", names_resolve_child);
}

static int full_path_child(void)
{
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	return 0;
}

static void a_full_path_is_not_searched_in_folders(void **state)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/bank.fd", dir.path);
	in_child("/usr", path, full_path_child);
	in_child("", path, full_path_child);
	in_child(NULL, path, full_path_child);
}

static int here_child(void)
{
	CHECK(chdir(dir.path) == 0);
	return full_path_child();
}

static void without_variables_fld_tbl_and_the_current_folder_are_taken(
	void **state)
{
	assert_int_equal(tmpdir_write(&dir, "fld.tbl", bank), 0);
	in_child(NULL, "bank.fd", here_child);
	in_child(dir.path, NULL, full_path_child);
	in_child(NULL, NULL, here_child);
}

static int unset_child(void)
{
	CHECK(Bfldid((char *)"T_NUM") == BBADFLDID && Berror == BFTOPEN);
	CHECK(Bfname(5) == NULL && Berror == BFTOPEN);
	setenv("FLDTBLDIR", dir.path, 1);
	CHECK(Bfldid((char *)"T_NUM") == BBADFLDID && Berror == BFTOPEN);
	CHECK(strstr(Bstrerror(Berror), "no fld.tbl") != NULL);
	setenv("FIELDTBLS", "bank.fd", 1);
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	return 0;
}

static void unset_variables_give_bftopen_until_they_are_set(void **state)
{
	in_child(NULL, NULL, unset_child);
}

static int fml32_child(void)
{
	setenv("FLDTBLDIR32", dir.path, 1);
	CHECK(Bfldid((char *)"T_NUM") == BBADFLDID && Berror == BFTOPEN);
	setenv("FIELDTBLS32", "bank.fd", 1);
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	return 0;
}

static int both_child(void)
{
	setenv("FLDTBLDIR32", "/nowhere", 1);
	setenv("FIELDTBLS32", "none.fd", 1);
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	CHECK(Bfldid((char *)"NONE") == BBADFLDID && Berror == BFTOPEN);
	return 0;
}

/* T_NUM of FML32's table has another number, T_NEW only that one has. */
static int two_lists_child(void)
{
	setenv("FIELDTBLS32", "bank32.fd,bank.fd", 1);
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	CHECK(Bfldid((char *)"T_NEW") == Bmkfldid(BFLD_LONG, 9));
	CHECK(Bfldid((char *)"NONE") == BBADFLDID && Berror == BBADNAME);
	return 0;
}

static void tables_of_fml32_add_what_the_others_do_not_have(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "bank32.fd",
				      "T_NUM 8 long\nT_NEW 9 long\n"), 0);
	in_child(dir.path, "bank.fd", two_lists_child);
}

static void variables_of_fml32_are_used_if_others_are_unset(void **state)
{
	in_child(NULL, NULL, fml32_child);
	in_child(dir.path, "bank.fd", both_child);
}

static int missing_child(void)
{
	CHECK(Bfldid((char *)"T_NUM") == 167773161);
	CHECK(Bfldid((char *)"T_NON") == BBADFLDID && Berror == BFTOPEN);
	CHECK(strstr(Bstrerror(Berror), "'T_NON': field table none.fd is in "
					"no folder") != NULL);
	CHECK(Bfname(5) == NULL && Berror == BFTOPEN);
	return 0;
}

static int no_tables_child(void)
{
	CHECK(Bfldid((char *)"T_NUM") == BBADFLDID && Berror == BBADNAME);
	return 0;
}

static void a_missing_table_is_named_where_a_field_is_not_found(void **state)
{
	in_child(dir.path, "none.fd, bank.fd", missing_child);
	in_child(dir.path, "", no_tables_child);
}

static const char *expected;

static int bad_table_child(void)
{
	CHECK(Bfldid((char *)"A") == BBADFLDID);
	CHECK(Berror == BFTSYNTAX);
	CHECK(strstr(Bstrerror(Berror), expected) != NULL);
	return 0;
}

static void bad_table(const char *text, const char *message)
{
	assert_int_equal(tmpdir_write(&dir, "bad.fd", text), 0);
	expected = message;
	in_child(dir.path, "bad.fd", bad_table_child);
}

static void messages_on_malformed_tables_name_file_and_line(void **state)
{
	bad_table("\nA 1 strin -\n", "bad.fd:2: 'strin' is not a field type");
	bad_table("A x long\n", "bad.fd:1: 'x' is not a number");
	bad_table("A 1\n", "bad.fd:1: a field wants: name number type");
	bad_table("A 0 long\n", "not in 1..33554431");
	bad_table("*base 33554431\nA 1 long\n", "bad.fd:2: field number");
	bad_table("*base -5\n", "bad.fd:1: *base needs a number");
	bad_table("*base\n", "*base needs a number");
	bad_table("*bass 5\n", "'*bass' is not known");
	bad_table("1A 1 long\n", "is not a name");
	bad_table("A 1 int\n", "'int' is not a field type");
	bad_table("A 99999999999999999999 long\n", "is not a number");
	bad_table("A2345678901234567890123456789012345678901234567890123456"
		  "789012345 1 long\n", "longer than 64");
	bad_table("A 1 long\nB 1 long\n",
		  "bad.fd:2: field B (id 33554433) is already there as A");
	bad_table("A 1 long\nA 2 long\n", "bad.fd:2: field A");
}

static int dup_child(void)
{
	setenv("NDRX_APIFLAGS", "json_escape ubf_dupfidok", 1);
	CHECK(Bfldid((char *)"A") == Bmkfldid(BFLD_LONG, 1));
	CHECK(Bfldid((char *)"B") == Bmkfldid(BFLD_LONG, 1));
	CHECK(strcmp(Bfname(Bmkfldid(BFLD_LONG, 1)), "A") == 0);
	return 0;
}

static void duplicate_ids_are_allowed_by_apiflags(void **state)
{
	assert_int_equal(tmpdir_write(&dir, "dup.fd",
				      "A 1 long\nB 1 long\nA 1 long\n"), 0);
	in_child(dir.path, "dup.fd", dup_child);
}

static void *resolve(void *arg)
{
	return Bfldid((char *)"T_NUM") == 167773161 ? NULL : arg;
}

static int threads_child(void)
{
	pthread_t t[8];
	void *r;
	int i, failed = 0;

	for (i = 0; i < 8; i++)
		CHECK(pthread_create(&t[i], NULL, resolve, &i) == 0);
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], &r);
		failed |= r != NULL;
	}
	return failed;
}

static void threads_load_the_first_table_together(void **state)
{
	in_child(dir.path, "bank.fd", threads_child);
}

static pthread_mutex_t forked = PTHREAD_MUTEX_INITIALIZER;

/* A thread that has ended before fork() is a leak in the child, says
 * ThreadSanitizer. */
static void stay_until_forked(void)
{
	pthread_mutex_lock(&forked);
	pthread_mutex_unlock(&forked);
}

/* The table is a pipe: its reader waits in the middle of loading. */
static void *write_pipe(void *arg)
{
	const struct timespec pause = { 0, 200000000 };
	FILE *f;

	nanosleep(&pause, NULL);
	f = fopen(arg, "w");
	fputs("PIPED 1 long\n", f);
	fclose(f);
	stay_until_forked();
	return NULL;
}

static void *load_pipe(void *arg)
{
	bool is_right = Bfldid((char *)"PIPED") == 0x2000001;

	stay_until_forked();
	return is_right ? NULL : arg;
}

static int fork_child(void)
{
	const struct timespec pause = { 0, 100000000 };
	const char *path = tmpdir_file(&dir, "pipe.fd");
	pthread_t reader, writer;
	int status = -1;
	void *r;
	pid_t pid;

	CHECK(mkfifo(path, 0600) == 0);
	pthread_mutex_lock(&forked);
	CHECK(pthread_create(&reader, NULL, load_pipe, &status) == 0);
	CHECK(pthread_create(&writer, NULL, write_pipe, (void *)path) == 0);
	nanosleep(&pause, NULL);	/* the reader has the lock by now */
	pid = fork();
	if (pid == 0) {
		alarm(10);
		_exit(Bfldid((char *)"PIPED") != 0x2000001);
	}
	pthread_mutex_unlock(&forked);
	CHECK(waitpid(pid, &status, 0) == pid);
	pthread_join(reader, &r);
	pthread_join(writer, NULL);
	unlink(path);
	CHECK(r == NULL);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return 0;
}

static void a_child_forked_while_tables_load_does_not_hang(void **state)
{
	in_child(dir.path, "pipe.fd", fork_child);
}

static void apiflags_are_whole_words(void **state)
{
	setenv("NDRX_APIFLAGS", " ubf_dupfidok,json_escape\tlast", 1);
	assert_true(ow_apiflag("ubf_dupfidok"));
	assert_true(ow_apiflag("json_escape"));
	assert_true(ow_apiflag("last"));
	assert_false(ow_apiflag("json"));
	assert_false(ow_apiflag("escape"));
	assert_false(ow_apiflag("lastly"));
	setenv("NDRX_APIFLAGS", "", 1);
	assert_false(ow_apiflag("last"));
	unsetenv("NDRX_APIFLAGS");
	assert_false(ow_apiflag("last"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_made_of_type_and_number),
		T(types_of_embedded_buffers_may_end_in_32),
		T(names_and_ids_are_found),
		T(unset_variables_give_bftopen_until_they_are_set),
		T(variables_of_fml32_are_used_if_others_are_unset),
		T(a_missing_table_is_named_where_a_field_is_not_found),
		T(a_full_path_is_not_searched_in_folders),
		T(without_variables_fld_tbl_and_the_current_folder_are_taken),
		T(tables_of_fml32_add_what_the_others_do_not_have),
		T(messages_on_malformed_tables_name_file_and_line),
		T(duplicate_ids_are_allowed_by_apiflags),
		T(threads_load_the_first_table_together),
		T(a_child_forked_while_tables_load_does_not_hang),
		cmocka_unit_test(apiflags_are_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
