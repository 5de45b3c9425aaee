/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.c - drive the automata of a plan's servers, step by step
 *
 * ow_job_changed() only takes down results; whatever raises events happens in
 * ow_job_pump(), outside of any automaton's action.
 */
#include "ndrxd/supervise/operation.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "ndrxd/supervise/adopt.h"
#include "ndrxd/clients/record.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/servers/hands.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/supervise/plan.h"
#include "ndrxd/supervise/reload.h"
#include "ndrxd/control/rows.h"
#include "ndrxd/report/emit.h"

/*
 * Servers of a step that are being started at a time. More of them at once
 * only take the CPUs away from each other and from ndrxd.
 */
#define BURST 32u

/*
 * Entries are stopped in order, each when the one before has ended or its
 * srvstopwait is over. In a domain that hangs as a whole that would add up to
 * hours. So what entries take beyond this time (ms) comes, for all of them
 * together, out of the longest srvstopwait; when that is used up, they follow
 * one another this fast, and those that obey still end in order.
 */
#define BRIEF_MS 200u

struct ow_job {
	struct ndrxd *d;
	struct ow_ctl_cmd cmd;
	struct ow_plan plan;
	uint32_t step;	  /* index; n_steps: over */
	uint32_t next;	  /* item to be asked next */
	uint32_t asked;	  /* items asked and not settled */
	uint64_t t_limit; /* of the step or pause, ms */
	uint64_t t_step;  /* its beginning */
	uint64_t patience; /* left for entries that do not end, ms */
	bool in_step;
	bool pausing;
	bool dirty;
	bool clients_asked; /* to end */
	uint32_t ended, started; /* with success */
	uint32_t failed;
	char first_failure[400];
	ev_timer limit;
};

enum ow_ctl_verb ow_job_verb(const struct ow_job *j)
{
	return (enum ow_ctl_verb)j->cmd.verb;
}

bool ow_job_starts_again(const struct ow_job *j, const struct ow_inst *s)
{
	return j != NULL && s->job_item != 0 &&
	       (j->cmd.verb == OW_VERB_RESTART ||
		j->cmd.verb == OW_VERB_SRELOAD ||
		(j->cmd.verb == OW_VERB_RELOAD &&
		 s->reload == OW_RELOAD_RESTART));
}

void ow_job_wake(struct ow_job *j)
{
	if (j != NULL)
		j->dirty = true;
}

/* ---- results ---- */

static void settle(struct ow_job *j, struct ow_plan_item *item)
{
	struct ow_inst *s = item->s;
	bool up = j->plan.steps[j->step].verb == OW_VERB_START;
	/* Who waits for its group's lock has not failed. */
	bool waits = up && s->au.state == OW_PROC_WAITING;
	bool ok = up ? s->au.state == OW_PROC_RUNNING
		     : ow_auto_is_down(s->au.state);

	if (item->state == OW_ITEM_ASKED)
		j->asked--;
	item->state = OW_ITEM_SETTLED;
	s->job_item = 0;
	j->dirty = true;
	/* In the end of everything the last step waits for the late ones. */
	s->overtaken = !ok && ow_plan_is_complete(&j->cmd) &&
		       j->step + 1 < j->plan.n_steps;
	j->started += up && ok;
	j->ended += !up && (ok || s->overtaken) && item->had_process;
	if (!ok && !waits && !s->overtaken && j->failed++ == 0)
		snprintf(j->first_failure, sizeof(j->first_failure),
			 "%s id %u: %s%s%s", s->bin, s->srvid,
			 ow_proc_state_text(s->au.state),
			 s->au.reason[0] ? ": " : "", s->au.reason);
	ow_report_result(j->d, s, up ? OW_VERB_START : OW_VERB_STOP);
}

