/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_automaton.c - single events of the automaton
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ndrxd/model/sim.h"

static void stop_sends_stop_first_then_the_kill_sequence(void **state)
{
	static const int want[] = { SIGINT, SIGTERM, SIGKILL, SIGKILL };
	struct sim s;
	size_t i;

	sim_init(&s, 1);
	sim_run(&s);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	assert_int_equal(s.au.state, OW_PROC_STOPPING);
	assert_int_equal(s.stops, 1);
	assert_int_equal(s.n_sigs, 0);
	assert_int_equal(s.timer_at - s.now, 3000);
	for (i = 0; i < 4; i++)
		sim_fire(&s);
	assert_int_equal(s.n_sigs, 4);
	assert_memory_equal(s.sigs, want, sizeof(want));
	sim_exit(&s);
	assert_int_equal(s.au.state, OW_PROC_EXITED);
	assert_false(s.timer_on);
}

static void kill_sends_a_signal_at_once(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	ow_auto_event(&s.au, OW_AUTO_KILL);
	assert_int_equal(s.n_sigs, 1);
	assert_int_equal(s.stops, 0);
}

static void back_off_grows_to_its_maximum(void **state)
{
	static const uint64_t want[] = { 100, 300, 500, 700, 900, 1000, 1000 };
	struct sim s;
	size_t i;

	sim_init(&s, 1);
	ow_auto_event(&s.au, OW_AUTO_START);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		sim_exit(&s);
		assert_int_equal(s.au.state, OW_PROC_DIED);
		assert_int_equal(s.timer_event, OW_AUTO_RESPAWN_DUE);
		assert_int_equal(s.timer_at - s.now, want[i]);
		sim_fire(&s);
		assert_true(s.au.crashed);
	}
	assert_int_equal(s.au.exec_seq, 8);
	assert_int_equal(s.au.restarts, 7);
}

static void a_server_that_ran_well_is_restarted_at_once(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	sim_exit(&s);
	sim_fire(&s);
	ow_auto_event(&s.au, OW_AUTO_READY);
	s.now += OW_AUTO_STABLE_MS;
	sim_exit(&s);
	assert_int_equal(s.timer_at, s.now);
	/* It fails again: back-off. */
	sim_fire(&s);
	ow_auto_event(&s.au, OW_AUTO_READY);
	s.now += OW_AUTO_STABLE_MS - 1;
	sim_exit(&s);
	assert_int_equal(s.timer_at - s.now, 300);
}

static void failed_start_keeps_its_reason_and_is_tried_again(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.spawn_fails = OW_PROC_NO_BINARY;
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_int_equal(s.au.state, OW_PROC_NO_BINARY);
	assert_int_equal(s.timer_event, OW_AUTO_RESPAWN_DUE);
	s.spawn_fails = 0;
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
}

static void stop_cancels_a_pending_restart(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	sim_exit(&s);
	assert_true(s.timer_on);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	assert_int_equal(s.au.state, OW_PROC_EXITED);
	assert_false(s.timer_on);
	assert_false(s.au.want);
}

static void without_respawn_a_dead_server_stays_dead(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.respawn = false;
	sim_run(&s);
	assert_false(ow_auto_will_respawn(&s.au));
	sim_exit(&s);
	assert_int_equal(s.au.state, OW_PROC_DIED);
	assert_false(s.timer_on);
}

static void in_maintenance_mode_a_dead_server_stays_down_until_its_end(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	s.au.policy.hold = true;
	assert_false(ow_auto_will_respawn(&s.au));
	sim_exit(&s);
	assert_int_equal(s.au.state, OW_PROC_DIED);
	assert_true(s.au.want && s.au.held);
	assert_false(s.timer_on);
	assert_string_equal(s.au.reason, "not started again: maintenance mode");
	s.au.policy.hold = false;
	ow_auto_event(&s.au, OW_AUTO_RESPAWN_DUE);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
	assert_int_equal(s.au.restarts, 1);
	assert_false(s.au.held);
}

static void maintenance_mode_holds_a_restart_that_was_due(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	sim_exit(&s);
	assert_true(s.timer_on);
	s.au.policy.hold = true;
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_DIED);
	assert_true(s.au.held);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	assert_false(s.au.held || s.au.want);
	assert_int_equal(s.au.state, OW_PROC_EXITED);
}

