/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.c - what the automaton calls to act on a server
 */
#include "ndrxd/servers/actions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>

#include "libatmi/log/log.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/launch/launch.h"
#include "ndrxd/launch/watch.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/model/past.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/grace.h"
#include "ndrxd/servers/record.h"

/* A launch is prepared once for a burst; a later start sees changed files. */
#define LAUNCH_FRESH_MS 1000u

#define FILES_PER_SERVER 2u  /* pidfd, connection */
#define FILES_RESERVED	 24u /* ndrxd's own, and connections of xadmin */

static uint64_t op_now(struct ow_auto *a)
{
	return ow_ndrxd_now_ms();
}

void ow_action_watch(struct ow_inst *s)
{
	s->pidfd = ow_watch_start(s->d->loop, &s->gone, s->pid);
	if (s->pidfd < 0 && errno != ESRCH)
		log_warn("server %u: pidfd: %s: checked every second",
			 s->srvid, strerror(errno));
	/* An adopted process may have ended before, and this be the pidfd of
	 * another process that has its number: the next tick will find it. */
	if (s->pidfd >= 0 && !s->ours && !ow_proc_alive(s->pid, s->start) &&
	    !ow_watch_ended(s->pid, s->start, s->pidfd, false))
		ow_action_unwatch(s);
}

void ow_action_unwatch(struct ow_inst *s)
{
	s->pidfd = ow_watch_stop(s->d->loop, &s->gone, s->pidfd);
}

enum ow_proc_state ow_action_prepared(struct ow_inst *s, char *why,
				      struct ow_launch **ret_launch)
{
	struct ow_launch **l = &s->d->launches[s->entry];
	enum ow_proc_state state;

	if (*l != NULL && ow_launch_age_ms(*l) >= LAUNCH_FRESH_MS)
		*l = ow_launch_free(*l);
	if (*l == NULL) {
		state = ow_launch_prepare(s->def, why, l);
		if (state != 0)
			return state;
	}
	*ret_launch = *l;
	return 0;
}

void ow_action_tick(struct ndrxd *d)
{
	struct ow_launch **l;
	size_t i;

	for (i = 0; d->config != NULL && i < d->config->n_servers; i++) {
		l = &d->launches[i];
		if (*l != NULL && ow_launch_age_ms(*l) >= LAUNCH_FRESH_MS)
			*l = ow_launch_free(*l);
	}
}

uint32_t ow_action_spare_files(const struct ndrxd *d)
{
	uint64_t servers = d->n_insts > d->n_procs ? d->n_insts : d->n_procs;
	uint64_t needed = FILES_PER_SERVER * servers + FILES_RESERVED;
	uint64_t spare = d->files_max > needed ? d->files_max - needed : 0;

	/* A reload may bring servers before anybody asks again. */
	spare -= spare / 4;
	return spare < OW_PRC_MAX ? (uint32_t)spare : OW_PRC_MAX;
}

/* Are there descriptors for another server, and for connections of xadmin? */
static bool files_left(const struct ndrxd *d)
{
	return d->files_max == 0 ||
	       FILES_PER_SERVER * (d->n_procs + 1) + FILES_RESERVED <=
		   d->files_max;
}

/* Start the process with what its predecessor ran under: there are few such,
 * and nothing is prepared for a burst. */
static enum ow_proc_state launch_past(struct ow_inst *s,
				      struct ow_launch_one *one)
{
	struct ow_launch *l = NULL;
	enum ow_proc_state state;

	state = ow_launch_prepare(s->past_def, one->why, &l);
	if (state != 0)
		return state;
	free(s->binpath);
	s->binpath = strdup(ow_launch_path(l));
	state = ow_launch_start(l, &s->d->base, one);
	ow_launch_free(l);
	if (state == 0)
		log_warn("server %s id %u: started as before the reload that "
			 "was broken off: `xadmin reload` replaces it", s->bin,
			 s->srvid);
	return state;
}

