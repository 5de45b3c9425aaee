/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_automaton.c - the life of a server under a simulator
 *
 * The simulator stands for process, timer and connection of one server. Time
 * is a number. A random walk with a fixed seed raises every event in every
 * state that reality can bring about, and some that it cannot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ndrxd/automaton.h"

#define STEPS 3000000 /* OW_STEPS, OW_SEED: other walks */
#define SEEDS 30

struct sim {
	struct ow_auto au; /* first */
	uint64_t now;
	int processes;
	enum ow_proc_state spawn_fails; /* 0: it works */
	bool unlocked; /* its group must not run here */
	bool timer_on;
	enum ow_auto_event timer_event;
	uint64_t timer_at;
	int sigs[64];
	uint32_t n_sigs;
	uint32_t stops, pings, changes, spawns;
	unsigned int seed;
};

static uint64_t sim_now(struct ow_auto *a)
{
	return ((struct sim *)a)->now;
}

static enum ow_proc_state sim_spawn(struct ow_auto *a)
{
	struct sim *s = (struct sim *)a;

	assert_int_equal(s->processes, 0);
	assert_true(a->want);
	s->n_sigs = 0;
	if (s->unlocked)
		return OW_PROC_WAITING;
	s->spawns++;
	if (s->spawn_fails != 0)
		return s->spawn_fails;
	s->processes++;
	return 0;
}

static void sim_signal(struct ow_auto *a, int sig)
{
	struct sim *s = (struct sim *)a;

	assert_int_equal(s->processes, 1);
	if (s->n_sigs < 64)
		s->sigs[s->n_sigs++] = sig;
}

static void sim_order_stop(struct ow_auto *a)
{
	((struct sim *)a)->stops++;
}

static void sim_ping(struct ow_auto *a)
{
	((struct sim *)a)->pings++;
}

static void sim_timer(struct ow_auto *a, enum ow_auto_event ev, uint64_t ms)
{
	struct sim *s = (struct sim *)a;

	s->timer_on = true;
	s->timer_event = ev;
	s->timer_at = s->now + ms;
}

static void sim_timer_off(struct ow_auto *a)
{
	((struct sim *)a)->timer_on = false;
}

/* A process exists exactly where the state says so. */
static void sim_changed(struct ow_auto *a)
{
	struct sim *s = (struct sim *)a;

	s->changes++;
	assert_int_equal(s->processes, !ow_auto_is_down(a->state));
}

static const struct ow_auto_ops sim_ops = {
	.now = sim_now,
	.spawn = sim_spawn,
	.signal = sim_signal,
	.order_stop = sim_order_stop,
	.ping = sim_ping,
	.timer = sim_timer,
	.timer_off = sim_timer_off,
	.changed = sim_changed,
};

static void sim_init(struct sim *s, unsigned int seed)
{
	memset(s, 0, sizeof(*s));
	ow_auto_init(&s->au, &sim_ops);
	s->seed = seed;
	s->now = 1000;
	s->au.policy = (struct ow_auto_policy){
		.start_max_ms = 2000,
		.end_max_ms = 3000,
		.killtime_ms = 500,
		.pingtime_ms = 1000,
		.ping_max_ms = 4000,
		.restart_min_ms = 100,
		.restart_step_ms = 200,
		.restart_max_ms = 1000,
		.killseq = { SIGINT, SIGTERM, SIGKILL },
		.autokill = true,
		.respawn = true,
	};
}

/* The process goes, as the kernel would tell it. */
static void sim_exit(struct sim *s)
{
	assert_int_equal(s->processes, 1);
	s->processes = 0;
	ow_auto_event(&s->au, OW_AUTO_EXITED);
}

/* Let the timer fire. */
static void sim_fire(struct sim *s)
{
	assert_true(s->timer_on);
	if (s->now < s->timer_at)
		s->now = s->timer_at;
	s->timer_on = false;
	ow_auto_event(&s->au, s->timer_event);
}