void ow_job_changed(struct ow_job *j, struct ow_inst *s)
{
	struct ow_plan_item *item;
	bool down = ow_auto_is_down(s->au.state);

	if (j == NULL || s->job_item == 0)
		return;
	item = &j->plan.items[s->job_item - 1];
	if (item->state != OW_ITEM_ASKED)
		return;
	if (j->plan.steps[j->step].verb != OW_VERB_START) {
		if (down && !s->au.want)
			settle(j, item);
	} else if (down || s->au.late || s->au.state == OW_PROC_RUNNING) {
		settle(j, item);
	}
}

/* ---- steps ---- */

static void set_limit(struct ow_job *j, uint64_t ms)
{
	ev_now_update(j->d->loop);
	ev_timer_stop(j->d->loop, &j->limit);
	j->t_limit = OW_PLAN_FOREVER;
	if (ms == OW_PLAN_FOREVER)
		return;
	j->t_limit = ow_ndrxd_now_ms() + ms;
	ev_timer_set(&j->limit, (double)ms / 1000.0, 0.0);
	ev_timer_start(j->d->loop, &j->limit);
}

static void on_limit(EV_P_ ev_timer *w, int revents)
{
	struct ow_job *j = w->data;

	j->t_limit = 0;
	j->dirty = true;
}

/* Which event, if any, does this server need? False: nothing to do. */
static bool event_for(const struct ow_job *j, const struct ow_inst *s,
		      enum ow_auto_event *ret_ev)
{
	enum ow_ctl_verb verb = j->plan.steps[j->step].verb;
	bool protect = s->def != NULL && s->def->protect;

	if (verb == OW_VERB_START) {
		*ret_ev = OW_AUTO_START;
		return s->au.state != OW_PROC_RUNNING;
	}
	if (protect && (j->cmd.flags & OW_CTLF_KILL) != 0 &&
	    !ow_plan_is_complete(&j->cmd))
		return false;
	*ret_ev = verb == OW_VERB_DOWN ||
			  ((j->cmd.flags & OW_CTLF_KILL) != 0 && !protect)
		      ? OW_AUTO_KILL
		      : OW_AUTO_STOP;
	return !ow_auto_is_down(s->au.state) || s->au.want;
}

/* Will a later step start it? */
static bool starts_later(const struct ow_job *j, const struct ow_inst *s)
{
	uint32_t k, i;

	for (k = j->step + 1; k < j->plan.n_steps; k++) {
		const struct ow_plan_step *p = &j->plan.steps[k];

		if (p->verb != OW_VERB_START)
			continue;
		for (i = p->first; i < p->first + p->n; i++)
			if (j->plan.items[i].s == s)
				return true;
	}
	return false;
}

/* What was to return, and will not: the job has ended before. */
static void forget_returns(struct ow_job *j)
{
	uint32_t i;

	for (i = 0; i < j->plan.n_items; i++) {
		struct ow_inst *s = j->plan.items[i].s;

		if (!s->returns)
			continue;
		s->returns = false;
		ow_inst_publish(s);
	}
}

static void ask(struct ow_job *j, uint32_t i)
{
	struct ow_plan_item *item = &j->plan.items[i];
	struct ow_inst *s = item->s;
	enum ow_auto_event ev;

	if (!event_for(j, s, &ev)) {
		item->state = OW_ITEM_SETTLED; /* silently: it is so already */
		return;
	}
	item->state = OW_ITEM_ASKED;
	item->had_process = s->pid != 0 && !s->overtaken; /* counted */
	s->job_item = i + 1;
	j->asked++;
	s->returns = starts_later(j, s);
	if (j->plan.steps[j->step].verb == OW_VERB_DOWN)
		ow_inst_kill(s);
	ow_inst_event(s, ev);
}

/* A step whose wait is one of many? The last one waits for all. */
static bool stops_entry(const struct ow_job *j)
{
	return j->cmd.verb == OW_VERB_STOP &&
	       j->plan.steps[j->step].wait_ms != OW_PLAN_FOREVER;
}

static void begin_step(struct ow_job *j)
{
	const struct ow_plan_step *step = &j->plan.steps[j->step];
	uint64_t ms = step->wait_ms;

	j->in_step = true;
	j->next = step->first;
	j->asked = 0;
	j->t_step = ow_ndrxd_now_ms();
	if (stops_entry(j) && ms > j->patience + BRIEF_MS)
		ms = j->patience + BRIEF_MS;
	set_limit(j, ms);
}

