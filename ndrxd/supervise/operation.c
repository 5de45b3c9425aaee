/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.c - carry out the steps of a plan
 *
 * note_change() runs inside of automata and only notes results; events are
 * raised in ow_operation_pump(), outside of all automata.
 */
#include "ndrxd/supervise/operation.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/clients/record.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/leave.h"
#include "ndrxd/report/notify.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/report/progress.h"
#include "ndrxd/servers/actions.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/servers/record.h"
#include "ndrxd/supervise/adopt.h"
#include "ndrxd/supervise/drain.h"
#include "ndrxd/supervise/in_force.h"
#include "ndrxd/supervise/outcome.h"
#include "ndrxd/supervise/plan.h"

/* Servers of a step that start at a time. More of them at once only take the
 * CPUs away from each other and from ndrxd. */
#define BURST 32u

/*
 * Entries are stopped in order, each when the one before has ended or its
 * srvstopwait is over. In a domain where every server hangs that would add up
 * to hours. So each entry has this time (ms) for itself; what entries take
 * beyond it is taken from one budget, the longest srvstopwait. When the budget
 * is used up, entries are stopped at this interval, and servers that obey
 * still end in order.
 */
#define BRIEF_MS 200u

/* A start this soon after ndrxd began is the one that it was made for. */
#define REVIVED_MS 10000u

struct ow_operation {
	struct ndrxd *d;
	struct ow_ctl_cmd cmd;
	struct ow_plan plan;
	uint32_t step;	  /* index; n_steps: over */
	uint32_t next;	  /* the item whose event is raised next */
	uint32_t asked;	  /* items ASKED, not SETTLED */
	uint64_t t_limit; /* of the step or pause, ms */
	uint64_t t_step;  /* its beginning */
	uint64_t budget;  /* left for entries that do not end, ms */
	bool in_step;
	bool pausing;
	bool due; /* something has changed: ow_operation_pump() goes on */
	bool clients_asked; /* clients were asked to end */
	uint32_t ended, started; /* with success */
	uint32_t failed;
	bool broken; /* a new server has failed: what is left runs on */
	uint32_t kept, unstarted; /* then: not replaced, not started */
	char first_failure[400]; /* text */
	ev_timer limit;
};

const struct ow_ctl_cmd *ow_operation_cmd(const struct ow_operation *o)
{
	return &o->cmd;
}

/* ---- results ---- */

static void note_failure(struct ow_operation *o, const struct ow_inst *s,
			 const char *when)
{
	if (o->failed++ == 0)
		snprintf(o->first_failure, sizeof(o->first_failure),
			 "%s id %u: %s%s%s%s", s->bin, s->srvid,
			 ow_proc_state_text(s->au.state), when,
			 s->au.reason[0] ? ": " : "", s->au.reason);
}

/* Replace no further server: the next one would fail as this one did. */
static void break_off(struct ow_operation *o, struct ow_inst *s)
{
	o->broken = true;
	s->bad_time = ow_action_file_time(s->binpath);
}

static void settle(struct ow_operation *o, struct ow_plan_item *item)
{
	struct ow_inst *s = item->s;
	bool up = o->plan.steps[o->step].verb == OW_VERB_START;
	/* Waiting for the lock of its group is no failure. */
	bool waits = up && s->au.state == OW_PROC_WAITING;
	bool ok = up ? s->au.state == OW_PROC_RUNNING
		     : ow_auto_is_down(s->au.state);

	if (item->state == OW_ITEM_ASKED)
		o->asked--;
	item->state = OW_ITEM_SETTLED;
	s->item = 0;
	o->due = true;
	item->ok = ok;
	item->restarts = s->au.restarts;
	/* Of a complete stop the last step waits for it. */
	s->overtaken = !ok && ow_plan_is_complete(&o->cmd) &&
		       o->step + 1 < o->plan.n_steps;
	o->started += up && ok && !item->helper;
	o->ended += !up && (ok || s->overtaken) && item->had_process &&
		    !item->helper;
	if (!ok && !waits && !s->overtaken)
		note_failure(o, s, "");
	if (!ok && !waits && up && o->plan.steps[o->step].rolling)
		break_off(o, s);
	ow_progress_result(o->d, s, up ? OW_VERB_START : OW_VERB_STOP);
}

