/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_crowd.c - claims about the waking policy, on machines that are computed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/sim/crowd.h"
#include "libatmi/waking/whom.h"

#define US  UINT64_C(1000)
#define MS  UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

static const uint32_t machines[] = { 2, 16, 128 };
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static struct sim_result r, again;

static struct sim_plan on(uint32_t cpus)
{
	struct sim_plan p = sim_plan_usual();

	p.cpus = cpus;
	p.callers = 5 * cpus;
	p.calls = 20000;
	return p;
}

static void the_same_seed_gives_the_same_figures(void **state)
{
	struct sim_plan p = on(16);

	sim_crowd_run(&p, &r);
	sim_crowd_run(&p, &again);
	assert_memory_equal(&r, &again, sizeof(r));
	p.seed = 2;
	sim_crowd_run(&p, &again);
	assert_memory_not_equal(&r, &again, sizeof(r));
}

static void an_idle_crowd_causes_no_wake_ups(void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = on(machines[i]);
		p.servers = 4000;
		p.callers = 0;
		p.calls = 0;
		p.until_ns = 10 * SEC;
		sim_crowd_run(&p, &r);
		assert_int_equal(r.woken, 0);
		/* Each server polls once in 32 seconds. */
		assert_in_range(r.polls, 1000, 1280);
		assert_true(r.cpu * p.cpus < 0.005);
	}
}

static void a_burst_of_short_services_needs_few_servers(void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = on(machines[i]);
		p.load = SIM_BURST;
		p.oneway = true;
		p.callers = 1;
		p.calls = 1000;
		p.exact = true;
		sim_crowd_run(&p, &r);
		assert_int_equal(r.calls, 1000);
		assert_in_range(r.used, 1, 10);
		assert_in_range(r.woken, 1, 1000);
	}
}

static void a_burst_of_long_services_wakes_a_server_for_each_at_most(
    void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = on(machines[i]);
		p.load = SIM_BURST;
		p.oneway = true;
		p.callers = 1;
		p.calls = 100;
		p.service_ns = 5 * MS;
		p.exact = true;
		sim_crowd_run(&p, &r);
		assert_int_equal(r.calls, 100);
		assert_in_range(r.woken, r.used, 100);
		assert_in_range(r.used, p.cpus < 100 ? p.cpus : 90, 100);
	}
}

/* 25 callers for each CPU, whose services compute for 100 us. */
static struct sim_plan computing_on(uint32_t cpus)
{
	struct sim_plan p = on(cpus);

	p.callers = 25 * cpus;
	p.servers = 60 * cpus;
	p.calls = 3000 * (uint64_t)cpus;
	p.service_ns = 100 * US;
	p.exact = true;
	return p;
}

static double servers_ready(const struct sim_result *of)
{
	return (double)of->ready_sum / (double)of->ready_samples;
}

static void of_servers_that_compute_few_more_are_awake_than_cpus(void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = computing_on(machines[i]);
		sim_crowd_run(&p, &r);
		assert_true(servers_ready(&r) <= p.cpus * 1.5 + 2);
		assert_true(r.wait.max < 23 * MS);
		p.waking.standby_ns = 0;
		sim_crowd_run(&p, &again);
		assert_true(servers_ready(&again) >= servers_ready(&r));
		/* No call is lost by it, and none takes longer. */
		assert_true(r.busy_ns <= again.busy_ns + again.busy_ns / 100);
		assert_true(ow_hist_quantile(&r.call, 0.999) <=
			    ow_hist_quantile(&again.call, 0.999));
	}
}

static void no_server_stands_by_where_services_wait(void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = computing_on(machines[i]);
		p.wait_ns = 2 * MS;
		sim_crowd_run(&p, &r);
		assert_int_equal(r.stood_by + r.gave_way, 0);
		/* Of two sorts of requests one waits, one of a hundred. */
		p.service_ns = 10 * US;
		p.wait_ns = 50 * MS;
		p.wait_every = 100;
		sim_crowd_run(&p, &r);
		assert_in_range(r.stood_by + r.gave_way, 0, p.cpus);
	}
}

/* A server that stands by looks each 2 ms: whoever is stopped meanwhile, the
 * call of another caller does not wait for a nudge. */
static void a_stopped_server_of_many_that_compute_holds_up_its_own_call(
    void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = computing_on(machines[i]);
		p.stop_every_ns = 20 * MS;
		p.stop_ns = 100 * MS;
		sim_crowd_run(&p, &r);
		assert_true(r.wait.max < 40 * MS);
	}
}

/* One server at a time is stopped, the one that was woken last. */
static void a_call_waits_for_a_stopped_server_until_the_nudge(void **state)
{
	struct sim_plan p;
	uint64_t seed;
	size_t i;

	for (i = 0; i < MACHINES; i++)
		for (seed = 1; seed <= 2; seed++) {
			p = on(machines[i]);
			p.seed = seed;
			p.callers = 10;
			p.think_ns = 500 * US;
			p.stop_every_ns = 20 * MS;
			p.stop_ns = 100 * MS;
			p.calls = 0;
			p.until_ns = 2 * SEC;
			sim_crowd_run(&p, &r);
			assert_in_range(r.wait.max, 0,
					p.waking.nudge_ns + 2 * MS);
		}
}