static void end_step(struct ow_job *j)
{
	uint64_t took = ow_ndrxd_now_ms() - j->t_step;

	if (stops_entry(j) && took > BRIEF_MS) {
		took -= BRIEF_MS;
		j->patience -= took < j->patience ? took : j->patience;
	}
	j->in_step = false;
}

/* The waiting time has passed: what is not settled is reported as it is. */
static void give_up(struct ow_job *j)
{
	const struct ow_plan_step *step = &j->plan.steps[j->step];
	uint32_t i;

	for (; j->next < step->first + step->n; j->next++)
		ask(j, j->next);
	for (i = step->first; i < step->first + step->n; i++)
		if (j->plan.items[i].state != OW_ITEM_SETTLED)
			settle(j, &j->plan.items[i]);
}

/* False: wait for more news. */
static bool do_step(struct ow_job *j)
{
	const struct ow_plan_step *step = &j->plan.steps[j->step];
	uint32_t end = step->first + step->n;
	bool starts = step->verb == OW_VERB_START;

	if (!j->in_step)
		begin_step(j);
	while (j->next < end && (!starts || j->asked < BURST))
		ask(j, j->next++);
	if (j->asked > 0 || j->next < end) {
		if (j->t_limit != 0)
			return false;
		give_up(j);
	}
	end_step(j);
	if (step->pause_ms > 0) {
		j->pausing = true;
		set_limit(j, step->pause_ms);
	}
	j->step++;
	return true;
}

/* The end of everything begins with the clients. False: wait for them. */
static bool clients_ended(struct ow_job *j)
{
	if (!ow_plan_is_complete(&j->cmd))
		return true;
	if (!j->clients_asked)
		ow_clients_stop(j->d, j->cmd.verb == OW_VERB_DOWN);
	j->clients_asked = true;
	return ow_clients_all_down(j->d);
}

/* ... and a start of everything ends with them. */
static void start_clients(struct ow_job *j)
{
	const struct ow_ctl_cmd *c = &j->cmd;

	if ((c->verb == OW_VERB_START || c->verb == OW_VERB_RESTART) &&
	    c->srvid == 0 && c->name[0] == '\0' && c->text[0] == '\0')
		ow_clients_boot(j->d);
}

/* ---- the end ---- */

static void finish_text(const struct ow_job *j, char *buf, size_t size)
{
	buf[0] = '\0';
	if (j->failed > 0)
		snprintf(buf, size, "%u of %u: no success; %s", j->failed,
			 j->failed + j->started + j->ended, j->first_failure);
}

static void finish(struct ow_job *j)
{
	struct ndrxd *d = j->d;
	struct ow_peer *p, *next;
	bool complete = ow_plan_is_complete(&j->cmd);
	uint32_t count = j->cmd.verb == OW_VERB_STOP ||
				 j->cmd.verb == OW_VERB_DOWN
			     ? j->ended
			     : j->started;
	char text[600];

	finish_text(j, text, sizeof(text));
	start_clients(j);
	ow_tell(d, OW_EVENT_COMMAND, "%s is done: %u servers%s%s",
		ow_ctl_verb_word(j->cmd.verb), count, text[0] ? "; " : "",
		text);
	log_info("%s: %u servers%s%s", ow_ctl_verb_word(j->cmd.verb), count,
		 text[0] ? "; " : "", text);
	if (complete) {
		ow_peer_unlisten(d);
		ow_client_record_remove(d);
		d->ipc_gone = true;
		ow_reap_domain(d->dom);
		unlink(d->pid_path);
	}
	for (p = LIST_FIRST(&d->peers); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (p->watching)
			ow_peer_done(p, j->failed > 0, count, text);
	}
	d->job = NULL;
	ow_ndrxd_booted(d, text[0] != '\0' ? text : "all servers run");
	ow_job_free(j);
	if (complete)
		ow_ndrxd_end(d);
}

