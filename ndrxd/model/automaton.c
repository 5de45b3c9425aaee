/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.c - the table of a process's life, with its actions
 *
 * An action that changes the state does so last, with enter(): when
 * ops->changed runs, everything else about the new state holds already.
 */
#include "ndrxd/model/automaton.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Lower bounds, where the configured times are 0. */
#define BACKOFF_FLOOR_MS 100u
#define KILL_FLOOR_MS	 10u

typedef void action(struct ow_auto *a);

static void enter(struct ow_auto *a, enum ow_proc_state state)
{
	a->state = state;
	a->t_state = a->ops->now(a);
	a->ops->changed(a);
}

uint64_t ow_auto_backoff_ms(const struct ow_auto *a)
{
	const struct ow_auto_policy *p = &a->policy;
	uint64_t ms = p->restart_min_ms + p->restart_step_ms * a->failures;

	if (ms > p->restart_max_ms)
		ms = p->restart_max_ms;
	if (a->failures > 0 && ms < BACKOFF_FLOOR_MS)
		ms = BACKOFF_FLOOR_MS;
	return ms;
}

/* No further start; append why to the reason. */
static void give_up(struct ow_auto *a)
{
	size_t n = strlen(a->reason);
	char because[64];

	if (!a->policy.respawn)
		snprintf(because, sizeof(because), "<respawn> is N");
	else
		snprintf(because, sizeof(because), "it failed %u times in a "
			 "row", a->failures + 1);
	/* A long reason is cut short. */
	if (n > sizeof(a->reason) - 100)
		n = sizeof(a->reason) - 100;
	snprintf(a->reason + n, sizeof(a->reason) - n,
		 "%sgiven up, because %s", n > 0 ? "; " : "", because);
	a->gave_up = true;
	a->want = false;
}

/* Maintenance mode: it stays down, and wanted. */
static void hold(struct ow_auto *a, enum ow_proc_state why)
{
	static const char text[] = "not started again: maintenance mode";
	size_t n = strlen(a->reason);

	if (strstr(a->reason, text) == NULL && n < sizeof(a->reason) - 100)
		snprintf(a->reason + n, sizeof(a->reason) - n, "%s%s",
			 n > 0 ? "; " : "", text);
	a->ops->timer_off(a);
	a->held = true;
	enter(a, why);
}

/* The process has ended unasked, or could not be made. If it had run well, the
 * next one is started at once: the pause is for those that fail again. */
static void failed(struct ow_auto *a, enum ow_proc_state why, bool ran_well)
{
	uint32_t tries = a->policy.restart_tries;
	bool again = a->want && a->policy.respawn &&
		     (tries == 0 || a->failures + 1 < tries);

	if (again && a->policy.hold) {
		a->crashed = true;
		hold(a, why);
		return;
	}
	if (again) {
		a->ops->timer(a, OW_AUTO_RESPAWN_DUE,
			      ran_well ? 0 : ow_auto_backoff_ms(a));
		a->failures++;
		a->crashed = true;
	} else {
		a->ops->timer_off(a);
		if (a->want)
			give_up(a);
	}
	enter(a, why);
}

/* ---- no process ---- */

static void forget_process(struct ow_auto *a)
{
	a->leaving = false;
	a->late = false;
	a->unlocked = false;
	a->gave_up = a->held = false;
	a->kill_step = 0;
	a->num_term = 0;
	a->t_term = 0;
	a->t_ping = 0;
	a->t_ready = 0;
	a->t_start = a->ops->now(a);
	a->reason[0] = '\0';
}

/* The group is not locked here. */
static void await_lock(struct ow_auto *a)
{
	a->exec_seq = 0;
	a->failures = 0;
	enter(a, OW_PROC_WAITING);
}

static void make(struct ow_auto *a)
{
	enum ow_proc_state why;

	a->ops->timer_off(a);
	forget_process(a);
	a->exec_seq++;
	why = a->ops->spawn(a);
	if (why == OW_PROC_WAITING) {
		await_lock(a);
		return;
	}
	if (why != 0) {
		failed(a, why, false);
		return;
	}
	a->ops->timer(a, OW_AUTO_START_LATE, a->policy.start_max_ms);
	enter(a, OW_PROC_STARTING);
}

static void start(struct ow_auto *a)
{
	a->want = true;
	a->crashed = false;
	a->failures = 0;
	a->exec_seq = 0;
	make(a);
}

static void respawn(struct ow_auto *a)
{
	if (a->policy.hold) {
		hold(a, a->state == OW_PROC_NOT_STARTED ? OW_PROC_DIED
							: a->state);
		return;
	}
	a->restarts++;
	make(a);
}

static void locked(struct ow_auto *a)
{
	if (a->want)
		make(a);
}

/* STOP without a process: cancels a pending start, and settles a server that was
 * given up. What was wanted is done: nothing is amiss any more. */
static void stay_down(struct ow_auto *a)
{
	bool pending = a->want || a->gave_up;

	a->want = false;
	a->gave_up = a->held = false;
	a->failures = 0;
	a->ops->timer_off(a);
	if (pending)
		enter(a, a->state == OW_PROC_DIED ? OW_PROC_EXITED
						  : OW_PROC_NOT_STARTED);
}

