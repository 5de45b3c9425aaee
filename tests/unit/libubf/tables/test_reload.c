/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reload.c - field tables that change while a process runs
 *
 * The library checks the files once a second at most, so the tests ask again
 * until a deadline. They depend on each other and run in one process.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "tests/unit/libubf/tmpdir.h"

#define DEADLINE_S 20

static struct tmpdir dir;

static int setup(void **state)
{
	if (tmpdir_make(&dir) < 0 ||
	    tmpdir_write(&dir, "t.fd", "FIRST 1 long\n") < 0)
		return -1;
	setenv("FLDTBLDIR", dir.path, 1);
	setenv("FIELDTBLS", "t.fd,later.fd", 1);
	return 0;
}

static int teardown(void **state)
{
	tmpdir_remove(&dir);
	return 0;
}

static BFLDID id_of(const char *name)
{
	return Bfldid((char *)name);
}

/* Ask for a name until it is known. */
static BFLDID wait_for(const char *name)
{
	const struct timespec pause = { 0, 20000000 };
	time_t end = time(NULL) + DEADLINE_S;
	BFLDID id;

	while ((id = id_of(name)) == BBADFLDID && time(NULL) < end) {
		/* BFTOPEN: later.fd is missing at first. */
		assert_true(Berror == BBADNAME || Berror == BFTOPEN);
		nanosleep(&pause, NULL);
	}
	return id;
}

static void a_new_field_is_found_without_a_restart(void **state)
{
	char *first;

	assert_int_equal(id_of("SECOND"), BBADFLDID);
	first = Bfname(ID(BFLD_LONG, 1));
	assert_string_equal(first, "FIRST");
	tmpdir_write(&dir, "t.fd", "FIRST 1 long\nSECOND 2 string\n");
	assert_int_equal(wait_for("SECOND"), ID(BFLD_STRING, 2));
	assert_int_equal(id_of("FIRST"), ID(BFLD_LONG, 1));
	assert_string_equal(Bfname(ID(BFLD_STRING, 2)), "SECOND");
	/* Names returned before stay valid. */
	assert_string_equal(first, "FIRST");
}

static void a_table_file_that_appears_is_read(void **state)
{
	char *tree;

	tmpdir_write(&dir, "later.fd", "THIRD 3 long\n");
	assert_int_equal(wait_for("THIRD"), ID(BFLD_LONG, 3));
	tree = Bboolco((char *)"THIRD > SECOND");
	assert_non_null(tree);
	Btreefree(tree);
}

/* Ask for more than a second, so that the files have been checked. */
static void nosuch_is_unknown_after_a_look(void)
{
	const struct timespec pause = { 0, 20000000 };
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		assert_int_equal(id_of("NOSUCH"), BBADFLDID);
		assert_int_equal(Berror, BBADNAME);
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - from.tv_sec < 2);
}

static void faulty_and_missing_files_keep_the_old_tables(void **state)
{
	tmpdir_write(&dir, "t.fd", "NOSUCH 1 long\nSECOND\n");
	nosuch_is_unknown_after_a_look();
	assert_int_equal(id_of("SECOND"), ID(BFLD_STRING, 2));
	unlink(tmpdir_file(&dir, "t.fd"));
	nosuch_is_unknown_after_a_look();
	assert_int_equal(id_of("SECOND"), ID(BFLD_STRING, 2));
	tmpdir_write(&dir, "t.fd", "FIRST 1 long\nFOURTH 4 char\n");
	assert_int_equal(wait_for("FOURTH"), ID(BFLD_CHAR, 4));
	assert_int_equal(id_of("THIRD"), ID(BFLD_LONG, 3));
	assert_int_equal(id_of("SECOND"), BBADFLDID);
}

/* ---- threads ---- */

static void *first_view(void *arg)
{
	Bvnext_state_t state_ = { 0 };
	char name[NDRX_VIEW_CNAME_LEN + 1], cs[64];
	char *v = (char *)"V";
	long failed = Bvsizeof(v) != 16;

	failed += Bvsinit(cs, v) != 0;
	failed += Bvopt((char *)"a", B_OFF, v) != 0;
	failed += Bvnext(&state_, v, name, NULL, NULL, NULL) != 1;
	*(long *)arg = failed + (strcmp(name, "a") != 0);
	return NULL;
}

static void threads_load_the_first_view_together(void **state)
{
	pthread_t threads[4];
	long failed[4];
	int i;

	tmpdir_write(&dir, "t.v", "VIEW V\nlong a - 1 - - -\nchar b - 1 - - -"
		     "\nEND\n");
	setenv("VIEWDIR", dir.path, 1);
	setenv("VIEWFILES", "t.v", 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, first_view,
						&failed[i]), 0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(failed[i], 0);
	}
}

static int stop;

/* Everything that reads the tables, as fast as it can. */
static void *reader(void *arg)
{
	char text[] = "FIRST\t1\n", *name, *tree;
	UBFH *p = Balloc(10, 200);
	long failed = 0;
	FILE *f;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		failed += id_of("FIRST") != ID(BFLD_LONG, 1);
		failed += id_of("NOSUCH") != BBADFLDID;
		name = Bfname(ID(BFLD_LONG, 1));
		failed += name == NULL || strcmp(name, "FIRST") != 0;
		tree = Bboolco((char *)"FIRST == 1");
		failed += tree == NULL;
		Btreefree(tree);
		f = fmemopen(text, strlen(text), "r");
		failed += Binit(p, 200) < 0 || Bextread(p, f) < 0;
		fclose(f);
	}
	Bfree(p);
	*(long *)arg = failed;
	return NULL;
}

static void threads_read_while_tables_change(void **state)
{
	static const char *const names[] = { "FIFTH", "SIXTH", "SEVENTH" };
	pthread_t threads[4];
	long failed[4];
	char table[100];
	int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reader,
						&failed[i]), 0);
	for (i = 0; i < 3; i++) {
		snprintf(table, sizeof(table), "FIRST 1 long\n%s %d long\n",
			 names[i], 5 + i);
		tmpdir_write(&dir, "next.fd", table);
		assert_int_equal(rename(tmpdir_file(&dir, "next.fd"),
					strcat(strcpy(table, dir.path),
					       "/t.fd")), 0);
		assert_int_equal(wait_for(names[i]), ID(BFLD_LONG, 5 + i));
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(failed[i], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_field_is_found_without_a_restart),
		cmocka_unit_test(a_table_file_that_appears_is_read),
		cmocka_unit_test(faulty_and_missing_files_keep_the_old_tables),
		cmocka_unit_test(threads_load_the_first_view_together),
		cmocka_unit_test(threads_read_while_tables_change),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
