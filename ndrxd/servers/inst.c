/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inst.c - one instance of a <server>: what happens to it, raised as events
 */
#include "ndrxd/servers/inst.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libubf/base/printable.h"
#include "libatmi/log/log.h"
#include "ndrxd/launch/watch.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/model/past.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/dead.h"
#include "ndrxd/servers/actions.h"
#include "ndrxd/servers/record.h"

/* ---- the process ---- */

#define SEE "see its log (option -e), or ndrxd's"

/* What to look at. 127 is what the loader of programs ends with, and a shell. */
static const char *advice(const struct ow_inst *s, bool known)
{
	if (s->au.state != OW_PROC_STARTING)
		return "";
	return known && WIFEXITED(s->exit_status) &&
		       WEXITSTATUS(s->exit_status) == 127
		   ? " before it was ready: no shared library "
		     "(LD_LIBRARY_PATH), or no command? " SEE
		   : " before it was ready: " SEE;
}

static void explain_exit(struct ow_inst *s, bool known)
{
	char how[120] = "ended by itself";

	if (s->au.reason[0] != '\0' || s->au.state == OW_PROC_STOPPING)
		return;
	if (!s->au.leaving)
		ow_watch_explain(known, s->exit_status, how, sizeof(how));
	snprintf(s->au.reason, sizeof(s->au.reason), "process %d %s%s",
		 (int)s->pid, how, advice(s, known));
}

/* A wrapper (<cmdline>) has ended before its server: watch the server. */
static bool wrapper_left(struct ow_inst *s)
{
	uint64_t start;

	if (s->svpid == s->pid || s->svpid <= 0)
		return false;
	start = ow_proc_start(s->svpid);
	if (start == 0)
		return false;
	s->pid = s->svpid;
	s->start = start;
	s->ours = false;
	ow_record_process(s, s->pid, s->au.state);
	ow_action_watch(s);
	return true;
}

/* Will its services be offered again soon? */
static bool comes_back(const struct ow_inst *s)
{
	return s->returns || ow_auto_will_respawn(&s->au);
}

/* The event of the end is emitted here, not with the next state: where START
 * is pending, the next state is that of the next process. First the event,
 * then the record: if ndrxd is killed in between, the next one emits a second
 * event, which is better than none. */
static void exited(struct ow_inst *s, bool known)
{
	bool asked = s->au.state == OW_PROC_STOPPING || s->au.leaving;
	const char *why = s->au.reason;

	ow_action_unwatch(s);
	if (wrapper_left(s))
		return;
	/* Before anything is written to a file: a caller waits for this. */
	ow_dead_reap(s->d, s->srvid, comes_back(s));
	explain_exit(s, known);
	if (asked) {
		ow_emit_server(s, OW_EVENT_EXIT, "%s",
			       why[0] ? why : "ended as asked");
	} else {
		log_warn("server %s id %u: %s", s->bin, s->srvid, why);
		ow_emit_server(s, OW_EVENT_DIED, "%s", why);
	}
	ow_record_process(s, 0, asked ? OW_PROC_EXITED : OW_PROC_DIED);
	if (s->peer != NULL)
		ow_peer_detach(s->peer);
	s->peer = NULL;
	s->pid = s->svpid = 0;
	s->d->n_procs--;
	ow_auto_event(&s->au, OW_AUTO_EXITED);
	ow_record_state(s);
}

void ow_inst_check(struct ow_inst *s)
{
	if (s->pid == 0 || !ow_watch_ended(s->pid, s->start, s->pidfd, s->ours))
		return;
	/* Before it is reaped: then its connections have lost their pid. */
	ow_peer_read_server(s->d, s);
	exited(s, ow_watch_reap(s->pid, s->ours, &s->exit_status));
}

static void on_gone(EV_P_ ev_io *w, int revents)
{
	ow_inst_check(w->data);
}

void ow_inst_kill(struct ow_inst *s)
{
	if (s->pid == 0)
		return;
	if (s->svpid != s->pid)
		ow_action_signal(s, s->svpid, SIGKILL);
	ow_action_signal(s, s->pid, SIGKILL);
}