static void sim_run(struct sim *s)
{
	ow_auto_event(&s->au, OW_AUTO_START);
	assert_int_equal(s->au.state, OW_PROC_STARTING);
	ow_auto_event(&s->au, OW_AUTO_HELLO);
	ow_auto_event(&s->au, OW_AUTO_READY);
	assert_int_equal(s->au.state, OW_PROC_RUNNING);
}

/* ---- stories ---- */

static void stop_asks_first_then_follows_the_kill_sequence(void **state)
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

static void stable_running_forgives_failures(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	sim_run(&s);
	sim_exit(&s);
	sim_fire(&s);
	ow_auto_event(&s.au, OW_AUTO_READY);
	s.now += OW_AUTO_STABLE_MS;
	sim_exit(&s);
	assert_int_equal(s.timer_at - s.now, 100);
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
	assert_int_equal(s.au.state, OW_PROC_DIED);
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

static void it_gives_up_after_so_many_failures_and_says_why(void **state)
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
	/* A person says start: it all begins again. */
	ow_auto_event(&s.au, OW_AUTO_START);
	assert_false(s.au.gave_up);
	sim_exit(&s);
	assert_true(s.timer_on);
}

static void without_respawn_the_reason_says_so(void **state)
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

static void a_server_of_an_unlocked_group_waits_without_failing(void **state)
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

static void a_lost_lock_kills_at_once_and_waits_again(void **state)
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

static void stop_order_is_repeated_to_a_server_that_connects_late(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	ow_auto_event(&s.au, OW_AUTO_START);
	ow_auto_event(&s.au, OW_AUTO_STOP);
	ow_auto_event(&s.au, OW_AUTO_HELLO);
	assert_int_equal(s.stops, 2);
}

static void adopted_process_is_not_made_again(void **state)
{
	struct sim s;

	sim_init(&s, 1);
	s.processes = 1;
	ow_auto_event(&s.au, OW_AUTO_ADOPT);
	ow_auto_event(&s.au, OW_AUTO_READY);
	assert_int_equal(s.au.state, OW_PROC_RUNNING);
	assert_int_equal(s.spawns, 0);
}

/* ---- the random walk ---- */

static unsigned int pick(struct sim *s, unsigned int n)
{
	return (unsigned int)rand_r(&s->seed) % n;
}

static void random_event(struct sim *s)
{
	static const enum ow_proc_state results[] = {
		0, 0, 0, OW_PROC_NO_BINARY, OW_PROC_LIMITS, OW_PROC_SYSTEM,
	};
	enum ow_auto_event ev = pick(s, OW_AUTO_EVENT_END);

	s->now += pick(s, 3000);
	s->spawn_fails = results[pick(s, 6)];
	s->au.policy.respawn = pick(s, 8) != 0;
	s->au.policy.autokill = pick(s, 4) != 0;
	s->au.policy.restart_tries = pick(s, 3) == 0 ? 1 + pick(s, 5) : 0;
	switch (ev) {
	case OW_AUTO_LOCKED:
	case OW_AUTO_UNLOCKED:
		if (s->unlocked == (ev == OW_AUTO_UNLOCKED))
			break;
		s->unlocked = !s->unlocked;
		ow_auto_event(&s->au, ev);
		break;
	case OW_AUTO_EXITED:
		if (s->processes == 1)
			sim_exit(s);
		break;
	case OW_AUTO_ADOPT:
		if (s->processes == 0 && !s->unlocked && pick(s, 4) == 0) {
			s->processes = 1;
			ow_auto_event(&s->au, ev);
		}
		break;
	case OW_AUTO_START_LATE:
	case OW_AUTO_PING_DUE:
	case OW_AUTO_PING_LOST:
	case OW_AUTO_END_LATE:
	case OW_AUTO_KILL_DUE:
	case OW_AUTO_RESPAWN_DUE:
		if (s->timer_on)
			sim_fire(s);
		break;
	default:
		ow_auto_event(&s->au, ev);
	}
}