static void in_maintenance_mode_orders_are_executed_and_nothing_is_killed(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.hold = true;
	sim_run(&s);
	sim_fire(&s); /* ping */
	sim_fire(&s); /* lost */
	assert_int_equal(s.au.state, OW_PROC_RUNNING);
	assert_int_equal(s.n_sigs, 0);
	assert_int_equal(s.pings, 2);
	sim_exit(&s);
	assert_true(s.au.held);
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
	assert_false(s.au.held);
}

static void leaving_server_is_not_restarted(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	ow_auto_event(&s.au, OW_AUTO_LEAVING);
	assert_false(ow_auto_will_respawn(&s.au));
	sim_exit(&s);
	assert_int_equal(s.au.state, OW_PROC_EXITED);
	assert_false(s.timer_on);
}

static void late_start_is_killed_and_tried_again(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_int_equal(s.timer_event, OW_AUTO_START_LATE);
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_RESTARTING);
	assert_int_equal(s.n_sigs, 1);
	sim_exit(&s);
	assert_int_equal(s.au.state, OW_PROC_DIED);
	assert_string_equal(s.au.reason, "not ready within 2000 ms");
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
}

static void late_start_without_autokill_is_waited_for(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.autokill = false;
	ow_auto_event(&s.au, OW_AUTO_START);
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
	assert_true(s.au.late);
	assert_int_equal(s.n_sigs, 0);
	ow_auto_event(&s.au, OW_AUTO_READY);
	assert_int_equal(s.au.state, OW_PROC_RUNNING);
	assert_false(s.au.late);
}

static void unanswered_ping_kills_and_restarts(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	sim_fire(&s);
	assert_int_equal(s.pings, 1);
	ow_auto_event(&s.au, OW_AUTO_PONG);
	assert_int_equal(s.timer_event, OW_AUTO_PING_DUE);
	sim_fire(&s);
	assert_int_equal(s.timer_event, OW_AUTO_PING_LOST);
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_RESTARTING);
	assert_string_equal(s.au.reason, "no answer to ping for 4000 ms");
	sim_exit(&s);
	assert_int_equal(s.timer_at - s.now, 100);
}

static void a_server_at_work_is_looked_at_again_when_its_time_is_over(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	sim_fire(&s);
	s.grace = 700;
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_RUNNING);
	assert_int_equal(s.timer_event, OW_AUTO_PING_LOST);
	assert_int_equal(s.timer_at - s.now, 700);
	assert_int_equal(s.pings, 1);
	ow_auto_event(&s.au, OW_AUTO_PONG);
	assert_int_equal(s.timer_event, OW_AUTO_PING_DUE);
	assert_string_equal(s.au.reason, "");
	sim_fire(&s);
	s.grace = 0;
	sim_fire(&s);
	assert_int_equal(s.au.state, OW_PROC_RESTARTING);
}

/* It spreads the pings of thousands that start together. */
static void first_ping_comes_after_first_ping_ms(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.first_ping_ms = 300;
	sim_run(&s);
	assert_int_equal(s.timer_event, OW_AUTO_PING_DUE);
	assert_int_equal(s.timer_at - s.now, 300);
	sim_fire(&s);
	ow_auto_event(&s.au, OW_AUTO_PONG);
	assert_int_equal(s.timer_event, OW_AUTO_PING_DUE);
	assert_int_equal(s.timer_at - s.now, 1000);
}

static void failures_in_a_row_give_up_with_a_reason(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.restart_tries = 3;
	ow_auto_event(&s.au, OW_AUTO_START);
	sim_exit(&s);
	sim_fire(&s);
	sim_exit(&s);
	assert_false(s.au.gave_up);
	sim_fire(&s);
	snprintf(s.au.reason, sizeof(s.au.reason), "killed by signal 11");
	sim_exit(&s);
	assert_true(s.au.gave_up);
	assert_false(s.au.want);
	assert_false(s.timer_on);
	assert_int_equal(s.au.state, OW_PROC_DIED);
	assert_string_equal(s.au.reason, "killed by signal 11; given up, "
					 "because it failed 3 times in a row");
	/* START again, by a user: failures count from 0. */
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_false(s.au.gave_up);
	sim_exit(&s);
	assert_true(s.timer_on);
}

