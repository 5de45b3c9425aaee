/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - the steps of an operation: which servers, in which order
 *
 * Start: entries in the order of the configuration, a step each. Stop: in
 * reverse order; servers started by hand first, for they may call the others.
 * A complete stop ends with a step that waits for all.
 *
 * Replacing servers that run (sreload, reload) goes one by one. If the entry
 * has a free id, a helper is started there first: no server is stopped before
 * a new one runs, and as many serve all the time. The helper ends last.
 */
#include "ndrxd/supervise/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"

bool ow_plan_is_complete(const struct ow_ctl_cmd *cmd)
{
	return cmd->verb == OW_VERB_DOWN ||
	       (cmd->verb == OW_VERB_STOP &&
		((cmd->flags & OW_CTLF_COMPLETE) != 0 ||
		 (cmd->srvid == 0 && cmd->name[0] == '\0' &&
		  cmd->text[0] == '\0')));
}

static bool in_group(const struct ow_inst *s, const struct ow_ctl_cmd *cmd)
{
	return ow_inst_in_group(s, cmd->text) ||
	       ((cmd->flags & OW_CTLF_LP) != 0 &&
		ow_inst_provides_lock(s, cmd->text));
}

bool ow_plan_match(const struct ow_inst *s, const struct ow_ctl_cmd *cmd)
{
	if (cmd->srvid != 0 && cmd->srvid != s->srvid)
		return false;
	if (cmd->text[0] != '\0' && !in_group(s, cmd))
		return false;
	return cmd->name[0] == '\0' || strcmp(cmd->name, s->bin) == 0;
}

static int add_step(struct ow_plan *p, enum ow_ctl_verb verb)
{
	struct ow_plan_step *steps;

	if (p->n_steps > 0 && p->steps[p->n_steps - 1].n == 0)
		p->n_steps--; /* the last one is empty */
	if (p->n_steps == p->cap_steps) {
		p->cap_steps = p->cap_steps * 2 + 8;
		steps = realloc(p->steps, p->cap_steps * sizeof(*steps));
		if (steps == NULL)
			return -ENOMEM;
		p->steps = steps;
	}
	memset(&p->steps[p->n_steps], 0, sizeof(*p->steps));
	p->steps[p->n_steps].verb = verb;
	p->steps[p->n_steps].first = p->n_items;
	p->steps[p->n_steps].wait_ms = OW_PLAN_FOREVER;
	p->n_steps++;
	return 0;
}

static int add_item(struct ow_plan *p, struct ow_inst *s)
{
	struct ow_plan_step *step = &p->steps[p->n_steps - 1];
	struct ow_plan_item *items;
	uint64_t wait;

	if (p->n_items == p->cap_items) {
		p->cap_items = p->cap_items * 2 + 64;
		items = realloc(p->items, p->cap_items * sizeof(*items));
		if (items == NULL)
			return -ENOMEM;
		p->items = items;
	}
	p->items[p->n_items++] = (struct ow_plan_item){ .s = s };
	step->n++;
	if (s->def == NULL)
		return 0;
	wait = step->verb == OW_VERB_START ? s->def->srvstartwait_ms
					   : s->def->srvstopwait_ms;
	/* Entries of a group without order share a step. */
	if (step->n == 1 || step->wait_ms < wait)
		step->wait_ms = wait;
	step->pause_ms =
	    step->verb == OW_VERB_START ? s->def->sleep_after_ms : 0;
	return 0;
}

/* ---- which servers ---- */

static bool to_start(const struct ow_inst *s, const struct ow_ctl_cmd *cmd)
{
	if (s->def == NULL || !ow_plan_match(s, cmd))
		return false;
	if (s->au.state == OW_PROC_WAITING)
		return true;
	return s->autostart || cmd->srvid != 0 ||
	       (cmd->verb != OW_VERB_START && ow_inst_is_up(s));
}

static bool to_stop(const struct ow_inst *s, const struct ow_ctl_cmd *cmd)
{
	bool complete = ow_plan_is_complete(cmd);

	if (!ow_inst_is_up(s) && (complete || !s->au.gave_up))
		return false;
	if (!complete && !ow_plan_match(s, cmd))
		return false;
	/* Started by hand: ndrxd can stop it, but not restart it. */
	return s->def != NULL || cmd->verb == OW_VERB_STOP ||
	       cmd->verb == OW_VERB_DOWN;
}

/* ---- in which order ---- */

/* May these two start in parallel? */
static bool unordered(const struct ndrxd *d, const struct ow_inst *a,
		      const struct ow_inst *b)
{
	const struct ow_config_procgroup *g;

	if (a == NULL || a->def->procgrp == NULL || b->def->procgrp == NULL ||
	    strcmp(a->def->procgrp, b->def->procgrp) != 0 ||
	    a->def->sleep_after_ms > 0)
		return false;
	g = ow_config_procgroup_find(d->config, a->def->procgrp);
	return g != NULL && g->noorder;
}

