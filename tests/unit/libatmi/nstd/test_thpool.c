/* SPDX-License-Identifier: Apache-2.0 */
/* test_thpool.c - a pool of threads for jobs of an application */
#include <exthpool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <semaphore.h>
#include <cmocka.h>

static int done, begun, ended;
static sem_t gate, inside;

static void add_one(void *arg, int *p_finish_off)
{
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST);
}

static void wait_at_gate(void *arg, int *p_finish_off)
{
	sem_post(&inside);
	sem_wait(&gate);
}

static void finish(void *arg, int *p_finish_off)
{
	*p_finish_off = 1;
}

static int begin(int argc, char **argv)
{
	__atomic_add_fetch(&begun, argc, __ATOMIC_SEQ_CST);
	return 0;
}

static int refuse(int argc, char **argv)
{
	return -1;
}

static void end(void)
{
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static void all_jobs_are_carried_out(void **state)
{
	int ret = 5;
	threadpool pool = ndrx_thpool_init(4, &ret, begin, end, 10, NULL);

	assert_non_null(pool);
	assert_int_equal(ret, 0);
	assert_int_equal(begun, 40);
	done = 0;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(ndrx_thpool_add_work(pool, add_one, &done), 0);
	ndrx_thpool_wait(pool);
	assert_int_equal(done, 1000);
	assert_int_equal(ndrx_thpool_freethreads_nr(pool), 4);
	ndrx_thpool_destroy(pool);
	assert_int_equal(ended, 4);
}

static void jobs_that_wait_are_counted(void **state)
{
	threadpool pool = ndrx_thpool_init(1, NULL, NULL, NULL, 0, NULL);

	sem_init(&gate, 0, 0);
	sem_init(&inside, 0, 0);
	done = 0;
	ndrx_thpool_add_work(pool, wait_at_gate, NULL);
	sem_wait(&inside);
	assert_int_equal(ndrx_thpool_nr_not_working(pool), 0);
	assert_int_equal(ndrx_thpool_add_work2(pool, add_one, &done,
					       NDRX_THPOOL_ONEJOB, 0), 0);
	assert_int_equal(ndrx_thpool_add_work2(pool, add_one, &done,
					       NDRX_THPOOL_ONEJOB, 0),
			 NDRX_THPOOL_ONEJOB);
	sem_post(&gate);
	ndrx_thpool_wait_one(pool);
	ndrx_thpool_wait(pool);
	assert_int_equal(done, 1);
	assert_int_equal(ndrx_thpool_add_work2(pool, add_one, &done, 0, 1), 0);
	assert_int_equal(ndrx_thpool_add_work2(pool, add_one, &done, 0, 1), 0);
	ndrx_thpool_wait(pool);
	assert_int_equal(done, 3);
	ndrx_thpool_destroy(pool);
}

static void a_job_may_end_its_thread(void **state)
{
	threadpool pool = ndrx_thpool_init(2, NULL, NULL, end, 0, NULL);

	ended = 0;
	ndrx_thpool_add_work(pool, finish, NULL);
	ndrx_thpool_wait(pool);
	done = 0;
	for (int i = 0; i < 10; i++)
		ndrx_thpool_add_work(pool, add_one, &done);
	ndrx_thpool_wait(pool);
	assert_int_equal(done, 10);
	ndrx_thpool_destroy(pool);
	assert_int_equal(ended, 2);
}

static void a_thread_that_cannot_begin_is_told(void **state)
{
	int ret = 0;
	threadpool pool = ndrx_thpool_init(2, &ret, refuse, end, 0, NULL);

	ended = 0;
	assert_int_equal(ret, -1);
	ndrx_thpool_destroy(pool);
	assert_int_equal(ended, 0);
	ndrx_thpool_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_jobs_are_carried_out),
		cmocka_unit_test(jobs_that_wait_are_counted),
		cmocka_unit_test(a_job_may_end_its_thread),
		cmocka_unit_test(a_thread_that_cannot_begin_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