/* ---- the connection ---- */

/* A name that another process gives. */
static void take_name(struct ow_inst *s, const char *bin)
{
	snprintf(s->bin, sizeof(s->bin), "%s", bin);
	ow_printable(s->bin);
}

static void note_path(struct ow_inst *s)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)s->pid);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return;
	path[n] = '\0';
	free(s->binpath);
	s->binpath = strdup(path);
}

static void take_process(struct ow_inst *s, pid_t pid, uint64_t start)
{
	s->ours = false;
	s->pid = s->svpid = pid;
	s->start = start;
	s->exec_errno = 0;
	s->d->n_procs++;
	note_path(s);
	s->file_time = ow_action_file_time(s->binpath);
	ow_action_watch(s);
	ow_record_process(s, pid, OW_PROC_STARTING);
	ow_auto_event(&s->au, OW_AUTO_ADOPT);
}

void ow_inst_adopt(struct ow_inst *s, pid_t pid, uint64_t start, bool ready)
{
	take_process(s, pid, start);
	if (ready)
		ow_auto_event(&s->au, OW_AUTO_READY);
}

/* Another process than the one that was started says that it is the server. It
 * is, if that one is a wrapper; or if it has the server's slot: it was started by
 * hand, or by an ndrxd that was killed before it could put that on record. Then the
 * one that was started ends, as its id is taken, and the server is watched in its
 * place (wrapper_left()). */
static bool stands_in(struct ow_inst *s, const struct ow_ctl_hello *hello)
{
	if (s->au.state != OW_PROC_STARTING)
		return false;
	if (s->def != NULL && s->def->cmdline != NULL)
		return true;
	return ow_proc_alive(hello->pid, hello->start) &&
	       ow_record_holder(s) == hello->pid;
}

int ow_inst_hello(struct ow_inst *s, struct ow_peer *peer,
		  const struct ow_ctl_hello *hello)
{
	if (s->pid != 0 && s->pid != hello->pid && s->svpid != hello->pid &&
	    !stands_in(s, hello)) {
		log_error("server %s id %u: process %d says it is this server, "
			  "but process %d is: refused",
			  hello->bin, s->srvid, (int)hello->pid, (int)s->pid);
		return OW_INST_REFUSED;
	}
	if (s->pid == 0 && !ow_proc_alive(hello->pid, hello->start))
		return OW_INST_REFUSED; /* it has ended already */
	if (s->pid == 0)
		take_process(s, hello->pid, hello->start);
	s->svpid = hello->pid;
	if (s->peer != NULL && s->peer != peer)
		ow_peer_detach(s->peer);
	/* Both ways before the events: they may send, and sending to a process
	 * that has died closes the connection. */
	s->peer = peer;
	peer->inst = s;
	if (s->def == NULL)
		take_name(s, hello->bin);
	ow_auto_event(&s->au, OW_AUTO_HELLO);
	if (hello->ready)
		ow_auto_event(&s->au, OW_AUTO_READY);
	ow_record_state(s);
	return 0;
}

void ow_inst_hangup(struct ow_inst *s)
{
	s->peer = NULL;
	/* Behind a wrapper only the end of the connection shows the death. */
	if (s->pid != 0 && s->svpid != s->pid && ow_proc_start(s->svpid) == 0) {
		ow_dead_reap(s->d, s->srvid, comes_back(s));
		ow_action_signal(s, s->pid, SIGTERM);
	}
}

/* ---- life ---- */

/* A time-out counts only if nothing has come since: after a pause of ndrxd
 * (SIGSTOP, a frozen container) time-outs and packets are due together, and
 * the packets count. */
static void on_timer(EV_P_ ev_timer *w, int revents)
{
	struct ow_inst *s = w->data;
	uint64_t set = s->timer_set;

	if (s->pid != 0)
		ow_peer_read_server(s->d, s);
	if (s->timer_set == set)
		ow_inst_check(s);
	if (s->timer_set == set)
		ow_auto_event(&s->au, s->timer_event);
}

