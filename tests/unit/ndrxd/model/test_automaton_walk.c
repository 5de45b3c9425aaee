/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_automaton_walk.c - random sequences of events of the automaton
 *
 * A random walk with fixed seeds raises every event in every state that is
 * possible with real processes, and in some that are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ndrxd/model/sim.h"

#define STEPS 3000000 /* OW_STEPS, OW_SEED in the environment override */
#define SEEDS 30

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
	s->au.policy.hold = pick(s, 8) == 0;
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
		else if (s->au.held)
			ow_auto_event(&s->au, OW_AUTO_RESPAWN_DUE);
		break;
	default:
		ow_auto_event(&s->au, ev);
	}
}

static void check_invariants(const struct sim *s)
{
	bool down = ow_auto_is_down(s->au.state);

	assert_int_equal(s->processes, !down);
	/* Down: a restart is on the timer exactly if a process is wanted,
	 * not held, and the state is not WAITING. */
	if (down)
		assert_int_equal(s->timer_on,
				 s->au.want && !s->au.held &&
					 s->au.state != OW_PROC_WAITING);
	if (s->au.held)
		assert_true(down && s->au.want);
	if (s->au.state == OW_PROC_WAITING)
		assert_true(s->au.want && s->unlocked);
	/* A process without the lock of its group has been sent SIGKILL. */
	if (s->unlocked && s->processes > 0 && s->n_sigs < 64)
		assert_int_equal(s->sigs[s->n_sigs - 1], SIGKILL);
	if (s->au.gave_up) {
		assert_false(s->au.want);
		assert_true(down);
		assert_non_null(strstr(s->au.reason, "given up, because"));
	}
	if (s->timer_on && down)
		assert_int_equal(s->timer_event, OW_AUTO_RESPAWN_DUE);
	/* A process that is to end has a timer: no other event is needed. */
	if (s->au.state == OW_PROC_STOPPING ||
	    s->au.state == OW_PROC_RESTARTING)
		assert_true(s->timer_on);
	assert_true(ow_auto_backoff_ms(&s->au) <= 1000);
}

/* In every state STOP ends the process, even if it ignores all but SIGKILL. */
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
		cmocka_unit_test(random_walk_keeps_the_invariants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
