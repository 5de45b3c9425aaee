/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.h - the life of one server: state x event -> action
 *
 * The whole policy of starting, watching, ending and restarting one server
 * is one table (automaton.c). It knows no process, socket or clock: what it
 * wants done it asks for through `ops`, so a simulator can drive it as well
 * as ndrxd.
 *
 * States are those that users see (enum ow_proc_state):
 *
 *   "down"      NOT_STARTED, DIED, EXITED and the reasons why a start failed
 *               (NO_BINARY ... SYSTEM): no process; a restart may be pending
 *               on the timer
 *   WAITING     "down" too: it shall run, as soon as its group is LOCKED
 *   STARTING    a process that has not said READY
 *   RUNNING     it has
 *   STOPPING    it shall go, and stay away
 *   RESTARTING  it hangs, or its group is no longer ours: it is being
 *               killed, and shall come back
 *
 * Invariants, held by the table and checked by the simulator:
 *   - a process exists exactly in the last four states; at most one;
 *   - it is asked for only in "down" states;
 *   - after STOP or KILL, without a later START, no process is made, and
 *     the state ends in "down": signals end in SIGKILL, repeated;
 *   - one timer at a time, for the event named when it was set;
 *   - down and wanted: a restart is on the timer, or it is WAITING. What was
 *     given up is not wanted any more, and says so in its reason.
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
	X(START)       /* it shall run */                            \
	X(STOP)	       /* it shall end: asked first, then signals */ \
	X(KILL)	       /* it shall end: signals at once */           \
	X(ADOPT)       /* here is a process that others started */   \
	X(HELLO)       /* its control connection is there */         \
	X(READY)       /* it serves */                               \
	X(LEAVING)     /* it goes by its own decision */             \
	X(PONG)	       /* it answered */                             \
	X(EXITED)      /* its process is gone */                     \
	X(START_LATE)  /* timer: start_max has passed */             \
	X(PING_DUE)    /* timer */                                   \
	X(PING_LOST)   /* timer: ping_max without an answer */       \
	X(END_LATE)    /* timer: end_max has passed */               \
	X(KILL_DUE)    /* timer: killtime has passed */              \
	X(RESPAWN_DUE) /* timer */                                   \
	X(LOCKED)      /* its singleton group runs here */           \
	X(DEAF)	       /* no connection to it for too long */        \
	X(UNLOCKED)    /* ... and must not any more: killed at once */

enum ow_auto_event {
#define X(name) OW_AUTO_##name,
	OW_AUTO_EVENTS(X)
#undef X
	OW_AUTO_EVENT_END
};

/* A server that ran this long has no history of failures. */
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
	uint32_t restart_tries; /* failures in a row, then given up; 0: never */
	int killseq[3]; /* 0: no further signal; then SIGKILL */
	bool autokill;
	bool respawn;
};

struct ow_auto;

struct ow_auto_ops {
	uint64_t (*now)(struct ow_auto *a);
	/* Make the process: 0, or the "down" state that says why not, with
	 * a->reason. WAITING is no failure: LOCKED will come. */
	enum ow_proc_state (*spawn)(struct ow_auto *a);
	void (*signal)(struct ow_auto *a, int sig);
	/* Send STOP, PING; not connected: nothing happens. */
	void (*order_stop)(struct ow_auto *a);
	void (*ping)(struct ow_auto *a);
	/* Raise `ev` once after `ms`, replacing what was set before. */
	void (*timer)(struct ow_auto *a, enum ow_auto_event ev, uint64_t ms);
	void (*timer_off)(struct ow_auto *a);
	/* The state is a new one, or `late` is. Must not raise events. */
	void (*changed)(struct ow_auto *a);
};

struct ow_auto {
	const struct ow_auto_ops *ops;
	struct ow_auto_policy policy; /* may change at any time */
	enum ow_proc_state state;
	bool want;    /* it shall run */
	bool leaving; /* it said LEAVING */
	bool crashed; /* the next process replaces one that failed */
	bool late;    /* not ready within start_max; still waited for */
	bool unlocked; /* killed because its group must not run here */
	bool gave_up;  /* no further start, after a failure */
	uint32_t failures;  /* in a row: the back-off */
	uint32_t exec_seq;  /* tries to start in a row */
	uint32_t restarts;  /* starts after a failure, ever */
	uint32_t kill_step; /* signals sent in this attempt to end it */
	uint32_t num_term;  /* signals sent to this process */
	uint64_t t_state;   /* last change of state */
	uint64_t t_start, t_ready, t_term, t_ping;
	char reason[256]; /* why it is in this state, "" if obvious */
};

void ow_auto_init(struct ow_auto *a, const struct ow_auto_ops *ops);

/* One event. false: it means nothing in this state. */
bool ow_auto_event(struct ow_auto *a, enum ow_auto_event ev);

/* No process exists in this state. */
bool ow_auto_is_down(enum ow_proc_state state);

/* If the process ended now, would another one replace it? */
bool ow_auto_will_respawn(const struct ow_auto *a);

/* What users asked for: RUNNING or EXITED. */
enum ow_proc_state ow_auto_requested(const struct ow_auto *a);

/* Pause before the next start, given the failures so far. */
uint64_t ow_auto_backoff_ms(const struct ow_auto *a);

const char *ow_auto_event_name(enum ow_auto_event ev);

#endif