static void check_invariants(const struct sim *s)
{
	bool down = ow_auto_is_down(s->au.state);

	assert_int_equal(s->processes, !down);
	/* Down and wanted: a restart is on the timer, and only then; or it
	 * waits for its group. */
	if (down)
		assert_int_equal(s->timer_on,
				 s->au.want &&
					 s->au.state != OW_PROC_WAITING);
	if (s->au.state == OW_PROC_WAITING)
		assert_true(s->au.want && s->unlocked);
	/* Nothing lives without its group's lock but what SIGKILL is for. */
	if (s->unlocked && s->processes > 0 && s->n_sigs < 64)
		assert_int_equal(s->sigs[s->n_sigs - 1], SIGKILL);
	if (s->au.gave_up) {
		assert_false(s->au.want);
		assert_true(down);
		assert_non_null(strstr(s->au.reason, "given up, because"));
	}
	if (s->timer_on && down)
		assert_int_equal(s->timer_event, OW_AUTO_RESPAWN_DUE);
	/* On its way out nothing but time or the exit is needed. */
	if (s->au.state == OW_PROC_STOPPING ||
	    s->au.state == OW_PROC_RESTARTING)
		assert_true(s->timer_on);
	assert_true(ow_auto_backoff_ms(&s->au) <= 1000);
}

/* From anywhere, STOP leads to the end, even of a deaf process. */
static void check_stop_ends(struct sim *s)
{
	int i;

	ow_auto_event(&s->au, OW_AUTO_STOP);
	for (i = 0; s->processes > 0 && i < 10; i++) {
		sim_fire(s);
		if (s->n_sigs > 0 && s->sigs[s->n_sigs - 1] == SIGKILL)
			sim_exit(s);
	}
	assert_int_equal(s->processes, 0);
	assert_true(ow_auto_is_down(s->au.state));
	assert_false(s->timer_on);
}

/* Signals of one attempt come in the configured order, then SIGKILL. */
static void check_signal_order(const struct sim *s)
{
	static const int seq[] = { SIGINT, SIGTERM, SIGKILL };
	uint32_t n = s->au.kill_step;

	if (n > 0 && n <= s->n_sigs)
		assert_int_equal(s->sigs[s->n_sigs - 1],
				 n <= 3 ? seq[n - 1] : SIGKILL);
}

static void random_walk_keeps_the_invariants(void **state)
{
	const char *steps = getenv("OW_STEPS"), *from = getenv("OW_SEED");
	long n = steps != NULL ? atol(steps) : STEPS, i;
	unsigned int first = from != NULL ? (unsigned int)atol(from) : 1;
	unsigned int seed;
	struct sim s;

	for (seed = first; seed < first + SEEDS; seed++) {
		sim_init(&s, seed);
		for (i = 0; i < n / SEEDS; i++) {
			random_event(&s);
			check_invariants(&s);
			if (s.n_sigs < 64)
				check_signal_order(&s);
			if (pick(&s, 200) == 0)
				check_stop_ends(&s);
		}
		check_stop_ends(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    stop_asks_first_then_follows_the_kill_sequence),
		cmocka_unit_test(kill_sends_a_signal_at_once),
		cmocka_unit_test(back_off_grows_to_its_maximum),
		cmocka_unit_test(stable_running_forgives_failures),
		cmocka_unit_test(
		    failed_start_keeps_its_reason_and_is_tried_again),
		cmocka_unit_test(stop_cancels_a_pending_restart),
		cmocka_unit_test(without_respawn_a_dead_server_stays_dead),
		cmocka_unit_test(leaving_server_is_not_restarted),
		cmocka_unit_test(late_start_is_killed_and_tried_again),
		cmocka_unit_test(late_start_without_autokill_is_waited_for),
		cmocka_unit_test(unanswered_ping_kills_and_restarts),
		cmocka_unit_test(
		    it_gives_up_after_so_many_failures_and_says_why),
		cmocka_unit_test(without_respawn_the_reason_says_so),
		cmocka_unit_test(
		    a_server_of_an_unlocked_group_waits_without_failing),
		cmocka_unit_test(a_lost_lock_kills_at_once_and_waits_again),
		cmocka_unit_test(start_while_stopping_starts_after_the_exit),
		cmocka_unit_test(
		    stop_order_is_repeated_to_a_server_that_connects_late),
		cmocka_unit_test(adopted_process_is_not_made_again),
		cmocka_unit_test(random_walk_keeps_the_invariants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
