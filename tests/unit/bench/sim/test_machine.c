/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_machine.c - CPUs, run queues and sleeps of a computed machine
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/sim/machine.h"

#define US   1000
#define MS   1000000
#define BUSY (100 * (uint64_t)MS)

/* Computes in pieces of 10 us for `left` ns, then sleeps for ever. */
struct worker {
	struct sim_proc proc;
	uint64_t left, end;
};

static struct sim_act work(struct sim_machine *m, void *self)
{
	struct worker *w = self;

	if (w->left == 0) {
		w->end = sim_now(m);
		return (struct sim_act){ SIM_SLEEP, SIM_NEVER };
	}
	w->left -= 10 * US;
	return (struct sim_act){ SIM_RUN, 10 * US };
}

static struct sim_machine *machine(uint32_t cpus)
{
	struct sim_costs costs = { .idle_wake = 20 * US, .switch_to = US,
				   .yield = 300, .slice = 3 * MS };

	return sim_machine_new(cpus, costs);
}

static void processes_share_the_cpus_fairly(void **state)
{
	struct sim_machine *m = machine(2);
	struct worker w[4];
	uint64_t begin = sim_now(m);
	int i;

	for (i = 0; i < 4; i++) {
		w[i].left = BUSY;
		sim_start(m, &w[i].proc, work, &w[i]);
	}
	sim_run(m, begin + 10 * BUSY);
	for (i = 0; i < 4; i++) {
		assert_in_range(w[i].proc.used_ns, BUSY, BUSY);
		assert_in_range(w[i].end - begin, 2 * BUSY - 6 * MS,
				2 * BUSY + MS);
	}
	sim_machine_free(m);
}

/* Sleeps until it is woken, and says when it ran. */
static struct sim_act wait_once(struct sim_machine *m, void *self)
{
	struct worker *w = self;

	w->end = sim_now(m);
	return (struct sim_act){ SIM_SLEEP, SIM_NEVER };
}

static void a_woken_process_runs_when_its_cpu_comes_out_of_idleness(
    void **state)
{
	struct sim_machine *m = machine(1);
	struct worker w;
	uint64_t t;

	sim_start(m, &w.proc, wait_once, &w);
	sim_run(m, sim_now(m) + MS);
	t = sim_now(m);
	sim_wake(m, &w.proc);
	sim_wake(m, &w.proc); /* it is awake: no effect */
	sim_run(m, t + MS);
	assert_int_equal(w.end, t + 20 * US);
	sim_machine_free(m);
}

static void a_woken_process_waits_for_the_end_of_a_slice(void **state)
{
	struct sim_machine *m = machine(1);
	struct worker w, hog = { .left = BUSY };
	uint64_t t;

	sim_start(m, &w.proc, wait_once, &w);
	sim_run(m, sim_now(m) + MS);
	t = sim_now(m);
	sim_start(m, &hog.proc, work, &hog);
	sim_run(m, t + MS);
	sim_wake(m, &w.proc);
	sim_run(m, t + 2 * BUSY);
	assert_in_range(w.end, t + 3 * MS, t + 3 * MS + 50 * US);
	sim_machine_free(m);
}

static struct sim_act nap(struct sim_machine *m, void *self)
{
	struct worker *w = self;

	w->left++;
	return (struct sim_act){ SIM_SLEEP, sim_now(m) + 10 * MS };
}

static void a_stopped_process_runs_when_it_is_continued(void **state)
{
	struct sim_machine *m = machine(2);
	struct worker w = { .left = 0 };
	uint64_t begin = sim_now(m);

	sim_start(m, &w.proc, nap, &w);
	sim_run(m, begin + 15 * MS);
	assert_int_equal(w.left, 2);
	sim_stop(m, &w.proc);
	sim_run(m, begin + 100 * MS);
	assert_int_equal(w.left, 2);
	sim_continue(m, &w.proc);
	sim_run(m, begin + 105 * MS);
	assert_int_equal(w.left, 3);
	sim_machine_free(m);
}

static struct sim_act give_way(struct sim_machine *m, void *self)
{
	struct worker *w = self;

	(void)m;
	if (w->left == 0)
		return (struct sim_act){ SIM_SLEEP, SIM_NEVER };
	w->left--;
	return (struct sim_act){ .what = SIM_YIELD };
}

static void who_yields_lets_others_run_first(void **state)
{
	struct sim_machine *m = machine(1);
	struct worker polite = { .left = 2 }, w = { .left = 10 * US };

	sim_start(m, &polite.proc, give_way, &polite);
	sim_start(m, &w.proc, work, &w);
	sim_run(m, sim_now(m) + 40 * US);
	assert_int_equal(polite.left, 0);
	assert_int_not_equal(w.end, 0);
	sim_machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_share_the_cpus_fairly),
		cmocka_unit_test(
		    a_woken_process_runs_when_its_cpu_comes_out_of_idleness),
		cmocka_unit_test(a_woken_process_waits_for_the_end_of_a_slice),
		cmocka_unit_test(a_stopped_process_runs_when_it_is_continued),
		cmocka_unit_test(who_yields_lets_others_run_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
