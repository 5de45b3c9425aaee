/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_flddb.c - the field data base that processes share
 */
#include "tests/unit/libubf/ubf_test.h"

#include <exdb.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/libubf/tmpdir.h"

#define CN(name) ((char *)(name))
#define ID_A ((BFLDID)(BFLD_STRING << 25 | 77))

static struct tmpdir dir;
static char folder[200];

static int setup(void **state)
{
	if (tmpdir_make(&dir) < 0 ||
	    tmpdir_write(&dir, "t.fd", "T_FILE 5 long\n") < 0)
		return -1;
	snprintf(folder, sizeof(folder), "%s/db", dir.path);
	setenv("NDRX_UBFDB", folder, 1);
	setenv("FLDTBLDIR", dir.path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	return 0;
}

static int teardown(void **state)
{
	Bflddbunlink();
	setenv("NDRX_UBFDB", folder, 1);
	Bflddbunlink();
	rmdir(folder);
	tmpdir_remove(&dir);
	return 0;
}

static void assert_fails(int r, int error, const char *says)
{
	assert_int_equal(r, -1);
	assert_int_equal(Berror, error);
	if (strstr(Bstrerror(Berror), says) == NULL)
		fail_msg("'%s' does not say '%s'", Bstrerror(Berror), says);
}

static int add(const char *name, short type, BFLDID no)
{
	return Bflddbadd(NULL, type, no, CN(name));
}

static void without_a_folder_there_is_no_data_base(void **state)
{
	EDB_dbi *ids, *names;

	unsetenv("NDRX_UBFDB");
	assert_int_equal(Bflddbload(), 0);
	assert_int_equal(Bflddbunload(), 0);
	assert_int_equal(Bflddbid(CN("A")), BBADFLDID);
	assert_int_equal(Berror, BFTOPEN);
	assert_null(Bflddbname(ID_A));
	assert_int_equal(Berror, BFTOPEN);
	assert_null(Bfldddbgetenv(&ids, &names));
	assert_int_equal(Berror, BFTOPEN);
	assert_fails(add("A", BFLD_STRING, 77), BFTOPEN, "NDRX_UBFDB");
	assert_fails(Bflddbunlink(), BFTOPEN, "NDRX_UBFDB");
}

static void a_field_is_added_found_and_deleted(void **state)
{
	assert_int_equal(Bflddbload(), 1);
	assert_int_equal(Bflddbid(CN("A")), BBADFLDID);
	assert_int_equal(Berror, BBADNAME);
	assert_int_equal(add("A", BFLD_STRING, 77), 0);
	assert_int_equal(Bflddbid(CN("A")), ID_A);
	assert_string_equal(Bflddbname(ID_A), "A");
	assert_int_equal(Bflddbdel(NULL, ID_A), 0);
	assert_fails(Bflddbdel(NULL, ID_A), BNOTPRES, "Bflddbdel");
	assert_null(Bflddbname(ID_A));
	assert_int_equal(Berror, BBADFLD);
	assert_int_equal(Bflddbid(CN("A")), BBADFLDID);
}

static void a_name_or_id_that_is_taken_is_refused(void **state)
{
	assert_int_equal(add("A", BFLD_STRING, 77), 0);
	assert_int_equal(add("A", BFLD_STRING, 77), 0);
	assert_fails(add("A", BFLD_LONG, 77), BEINVAL, "another field");
	assert_fails(add("B", BFLD_STRING, 77), BEINVAL, "another field");
	assert_int_equal(Bflddbid(CN("B")), BBADFLDID);
	assert_string_equal(Bflddbname(ID_A), "A");
}

static void the_data_base_continues_the_field_tables(void **state)
{
	UBFH *p = Balloc(10, 500);
	char text[200] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_int_equal(add("A", BFLD_STRING, 77), 0);
	assert_int_equal(Bfldid(CN("T_FILE")), Bmkfldid(BFLD_LONG, 5));
	assert_int_equal(Bfldid(CN("A")), ID_A);
	assert_string_equal(Bfname(ID_A), "A");
	assert_int_equal(Bfldid(CN("NONE")), BBADFLDID);
	assert_int_equal(Berror, BBADNAME);
	assert_int_equal(Badds(p, ID_A, CN("x")), 0);
	assert_int_equal(Bfprint(p, f), 0);
	fclose(f);
	assert_string_equal(text, "A\tx\n");
	Bfree(p);
}

/* In a child, in which no field table was loaded before. */
static void the_data_base_alone_is_enough(void **state)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		unsetenv("FLDTBLDIR");
		unsetenv("FIELDTBLS");
		_exit(add("A", BFLD_STRING, 77) == 0 &&
		      Bfldid(CN("A")) == ID_A ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void what_another_process_adds_is_known_at_once(void **state)
{
	int status = -1;
	pid_t pid;

	assert_int_equal(Bflddbload(), 1);
	assert_int_equal(Bfldid(CN("A")), BBADFLDID);
	pid = fork();
	if (pid == 0)
		_exit(add("A", BFLD_STRING, 77) == 0 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(Bfldid(CN("A")), ID_A);
	assert_int_equal(Bflddbunload(), 0);
	assert_int_equal(Bfldid(CN("A")), ID_A);
}

/* The child is killed with the lock of the writer, and a change begun. */
static void a_writer_that_is_killed_leaves_what_was_there(void **state)
{
	EDB_dbi *ids, *names;
	EDB_txn *txn;
	int status;
	pid_t pid;

	assert_int_equal(add("A", BFLD_STRING, 77), 0);
	pid = fork();
	if (pid == 0) {
		EDB_env *env = Bfldddbgetenv(&ids, &names);

		if (env == NULL || edb_txn_begin(env, NULL, 0, &txn) != 0 ||
		    Bflddbdrop(txn) != 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(Bflddbid(CN("A")), ID_A);
	assert_int_equal(add("B", BFLD_LONG, 78), 0);
}

static void changes_of_a_transaction_come_together(void **state)
{
	EDB_dbi *ids, *names;
	EDB_env *env = Bfldddbgetenv(&ids, &names);
	EDB_txn *txn;

	assert_non_null(env);
	assert_int_equal(edb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(Bflddbadd(txn, BFLD_STRING, 77, CN("A")), 0);
	assert_fails(Bflddbadd(txn, BFLD_LONG, 77, CN("A")), BEINVAL, "A");
	assert_int_equal(Bflddbadd(txn, BFLD_LONG, 78, CN("B")), 0);
	assert_int_equal(Bflddbid(CN("A")), BBADFLDID);
	assert_int_equal(edb_txn_commit(txn), 0);
	assert_int_equal(Bflddbid(CN("A")), ID_A);
	assert_int_equal(edb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(Bflddbdel(txn, ID_A), 0);
	edb_txn_abort(txn);
	assert_int_equal(Bflddbid(CN("A")), ID_A);
	assert_int_equal(Bflddbdrop(NULL), 0);
	assert_int_equal(Bflddbid(CN("A")), BBADFLDID);
}

static void a_cursor_lists_fields_in_both_tables(void **state)
{
	EDB_dbi *ids, *names;
	EDB_env *env = Bfldddbgetenv(&ids, &names);
	char name[UBFFLDMAX + 1];
	EDB_val key, data;
	EDB_cursor *c;
	EDB_txn *txn;
	BFLDID id, no;
	short type;

	assert_int_equal(add("B", BFLD_STRING, 77), 0);
	assert_int_equal(add("A", BFLD_VIEW, 1), 0);
	assert_int_equal(edb_txn_begin(env, NULL, EDB_RDONLY, &txn), 0);
	assert_int_equal(edb_cursor_open(txn, *ids, &c), 0);
	assert_int_equal(edb_cursor_get(c, &key, &data, EDB_FIRST), 0);
	assert_int_equal(Bflddbget(&data, &id, &no, &type, name,
				   sizeof(name)), 0);
	assert_int_equal(id, ID_A);
	assert_int_equal(no, 77);
	assert_int_equal(type, BFLD_STRING);
	assert_string_equal(name, "B");
	assert_fails(Bflddbget(&data, &id, &no, &type, name, 1), BNOSPACE,
		     "1 bytes");
	assert_int_equal(edb_cursor_get(c, &key, &data, EDB_NEXT), 0);
	assert_int_equal(edb_cursor_get(c, &key, &data, EDB_NEXT),
			 EDB_NOTFOUND);
	edb_cursor_close(c);
	assert_int_equal(edb_cursor_open(txn, *names, &c), 0);
	assert_int_equal(edb_cursor_get(c, &key, &data, EDB_FIRST), 0);
	assert_int_equal(Bflddbget(&data, &id, &no, &type, name,
				   sizeof(name)), 0);
	assert_string_equal(name, "A");
	edb_cursor_close(c);
	edb_txn_abort(txn);
	data = (EDB_val){ 3, name };
	assert_fails(Bflddbget(&data, &id, &no, &type, name, sizeof(name)),
		     BEINVAL, "no field");
	assert_non_null(strstr(edb_strerror(EDB_NOTFOUND), "NOTFOUND"));
}

static void impossible_fields_are_refused(void **state)
{
	char longer[UBFFLDMAX + 2];

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_fails(add(NULL, BFLD_LONG, 1), BEINVAL, "no name");
	assert_fails(add("", BFLD_LONG, 1), BBADNAME, "cannot be");
	assert_fails(add("1A", BFLD_LONG, 1), BBADNAME, "cannot be");
	assert_fails(add(longer, BFLD_LONG, 1), BBADNAME, "cannot be");
	assert_fails(add("A", BFLD_INT, 1), BTYPERR, "7 is not");
	assert_fails(add("A", BFLD_RFU0, 1), BTYPERR, "8 is not");
	assert_fails(add("A", -1, 1), BTYPERR, "-1 is not");
	assert_fails(add("A", 12, 1), BTYPERR, "12 is not");
	assert_fails(add("A", BFLD_LONG, 0), BBADFLD, "0 is not in");
	assert_fails(add("A", BFLD_LONG, 33554432), BBADFLD, "is not in");
	longer[UBFFLDMAX] = '\0';
	assert_int_equal(add(longer, BFLD_LONG, 1), 0);
	assert_int_equal(Bflddbid(longer), Bmkfldid(BFLD_LONG, 1));
	assert_int_equal(Bflddbid(NULL), BBADFLDID);
	assert_int_equal(Berror, BEINVAL);
	assert_int_equal(Bflddbid(CN("")), BBADFLDID);
	assert_int_equal(Berror, BBADNAME);
	assert_null(Bflddbname(BBADFLDID));
	assert_int_equal(Berror, BBADFLD);
}

static void null_is_refused(void **state)
{
	EDB_val data = { 1, folder };
	EDB_dbi *dbi;
	BFLDID id, no;
	char name[9];
	short type;

	assert_null(Bfldddbgetenv(NULL, &dbi));
	assert_int_equal(Berror, BEINVAL);
	assert_null(Bfldddbgetenv(&dbi, NULL));
	assert_int_equal(Berror, BEINVAL);
	assert_fails(Bflddbget(NULL, &id, &no, &type, name, 9), BEINVAL, "");
	assert_fails(Bflddbget(&data, NULL, &no, &type, name, 9), BEINVAL, "");
	assert_fails(Bflddbget(&data, &id, NULL, &type, name, 9), BEINVAL, "");
	assert_fails(Bflddbget(&data, &id, &no, NULL, name, 9), BEINVAL, "");
	assert_fails(Bflddbget(&data, &id, &no, &type, NULL, 9), BEINVAL, "");
	assert_fails(Bflddbget(&data, &id, &no, &type, name, 0), BEINVAL, "");
}

static void files_are_the_users_own(void **state)
{
	char path[300];
	struct stat st;

	assert_int_equal(Bflddbload(), 1);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	snprintf(path, sizeof(path), "%s/data.mdb", folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(Bflddbunlink(), 0);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(chmod(folder, 0770), 0);
	assert_fails(Bflddbload(), BFTOPEN, "others may write there");
	assert_fails(Bflddbunlink(), BFTOPEN, "others may write there");
	assert_int_equal(chmod(folder, 0700), 0);
}

static void what_is_no_folder_of_the_user_is_refused(void **state)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/link", dir.path);
	assert_int_equal(symlink(dir.path, path), 0);
	setenv("NDRX_UBFDB", path, 1);
	assert_fails(Bflddbload(), BEUNIX, "is not a folder");
	setenv("NDRX_UBFDB", "/nowhere/db", 1);
	assert_fails(Bflddbload(), BEUNIX, "No such file");
	if (geteuid() != 0) {
		setenv("NDRX_UBFDB", "/usr", 1);
		assert_fails(Bflddbload(), BFTOPEN, "belongs to another user");
	}
	/* A field of it is not known, and that is all. */
	assert_int_equal(Bfldid(CN("A")), BBADFLDID);
	assert_int_equal(Berror, BBADNAME);
}

static void a_full_data_base_says_so(void **state)
{
	EDB_dbi *ids, *names;
	EDB_env *env = Bfldddbgetenv(&ids, &names);
	char name[UBFFLDMAX + 1];
	EDB_txn *txn;
	int i, r = 0;

	assert_int_equal(add("A", BFLD_STRING, 77), 0);
	assert_int_equal(edb_txn_begin(env, NULL, 0, &txn), 0);
	for (i = 1; i < 2000000 && r == 0; i++) {
		snprintf(name, sizeof(name), "F%063d", i);
		r = Bflddbadd(txn, BFLD_LONG, i, name);
	}
	assert_fails(r, BNOSPACE, "Bflddbadd");
	assert_true(i > 100000);
	edb_txn_abort(txn);
	assert_int_equal(Bflddbid(CN("A")), ID_A);
	assert_int_equal(add("B", BFLD_STRING, 78), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_data_base_alone_is_enough),
		T(without_a_folder_there_is_no_data_base),
		T(a_field_is_added_found_and_deleted),
		T(a_name_or_id_that_is_taken_is_refused),
		T(the_data_base_continues_the_field_tables),
		T(what_another_process_adds_is_known_at_once),
		T(a_writer_that_is_killed_leaves_what_was_there),
		T(changes_of_a_transaction_come_together),
		T(a_cursor_lists_fields_in_both_tables),
		T(impossible_fields_are_refused),
		T(null_is_refused),
		T(files_are_the_users_own),
		T(what_is_no_folder_of_the_user_is_refused),
		T(a_full_data_base_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