static void note_change(struct ndrxd *d, struct ow_inst *s)
{
	struct ow_operation *o = d->operation;
	struct ow_plan_item *item;
	bool down;

	if (o == NULL)
		return;
	if (s == NULL)
		o->due = true; /* a complete stop waits for clients */
	if (s == NULL || s->item == 0)
		return;
	down = ow_auto_is_down(s->au.state);
	item = &o->plan.items[s->item - 1];
	if (item->state != OW_ITEM_ASKED)
		return;
	if (o->plan.steps[o->step].verb != OW_VERB_START) {
		if (down && !s->au.want)
			settle(o, item);
	} else if (down || s->au.late || s->au.state == OW_PROC_RUNNING) {
		settle(o, item);
	}
}

void ow_operation_open(struct ndrxd *d)
{
	d->changed = note_change;
}

/* ---- steps ---- */

static void set_limit(struct ow_operation *o, uint64_t ms)
{
	ev_now_update(o->d->loop);
	ev_timer_stop(o->d->loop, &o->limit);
	o->t_limit = OW_PLAN_FOREVER;
	if (ms == OW_PLAN_FOREVER)
		return;
	o->t_limit = ow_ndrxd_now_ms() + ms;
	ev_timer_set(&o->limit, (double)ms / 1000.0, 0.0);
	ev_timer_start(o->d->loop, &o->limit);
}

static void on_limit(EV_P_ ev_timer *w, int revents)
{
	struct ow_operation *o = w->data;

	o->t_limit = 0;
	o->due = true;
}

/* The event that the step raises in this server. False: none is needed. */
static bool event_for(const struct ow_operation *o, const struct ow_inst *s,
		      enum ow_auto_event *ret_ev)
{
	enum ow_ctl_verb verb = o->plan.steps[o->step].verb;
	bool protect = s->def != NULL && s->def->protect;

	if (verb == OW_VERB_START) {
		*ret_ev = OW_AUTO_START;
		return s->au.state != OW_PROC_RUNNING;
	}
	if (protect && (o->cmd.flags & OW_CTLF_KILL) != 0 &&
	    !ow_plan_is_complete(&o->cmd))
		return false;
	*ret_ev = verb == OW_VERB_DOWN ||
			  ((o->cmd.flags & OW_CTLF_KILL) != 0 && !protect)
		      ? OW_AUTO_KILL
		      : OW_AUTO_STOP;
	return !ow_auto_is_down(s->au.state) || s->au.want || s->au.gave_up;
}

/* Will a later step start it? */
static bool starts_later(const struct ow_operation *o, const struct ow_inst *s)
{
	for (uint32_t k = o->step + 1; k < o->plan.n_steps; k++) {
		const struct ow_plan_step *p = &o->plan.steps[k];

		if (p->verb != OW_VERB_START)
			continue;
		for (uint32_t i = p->first; i < p->first + p->n; i++)
			if (o->plan.items[i].s == s)
				return true;
	}
	return false;
}

/* A reload ends before it has done everything. The configuration is in force,
 * so the next reload could not see what is left. */
static void note_undone(struct ow_operation *o)
{
	uint32_t i;

	for (i = 0; i < o->plan.n_items; i++) {
		const struct ow_plan_item *item = &o->plan.items[i];

		if (!item->helper && (item->state == OW_ITEM_NEW ||
				      item->state == OW_ITEM_SKIPPED))
			item->s->undone = true;
	}
}

/* The operation ends before it has started these again. */
static void forget_returns(struct ow_operation *o)
{
	uint32_t i;

	for (i = 0; i < o->plan.n_items; i++) {
		struct ow_inst *s = o->plan.items[i].s;

		if (!s->returns)
			continue;
		s->returns = false;
		ow_record_state(s);
	}
}