static void adopt(struct ow_auto *a)
{
	a->want = true;
	a->crashed = false;
	forget_process(a);
	a->ops->timer(a, OW_AUTO_START_LATE, a->policy.start_max_ms);
	enter(a, OW_PROC_STARTING);
}

/* ---- a process ---- */

static void watch(struct ow_auto *a, uint64_t ms)
{
	if (a->policy.pingtime_ms == 0)
		a->ops->timer_off(a);
	else
		a->ops->timer(a, OW_AUTO_PING_DUE,
			      ms > 0 ? ms : a->policy.pingtime_ms);
}

static void ready(struct ow_auto *a)
{
	a->t_ready = a->ops->now(a);
	a->late = false;
	a->reason[0] = '\0';
	watch(a, a->policy.first_ping_ms);
	enter(a, OW_PROC_RUNNING);
}

static void ping(struct ow_auto *a)
{
	a->ops->timer(a, OW_AUTO_PING_LOST, a->policy.ping_max_ms);
	a->ops->send_ping(a);
}

static void pong(struct ow_auto *a)
{
	a->t_ping = a->ops->now(a);
	a->reason[0] = '\0';
	watch(a, 0);
}

static void leaving(struct ow_auto *a)
{
	a->leaving = true;
}

static void keep(struct ow_auto *a)
{
	a->want = true;
}

/* The next signal of the sequence; after its end SIGKILL, repeated. */
static void next_signal(struct ow_auto *a)
{
	uint64_t ms = a->policy.killtime_ms;
	int sig = SIGKILL;

	if (a->kill_step < 3 && a->policy.killseq[a->kill_step] > 0)
		sig = a->policy.killseq[a->kill_step];
	a->kill_step++;
	a->num_term++;
	a->t_term = a->ops->now(a);
	a->ops->timer(a, OW_AUTO_KILL_DUE,
		      ms < KILL_FLOOR_MS ? KILL_FLOOR_MS : ms);
	a->ops->signal(a, sig);
}

static void kill_to_restart(struct ow_auto *a)
{
	a->kill_step = 0;
	next_signal(a);
	enter(a, OW_PROC_RESTARTING);
}

/* The group may be locked elsewhere at any moment: SIGKILL at once. */
static void unlocked(struct ow_auto *a)
{
	snprintf(a->reason, sizeof(a->reason), "its group lost its lock");
	a->unlocked = true;
	a->kill_step = 3; /* past the sequence: SIGKILL */
	next_signal(a);
	enter(a, OW_PROC_RESTARTING);
}

/* The same where no process is wanted afterwards. */
static void unlocked_for_good(struct ow_auto *a)
{
	a->unlocked = true;
	a->kill_step = 3;
	next_signal(a);
}

static void start_late(struct ow_auto *a)
{
	snprintf(a->reason, sizeof(a->reason), "not ready within %llu ms",
		 (unsigned long long)a->policy.start_max_ms);
	a->late = true;
	if (a->policy.autokill)
		kill_to_restart(a);
	else
		a->ops->changed(a); /* a start in progress goes on */
}

static void deaf(struct ow_auto *a)
{
	snprintf(a->reason, sizeof(a->reason), "no connection to it");
	kill_to_restart(a);
}

static void ping_lost(struct ow_auto *a)
{
	uint64_t ms;

	snprintf(a->reason, sizeof(a->reason), "no answer to ping for %llu ms",
		 (unsigned long long)a->policy.ping_max_ms);
	ms = a->ops->grace != NULL ? a->ops->grace(a) : 0;
	if (ms > 0) /* the ping is still on its way */
		a->ops->timer(a, OW_AUTO_PING_LOST, ms);
	else if (a->policy.autokill && !a->policy.hold)
		kill_to_restart(a);
	else
		ping(a);
}

/* ---- on its way out ---- */

static void stop(struct ow_auto *a)
{
	a->want = false;
	a->kill_step = 0;
	a->ops->timer(a, OW_AUTO_END_LATE, a->policy.end_max_ms);
	a->ops->send_stop(a);
	enter(a, OW_PROC_STOPPING);
}

static void kill_now(struct ow_auto *a)
{
	a->want = false;
	a->kill_step = a->unlocked ? 3 : 0;
	next_signal(a);
	enter(a, OW_PROC_STOPPING);
}

/* STOP while it is being killed to be replaced: no replacement. */
static void stop_for_good(struct ow_auto *a)
{
	a->want = false;
	enter(a, OW_PROC_STOPPING);
}

static void stay_away(struct ow_auto *a)
{
	a->want = false;
}

static void stop_again(struct ow_auto *a)
{
	a->ops->send_stop(a);
}

static void end_late(struct ow_auto *a)
{
	snprintf(a->reason, sizeof(a->reason),
		 "has not ended within %g s (end_max): gets signals",
		 (double)a->policy.end_max_ms / 1000);
	next_signal(a);
}

/* Gone as asked; START may have come since. */
static void ended(struct ow_auto *a)
{
	if (a->want) {
		start(a);
		return;
	}
	a->ops->timer_off(a);
	enter(a, OW_PROC_EXITED);
}

