/* SPDX-License-Identifier: Apache-2.0 */
/* test_tplogsetreqfile.c - log files of requests, 16 threads at once */
#include <pthread.h>
#include <ndebug.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ubf.h>
#include <xatmi.h>

#include "tests/unit/libatmi/log/log_fixture.h"

#define NAME ((BFLDID)(BFLD_STRING << 25 | 402)) /* EX_NREQLOGFILE */
#define THREADS 16
#define ROUNDS 50

static char *ubf(void)
{
	return tpalloc("UBF", NULL, 1024);
}

static void the_argument_names_the_file_and_is_stored(void **state)
{
	char path[256], name[256] = "", *p = ubf();

	snprintf(path, sizeof(path), "%s", scratch_path("a.req"));
	assert_int_equal(tplogsetreqfile(&p, path, NULL), 0);
	TP_LOG(log_info, "in the request");
	assert_int_equal(tploggetreqfile(name, sizeof(name)), 1);
	assert_string_equal(name, path);
	tplogclosereqfile();
	TP_LOG(log_info, "after it");
	assert_int_equal(lines_in(path, "in the request"), 1);
	assert_int_equal(lines_in(path, "after it"), 0);
	assert_int_equal(tploggetbufreqfile(p, name, sizeof(name)), 0);
	assert_string_equal(name, path);
	tpfree(p);
}

static void the_buffer_s_name_goes_before_the_argument(void **state)
{
	char path[256], name[256] = "", *p = ubf();

	snprintf(path, sizeof(path), "%s", scratch_path("b.req"));
	assert_int_equal(Bchg((UBFH *)p, NAME, 0, path, 0), 0);
	assert_int_equal(tplogsetreqfile(&p, "/nonexistent/x", NULL), 0);
	assert_int_equal(tploggetreqfile(name, sizeof(name)), 1);
	assert_string_equal(name, path);
	tplogclosereqfile();
	assert_int_equal(tplogdelbufreqfile(p), 0);
	assert_int_equal(tploggetbufreqfile(p, name, sizeof(name)), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tplogdelbufreqfile(p), 0);
	tpfree(p);
}

static void a_full_buffer_grows(void **state)
{
	char path[256], name[256] = "", *p = ubf();

	while (Badd((UBFH *)p, NAME + 1, "some text that takes room", 0) == 0)
		;
	snprintf(path, sizeof(path), "%s", scratch_path("c.req"));
	assert_int_equal(tplogsetreqfile(&p, path, NULL), 0);
	assert_int_equal(tploggetbufreqfile(p, name, sizeof(name)), 0);
	assert_string_equal(name, path);
	tplogclosereqfile();
	tpfree(p);
}

static void a_name_alone_is_enough(void **state)
{
	char path[256], *none = NULL, *s = tpalloc("STRING", NULL, 10);

	snprintf(path, sizeof(path), "%s", scratch_path("d.req"));
	assert_int_equal(tplogsetreqfile(NULL, path, NULL), 0);
	TP_LOG(log_info, "one");
	assert_int_equal(tplogsetreqfile(&none, path, NULL), 0);
	TP_LOG(log_info, "two");
	assert_int_equal(tplogsetreqfile(&s, path, NULL), 0);
	TP_LOG(log_info, "three");
	tplogclosereqfile();
	assert_int_equal(lines_in(path, "one|two|three"), 3);
	tpfree(s);
}

static void fails(int r, int error)
{
	assert_int_equal(r, -1);
	assert_int_equal(tperrno, error);
}

static void wrong_arguments_are_refused(void **state)
{
	char foreign[8] = "", name[256], *f = foreign, *p = ubf();
	char *s = tpalloc("STRING", NULL, 10);

	fails(tplogsetreqfile(NULL, NULL, NULL), TPEINVAL);
	fails(tplogsetreqfile(&f, "x", NULL), TPEINVAL);
	fails(tplogsetreqfile(&s, NULL, "SVC"), TPEINVAL);
	fails(tplogsetreqfile(&p, NULL, NULL), TPENOENT);
	fails(tplogsetreqfile(&p, "", ""), TPENOENT);
	fails(tplogsetreqfile(NULL, "/proc/no/such/file", NULL), TPEOS);
	fails(tploggetbufreqfile(NULL, name, sizeof(name)), TPEINVAL);
	fails(tploggetbufreqfile(s, name, sizeof(name)), TPEINVAL);
	fails(tploggetbufreqfile(p, name, sizeof(name)), TPENOENT);
	assert_int_equal(Bchg((UBFH *)p, NAME, 0, "name", 0), 0);
	fails(tploggetbufreqfile(p, name, 4), TPEINVAL);
	fails(tploggetbufreqfile(p, NULL, 10), TPEINVAL);
	fails(tplogdelbufreqfile(NULL), TPEINVAL);
	fails(tplogdelbufreqfile(s), TPEINVAL);
	tpfree(p);
	tpfree(s);
}

/* ---- threads ---- */

static void *one_thread(void *arg)
{
	char path[256], *p = ubf();
	long me = (long)(intptr_t)arg;
	int i;

	snprintf(path, sizeof(path), "%s/thread.%ld", scratch_dir, me);
	for (i = 0; i < ROUNDS; i++) {
		if (tplogsetreqfile(&p, path, NULL) != 0)
			abort();
		TP_LOG(log_info, "thread %ld begins round %d.", me, i);
		NDRX_LOG(log_info, "thread %ld of the runtime.", me);
		if (i % 2 == 0)
			tplogdelbufreqfile(p);
		tplogclosereqfile();
		TP_LOG(log_info, "thread %ld is outside.", me);
	}
	tpfree(p);
	return NULL;
}

static void each_thread_has_its_own_file(void **state)
{
	pthread_t t[THREADS];
	char mine[64];
	long i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, one_thread,
						(void *)(intptr_t)i), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < THREADS; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/thread.%ld", scratch_dir, i);
		snprintf(mine, sizeof(mine), "thread %ld (begins|of)", i);
		assert_int_equal(lines_in(path, mine), 2 * ROUNDS);
		assert_int_equal(lines_in(path, "."), 2 * ROUNDS);
	}
	assert_int_equal(lines_like("is outside"), THREADS * ROUNDS);
	assert_int_equal(lines_like("begins|of the runtime"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
		    the_argument_names_the_file_and_is_stored, fresh),
		cmocka_unit_test_setup(
		    the_buffer_s_name_goes_before_the_argument, fresh),
		cmocka_unit_test_setup(a_full_buffer_grows, fresh),
		cmocka_unit_test_setup(a_name_alone_is_enough, fresh),
		cmocka_unit_test_setup(wrong_arguments_are_refused, fresh),
		cmocka_unit_test_setup(each_thread_has_its_own_file, fresh),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