/* After everything was killed, a new ndrxd starts what was wanted before it
 * hears of the start that it was made for: that counts as started by it. */
static void report_revived(struct ow_operation *o, struct ow_inst *s)
{
	struct ndrxd *d = o->d;

	if (!s->revived || o->plan.steps[o->step].verb != OW_VERB_START)
		return;
	s->revived = false;
	if (ow_ndrxd_now_ms() - d->t_start > REVIVED_MS)
		return;
	o->started++;
	ow_progress_result(d, s, OW_VERB_START);
}

static void ask(struct ow_operation *o, uint32_t i)
{
	struct ow_plan_item *item = &o->plan.items[i];
	struct ow_inst *s = item->s;
	enum ow_auto_event ev;

	if (!event_for(o, s, &ev)) {
		item->state = OW_ITEM_SETTLED; /* no result to report */
		report_revived(o, s);
		return;
	}
	s->revived = false;
	item->state = OW_ITEM_ASKED;
	item->had_process = s->pid != 0 && !s->overtaken;
	s->item = i + 1;
	o->asked++;
	s->returns = starts_later(o, s);
	if (o->plan.steps[o->step].verb == OW_VERB_DOWN)
		ow_inst_kill(s);
	ow_inst_event(s, ev);
}

/* Does the step stop one entry? (The last one waits for all servers.) */
static bool stops_entry(const struct ow_operation *o)
{
	return o->cmd.verb == OW_VERB_STOP &&
	       o->plan.steps[o->step].wait_ms != OW_PLAN_FOREVER;
}

static void begin_step(struct ow_operation *o)
{
	const struct ow_plan_step *step = &o->plan.steps[o->step];
	uint64_t ms = step->wait_ms;

	o->in_step = true;
	o->next = step->first;
	o->asked = 0;
	o->t_step = ow_ndrxd_now_ms();
	if (stops_entry(o) && ms > o->budget + BRIEF_MS)
		ms = o->budget + BRIEF_MS;
	set_limit(o, ms);
}

static void end_step(struct ow_operation *o)
{
	uint64_t took = ow_ndrxd_now_ms() - o->t_step;

	if (stops_entry(o) && took > BRIEF_MS) {
		took -= BRIEF_MS;
		o->budget -= took < o->budget ? took : o->budget;
	}
	o->in_step = false;
	ow_drain_end(o->d);
}

/* The waiting time has passed: report all servers as they are. */
static void give_up(struct ow_operation *o)
{
	const struct ow_plan_step *step = &o->plan.steps[o->step];
	uint32_t i;

	for (; o->next < step->first + step->n; o->next++)
		ask(o, o->next);
	for (i = step->first; i < step->first + step->n; i++)
		if (o->plan.items[i].state != OW_ITEM_SETTLED)
			settle(o, &o->plan.items[i]);
}

/* The operation is broken off: leave the servers of this step as they are. */
static void skip_step(struct ow_operation *o)
{
	const struct ow_plan_step *step = &o->plan.steps[o->step];
	uint32_t i;

	for (i = step->first; i < step->first + step->n; i++) {
		struct ow_plan_item *item = &o->plan.items[i];

		item->state = OW_ITEM_SKIPPED;
		if (item->helper)
			continue;
		if (step->verb == OW_VERB_STOP)
			o->kept += item->s->au.state == OW_PROC_RUNNING;
		else
			o->unstarted += !ow_inst_is_up(item->s);
	}
	o->step++;
}

/* May the step that comes next be skipped, because a server has failed? */
static bool is_broken(struct ow_operation *o)
{
	struct ow_inst *lost;

	if (!o->plan.steps[o->step].rolling ||
	    ow_plan_ends_helper(&o->plan, o->step))
		return false;
	lost = o->broken ? NULL : ow_plan_find_lost(&o->plan, o->step);
	if (lost != NULL) {
		note_failure(o, lost, " after its start");
		break_off(o, lost);
	}
	return o->broken;
}