static void gone(struct ow_auto *a)
{
	uint64_t now = a->ops->now(a);
	bool ran_well = a->t_ready != 0 &&
			now - a->t_ready >= OW_AUTO_STABLE_MS;

	if (a->unlocked && a->want) {
		if (a->policy.hold)
			hold(a, OW_PROC_DIED);
		else
			make(a); /* WAITING, if the lock is still lost */
		return;
	}
	if (a->leaving) {
		a->want = false;
		a->ops->timer_off(a);
		enter(a, OW_PROC_EXITED);
		return;
	}
	if (ran_well) {
		a->failures = 0;
		a->exec_seq = 0;
	}
	failed(a, OW_PROC_DIED, ran_well);
}

/* ---- the table ---- */

#define DOWN                                    \
	{                                       \
		[OW_AUTO_START] = start,        \
		[OW_AUTO_STOP] = stay_down,     \
		[OW_AUTO_KILL] = stay_down,     \
		[OW_AUTO_ADOPT] = adopt,        \
		[OW_AUTO_RESPAWN_DUE] = respawn \
	}

static action *const table[OW_PROC_STATE_END][OW_AUTO_EVENT_END] = {
	[OW_PROC_NOT_STARTED] = DOWN,
	[OW_PROC_DIED] = DOWN,
	[OW_PROC_EXITED] = DOWN,
	[OW_PROC_NO_BINARY] = DOWN,
	[OW_PROC_NO_ACCESS] = DOWN,
	[OW_PROC_LIMITS] = DOWN,
	[OW_PROC_ARGS] = DOWN,
	[OW_PROC_ENVIRON] = DOWN,
	[OW_PROC_BAD_FILE] = DOWN,
	[OW_PROC_SYSTEM] = DOWN,
	[OW_PROC_WAITING] = {
		[OW_AUTO_START] = start,
		[OW_AUTO_STOP] = stay_down,
		[OW_AUTO_KILL] = stay_down,
		[OW_AUTO_ADOPT] = adopt,
		[OW_AUTO_LOCKED] = locked,
	},
	[OW_PROC_STARTING] = {
		[OW_AUTO_START] = keep,
		[OW_AUTO_STOP] = stop,
		[OW_AUTO_KILL] = kill_now,
		[OW_AUTO_READY] = ready,
		[OW_AUTO_LEAVING] = leaving,
		[OW_AUTO_EXITED] = gone,
		[OW_AUTO_START_LATE] = start_late,
		[OW_AUTO_DEAF] = deaf,
		[OW_AUTO_UNLOCKED] = unlocked,
	},
	[OW_PROC_RUNNING] = {
		[OW_AUTO_START] = keep,
		[OW_AUTO_STOP] = stop,
		[OW_AUTO_KILL] = kill_now,
		[OW_AUTO_LEAVING] = leaving,
		[OW_AUTO_PONG] = pong,
		[OW_AUTO_EXITED] = gone,
		[OW_AUTO_PING_DUE] = ping,
		[OW_AUTO_PING_LOST] = ping_lost,
		[OW_AUTO_DEAF] = deaf,
		[OW_AUTO_UNLOCKED] = unlocked,
	},
	[OW_PROC_STOPPING] = {
		[OW_AUTO_START] = keep,
		[OW_AUTO_STOP] = stay_away,
		[OW_AUTO_KILL] = kill_now,
		[OW_AUTO_HELLO] = stop_again,
		[OW_AUTO_EXITED] = ended,
		[OW_AUTO_END_LATE] = end_late,
		[OW_AUTO_KILL_DUE] = next_signal,
		[OW_AUTO_UNLOCKED] = unlocked_for_good,
	},
	[OW_PROC_RESTARTING] = {
		[OW_AUTO_START] = keep,
		[OW_AUTO_STOP] = stop_for_good,
		[OW_AUTO_KILL] = kill_now,
		[OW_AUTO_LEAVING] = leaving,
		[OW_AUTO_EXITED] = gone,
		[OW_AUTO_KILL_DUE] = next_signal,
		[OW_AUTO_UNLOCKED] = unlocked,
	},
};

void ow_auto_init(struct ow_auto *a, const struct ow_auto_ops *ops)
{
	memset(a, 0, sizeof(*a));
	a->ops = ops;
	a->state = OW_PROC_NOT_STARTED;
}

bool ow_auto_event(struct ow_auto *a, enum ow_auto_event ev)
{
	action *act = table[a->state][ev];

	if (act != NULL)
		act(a);
	return act != NULL;
}

bool ow_auto_is_down(enum ow_proc_state state)
{
	return table[state][OW_AUTO_ADOPT] != NULL;
}

bool ow_auto_will_respawn(const struct ow_auto *a)
{
	if (a->state == OW_PROC_STOPPING)
		return a->want;
	return a->want && a->policy.respawn && !a->policy.hold && !a->leaving;
}

enum ow_proc_state ow_auto_requested(const struct ow_auto *a)
{
	return a->want ? OW_PROC_RUNNING : OW_PROC_EXITED;
}