bool ow_inst_file_changed(const struct ow_inst *s)
{
	uint64_t t = ow_action_file_time(s->binpath);

	/* Absent: it is being replaced. */
	return s->file_time != 0 && t != 0 && t != s->file_time;
}

bool ow_inst_event(struct ow_inst *s, enum ow_auto_event ev)
{
	bool want = s->au.want, known;

	if (ev == OW_AUTO_START && ow_auto_is_down(s->au.state))
		ow_past_forget(s); /* an order, or its turn in a reload */
	known = ow_auto_event(&s->au, ev);
	if (s->au.want != want)
		ow_record_state(s); /* `want` may change, the state not */
	return known;
}

void ow_inst_configure(struct ow_inst *s, const struct ow_config_server *def)
{
	struct ow_auto_policy *p = &s->au.policy;
	const struct ow_config_app *app = &s->d->app;

	s->def = def;
	p->hold = s->d->hold;
	p->restart_min_ms = app->restart_min_ms;
	p->restart_step_ms = app->restart_step_ms;
	p->restart_max_ms = app->restart_max_ms;
	if (def == NULL && p->end_max_ms == 0) { /* by hand */
		p->start_max_ms = p->end_max_ms = 10000;
		p->killtime_ms = 1000;
		p->killseq[0] = SIGTERM;
		p->autokill = false;
	}
	if (def == NULL) { /* never restarted; its end as it was configured */
		p->respawn = false;
		p->pingtime_ms = 0;
		s->autostart = false;
		return;
	}
	s->autostart = s->srvid < (uint32_t)(def->srvid + def->min);
	snprintf(s->bin, sizeof(s->bin), "%s", def->name);
	p->start_max_ms = def->start_max_ms;
	p->end_max_ms = def->end_max_ms;
	p->killtime_ms = def->killtime_ms;
	p->pingtime_ms = def->pingtime_ms;
	p->first_ping_ms = ow_clock_spread(s->srvid, def->pingtime_ms);
	p->ping_max_ms = def->ping_max_ms;
	memcpy(p->killseq, def->killseq, sizeof(p->killseq));
	p->autokill = def->autokill;
	p->respawn = def->respawn;
	p->restart_tries = (uint32_t)def->restart_tries;
}

int ow_inst_new(struct ndrxd *d, uint32_t srvid, struct ow_inst **ret_inst)
{
	struct ow_inst *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return -ENOMEM;
	ow_auto_init(&s->au, ow_action_ops());
	s->d = d;
	s->srvid = srvid;
	s->pidfd = -1;
	s->au.t_state = ow_ndrxd_now_ms();
	ev_init(&s->gone, on_gone);
	s->gone.data = s;
	ev_init(&s->timer, on_timer);
	s->timer.data = s;
	*ret_inst = s;
	return 0;
}

struct ow_inst *ow_inst_find_or_add(struct ndrxd *d, uint32_t srvid,
			      const char *bin)
{
	struct ow_inst *s = d->by_id[srvid], **list;

	if (s != NULL)
		return s;
	if (d->n_insts == d->cap_insts) {
		list = realloc(d->insts, (d->cap_insts + 16) * sizeof(s));
		if (list == NULL)
			return NULL;
		d->insts = list;
		d->cap_insts += 16;
	}
	if (ow_inst_new(d, srvid, &s) < 0)
		return NULL;
	ow_inst_configure(s, NULL);
	take_name(s, bin);
	d->insts[d->n_insts++] = s;
	d->by_id[srvid] = s;
	log_info("server %s id %u is not in the configuration: watched only",
		 s->bin, srvid);
	return s;
}

struct ow_inst *ow_inst_free(struct ow_inst *s)
{
	if (s == NULL)
		return NULL;
	ow_action_unwatch(s);
	ev_timer_stop(s->d->loop, &s->timer);
	if (s->peer != NULL)
		ow_peer_detach(s->peer);
	ow_past_forget(s);
	free(s->binpath);
	free(s->clopt);
	free(s);
	return NULL;
}