void ow_job_pump(struct ow_job *j)
{
	while (j->dirty) {
		j->dirty = false;
		if (j->pausing && j->t_limit != 0)
			return;
		j->pausing = false;
		if (!clients_ended(j))
			return;
		if (j->step == j->plan.n_steps) {
			finish(j);
			return;
		}
		if (do_step(j))
			j->dirty = true;
	}
}

/* ---- the beginning ---- */

/* Whoever lives in the tables, known to us or not, goes with the rest. */
static void kill_clients(struct ndrxd *d)
{
	struct ow_tables *t = d->dom->tables;
	uint32_t i, n = atomic_load(&t->head->clt_high);
	struct ow_peer *p;
	pid_t pid;

	for (i = 0; i < n && i < OW_CLT_MAX; i++) {
		pid = atomic_load(&t->clt[i].pid);
		if ((atomic_load(&t->clt[i].gen) & 1) == 0 || pid == getpid() ||
		    !ow_proc_alive(pid, atomic_load(&t->clt[i].start)))
			continue;
		LIST_FOREACH(p, &d->peers, link)
			if (p->pid == pid && p->inst == NULL)
				break;
		if (p == NULL)
			kill(pid, SIGKILL);
	}
}

/* May `cmd` end the job in progress? The end of the domain may end anything
 * but itself; `down`, everything. */
static bool overrides(const struct ow_ctl_cmd *cmd, const struct ow_job *j)
{
	if (cmd->verb == OW_VERB_DOWN)
		return true;
	return ow_plan_is_complete(cmd) && !ow_plan_is_complete(&j->cmd);
}

/* Whoever watches the job in progress is told that it will not be finished. */
static void cut_off(struct ow_job *j, const struct ow_ctl_cmd *by)
{
	struct ow_peer *p, *next;
	char text[120];

	if (j == NULL)
		return;
	snprintf(text, sizeof(text), "cut off by `xadmin %s`",
		 ow_ctl_verb_word(by->verb));
	log_info("%s: %s", ow_ctl_verb_word(j->cmd.verb), text);
	for (p = LIST_FIRST(&j->d->peers); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (p->watching)
			ow_peer_done(p, 1, 0, text);
	}
	ow_job_free(j);
}

int ow_job_begin(struct ndrxd *d, const struct ow_ctl_cmd *cmd)
{
	struct ow_job *j;

	if (d->job != NULL && !overrides(cmd, d->job))
		return OW_JOB_BUSY;
	j = calloc(1, sizeof(*j));
	if (j == NULL)
		return -ENOMEM;
	j->d = d;
	j->cmd = *cmd;
	j->dirty = true;
	ev_init(&j->limit, on_limit);
	j->limit.data = j;
	if (ow_plan_is_complete(cmd))
		ow_adopt_living(d);
	if (ow_plan_make(&j->plan, d, cmd) < 0) {
		ow_job_free(j);
		return -ENOMEM;
	}
	j->patience = ow_plan_longest_wait(&j->plan);
	if (j->plan.n_match == 0 && !ow_plan_is_complete(cmd)) {
		ow_job_free(j);
		return OW_JOB_NOBODY;
	}
	cut_off(d->job, cmd);
	if (cmd->verb == OW_VERB_DOWN)
		kill_clients(d);
	d->job = j;
	return 0;
}

void ow_job_abort(struct ndrxd *d, const struct ow_ctl_cmd *by)
{
	cut_off(d->job, by);
	d->job = NULL;
}

struct ow_job *ow_job_free(struct ow_job *j)
{
	uint32_t i;

	if (j == NULL)
		return NULL;
	ev_timer_stop(j->d->loop, &j->limit);
	forget_returns(j);
	for (i = 0; i < j->plan.n_items; i++) {
		j->plan.items[i].s->job_item = 0;
		j->plan.items[i].s->overtaken = false;
	}
	ow_plan_clear(&j->plan);
	free(j);
	return NULL;
}