/* False: the step waits for results. */
static bool do_step(struct ow_operation *o)
{
	const struct ow_plan_step *step = &o->plan.steps[o->step];
	uint32_t end = step->first + step->n;
	bool starts = step->verb == OW_VERB_START;

	if (!o->in_step && is_broken(o)) {
		skip_step(o);
		return true;
	}
	if (!o->in_step && ow_drain_holds(o->d, &o->cmd, &o->plan, step))
		return false;
	if (!o->in_step)
		begin_step(o);
	while (o->next < end && (!starts || o->asked < BURST))
		ask(o, o->next++);
	if (o->asked > 0 || o->next < end) {
		if (o->t_limit != 0)
			return false;
		give_up(o);
	}
	end_step(o);
	if (step->pause_ms > 0) {
		o->pausing = true;
		set_limit(o, step->pause_ms);
	}
	o->step++;
	return true;
}

/* A complete stop begins with the clients. False: it waits for them. */
static bool clients_ended(struct ow_operation *o)
{
	if (!ow_plan_is_complete(&o->cmd))
		return true;
	if (!o->clients_asked)
		ow_clients_stop(o->d, o->cmd.verb == OW_VERB_DOWN);
	o->clients_asked = true;
	return ow_clients_all_down(o->d);
}

/* Is it for all servers that are to start with the domain? */
static bool starts_all(const struct ow_ctl_cmd *c)
{
	return (c->verb == OW_VERB_START || c->verb == OW_VERB_RESTART) &&
	       c->srvid == 0 && c->name[0] == '\0' && c->text[0] == '\0';
}

/* A start of all servers ends with the clients. */
static void start_clients(struct ow_operation *o)
{
	if (starts_all(&o->cmd))
		ow_clients_boot(o->d);
}

/* ---- the end ---- */

/* What the operator reads at the end; "": all went well. */
static void tell(const struct ow_operation *o, char *text, size_t size)
{
	struct ow_outcome out = { .verb = o->cmd.verb,
				  .failed = o->failed,
				  .done = o->started + o->ended,
				  .first_failure = o->first_failure,
				  .broken = o->broken,
				  .kept = o->kept,
				  .unstarted = o->unstarted };

	if (o->failed > 0)
		ow_outcome_tell(&out, text, size);
	else if (starts_all(&o->cmd) && o->plan.n_items == 0 &&
		 o->d->n_clients == 0)
		ow_outcome_tell_nothing(o->d, text, size);
}

static void finish(struct ow_operation *o)
{
	struct ndrxd *d = o->d;
	bool complete = ow_plan_is_complete(&o->cmd);
	uint32_t count = o->cmd.verb == OW_VERB_STOP ||
				 o->cmd.verb == OW_VERB_DOWN
			     ? o->ended
			     : o->started;
	char text[700] = "";

	tell(o, text, sizeof(text));
	start_clients(o);
	ow_emit(d, OW_EVENT_COMMAND, "%s is done: %u servers%s%s",
		ow_ctl_verb_word(o->cmd.verb), count, text[0] ? "; " : "",
		text);
	log_info("%s: %u servers%s%s", ow_ctl_verb_word(o->cmd.verb), count,
		 text[0] ? "; " : "", text);
	if (complete) {
		ow_peer_unlisten(d);
		ow_client_record_remove(d);
		ow_in_force_remove(d);
		d->ipc_gone = true;
		ow_reap_domain(d->dom);
		unlink(d->pid_path);
	}
	ow_progress_done(d, o->failed > 0, count, text);
	d->operation = NULL;
	ow_notify_booted(d, text[0] != '\0' ? text : "all servers run");
	ow_operation_free(o);
	if (complete)
		ow_leave(d);
}