/* No caller waits, no other message comes: an idle server polls. */
static void a_message_without_a_caller_waits_for_two_polls_at_most(
    void **state)
{
	struct sim_plan p;
	uint64_t seed;

	for (seed = 1; seed <= 10; seed++) {
		p = on(2);
		p.seed = seed;
		p.oneway = true;
		p.callers = 1;
		p.servers = 4;
		p.think_ns = 3 * SEC;
		p.stop_every_ns = MS;
		p.stop_ns = 10 * SEC;
		p.calls = 0;
		p.until_ns = 60 * SEC;
		sim_crowd_run(&p, &r);
		assert_in_range(r.wait.max, 0, p.waking.poll_ns +
						   p.waking.unsure_ns +
						   5 * MS);
	}
}

static void one_message_wakes_one_server(void **state)
{
	struct sim_plan p;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = on(machines[i]);
		p.callers = 1;
		p.calls = 1000;
		p.think_ns = MS;
		sim_crowd_run(&p, &r);
		assert_int_equal(r.calls, 1000);
		assert_in_range(r.woken, 1000, 1000);
		assert_int_equal(r.in_vain, 0);
		/* The warm one; or another while that goes to sleep. */
		assert_in_range(r.used, 1, 2);
	}
}

static void a_crowd_of_idle_servers_costs_callers_nothing(void **state)
{
	struct sim_plan p = on(2);

	sim_crowd_run(&p, &r);
	p.servers = 4000;
	sim_crowd_run(&p, &again);
	assert_in_range(again.busy_ns, 0, r.busy_ns * 105 / 100);
}

/* ---- looks before a sleep (waking/look.h) ---- */

static void looking_makes_a_lone_call_ten_times_as_quick(void **state)
{
	struct sim_plan p;
	uint64_t without;
	size_t i;

	for (i = 0; i < MACHINES; i++) {
		p = on(machines[i]);
		p.callers = 1;
		p.waking.look_max_ns = 0;
		sim_crowd_run(&p, &r);
		without = ow_hist_quantile(&r.call, 0.5);
		p.waking.look_max_ns = ow_waking_defaults.look_max_ns;
		sim_crowd_run(&p, &r);
		assert_in_range(ow_hist_quantile(&r.call, 0.5), 0,
				without / 10);
	}
}

static void an_idle_crowd_does_not_look(void **state)
{
	struct sim_plan p = on(16);

	p.servers = 1000;
	p.callers = 1;
	p.calls = 100;
	p.think_ns = 20 * MS;
	sim_crowd_run(&p, &r);
	assert_int_equal(r.calls, 100);
	assert_in_range(r.looks, 0, 100); /* of the caller for its reply */
	assert_true(r.looked_ns < r.ns / 100);
}

/* Ten callers on two CPUs, and beside programs that compute. */
static void looking_does_no_harm_where_cpus_are_wanted(void **state)
{
	struct sim_plan p;
	uint32_t hogs;

	for (hogs = 0; hogs <= 2; hogs += 2) {
		p = on(2);
		p.hogs = hogs;
		p.calls = hogs > 0 ? 5000 : 200000;
		p.waking.look_max_ns = 0;
		sim_crowd_run(&p, &r);
		p.waking.look_max_ns = ow_waking_defaults.look_max_ns;
		sim_crowd_run(&p, &again);
		assert_in_range(again.busy_ns, 0, r.busy_ns * 102 / 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_figures),
		cmocka_unit_test(an_idle_crowd_causes_no_wake_ups),
		cmocka_unit_test(
		    a_burst_of_short_services_needs_few_servers),
		cmocka_unit_test(
		    a_burst_of_long_services_wakes_a_server_for_each_at_most),
		cmocka_unit_test(
		    of_servers_that_compute_few_more_are_awake_than_cpus),
		cmocka_unit_test(no_server_stands_by_where_services_wait),
		cmocka_unit_test(
		    a_stopped_server_of_many_that_compute_holds_up_its_own_call),
		cmocka_unit_test(
		    a_call_waits_for_a_stopped_server_until_the_nudge),
		cmocka_unit_test(
		    a_message_without_a_caller_waits_for_two_polls_at_most),
		cmocka_unit_test(one_message_wakes_one_server),
		cmocka_unit_test(a_crowd_of_idle_servers_costs_callers_nothing),
		cmocka_unit_test(looking_makes_a_lone_call_ten_times_as_quick),
		cmocka_unit_test(an_idle_crowd_does_not_look),
		cmocka_unit_test(looking_does_no_harm_where_cpus_are_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