static int plan_start(struct ow_plan *p, const struct ndrxd *d,
		      const struct ow_ctl_cmd *cmd)
{
	const struct ow_inst *last = NULL;
	size_t i;
	int r = 0;

	for (i = 0; i < d->n_insts && r == 0; i++) {
		struct ow_inst *s = d->insts[i];

		if (!to_start(s, cmd))
			continue;
		if (last == NULL ||
		    (s->entry != last->entry && !unordered(d, last, s)))
			r = add_step(p, OW_VERB_START);
		last = s;
		if (r == 0)
			r = add_item(p, s);
	}
	return r;
}

static int plan_stop(struct ow_plan *p, const struct ndrxd *d,
		     const struct ow_ctl_cmd *cmd)
{
	const struct ow_config_server *def = NULL;
	bool first = true;
	size_t i;
	int r = 0;

	for (i = d->n_insts; i-- > 0 && r == 0;) {
		struct ow_inst *s = d->insts[i];

		if (!to_stop(s, cmd))
			continue;
		if (first || s->def != def)
			r = add_step(p, OW_VERB_STOP);
		first = false;
		def = s->def;
		if (r == 0)
			r = add_item(p, s);
	}
	return r;
}

/* ---- replacing servers that run ---- */

/* The first new server of an entry is watched for so long before an old one is
 * stopped for good: a program that ends when it has just begun ends now. */
#define WATCHED_MS 200u

enum role {
	ONE_OF_MANY,
	FIRST, /* of its entry: it is watched */
	HELPER,
	HELPER_FIRST,
};

static int add_rolling(struct ow_plan *p, enum ow_ctl_verb verb,
		       struct ow_inst *s, enum role role)
{
	struct ow_plan_step *step;
	int r = add_step(p, verb);

	if (r == 0)
		r = add_item(p, s);
	if (r != 0)
		return r;
	step = &p->steps[p->n_steps - 1];
	step->rolling = true;
	if ((role == FIRST || role == HELPER_FIRST) &&
	    step->pause_ms < WATCHED_MS)
		step->pause_ms = WATCHED_MS;
	p->items[p->n_items - 1].helper = role >= HELPER;
	return 0;
}

/* Replace `s`. The first one of an entry ends the helper of the entry before,
 * and gets a helper if there is a free id. */
static int replace(struct ow_plan *p, struct ow_inst *s, bool first,
		   struct ow_inst **helper, struct ow_inst *next_helper)
{
	int r = 0;

	if (first && *helper != NULL)
		r = add_rolling(p, OW_VERB_STOP, *helper, HELPER);
	if (first)
		*helper = next_helper;
	if (r == 0 && first && *helper != NULL)
		r = add_rolling(p, OW_VERB_START, *helper, HELPER_FIRST);
	if (r == 0)
		r = add_rolling(p, OW_VERB_STOP, s, ONE_OF_MANY);
	if (r == 0)
		r = add_rolling(p, OW_VERB_START, s,
				first && *helper == NULL ? FIRST
							 : ONE_OF_MANY);
	return r;
}

/* An instance of the same entry that nobody wants to run; NULL: there is none.
 * A reload may be about to start one. */
static struct ow_inst *free_id(const struct ndrxd *d, const struct ow_inst *s,
			       bool reload)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++) {
		struct ow_inst *t = d->insts[i];

		if (t->def == s->def && t->pid == 0 && !t->au.want &&
		    ow_auto_is_down(t->au.state) &&
		    (!reload || t->reload == OW_RELOAD_NOTHING))
			return t;
	}
	return NULL;
}

static bool to_replace(const struct ow_inst *s, const struct ow_ctl_cmd *cmd)
{
	if (cmd->verb == OW_VERB_RELOAD)
		return s->reload == OW_RELOAD_RESTART;
	return s->def != NULL && ow_inst_is_up(s) && ow_plan_match(s, cmd);
}

static int plan_one_by_one(struct ow_plan *p, const struct ndrxd *d,
			   const struct ow_ctl_cmd *cmd)
{
	bool reload = cmd->verb == OW_VERB_RELOAD;
	const struct ow_inst *last = NULL;
	struct ow_inst *helper = NULL;
	size_t i;
	int r = 0;

	for (i = 0; i < d->n_insts && r == 0; i++) {
		struct ow_inst *s = d->insts[i];
		bool first = last == NULL || last->def != s->def;

		if (!to_replace(s, cmd))
			continue;
		r = replace(p, s, first, &helper,
			    first ? free_id(d, s, reload) : NULL);
		last = s;
	}
	if (r == 0 && helper != NULL)
		r = add_rolling(p, OW_VERB_STOP, helper, HELPER);
	return r;
}

