/* SPDX-License-Identifier: Apache-2.0 */
/* test_nstd.c - what programs for Enduro/X include besides ATMI and UBF */
#include <nstdutil.h>
#include <nstopwatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys_mqueue.h>
#include <sys_unix.h>
#include <thlock.h>
#include <tmenv.h>
#include <ubfutil.h>
#include <xatmi.h>
#include <cmocka.h>

#include "tests/unit/libatmi/scratch.h"

/* ---- ndrstandard.h ---- */

exprivate int give(int what)
{
	int ret = EXSUCCEED;

	if (what == EXTRUE) {
		EXFAIL_OUT(ret);
	}
	ret = 5;
out:
	return ret;
}

static void exfail_out_leaves_by_the_label_out(void **state)
{
	assert_int_equal(give(EXTRUE), EXFAIL);
	assert_int_equal(give(EXFALSE), 5);
}

struct pair {
	char a[3];
	long b;
};

static void sizes_of_arrays_and_members(void **state)
{
	short five[5];

	assert_int_equal(N_DIM(five), 5);
	assert_int_equal(EXOFFSET(struct pair, b), offsetof(struct pair, b));
	assert_int_equal(EXELEM_SIZE(struct pair, a), 3);
	assert_int_equal(NDRX_MIN(2, 3), 2);
	assert_int_equal(NDRX_MAX(2, 3), 3);
#ifdef SYS64BIT
	assert_int_equal(sizeof(void *), 8);
#else
	assert_int_equal(sizeof(void *), 4);
#endif
}

static void a_copied_string_is_cut_and_ended(void **state)
{
	char room[6] = "?????", *all = room;

	NDRX_STRCPY_SAFE(room, "abcdefgh");
	assert_string_equal(room, "abcde");
	NDRX_STRCPY_SAFE_DST(all, "xyz", 3);
	assert_string_equal(room, "xy");
	assert_int_equal(room[4], 'e'); /* no byte beyond the NUL is written */
	NDRX_STRNCPY_SAFE(room, "12345678", 2);
	assert_string_equal(room, "12");
	NDRX_STRNCPY_SAFE(room, "12345678", 20);
	assert_string_equal(room, "12345");
	assert_int_equal(room[5], EXEOS);
}

static void an_appended_string_stays_in_its_room(void **state)
{
	char room[6] = "ab";

	NDRX_STRCAT_S(room, sizeof(room), "cd");
	assert_string_equal(room, "abcd");
	NDRX_STRCAT_S(room, sizeof(room), "efg");
	assert_string_equal(room, "abcde");
	NDRX_STRCAT_S(room, sizeof(room), "h");
	assert_string_equal(room, "abcde");
}

/* ---- nstopwatch.h ---- */

static void a_stopwatch_shows_the_time_since_it_was_set(void **state)
{
	ndrx_stopwatch_t w, v;
	long ms;

	ndrx_stopwatch_reset(&w);
	v = w;
	ndrx_stopwatch_minus(&w, 2500);
	assert_int_equal(ndrx_stopwatch_diff(&v, &w), 2500);
	ms = ndrx_stopwatch_get_delta(&w);
	assert_in_range(ms, 2500, 60000);
	assert_int_equal(ndrx_stopwatch_get_delta_sec(&w), ms / 1000);
	ndrx_stopwatch_plus(&w, 2500);
	assert_int_equal(ndrx_stopwatch_diff(&v, &w), 0);
	assert_true(w.t.tv_nsec >= 0 && w.t.tv_nsec < 1000000000);
}

static void a_timer_in_the_future_shows_a_negative_time(void **state)
{
	ndrx_stopwatch_t w;

	ndrx_stopwatch_timer_set(&w, 60999);
	assert_true(ndrx_stopwatch_get_delta(&w) < 0);
	ndrx_stopwatch_timer_set(&w, -60999);
	assert_true(ndrx_stopwatch_get_delta(&w) >= 60999);
	assert_true(w.t.tv_nsec >= 0 && w.t.tv_nsec < 1000000000);
}

