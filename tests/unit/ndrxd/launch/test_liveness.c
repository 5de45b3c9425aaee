/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_liveness.c - which of the domain's processes live, at a bounded cost
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ndrxd/launch/liveness.h"

#define MANY  (OW_LIVENESS_PER_TICK + 100)
#define FILES (MANY + 10)

static pid_t pids[MANY];
static ow_proc_id ids[MANY];

static void start(size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			pause();
			_exit(0);
		}
		assert_true(pids[i] > 0);
		ids[i] = ow_proc_id_make(pids[i], ow_proc_start(pids[i]));
	}
}

static void end(size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		kill(pids[i], SIGKILL);
	for (i = from; i < to; i++)
		waitpid(pids[i], NULL, 0);
}

static size_t count_living(struct ow_liveness *l, size_t n)
{
	size_t i, living = 0;

	for (i = 0; i < n; i++)
		living += ow_liveness_ask(l, ids[i]);
	return living;
}

static size_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static struct ow_liveness *open_liveness(uint32_t files)
{
	struct ow_liveness *l = NULL;

	assert_int_equal(ow_liveness_open(&l), 0);
	ow_liveness_tick(l, files);
	return l;
}

static void a_death_is_known_at_the_next_tick_and_the_zombie_is_dead(void **st)
{
	struct ow_liveness *l = open_liveness(10);

	start(2);
	assert_int_equal(count_living(l, 2), 2);
	assert_int_equal(ow_liveness_unwatched(l), 0);
	kill(pids[0], SIGKILL);
	waitid(P_PID, (id_t)pids[0], &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	ow_liveness_tick(l, 10);
	assert_false(ow_liveness_ask(l, ids[0]));
	assert_true(ow_liveness_ask(l, ids[1]));
	assert_false(ow_liveness_ask(l, ids[0]));
	ow_liveness_tick(l, 10);
	assert_false(ow_liveness_ask(l, ids[0]));
	end(0, 2);
	ow_liveness_close(l);
}

static void a_later_process_of_the_same_number_is_another_one(void **state)
{
	struct ow_liveness *l = open_liveness(10);

	start(1);
	assert_false(
	    ow_liveness_ask(l, ids[0] + ((uint64_t)1 << OW_PROC_PID_BITS)));
	assert_true(ow_liveness_ask(l, ids[0]));
	assert_false(ow_liveness_ask(l, 0));
	end(0, 1);
	ow_liveness_close(l);
}

static void a_crowd_is_looked_up_in_several_ticks(void **state)
{
	struct ow_liveness *l = open_liveness(FILES);
	size_t before = count_descriptors();

	start(MANY);
	assert_int_equal(count_living(l, MANY), MANY);
	assert_int_equal(count_descriptors() - before, OW_LIVENESS_PER_TICK);
	ow_liveness_tick(l, FILES);
	assert_int_equal(count_living(l, MANY), MANY);
	assert_int_equal(count_descriptors() - before, MANY);
	end(0, MANY);
	ow_liveness_tick(l, FILES);
	assert_int_equal(count_living(l, MANY), MANY - OW_LIVENESS_PER_TICK);
	assert_int_equal(count_living(l, MANY), MANY - OW_LIVENESS_PER_TICK);
	ow_liveness_tick(l, FILES);
	assert_int_equal(count_living(l, MANY), 0);
	assert_int_equal(count_descriptors(), before);
	ow_liveness_close(l);
}

static void without_descriptors_each_has_its_turn_in_proc(void **state)
{
	struct ow_liveness *l = open_liveness(0);
	size_t i, living = MANY;

	start(MANY);
	for (i = 0; i < 3; i++) {
		assert_int_equal(count_living(l, MANY), MANY);
		ow_liveness_tick(l, 0);
	}
	assert_int_equal(ow_liveness_unwatched(l), MANY);
	end(0, MANY);
	for (i = 0; i < 6; i++) { /* two rounds, one of them begun */
		size_t now = count_living(l, MANY);

		assert_true(living - now <= OW_LIVENESS_PER_TICK);
		assert_int_equal(count_living(l, MANY), now);
		living = now;
		ow_liveness_tick(l, 0);
	}
	assert_int_equal(living, 0);
	assert_int_equal(ow_liveness_unwatched(l), 0);
	ow_liveness_close(l);
}

static void descriptors_that_others_need_are_given_back(void **state)
{
	struct ow_liveness *l = open_liveness(10);
	size_t before = count_descriptors();

	start(8);
	assert_int_equal(count_living(l, 8), 8);
	assert_int_equal(count_descriptors() - before, 8);
	ow_liveness_tick(l, 3);
	assert_int_equal(count_descriptors() - before, 3);
	assert_int_equal(count_living(l, 8), 8);
	end(0, 8);
	ow_liveness_tick(l, 3);
	assert_int_equal(count_living(l, 8), 0);
	ow_liveness_close(l);
	assert_int_equal(count_descriptors(), before - 1);
}

static void processes_that_nobody_asks_for_are_forgotten(void **state)
{
	struct ow_liveness *l = open_liveness(0);

	start(3);
	assert_int_equal(count_living(l, 3), 3);
	ow_liveness_tick(l, 0);
	assert_true(ow_liveness_ask(l, ids[0]));
	ow_liveness_tick(l, 0);
	assert_int_equal(ow_liveness_unwatched(l), 1);
	end(0, 3);
	ow_liveness_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_death_is_known_at_the_next_tick_and_the_zombie_is_dead),
		cmocka_unit_test(
		    a_later_process_of_the_same_number_is_another_one),
		cmocka_unit_test(a_crowd_is_looked_up_in_several_ticks),
		cmocka_unit_test(without_descriptors_each_has_its_turn_in_proc),
		cmocka_unit_test(descriptors_that_others_need_are_given_back),
		cmocka_unit_test(processes_that_nobody_asks_for_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
