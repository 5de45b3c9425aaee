/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.h - the life of one process: state x event -> action
 *
 * The whole policy of starting, watching, ending and restarting a server or
 * client is one table (automaton.c). The table knows no process, socket or
 * clock: its actions call `ops`, which ndrxd and the simulator of the tests
 * implement.
 *
 * States are those that users see (enum ow_proc_state):
 *
 *   "down"      NOT_STARTED, DIED, EXITED and the reasons why a start failed
 *               (NO_BINARY ... SYSTEM): no process; a restart may be pending
 *               on the timer
 *   WAITING     "down" too: a start is wanted, and waits for LOCKED
 *   STARTING    a process that has not said READY
 *   RUNNING     a process that has said READY
 *   STOPPING    a process that is asked to end, for good or (START came
 *               since) to be replaced
 *   RESTARTING  a process that hangs, or whose group has lost its lock: it is
 *               being killed, another one replaces it
 *
 * Invariants, held by the table and checked by the simulator:
 *   - one process exists in each of the last four states, none in others;
 *   - ops->spawn is called in "down" states, or when the process has ended;
 *   - after STOP or KILL, without a later START, no process is made, and
 *     the state ends in "down": the last signal is SIGKILL, repeated;
 *   - one timer at a time, for the event named when it was set;
 *   - down and wanted: a restart is on the timer, or `held`, or the state is
 *     WAITING.
 *     After giving up the start is not wanted, and the reason says so.
 *
 * Times are milliseconds of ops->now().
 */
#ifndef OW_AUTOMATON_H
#define OW_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/wire/ctl.h"

/* X(name) */
#define OW_AUTO_EVENTS(X)                                            \
	X(START)       /* wanted: a process */                       \
	X(STOP)	       /* wanted: none; STOP first, then signals */  \
	X(KILL)	       /* wanted: none; signals at once */           \
	X(ADOPT)       /* a process that this ndrxd did not start */ \
	X(HELLO)       /* the server has connected */                \
	X(READY)       /* the server serves */                       \
	X(LEAVING)     /* the server ends by its own decision */     \
	X(PONG)	       /* the server has answered a ping */          \
	X(EXITED)      /* the process is gone */                     \
	X(START_LATE)  /* timer: start_max has passed */             \
	X(PING_DUE)    /* timer: the next ping */                    \
	X(PING_LOST)   /* timer: ping_max, or grace(), without PONG */ \
	X(END_LATE)    /* timer: end_max has passed */               \
	X(KILL_DUE)    /* timer: killtime has passed */              \
	X(RESPAWN_DUE) /* timer: the back-off is over */             \
	X(LOCKED)      /* the singleton group is locked here */      \
	X(DEAF)	       /* no HELLO within restart_to_check */        \
	X(UNLOCKED)    /* the group has lost its lock: SIGKILL */

enum ow_auto_event {
#define X(name) OW_AUTO_##name,
	OW_AUTO_EVENTS(X)
#undef X
	OW_AUTO_EVENT_END
};

/* A process that has been ready this long has no failures behind it. */
#define OW_AUTO_STABLE_MS 10000u

struct ow_auto_policy {
	uint64_t start_max_ms;
	uint64_t end_max_ms;
	uint64_t killtime_ms;
	uint64_t pingtime_ms; /* 0: no pings */
	uint64_t first_ping_ms; /* after the start; 0: pingtime_ms */
	uint64_t ping_max_ms;
	uint64_t restart_min_ms;
	uint64_t restart_step_ms;
	uint64_t restart_max_ms;
	uint32_t restart_tries; /* failures in a row before giving up; 0: any */
	int killseq[3]; /* 0: no further signal; then SIGKILL */
	bool autokill;
	bool respawn;
	bool hold; /* maintenance mode: nothing is started by itself */
};

struct ow_auto;

struct ow_auto_ops {
	uint64_t (*now)(struct ow_auto *a);
	/* Make the process: 0, or the "down" state that says why not, with
	 * a->reason. WAITING is no failure: LOCKED will be raised. */
	enum ow_proc_state (*spawn)(struct ow_auto *a);
	void (*signal)(struct ow_auto *a, int sig);
	/* Send STOP, PING; without a connection nothing happens. */
	void (*send_stop)(struct ow_auto *a);
	void (*send_ping)(struct ow_auto *a);
	/* It has not answered a ping: how long may it go on, because it does
	 * what takes time? 0: it hangs. Both with a->reason. NULL: 0. */
	uint64_t (*grace)(struct ow_auto *a);
	/* Raise `ev` once after `ms`; replaces the timer set before. */
	void (*timer)(struct ow_auto *a, enum ow_auto_event ev, uint64_t ms);
	void (*timer_off)(struct ow_auto *a);
	/* `state` or `late` has changed. Must not raise events. */
	void (*changed)(struct ow_auto *a);
};

struct ow_auto {
	const struct ow_auto_ops *ops;
	struct ow_auto_policy policy; /* may change at any time */
	enum ow_proc_state state;
	bool want;    /* a process is wanted */
	bool leaving; /* LEAVING has come */
	bool crashed; /* the next process replaces one that failed */
	bool late;    /* not ready within start_max; still waited for */
	bool unlocked; /* killed because its group has lost its lock */
	bool gave_up;  /* no further start, after a failure */
	bool held;     /* the next start waits for the end of policy.hold, when
			  RESPAWN_DUE is raised */
	uint32_t failures;  /* in a row: the back-off */
	uint32_t exec_seq;  /* tries to start in a row */
	uint32_t restarts;  /* starts after a failure, ever */
	uint32_t kill_step; /* position in the kill sequence */
	uint32_t num_term;  /* signals sent to this process */
	uint64_t t_state;   /* last change of state */
	uint64_t t_start, t_ready, t_term, t_ping;
	char reason[256]; /* why it is in this state, "" if obvious */
};

void ow_auto_init(struct ow_auto *a, const struct ow_auto_ops *ops);

/* Raise one event. false: it means nothing in this state. */
bool ow_auto_event(struct ow_auto *a, enum ow_auto_event ev);

/* No process exists in this state. */
bool ow_auto_is_down(enum ow_proc_state state);

/* If the process ended now, would another one replace it? */
bool ow_auto_will_respawn(const struct ow_auto *a);

/* What was asked for: RUNNING or EXITED. */
enum ow_proc_state ow_auto_requested(const struct ow_auto *a);

/* Pause before the next start, given the failures so far. */
uint64_t ow_auto_backoff_ms(const struct ow_auto *a);

#endif