/* All servers in parallel, until none is left. */
static int plan_all(struct ow_plan *p, const struct ndrxd *d,
		    enum ow_ctl_verb verb)
{
	size_t i;
	int r = add_step(p, verb);

	for (i = 0; i < d->n_insts && r == 0; i++)
		r = add_item(p, d->insts[i]);
	if (r == 0) {
		p->steps[p->n_steps - 1].wait_ms = OW_PLAN_FOREVER;
		p->steps[p->n_steps - 1].pause_ms = 0;
	}
	return r;
}

/* STOP: in parallel; START: entry by entry. */
static int plan_marked(struct ow_plan *p, const struct ndrxd *d,
		       enum ow_reload_mark mark)
{
	bool starts = mark == OW_RELOAD_START;
	const struct ow_inst *last = NULL;
	size_t i;
	int r = 0;

	for (i = 0; i < d->n_insts && r == 0; i++) {
		struct ow_inst *s = d->insts[i];

		if (s->reload != mark)
			continue;
		if (last == NULL || (starts && last->entry != s->entry)) {
			r = add_step(p, starts ? OW_VERB_START : OW_VERB_STOP);
			if (r == 0)
				p->steps[p->n_steps - 1].rolling = true;
		}
		if (r == 0)
			r = add_item(p, s);
		last = s;
	}
	return r;
}

/* First start, then replace, then stop: if a new server fails, everything that
 * ran before still runs. */
static int plan_reload(struct ow_plan *p, const struct ndrxd *d,
		       const struct ow_ctl_cmd *cmd)
{
	int r = plan_marked(p, d, OW_RELOAD_START);

	if (r == 0)
		r = plan_one_by_one(p, d, cmd);
	if (r == 0)
		r = plan_marked(p, d, OW_RELOAD_STOP);
	p->n_match = p->n_items;
	return r;
}

int ow_plan_make(struct ow_plan *p, const struct ndrxd *d,
		 const struct ow_ctl_cmd *cmd)
{
	size_t i;
	int r = 0;

	if (cmd->verb == OW_VERB_RELOAD)
		return plan_reload(p, d, cmd);
	for (i = 0; i < d->n_insts; i++)
		p->n_match += ow_plan_match(d->insts[i], cmd);
	if (cmd->verb == OW_VERB_STOP || cmd->verb == OW_VERB_RESTART)
		r = plan_stop(p, d, cmd);
	if (r == 0 && ow_plan_is_complete(cmd))
		r = plan_all(p, d, (enum ow_ctl_verb)cmd->verb);
	if (r == 0 && cmd->verb == OW_VERB_SRELOAD)
		r = plan_one_by_one(p, d, cmd);
	if (r == 0 &&
	    (cmd->verb == OW_VERB_START || cmd->verb == OW_VERB_RESTART))
		r = plan_start(p, d, cmd);
	return r;
}

/* Was it started, and has died since, or is being killed? Not lost is one that
 * has ended by its own decision, and a helper that was stopped. */
static bool is_lost(const struct ow_plan_step *step,
		    const struct ow_plan_item *item)
{
	const struct ow_auto *au = &item->s->au;

	if (step->verb != OW_VERB_START || !item->ok ||
	    (item->helper && !au->want))
		return false;
	return au->restarts != item->restarts ||
	       au->state == OW_PROC_RESTARTING ||
	       (ow_auto_is_down(au->state) && au->state != OW_PROC_EXITED &&
		au->state != OW_PROC_WAITING);
}

struct ow_inst *ow_plan_find_lost(const struct ow_plan *p, uint32_t step)
{
	uint32_t k, i;

	for (k = 0; k < step; k++) {
		const struct ow_plan_step *t = &p->steps[k];

		for (i = t->first; i < t->first + t->n; i++)
			if (is_lost(t, &p->items[i]))
				return p->items[i].s;
	}
	return NULL;
}

bool ow_plan_ends_helper(const struct ow_plan *p, uint32_t step)
{
	const struct ow_plan_step *t = &p->steps[step];

	return t->verb == OW_VERB_STOP && t->n == 1 &&
	       p->items[t->first].helper;
}

uint64_t ow_plan_longest_wait(const struct ow_plan *p)
{
	uint64_t ms = 0;

	for (uint32_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].wait_ms != OW_PLAN_FOREVER &&
		    p->steps[i].wait_ms > ms)
			ms = p->steps[i].wait_ms;
	return ms;
}

void ow_plan_clear(struct ow_plan *p)
{
	free(p->items);
	free(p->steps);
	memset(p, 0, sizeof(*p));
}
