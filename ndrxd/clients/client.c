/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - one client: what happens to it, and what its automaton does
 *
 * servers/ does the same for servers. A client has no control connection:
 * it is READY as soon as it is started, and is ended by signals.
 */
#include "ndrxd/clients/client.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/clients/process.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/launch/priority.h"
#include "ndrxd/launch/procdir.h"
#include "ndrxd/launch/watch.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"

#define KILLTIME_MS  5000u
#define STARTTIME_MS 10000u

static void emit(struct ow_client *c, enum ow_event_kind kind,
		 const char *text)
{
	char who[140];
	struct ow_emit_about about = { .about = OW_EVENT_CLIENT,
				       .who = who,
				       .pid = c->pid,
				       .state = c->au.state };

	snprintf(who, sizeof(who), "%s/%s", c->tag, c->subsect);
	ow_emit_about(c->d, &about, kind, "%s", text);
}

/* ---- what the automaton does ---- */

static uint64_t op_now(struct ow_auto *a)
{
	return ow_ndrxd_now_ms();
}

static enum ow_proc_state op_spawn(struct ow_auto *a)
{
	struct ow_client *c = (struct ow_client *)a;
	struct ow_client_start s = { .def = c->def, .base = &c->d->base };
	enum ow_proc_state state;

	if (!ow_groups_may_start(c->d, c->def->procgrp, &s.lock_fd, a->reason,
				 sizeof(a->reason)))
		return OW_PROC_WAITING;
	state = ow_client_start(&s);
	c->exec_errno = s.err;
	if (state != 0) {
		snprintf(a->reason, sizeof(a->reason), "%s", s.why);
		if (a->exec_seq == 1) {
			log_error("client %s/%s: start: %s", c->tag,
				  c->subsect, s.why);
			emit(c, OW_EVENT_FAILED, s.why);
		}
		return state;
	}
	c->ours = true;
	c->pid = s.pid;
	c->start = ow_proc_start(s.pid);
	c->pidfd = ow_watch_start(c->d->loop, &c->gone, c->pid);
	return 0;
}

static void op_signal(struct ow_auto *a, int sig)
{
	struct ow_client *c = (struct ow_client *)a;
	char text[360];

	snprintf(text, sizeof(text), "signal %d%s%s", sig,
		 a->reason[0] ? ": " : "", a->reason);
	log_info("client %s/%s: process %d: %s", c->tag, c->subsect,
		 (int)c->pid, text);
	if (a->kill_step > 1 || a->reason[0] != '\0')
		emit(c, OW_EVENT_SIGNAL, text);
	if (c->ours || ow_proc_alive(c->pid, c->start))
		ow_client_signal(c->pid, sig, c->def->klevel);
}

static void op_nothing(struct ow_auto *a)
{
}

static void op_timer_off(struct ow_auto *a)
{
	struct ow_client *c = (struct ow_client *)a;

	ev_timer_stop(c->d->loop, &c->timer);
}

static void op_timer(struct ow_auto *a, enum ow_auto_event ev, uint64_t ms)
{
	struct ow_client *c = (struct ow_client *)a;
	char text[80];

	ev_now_update(c->d->loop);
	ev_timer_stop(c->d->loop, &c->timer);
	c->timer_event = ev;
	ev_timer_set(&c->timer, (double)ms / 1000.0, 0.0);
	ev_timer_start(c->d->loop, &c->timer);
	if (ev == OW_AUTO_RESPAWN_DUE) {
		snprintf(text, sizeof(text), "started again in %" PRIu64 " ms",
			 ms);
		emit(c, OW_EVENT_RETRY, text);
	}
}

static const struct {
	enum ow_event_kind kind;
	const char *text;
} state_events[OW_PROC_STATE_END] = {
	[OW_PROC_RUNNING] = { OW_EVENT_START, "runs" },
	[OW_PROC_STOPPING] = { OW_EVENT_STOP, "asked to end" },
	[OW_PROC_WAITING] = { OW_EVENT_LOCK,
			      "waits for the lock of its group" },
};

static void op_changed(struct ow_auto *a)
{
	struct ow_client *c = (struct ow_client *)a;

	c->t_changed = ow_clock_real_ns();
	if (state_events[a->state].text != NULL)
		emit(c, state_events[a->state].kind,
		     a->reason[0] ? a->reason : state_events[a->state].text);
	log_debug("client %s/%s: process %d: %s%s%s", c->tag, c->subsect,
		  (int)c->pid, ow_proc_state_text(a->state),
		  a->reason[0] ? ": " : "", a->reason);
	if (c->d->changed != NULL)
		c->d->changed(c->d, NULL);
}

static const struct ow_auto_ops ops = {
	.now = op_now,
	.spawn = op_spawn,
	.signal = op_signal,
	.send_stop = op_nothing,
	.send_ping = op_nothing,
	.timer = op_timer,
	.timer_off = op_timer_off,
	.changed = op_changed,
};