static void giving_up_without_respawn_names_respawn(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.respawn = false;
	s.spawn_fails = OW_PROC_NO_BINARY;
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_true(s.au.gave_up);
	assert_string_equal(s.au.reason,
			    "given up, because <respawn> is N");
}

static void start_without_the_group_lock_waits_and_is_no_failure(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.unlocked = true;
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_int_equal(s.au.state, OW_PROC_WAITING);
	assert_false(s.timer_on);
	assert_int_equal(s.spawns, 0);
	s.unlocked = false;
	ow_auto_event(&s.au, OW_AUTO_LOCKED);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
	assert_int_equal(s.au.exec_seq, 1);
	assert_int_equal(s.au.failures, 0);
}

static void lost_group_lock_sends_sigkill_then_waits(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.au.policy.respawn = false; /* this is no failure of the server */
	sim_run(&s);
	s.unlocked = true;
	ow_auto_event(&s.au, OW_AUTO_UNLOCKED);
	assert_int_equal(s.n_sigs, 1);
	assert_int_equal(s.sigs[0], SIGKILL);
	sim_exit(&s);
	assert_int_equal(s.au.state, OW_PROC_WAITING);
	assert_true(s.au.want);
	assert_false(s.timer_on);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	assert_int_equal(s.au.state, OW_PROC_NOT_STARTED);
}

static void start_while_stopping_starts_after_the_exit(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_int_equal(s.spawns, 1);
	sim_exit(&s);
	assert_int_equal(s.spawns, 2);
	assert_int_equal(s.au.state, OW_PROC_STARTING);
}

static void stop_is_sent_again_on_hello(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	ow_auto_event(&s.au, OW_AUTO_START);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	ow_auto_event(&s.au, OW_AUTO_HELLO);
	assert_int_equal(s.stops, 2);
}

static void adopted_process_is_not_started_again(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.processes = 1;
	ow_auto_event(&s.au, OW_AUTO_ADOPT);
	ow_auto_event(&s.au, OW_AUTO_READY);
	assert_int_equal(s.au.state, OW_PROC_RUNNING);
	assert_int_equal(s.spawns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    stop_sends_stop_first_then_the_kill_sequence),
		cmocka_unit_test(kill_sends_a_signal_at_once),
		cmocka_unit_test(back_off_grows_to_its_maximum),
		cmocka_unit_test(a_server_that_ran_well_is_restarted_at_once),
		cmocka_unit_test(
		    failed_start_keeps_its_reason_and_is_tried_again),
		cmocka_unit_test(stop_cancels_a_pending_restart),
		cmocka_unit_test(without_respawn_a_dead_server_stays_dead),
		cmocka_unit_test(
			in_maintenance_mode_a_dead_server_stays_down_until_its_end),
		cmocka_unit_test(maintenance_mode_holds_a_restart_that_was_due),
		cmocka_unit_test(
			in_maintenance_mode_orders_are_executed_and_nothing_is_killed),
		cmocka_unit_test(leaving_server_is_not_restarted),
		cmocka_unit_test(late_start_is_killed_and_tried_again),
		cmocka_unit_test(late_start_without_autokill_is_waited_for),
		cmocka_unit_test(first_ping_comes_after_first_ping_ms),
		cmocka_unit_test(unanswered_ping_kills_and_restarts),
		cmocka_unit_test(
		    a_server_at_work_is_looked_at_again_when_its_time_is_over),
		cmocka_unit_test(
		    failures_in_a_row_give_up_with_a_reason),
		cmocka_unit_test(giving_up_without_respawn_names_respawn),
		cmocka_unit_test(
		    start_without_the_group_lock_waits_and_is_no_failure),
		cmocka_unit_test(lost_group_lock_sends_sigkill_then_waits),
		cmocka_unit_test(start_while_stopping_starts_after_the_exit),
		cmocka_unit_test(
		    stop_is_sent_again_on_hello),
		cmocka_unit_test(adopted_process_is_not_started_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