static void a_duration_as_text_has_two_units(void **state)
{
	ndrx_stopwatch_t w;
	char *first, *second;

	ndrx_stopwatch_timer_set(&w, -125500);
	first = ndrx_stopwatch_decode(&w, 0);
	assert_string_equal(first, "2m 5s");
	ndrx_stopwatch_timer_set(&w, 7250100);
	second = ndrx_stopwatch_decode(&w, 1);
	assert_string_equal(second, "-2h 0m");
	assert_string_equal(first, "2m 5s"); /* another slot */
	ndrx_stopwatch_timer_set(&w, -1050);
	assert_memory_equal(ndrx_stopwatch_decode(&w, 99), "1s ", 3);
}

/* ---- nstdutil.h ---- */

static void files_are_found(void **state)
{
	char *dir = scratch_dir, path[128];

	snprintf(path, sizeof(path), "%s", scratch_path("x"));
	assert_int_equal(ndrx_file_exists(path), EXFALSE);
	fclose(fopen(path, "w"));
	assert_int_equal(ndrx_file_exists(path), EXTRUE);
	assert_int_equal(ndrx_file_regular(path), EXTRUE);
	assert_int_equal(ndrx_file_exists(dir), EXTRUE);
	assert_int_equal(ndrx_file_regular(dir), EXFALSE);
}

static void the_time_has_seconds_and_microseconds(void **state)
{
	time_t before = time(NULL);
	long sec = 0, usec = -1;

	ndrx_utc_tstamp2(&sec, &usec);
	assert_in_range(sec, before, time(NULL) + 1);
	assert_in_range(usec, 0, 999999);
}

static void a_threads_stack_is_as_large_as_the_limit(void **state)
{
	struct rlimit limit;
	pthread_attr_t attr;
	size_t size = 0, usual = 0;

	assert_int_equal(getrlimit(RLIMIT_STACK, &limit), 0);
	pthread_attr_init(&attr);
	pthread_attr_getstacksize(&attr, &usual);
	ndrx_platf_stack_set(&attr);
	pthread_attr_getstacksize(&attr, &size);
	assert_int_equal(size, limit.rlim_cur == RLIM_INFINITY
				   ? usual
				   : limit.rlim_cur);
	pthread_attr_destroy(&attr);
}

static void figures_of_a_benchmark_are_appended(void **state)
{
	const char *path = scratch_path("bench");
	char *text;

	unsetenv("NDRX_BENCH_FILE");
	assert_int_equal(ndrx_bench_write_stats(1, 2), EXFAIL);
	setenv("NDRX_BENCH_FILE", path, 1);
	setenv("NDRX_BENCH_CONFIGNAME", "two words", 1);
	assert_int_equal(ndrx_bench_write_stats(1024, 100000.4), EXSUCCEED);
	assert_int_equal(ndrx_bench_write_stats(2048, 5), EXSUCCEED);
	text = scratch_read(path);
	assert_string_equal(text, "\"two words\" 1024 100000\n"
				  "\"two words\" 2048 5\n");
	free(text);
	setenv("NDRX_BENCH_FILE", "/nonexistent/file", 1);
	assert_int_equal(ndrx_bench_write_stats(1, 2), EXFAIL);
}

static void strings_are_looked_at(void **state)
{
	char line[] = "abca\r\n", plain[] = "x";

	ndrx_chomp(line);
	assert_string_equal(line, "abca");
	ndrx_chomp(plain);
	assert_string_equal(plain, "x");
	assert_int_equal(ndrx_nr_chars(line, 'a'), 2);
	assert_int_equal(ndrx_isint((char *)"-12"), EXTRUE);
	assert_int_equal(ndrx_isint((char *)"12a"), EXFALSE);
	assert_int_equal(ndrx_isint((char *)"-"), EXFALSE);
}

static void memory_is_that_of_the_c_library(void **state)
{
	long *many = NDRX_CALLOC(2, sizeof(*many));
	char *copy = NDRX_STRDUP("ab"), *room = NDRX_MALLOC(2);

	assert_non_null(many);
	assert_int_equal(many[1], 0);
	assert_string_equal(copy, "ab");
	room = NDRX_REALLOC(room, 100000);
	assert_non_null(room);
	room[99999] = 'x';
	NDRX_LOG_EARLY(log_debug, "%d bytes", 100000);
	free(room);
	NDRX_FREE(copy);
	NDRX_FREE(many);
}