void ow_operation_pump(struct ow_operation *o)
{
	while (o->due) {
		o->due = false;
		if (o->pausing && o->t_limit != 0)
			return;
		o->pausing = false;
		if (!clients_ended(o))
			return;
		if (o->step == o->plan.n_steps) {
			finish(o);
			return;
		}
		if (do_step(o))
			o->due = true;
	}
}

/* ---- the beginning ---- */

/* SIGKILL for all client processes in the tables, also for those that ndrxd
 * has not started; not for xadmins that are connected. */
static void kill_clients(struct ndrxd *d)
{
	struct ow_tables *t = d->dom->tables;
	uint32_t i, n = atomic_load(&t->head->clt_high);
	struct ow_peer *p;
	ow_proc_id owner;
	pid_t pid;

	for (i = 0; i < n && i < OW_CLT_MAX; i++) {
		owner = atomic_load(&t->clt[i].owner);
		pid = ow_proc_id_pid(owner);
		if ((atomic_load(&t->clt[i].gen) & 1) == 0 || pid == getpid() ||
		    !ow_proc_id_alive(owner))
			continue;
		LIST_FOREACH(p, &d->conn.peers, link)
			if (p->pid == pid && p->inst == NULL)
				break;
		if (p == NULL)
			kill(pid, SIGKILL);
	}
}

/* May `cmd` end the operation in progress? A complete stop may end any but a
 * complete stop; `down` may end all. */
static bool overrides(const struct ow_ctl_cmd *cmd,
		      const struct ow_operation *o)
{
	if (cmd->verb == OW_VERB_DOWN)
		return true;
	return ow_plan_is_complete(cmd) && !ow_plan_is_complete(&o->cmd);
}

/* End the operation; DONE for all that watch it. */
static void cut_off(struct ow_operation *o, const struct ow_ctl_cmd *by)
{
	char text[120];

	if (o == NULL)
		return;
	snprintf(text, sizeof(text), "cut off by `xadmin %s`",
		 ow_ctl_verb_word(by->verb));
	log_info("%s: %s", ow_ctl_verb_word(o->cmd.verb), text);
	ow_progress_done(o->d, 1, 0, text);
	ow_operation_free(o);
}

int ow_operation_begin(struct ndrxd *d, const struct ow_ctl_cmd *cmd)
{
	struct ow_operation *o;

	if (d->operation != NULL && !overrides(cmd, d->operation))
		return OW_OPERATION_BUSY;
	o = calloc(1, sizeof(*o));
	if (o == NULL)
		return -ENOMEM;
	o->d = d;
	o->cmd = *cmd;
	o->due = true;
	ev_init(&o->limit, on_limit);
	o->limit.data = o;
	if (ow_plan_is_complete(cmd))
		ow_adopt_living(d);
	if (ow_plan_make(&o->plan, d, cmd) < 0) {
		ow_operation_free(o);
		return -ENOMEM;
	}
	o->budget = ow_plan_longest_wait(&o->plan);
	if (o->plan.n_match == 0 && !ow_plan_is_complete(cmd) &&
	    !starts_all(cmd)) {
		ow_operation_free(o);
		return OW_OPERATION_NO_MATCH;
	}
	cut_off(d->operation, cmd);
	if (cmd->verb == OW_VERB_DOWN)
		kill_clients(d);
	d->operation = o;
	return 0;
}

void ow_operation_abort(struct ndrxd *d, const struct ow_ctl_cmd *by)
{
	cut_off(d->operation, by);
	d->operation = NULL;
}

struct ow_operation *ow_operation_free(struct ow_operation *o)
{
	uint32_t i;

	if (o == NULL)
		return NULL;
	ev_timer_stop(o->d->loop, &o->limit);
	forget_returns(o);
	ow_drain_end(o->d);
	if (o->cmd.verb == OW_VERB_RELOAD)
		note_undone(o);
	for (i = 0; i < o->plan.n_items; i++) {
		o->plan.items[i].s->item = 0;
		o->plan.items[i].s->overtaken = false;
	}
	ow_plan_clear(&o->plan);
	free(o);
	return NULL;
}
