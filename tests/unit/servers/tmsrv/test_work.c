/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_work.c - facts about the pools of threads of a tmsrv
 */
#include "servers/tmsrv/work.h"

#include <pthread.h>
#include <unistd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <setjmp.h>

#include <cmocka.h>
#include <xatmi.h>

#include "libatmi/xa/driver.h"

/* What jobs of a test share; its address stands for a struct gather. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool entered, open;
	int done;
};

static struct gate *gate_of(const struct job *j)
{
	return (struct gate *)j->gather;
}

/* Occupies a thread until the gate is open. */
static void wait_at(struct job *j)
{
	struct gate *g = (struct gate *)j->b;

	pthread_mutex_lock(&g->lock);
	g->entered = true;
	pthread_cond_broadcast(&g->change);
	while (!g->open)
		pthread_cond_wait(&g->change, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

static void count(struct job *j)
{
	struct gate *g = gate_of(j);

	pthread_mutex_lock(&g->lock);
	g->done++;
	pthread_cond_broadcast(&g->change);
	pthread_mutex_unlock(&g->lock);
}

static void add(void (*run)(struct job *j), void *gather, void *b)
{
	struct job *j = work_new(run, NULL);

	assert_non_null(j);
	j->gather = gather;
	j->b = b;
	work_add(POOL_BRANCHES, j);
}

static void wait_until(struct gate *g, const bool *flag)
{
	pthread_mutex_lock(&g->lock);
	while (!*flag)
		pthread_cond_wait(&g->change, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

static void let_go(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->open = true;
	pthread_cond_broadcast(&g->change);
	pthread_mutex_unlock(&g->lock);
}

#define GATE { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0 }

static void only_ones_own_job_that_nobody_has_begun_comes_back(void **state)
{
	struct gate busy = GATE, mine = GATE, other = GATE;
	struct job *j;

	(void)state;
	add(wait_at, NULL, &busy); /* the only thread of the pool */
	wait_until(&busy, &busy.entered);
	add(count, &other, NULL);
	add(count, &mine, NULL);
	add(count, &other, NULL);
	j = work_take_back(POOL_BRANCHES, (struct gather *)&mine);
	assert_non_null(j);
	assert_ptr_equal(gate_of(j), &mine);
	free(j);
	assert_null(work_take_back(POOL_BRANCHES, (struct gather *)&mine));
	/* The last of the line came back: the next one finds the new end. */
	j = work_take_back(POOL_BRANCHES, (struct gather *)&other);
	free(j);
	j = work_take_back(POOL_BRANCHES, (struct gather *)&other);
	free(j);
	add(count, &mine, NULL);
	add(count, &mine, NULL);
	let_go(&busy);
	pthread_mutex_lock(&mine.lock);
	while (mine.done < 2)
		pthread_cond_wait(&mine.change, &mine.lock);
	pthread_mutex_unlock(&mine.lock);
	assert_int_equal(other.done, 0);
}

static void add_end(void (*run)(struct job *j), void *gather, void *b,
		    uint64_t since)
{
	struct job *j = work_new(run, NULL);

	assert_non_null(j);
	j->gather = gather;
	j->b = b;
	j->since_ns = since;
	work_add(POOL_ENDS, j);
}

static void note_rm(struct job *j)
{
	((struct gate *)j->b)->open = work_has_rm();
	count(j);
}

static void ends_that_have_waited_long_get_another_thread(void **state)
{
	static struct gate busy = GATE, late = GATE;
	const uint64_t ms = 1000000;

	(void)state;
	add_end(wait_at, NULL, &busy, 1000 * ms); /* the only thread */
	wait_until(&busy, &busy.entered);
	late.open = true;
	add_end(note_rm, &late, &late, 1000 * ms);
	work_look(1100 * ms);
	usleep(50000);
	assert_int_equal(late.done, 0);
	work_look(1101 * ms);
	pthread_mutex_lock(&late.lock);
	while (late.done < 1)
		pthread_cond_wait(&late.change, &late.lock);
	pthread_mutex_unlock(&late.lock);
	assert_false(late.open); /* it leaves the resource manager alone */
	work_look(9000 * ms); /* nobody waits */
	let_go(&busy);
}

static int note_that_it_may(void *arg)
{
	*(bool *)arg = work_has_rm();
	return 17;
}

static void ask(struct job *j)
{
	struct gate *g = (struct gate *)j->b;

	wait_at(j);
	assert_false(work_has_rm());
	g->done = work_with_rm(note_that_it_may, &g->entered);
}

static void *stop(void *arg)
{
	(void)arg;
	work_stop();
	return NULL;
}

/* Also while all threads end. */
static void who_may_not_work_in_the_resource_manager_has_another_ask(
    void **state)
{
	static struct gate busy = GATE, asks = GATE;
	const uint64_t ms = 1000000;
	pthread_t thread;

	(void)state;
	add_end(wait_at, NULL, &busy, 1000 * ms);
	wait_until(&busy, &busy.entered);
	add_end(ask, NULL, &asks, 1000 * ms);
	work_look(9000 * ms);
	wait_until(&asks, &asks.entered);
	asks.entered = false;
	assert_int_equal(pthread_create(&thread, NULL, stop, NULL), 0);
	usleep(50000);
	let_go(&asks);
	let_go(&busy);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(asks.entered);
	assert_int_equal(asks.done, 17);
}

static void what_was_added_is_done_before_the_threads_end(void **state)
{
	struct gate g = GATE;
	int i;

	(void)state;
	for (i = 0; i < 100; i++)
		add(count, &g, NULL);
	work_stop();
	assert_int_equal(g.done, 100);
}

static int start_again(void **state)
{
	(void)state;
	return work_start(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			only_ones_own_job_that_nobody_has_begun_comes_back),
		cmocka_unit_test(
			ends_that_have_waited_long_get_another_thread),
		cmocka_unit_test(
			what_was_added_is_done_before_the_threads_end),
		cmocka_unit_test_setup(
			who_may_not_work_in_the_resource_manager_has_another_ask,
			start_again),
	};

	setenv("NDRX_XA_RES_ID", "1", 1);
	ow_xa_provide(&tmnull_switch);
	if (work_start(1) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