/* ---- what happens to it ---- */

void ow_client_event(struct ow_client *c, enum ow_auto_event ev)
{
	ow_auto_event(&c->au, ev);
	if (c->au.state == OW_PROC_STARTING)
		ow_auto_event(&c->au, OW_AUTO_READY);
}

static void exited(struct ow_client *c, bool known)
{
	char *why = c->au.reason;
	bool asked = c->au.state == OW_PROC_STOPPING;
	bool by_itself = known && WIFEXITED(c->exit_status);

	c->pidfd = ow_watch_stop(c->d->loop, &c->gone, c->pidfd);
	if (why[0] == '\0' && !(asked && by_itself))
		ow_watch_explain(known, c->exit_status, why,
				 sizeof(c->au.reason));
	if (asked) {
		emit(c, OW_EVENT_EXIT, why[0] ? why : "ended as asked");
	} else {
		log_warn("client %s/%s: process %d: %s", c->tag, c->subsect,
			 (int)c->pid, why);
		emit(c, OW_EVENT_DIED, why);
	}
	c->pid = 0;
	c->d->groups_due |= c->def->procgrp != NULL;
	ow_client_event(c, OW_AUTO_EXITED);
}

void ow_client_check(struct ow_client *c)
{
	if (c->pid == 0 || !ow_watch_ended(c->pid, c->start, c->pidfd, c->ours))
		return;
	/* Descendants that have ignored the signals. The number is not that of
	 * another process group as long as the process is a zombie. */
	if (c->ours && c->def->klevel >= 2 && c->au.state == OW_PROC_STOPPING)
		kill(-c->pid, SIGKILL);
	exited(c, ow_watch_reap(c->pid, c->ours, &c->exit_status));
}

static void on_gone(EV_P_ ev_io *w, int revents)
{
	ow_client_check(w->data);
}

static void on_timer(EV_P_ ev_timer *w, int revents)
{
	struct ow_client *c = w->data;

	ow_client_event(c, c->timer_event);
}

void ow_client_adopt(struct ow_client *c, pid_t pid)
{
	c->ours = false;
	c->pid = pid;
	c->start = ow_proc_start(pid);
	ow_priority_restore(c->d->base.priority, pid);
	c->pidfd = ow_watch_start(c->d->loop, &c->gone, c->pid);
	log_info("client %s/%s: process %d adopted", c->tag, c->subsect,
		 (int)pid);
	ow_client_event(c, OW_AUTO_ADOPT);
}

void ow_client_check_limits(struct ow_client *c)
{
	char why[200], apart[160];
	struct ow_procdir_limits limits = { .rssmax = c->def->rssmax,
					    .vszmax = c->def->vszmax,
					    .apart = apart };

	ow_domain_segments(c->d->dom, apart, sizeof(apart));
	if (c->au.state != OW_PROC_RUNNING ||
	    !ow_procdir_exceeds(c->pid, &limits, why, sizeof(why)))
		return;
	log_warn("client %s/%s: %s: restarted", c->tag, c->subsect, why);
	emit(c, OW_EVENT_LIMIT, why);
	ow_client_event(c, OW_AUTO_KILL);
	ow_client_event(c, OW_AUTO_START);
}

/* ---- life ---- */

void ow_client_configure(struct ow_client *c,
			 const struct ow_config_client *def)
{
	const struct ow_config_app *app = &c->d->app;

	c->def = def;
	c->au.policy = (struct ow_auto_policy){
		.start_max_ms = STARTTIME_MS,
		.end_max_ms = KILLTIME_MS,
		.killtime_ms = KILLTIME_MS,
		.restart_min_ms = app->restart_min_ms,
		.restart_step_ms = app->restart_step_ms,
		.restart_max_ms = app->restart_max_ms,
		.killseq = { SIGINT, SIGTERM, SIGKILL },
		.autokill = true,
		.respawn = true,
		.hold = c->d->hold,
	};
}

int ow_client_new(struct ndrxd *d, const struct ow_config_client *def,
		  struct ow_client **ret)
{
	struct ow_client *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	ow_auto_init(&c->au, &ops);
	c->d = d;
	c->pidfd = -1;
	snprintf(c->tag, sizeof(c->tag), "%s", def->tag);
	snprintf(c->subsect, sizeof(c->subsect), "%s", def->subsect);
	ev_init(&c->gone, on_gone);
	c->gone.data = c;
	ev_init(&c->timer, on_timer);
	c->timer.data = c;
	*ret = c;
	return 0;
}

struct ow_client *ow_client_free(struct ow_client *c)
{
	if (c == NULL)
		return NULL;
	ev_timer_stop(c->d->loop, &c->timer);
	ow_watch_stop(c->d->loop, &c->gone, c->pidfd);
	free(c);
	return NULL;
}
