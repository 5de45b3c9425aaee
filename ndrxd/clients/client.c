/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - the life of one client: the automaton's hands and eyes
 *
 * inst.c does the same for servers. A client has no control connection:
 * it is ready when it is there, and asked to end by a signal.
 */
#include "ndrxd/clients/client.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/domain/tables.h"
#include "ndrxd/clients/process.h"
#include "ndrxd/config/config.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/launch/priority.h"
#include "ndrxd/launch/procdir.h"
#include "ndrxd/report/emit.h"

#define KILLTIME_MS  5000u
#define STARTTIME_MS 10000u

static void tell(struct ow_client *c, enum ow_event_kind kind,
		 const char *text)
{
	char who[140];
	struct ow_tell_about about = { .about = OW_EVENT_CLIENT,
				       .who = who,
				       .pid = c->pid,
				       .state = c->au.state };

	snprintf(who, sizeof(who), "%s/%s", c->tag, c->subsect);
	ow_tell_about(c->d, &about, kind, "%s", text);
}

/* ---- hands ---- */

static uint64_t op_now(struct ow_auto *a)
{
	return ow_ndrxd_now_ms();
}

static void watch(struct ow_client *c)
{
	c->pidfd = pidfd_open(c->pid, 0);
	if (c->pidfd < 0)
		return; /* looked at every second */
	ev_io_set(&c->gone, c->pidfd, EV_READ);
	ev_io_start(c->d->loop, &c->gone);
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
			tell(c, OW_EVENT_FAILED, s.why);
		}
		return state;
	}
	c->ours = true;
	c->pid = s.pid;
	c->start = ow_proc_start(s.pid);
	watch(c);
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
		tell(c, OW_EVENT_SIGNAL, text);
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
		tell(c, OW_EVENT_RETRY, text);
	}
}

static const struct {
	enum ow_event_kind kind;
	const char *text;
} told[OW_PROC_STATE_END] = {
	[OW_PROC_RUNNING] = { OW_EVENT_START, "runs" },
	[OW_PROC_STOPPING] = { OW_EVENT_STOP, "shall end" },
	[OW_PROC_WAITING] = { OW_EVENT_LOCK, "waits for its group" },
};

static void op_changed(struct ow_auto *a)
{
	struct ow_client *c = (struct ow_client *)a;

	c->t_changed = ow_clock_real_ns();
	if (told[a->state].text != NULL)
		tell(c, told[a->state].kind,
		     a->reason[0] ? a->reason : told[a->state].text);
	log_debug("client %s/%s: process %d: %s%s%s", c->tag, c->subsect,
		  (int)c->pid, ow_proc_state_text(a->state),
		  a->reason[0] ? ": " : "", a->reason);
	ow_job_wake(c->d->job);
}

static const struct ow_auto_ops ops = {
	.now = op_now,
	.spawn = op_spawn,
	.signal = op_signal,
	.order_stop = op_nothing,
	.ping = op_nothing,
	.timer = op_timer,
	.timer_off = op_timer_off,
	.changed = op_changed,
};

/* ---- eyes ---- */

void ow_client_event(struct ow_client *c, enum ow_auto_event ev)
{
	ow_auto_event(&c->au, ev);
	if (c->au.state == OW_PROC_STARTING)
		ow_auto_event(&c->au, OW_AUTO_READY);
}

static void exited(struct ow_client *c, bool known)
{
	char *why = c->au.reason;
	int st = c->exit_status;
	bool asked = c->au.state == OW_PROC_STOPPING;

	if (c->pidfd >= 0) {
		ev_io_stop(c->d->loop, &c->gone);
		close(c->pidfd);
		c->pidfd = -1;
	}
	if (why[0] == '\0' && !known)
		snprintf(why, sizeof(c->au.reason), "ended");
	else if (why[0] == '\0' && WIFSIGNALED(st))
		snprintf(why, sizeof(c->au.reason), "killed by signal %d (%s)",
			 WTERMSIG(st), strsignal(WTERMSIG(st)));
	else if (why[0] == '\0' && !asked)
		snprintf(why, sizeof(c->au.reason), "ended with exit code %d",
			 WEXITSTATUS(st));
	if (asked) {
		tell(c, OW_EVENT_EXIT, why[0] ? why : "ended as asked");
	} else {
		log_warn("client %s/%s: process %d: %s", c->tag, c->subsect,
			 (int)c->pid, why);
		tell(c, OW_EVENT_DIED, why);
	}
	c->pid = 0;
	c->d->groups_due |= c->def->procgrp != NULL;
	ow_client_event(c, OW_AUTO_EXITED);
}

void ow_client_check(struct ow_client *c)
{
	siginfo_t info = { 0 };
	int status = 0;
	pid_t r;

	if (c->pid == 0)
		return;
	if (!c->ours) {
		if (ow_proc_alive(c->pid, c->start))
			return;
		c->exit_status = 0;
		exited(c, false);
		return;
	}
	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
		0 &&
	    info.si_pid == 0)
		return;
	/* Those who ignored the signals that their parent obeyed. Its number
	 * cannot be anybody else's group as long as it is a zombie. */
	if (c->def->klevel >= 2 && c->au.state == OW_PROC_STOPPING)
		kill(-c->pid, SIGKILL);
	r = waitpid(c->pid, &status, WNOHANG);
	c->exit_status = r > 0 ? status : 0;
	exited(c, r > 0);
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
	watch(c);
	log_info("client %s/%s: process %d adopted", c->tag, c->subsect,
		 (int)pid);
	ow_client_event(c, OW_AUTO_ADOPT);
}

void ow_client_check_limits(struct ow_client *c)
{
	const struct ow_config_client *def = c->def;
	int64_t vsz = 0, rss = 0;
	char why[200] = "";

	if (c->au.state != OW_PROC_RUNNING ||
	    (def->rssmax == OW_CONFIG_NO_LIMIT &&
	     def->vszmax == OW_CONFIG_NO_LIMIT) ||
	    !ow_procdir_sizes(c->pid, &vsz, &rss))
		return;
	if (def->rssmax != OW_CONFIG_NO_LIMIT && rss > def->rssmax)
		snprintf(why, sizeof(why),
			 "memory %" PRId64 " bytes, rssmax %" PRId64, rss,
			 def->rssmax);
	else if (def->vszmax != OW_CONFIG_NO_LIMIT && vsz > def->vszmax)
		snprintf(why, sizeof(why),
			 "address space %" PRId64 " bytes, vszmax %" PRId64,
			 vsz, def->vszmax);
	if (why[0] == '\0')
		return;
	log_warn("client %s/%s: %s: restarted", c->tag, c->subsect, why);
	tell(c, OW_EVENT_LIMIT, why);
	ow_client_event(c, OW_AUTO_KILL);
	ow_client_event(c, OW_AUTO_START);
}

/* ---- coming and going ---- */

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
	if (c->pidfd >= 0) {
		ev_io_stop(c->d->loop, &c->gone);
		close(c->pidfd);
	}
	free(c);
	return NULL;
}
