/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.c - simulated process, timer and connection of one server
 */
#include "tests/unit/ndrxd/model/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>

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

static void sim_send_stop(struct ow_auto *a)
{
	((struct sim *)a)->stops++;
}

static void sim_send_ping(struct ow_auto *a)
{
	((struct sim *)a)->pings++;
}

static uint64_t sim_grace(struct ow_auto *a)
{
	return ((struct sim *)a)->grace;
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
	.send_stop = sim_send_stop,
	.send_ping = sim_send_ping,
	.grace = sim_grace,
	.timer = sim_timer,
	.timer_off = sim_timer_off,
	.changed = sim_changed,
};

void sim_init(struct sim *s, unsigned int seed)
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

void sim_exit(struct sim *s)
{
	assert_int_equal(s->processes, 1);
	s->processes = 0;
	ow_auto_event(&s->au, OW_AUTO_EXITED);
}

void sim_fire(struct sim *s)
{
	assert_true(s->timer_on);
	if (s->now < s->timer_at)
		s->now = s->timer_at;
	s->timer_on = false;
	ow_auto_event(&s->au, s->timer_event);
}

void sim_run(struct sim *s)
{
	ow_auto_event(&s->au, OW_AUTO_START);
	assert_int_equal(s->au.state, OW_PROC_STARTING);
	ow_auto_event(&s->au, OW_AUTO_HELLO);
	ow_auto_event(&s->au, OW_AUTO_READY);
	assert_int_equal(s->au.state, OW_PROC_RUNNING);
}