static enum ow_proc_state launch(struct ow_inst *s, struct ow_launch_one *one)
{
	struct ow_launch *l = NULL;
	enum ow_proc_state state;

	if (s->def == NULL) {
		snprintf(one->why, sizeof(one->why), "not configured");
		return OW_PROC_NO_BINARY;
	}
	if (!files_left(s->d)) {
		snprintf(one->why, sizeof(one->why),
			 "%llu descriptors (ulimit -Hn) of ndrxd allow no more "
			 "than %u servers",
			 (unsigned long long)s->d->files_max, s->d->n_procs);
		one->err = EMFILE;
		return OW_PROC_LIMITS;
	}
	if (s->past != NULL)
		return launch_past(s, one);
	state = ow_action_prepared(s, one->why, &l);
	if (state != 0)
		return state;
	free(s->binpath);
	s->binpath = strdup(ow_launch_path(l));
	return ow_launch_start(l, &s->d->base, one);
}

uint64_t ow_action_file_time(const char *path)
{
	struct stat st;

	if (path == NULL || stat(path, &st) < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * OW_NS_PER_SEC +
	       (uint64_t)st.st_mtim.tv_nsec;
}

/* A server that fails for days has an event for its first failure, and for
 * the 2nd, 4th, 8th ... in a row. */
static bool worth_an_event(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

static enum ow_proc_state op_spawn(struct ow_auto *a)
{
	struct ow_inst *s = (struct ow_inst *)a;
	struct ow_launch_one one = { .srvid = (int)s->srvid,
				     .respawn = a->crashed };
	enum ow_proc_state state;

	if (s->def != NULL &&
	    !ow_groups_may_start(s->d, s->def->procgrp, &one.lock_fd,
				 a->reason, sizeof(a->reason)))
		return OW_PROC_WAITING;
	state = launch(s, &one);
	if (one.clopt != NULL) {
		free(s->clopt);
		s->clopt = one.clopt;
	}
	s->exec_errno = one.err;
	if (state != 0) {
		snprintf(a->reason, sizeof(a->reason), "%s", one.why);
		if (a->exec_seq == 1) /* once, not for each try */
			log_error("server %s id %u: start: %s", s->bin,
				  s->srvid, one.why);
		if (worth_an_event(a->exec_seq))
			ow_emit_server(s, OW_EVENT_FAILED, "%s (try %u)",
				       one.why, a->exec_seq);
		return state;
	}
	s->ours = true;
	s->outdated = false;
	if (s->past == NULL)
		s->undone = false;
	s->pid = s->svpid = one.pid;
	s->start = ow_proc_start(one.pid);
	s->file_time = ow_action_file_time(s->binpath);
	s->d->n_procs++;
	ow_action_watch(s);
	ow_record_process(s, s->pid, OW_PROC_STARTING);
	ow_emit_server(s, OW_EVENT_START, "%s",
		       s->clopt != NULL ? s->clopt : "");
	return 0;
}

void ow_action_signal(struct ow_inst *s, pid_t pid, int sig)
{
	int r;

	if (pid == s->pid && s->pidfd >= 0)
		r = pidfd_send_signal(s->pidfd, sig, NULL, 0);
	else if (pid != s->pid || s->ours || ow_proc_alive(pid, s->start))
		r = kill(pid, sig);
	else
		return;
	if (r < 0 && errno != ESRCH)
		log_warn("server %s id %u: signal %d to %d: %s", s->bin,
			 s->srvid, sig, (int)pid, strerror(errno));
}

static void op_signal(struct ow_auto *a, int sig)
{
	struct ow_inst *s = (struct ow_inst *)a;

	log_warn("server %s id %u: signal %d to process %d%s%s", s->bin,
		 s->srvid, sig, (int)s->pid, a->reason[0] ? ": " : "",
		 a->reason);
	ow_emit_server(s, OW_EVENT_SIGNAL, "signal %d (%s)%s%s", sig,
		       strsignal(sig), a->reason[0] ? ": " : "", a->reason);
	if (s->svpid != s->pid && s->svpid > 0)
		ow_action_signal(s, s->svpid, sig);
	ow_action_signal(s, s->pid, sig);
}

static void op_send_stop(struct ow_auto *a)
{
	struct ow_inst *s = (struct ow_inst *)a;

	if (s->peer != NULL)
		ow_peer_send_kind(s->peer, OW_CTL_STOP, 0);
}

static void op_send_ping(struct ow_auto *a)
{
	struct ow_inst *s = (struct ow_inst *)a;

	ow_grace_ping(s);
	if (s->peer != NULL)
		ow_peer_send_kind(s->peer, OW_CTL_PING, ++s->d->ping_seq);
}

static uint64_t op_grace(struct ow_auto *a)
{
	return ow_grace_ms((struct ow_inst *)a);
}

static void op_timer_off(struct ow_auto *a)
{
	struct ow_inst *s = (struct ow_inst *)a;

	s->timer_set++;
	ev_timer_stop(s->d->loop, &s->timer);
}

static void op_timer(struct ow_auto *a, enum ow_auto_event ev, uint64_t ms)
{
	struct ow_inst *s = (struct ow_inst *)a;

	/* After a burst of starts the time of the loop is stale. */
	ev_now_update(s->d->loop);
	ev_timer_stop(s->d->loop, &s->timer);
	s->timer_event = ev;
	s->timer_set++;
	if (ev == OW_AUTO_RESPAWN_DUE && worth_an_event(a->failures + 1))
		ow_emit_server(s, OW_EVENT_RETRY,
			       "started again in %llu ms, after %u failures",
			       (unsigned long long)ms, a->failures + 1);
	ev_timer_set(&s->timer, (double)ms / 1000.0, 0.0);
	ev_timer_start(s->d->loop, &s->timer);
}

static const struct {
	enum ow_event_kind kind;
	const char *text;
} state_events[OW_PROC_STATE_END] = {
	[OW_PROC_RUNNING] = { OW_EVENT_READY, "ready" },
	[OW_PROC_STOPPING] = { OW_EVENT_STOP, "asked to end" },
	[OW_PROC_RESTARTING] = { OW_EVENT_LATE, "is being killed" },
	[OW_PROC_WAITING] = { OW_EVENT_LOCK,
			      "waits for the lock of its group" },
};

static void emit_change(struct ow_inst *s)
{
	const struct ow_auto *a = &s->au;

	if (a->gave_up)
		ow_emit_server(s, OW_EVENT_GAVE_UP, "%s", a->reason);
	else if (a->late && a->state == OW_PROC_STARTING)
		ow_emit_server(s, OW_EVENT_LATE, "%s", a->reason);
	else if (state_events[a->state].text != NULL)
		ow_emit_server(s, state_events[a->state].kind, "%s",
			       a->reason[0] ? a->reason
					    : state_events[a->state].text);
}

static void op_changed(struct ow_auto *a)
{
	struct ow_inst *s = (struct ow_inst *)a;

	ow_record_state(s);
	emit_change(s);
	if (s->def != NULL &&
	    (s->def->procgrp_lp != NULL || s->def->procgrp != NULL))
		s->d->groups_due = true;
	log_debug("server %s id %u: process %d: %s%s%s", s->bin, s->srvid,
		  (int)s->pid, ow_proc_state_text(a->state),
		  a->reason[0] ? ": " : "", a->reason);
	if (s->d->changed != NULL)
		s->d->changed(s->d, s);
}

static const struct ow_auto_ops ops = {
	.now = op_now,
	.spawn = op_spawn,
	.signal = op_signal,
	.send_stop = op_send_stop,
	.send_ping = op_send_ping,
	.grace = op_grace,
	.timer = op_timer,
	.timer_off = op_timer_off,
	.changed = op_changed,
};

const struct ow_auto_ops *ow_action_ops(void)
{
	return &ops;
}