static int allocate(size_t size)
{
	char *copy = NULL, *room = NULL;
	long *many = NULL;
	int ret = EXSUCCEED;

	NDRX_STRDUP_OUT(copy, "text");
	assert_string_equal(copy, "text");
	NDRX_CALLOC_OUT(many, 4, sizeof(*many), long);
	assert_int_equal(many[3], 0);
	NDRX_MALLOC_OUT(room, size, char);
out:
	NDRX_FREE(copy);
	NDRX_FREE(many);
	NDRX_FREE(room);
	return ret;
}

static void memory_that_is_not_there_ends_at_the_label_out(void **state)
{
	setenv("NDRX_ULOG", scratch_dir, 1);
	assert_int_equal(allocate(10), EXSUCCEED);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	/* They end a program that asks for so much. */
	assert_int_equal(allocate(PTRDIFF_MAX), EXFAIL);
#endif
}

/* ---- thlock.h, ubfutil.h, xatmi.h ---- */

static long counter;

static void *count(void *arg)
{
	int i;

	for (i = 0; i < 20000; i++) {
		MUTEX_LOCK;
		counter++;
		MUTEX_UNLOCK;
	}
	return arg;
}

static void one_thread_at_a_time_is_between_lock_and_unlock(void **state)
{
	pthread_t t[3];
	size_t i;

	for (i = 0; i < N_DIM(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, count, NULL), 0);
	for (i = 0; i < N_DIM(t); i++)
		pthread_join(t[i], NULL);
	assert_int_equal(counter, 60000);
}

static void a_mutex_variable_is_locked_and_unlocked(void **state)
{
	static MUTEX_LOCKDECL(m);

	MUTEX_LOCK_V(m);
	assert_int_not_equal(MUTEX_TRYLOCK_V(m), 0);
	MUTEX_UNLOCK_V(m);
	assert_int_equal(MUTEX_TRYLOCK_V(m), 0);
	MUTEX_UNLOCK_V(m);
}

static void a_buffer_is_dumped_into_the_log_of_ndrx(void **state)
{
	char buffer[1024], conf[192], *text;
	const char *path = scratch_path("dump.log");
	UBFH *p_ub = (UBFH *)buffer;

	snprintf(conf, sizeof(conf), "file=%s", path);
	assert_int_equal(tplogconfig(LOG_FACILITY_NDRX, log_debug, conf, "",
				     ""), EXSUCCEED);
	assert_int_equal(Binit(p_ub, sizeof(buffer)), EXSUCCEED);
	assert_int_equal(CBadd(p_ub, Bmkfldid(BFLD_LONG, 100), (char *)"77", 0,
			       BFLD_STRING), EXSUCCEED);
	ndrx_debug_dump_UBF(log_debug, (char *)"the title", p_ub);
	ndrx_debug_dump_UBF(log_dump, (char *)"not this", p_ub);
	text = scratch_read(path);
	assert_non_null(strstr(text, "the title"));
	assert_non_null(strstr(text, "\t77"));
	assert_null(strstr(text, "not this"));
	free(text);
}

static int NDRX_INTEGRA(tpsvrinit)(int argc, char **argv)
{
	return argc;
}

static void integra_is_a_name_of_its_own(void **state)
{
	assert_int_equal(__tpsvrinit__(3, NULL), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exfail_out_leaves_by_the_label_out),
		cmocka_unit_test(sizes_of_arrays_and_members),
		cmocka_unit_test(a_copied_string_is_cut_and_ended),
		cmocka_unit_test(an_appended_string_stays_in_its_room),
		cmocka_unit_test(a_stopwatch_shows_the_time_since_it_was_set),
		cmocka_unit_test(a_timer_in_the_future_shows_a_negative_time),
		cmocka_unit_test(a_duration_as_text_has_two_units),
		cmocka_unit_test(files_are_found),
		cmocka_unit_test(the_time_has_seconds_and_microseconds),
		cmocka_unit_test(a_threads_stack_is_as_large_as_the_limit),
		cmocka_unit_test(figures_of_a_benchmark_are_appended),
		cmocka_unit_test(strings_are_looked_at),
		cmocka_unit_test(memory_is_that_of_the_c_library),
		cmocka_unit_test(
		    memory_that_is_not_there_ends_at_the_label_out),
		cmocka_unit_test(
		    one_thread_at_a_time_is_between_lock_and_unlock),
		cmocka_unit_test(a_mutex_variable_is_locked_and_unlocked),
		cmocka_unit_test(a_buffer_is_dumped_into_the_log_of_ndrx),
		cmocka_unit_test(integra_is_a_name_of_its_own),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
