/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifecycle.c - start, stop, restart, sreload, reload, cat: servers
 *
 * ndrxd does the work; here the command line becomes one order for each -s,
 * -i and -g, and the replies become lines of text. When servers have outlived
 * their ndrxd, a new ndrxd is started first and adopts them.
 */
#include "clients/xadmin/control/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "libndrx/observe/progress.h"
#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/env.h"
#include "libubf/base/compatible.h"

#define END_MS	 10000 /* for ndrxd to end after a complete stop */
#define LEAVE_MS 2000  /* the same, after one that failed */

struct job {
	struct ow_args *a;
	enum ow_ctl_verb verb;
	uint32_t flags;
	struct ow_command_link link;
	struct ow_progress progress;
	uint32_t count; /* processes, as ndrxd reports */
	bool selected;	/* -s, -i or -g was given */
	bool forgiving; /* what has no success is said, and no more */
	bool refused;	/* the user may not give this order */
};

/* ---- how many servers an order is for ---- */

struct counting {
	enum ow_ctl_verb verb;
	bool selected;
	uint32_t n;
};

/* Will this server have a result? */
static void count_row(const union ow_ctl_msg *m, void *arg)
{
	struct counting *c = arg;
	const struct ow_ctl_row *r = &m->row;

	if (m->h.kind != OW_CTL_ROW)
		return;
	if (c->verb == OW_VERB_START)
		c->n += r->state != OW_PROC_RUNNING &&
			(r->autostart || c->selected);
	else
		c->n += r->pid != 0;
}

/* The servers that an order is for; all zero: all servers. */
struct target {
	uint32_t srvid;
	const char *name;
	const char *group;
};

/* Count the results to expect, for the progress line of a terminal. */
static void count_work(struct job *j, const struct target *t)
{
	struct counting n = { .verb = j->verb, .selected = j->selected };
	struct ow_command_order c = {
		.verb = OW_VERB_LIST,
		.flags = j->flags & OW_CTLF_LP,
		.srvid = t->srvid,
		.name = t->name,
		.text = t->group,
		.on_reply = count_row,
		.arg = &n,
	};
	struct ow_ctl_done done;

	if (!j->progress.live || j->verb == OW_VERB_CAT ||
	    ow_command_call(&j->link, &c, &done) != 0)
		return;
	/* A restart has two results for each server. */
	j->progress.total += j->verb == OW_VERB_RESTART ||
				     j->verb == OW_VERB_SRELOAD
				 ? 2 * n.n : n.n;
}

/* Send one order to ndrxd. An exit code. */
static int order(struct job *j, const struct target *t)
{
	struct ow_command_order c = {
		.verb = j->verb,
		.flags = j->flags,
		.srvid = t->srvid,
		.name = t->name,
		.text = t->group,
		.on_reply = ow_progress_on_reply,
		.arg = &j->progress,
	};
	struct ow_ctl_done done;
	int r;

	count_work(j, t);
	r = ow_command_call(&j->link, &c, &done);
	ow_progress_end(&j->progress);
	if (r == 0) {
		j->count += done.count;
		j->refused = j->refused || done.status == TPEPERM;
	}
	if (r == 0 && done.status == 0 && done.text[0] != '\0')
		fprintf(stderr, "%s\n", done.text);
	return ow_reach_result(j->a, r, &done);
}

/* Send the order of one option. An exit code. */
static int order_option(struct job *j, int opt, const char *value)
{
	struct target t = { .srvid = 0 };

	switch (opt) {
	case 's':
		t.name = value;
		return order(j, &t);
	case 'g':
		t.group = value;
		return order(j, &t);
	case 'i':
		t.srvid = ow_args_srvid(j->a, value);
		return t.srvid == 0 ? OW_EXIT_USAGE : order(j, &t);
	default:
		return OW_EXIT_OK;
	}
}

/* Send an order for each -s, -i and -g and for each name, or one for all
 * servers. */
static int orders(struct job *j)
{
	const struct target all = { .srvid = 0 };
	int i, r, worst = OW_EXIT_OK;

	if (!j->selected)
		return order(j, &all);
	for (i = 0; i < j->a->n_opts; i++) {
		r = order_option(j, j->a->opts[i].opt, j->a->opts[i].value);
		if (r != OW_EXIT_OK)
			worst = r;
	}
	for (i = 0; i < j->a->n_rest; i++) {
		r = order_option(j, 's', j->a->rest[i]);
		if (r != OW_EXIT_OK)
			worst = r;
	}
	return worst;
}

static void say_finished(const char *what, uint32_t count, const char *done)
{
	fprintf(stderr, "%s finished. %u processes %s.\n", what, count, done);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* No server was touched: ndrxd has refused the order, and said why. */
static bool is_refused(const struct job *j, int result)
{
	return result != OW_EXIT_OK && j->count == 0 &&
	       j->progress.started + j->progress.stopped +
		   j->progress.failed == 0;
}

static void say_end(const struct job *j, int result)
{
	static const char *const nothing[] = {
		[OW_VERB_START] = "started", [OW_VERB_STOP] = "stopped",
		[OW_VERB_RESTART] = "restarted",
	};
	const char *what = j->verb < sizeof(nothing) / sizeof(nothing[0])
			       ? nothing[j->verb] : NULL;
	char step[OW_STEP_MAX + 64];

	if (is_refused(j, result)) {
		fprintf(stderr, "Nothing was %s.\n",
			what != NULL ? what : "reloaded");
		return;
	}

	switch (j->verb) {
	case OW_VERB_START:
		if (ow_observer_step(step, sizeof(step)))
			fprintf(stderr, "%s\n", step);
		say_finished("Startup", j->count, "started");
		break;
	case OW_VERB_STOP:
		say_finished("Shutdown", j->count, "stopped");
		break;
	case OW_VERB_RESTART:
		say_finished("Shutdown", j->progress.stopped, "stopped");
		say_finished("Startup",
			     larger(j->progress.started, j->count), "started");
		break;
	default:
		say_finished("Reload", j->count, "reloaded");
	}
}

/* Run the job over an open connection and close it. */
static int run_job(struct job *j)
{
	int r;

	j->progress.out = stderr;
	j->progress.live = isatty(STDERR_FILENO);
	fflush(stdout);
	r = orders(j);
	ow_progress_end(&j->progress);
	if (r != OW_EXIT_TIMEOUT && !(j->refused && j->count == 0))
		say_end(j, r);
	/* A stop without success for a server ends ndrxd, too. */
	if ((j->flags & OW_CTLF_COMPLETE) && r == OW_EXIT_FAILED)
		ow_command_wait_end(&j->link, LEAVE_MS);
	if ((j->flags & OW_CTLF_COMPLETE) && r == OW_EXIT_OK &&
	    ow_command_wait_end(&j->link, END_MS) != 0)
		r = ow_cmd_fail(j->a, "ndrxd does not end; `down -y` ends the domain");
	ow_command_close(&j->link);
	return r == OW_EXIT_FAILED && j->forgiving ? OW_EXIT_OK : r;
}

static bool is_selected(const struct ow_args *a)
{
	return ow_args_has(a, 's') || ow_args_has(a, 'i') ||
	       ow_args_has(a, 'g') || a->n_rest > 0;
}

/* Is each server that was chosen one? Before the first order is given. */
static int check_selection(const struct ow_args *a)
{
	int i;

	for (i = 0; i < a->n_opts; i++)
		if (a->opts[i].opt == 'i' &&
		    ow_args_srvid(a, a->opts[i].value) == 0)
			return OW_EXIT_USAGE;
	return OW_EXIT_OK;
}

/* Server processes of the domain that live. */
static uint32_t count_living(void)
{
	struct ow_observer v;
	char why[256];
	uint32_t n;

	if (ow_observer_open(&v, why, sizeof(why)) != 0)
		return 0;
	n = ow_observer_alive(&v);
	ow_observer_close(&v);
	return n;
}

static int run_verb(struct ow_args *a, enum ow_ctl_verb verb, uint32_t flags)
{
	struct job j = { .a = a, .verb = verb, .flags = flags };
	struct ow_domain d;
	int r = check_selection(a);

	if (r != OW_EXIT_OK)
		return r;
	j.selected = is_selected(a);
	/* As scripts of other runtimes expect. */
	j.forgiving = ow_compat_enduro() ||
		      (verb == OW_VERB_START &&
		       (ow_args_has(a, 'k') ||
			ow_env_str("NDRX_STARTOK", NULL) != NULL));
	if (ow_args_has(a, 'L'))
		j.flags |= OW_CTLF_LP;
	if (!j.selected && verb != OW_VERB_RELOAD && verb != OW_VERB_SRELOAD &&
	    !ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	if (ow_reach_ordered(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_reach_or_start_ndrxd(a, &d, &j.link);
	return r != OW_EXIT_OK ? r : run_job(&j);
}

int ow_control_start(struct ow_args *a)
{
	return run_verb(a, OW_VERB_START, 0);
}

/* Nothing runs: do not ask, do not start a ndrxd only to end it. */
static int nothing_to_stop(void)
{
	fprintf(stderr, "ndrxd is not running\n");
	say_finished("Shutdown", 0, "stopped");
	return OW_EXIT_OK;
}

static int stop(struct ow_args *a, uint32_t flags)
{
	struct ow_command_link link = { .fd = -1 };
	struct ow_domain d;
	int r = check_selection(a);

	if (r != OW_EXIT_OK)
		return r;
	if (!is_selected(a))
		flags |= OW_CTLF_COMPLETE;
	if (ow_args_has(a, 'k'))
		flags |= OW_CTLF_KILL;
	if (ow_args_has(a, 'f'))
		flags |= OW_CTLF_FORCE;
	if (ow_reach_ordered(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_command_open(&d, &link);
	ow_command_close(&link);
	if (r == OW_COMMAND_ABSENT && count_living() == 0)
		return nothing_to_stop();
	return run_verb(a, OW_VERB_STOP, flags);
}

int ow_control_stop(struct ow_args *a)
{
	return stop(a, ow_args_has(a, OW_ARGS_DRAIN) ? OW_CTLF_DRAIN : 0);
}

int ow_control_drain(struct ow_args *a)
{
	const char *svc = ow_args_value(a, 'v');

	if (svc != NULL && is_selected(a))
		return ow_cmd_misused(a, "-v with -s, -i or -g: give one of "
				      "them");
	return svc != NULL ? ow_control_drain_service(a, svc)
			   : stop(a, OW_CTLF_DRAIN);
}

int ow_control_restart(struct ow_args *a)
{
	return run_verb(a, OW_VERB_RESTART, 0);
}

/* sreload and reload need a running ndrxd. */
static int run_on_living(struct ow_args *a, enum ow_ctl_verb verb)
{
	struct job j = { .a = a, .verb = verb, .selected = is_selected(a) };
	struct ow_domain d;
	int r = check_selection(a);

	if (r == OW_EXIT_OK)
		r = ow_reach_ndrxd(a, &d, &j.link);
	j.forgiving = verb == OW_VERB_SRELOAD && ow_compat_enduro();
	return r != OW_EXIT_OK ? r : run_job(&j);
}

int ow_control_sreload(struct ow_args *a)
{
	if (!is_selected(a) && !ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	return run_on_living(a, OW_VERB_SRELOAD);
}

int ow_control_reload(struct ow_args *a)
{
	return run_on_living(a, OW_VERB_RELOAD);
}

int ow_control_cat(struct ow_args *a)
{
	struct job j = { .a = a, .verb = OW_VERB_CAT };
	struct ow_domain d;
	int r = ow_reach_ndrxd(a, &d, &j.link);

	if (r != OW_EXIT_OK)
		return r;
	j.progress.out = stderr;
	j.progress.live = isatty(STDERR_FILENO);
	r = order(&j, &(struct target){ .srvid = 0 });
	ow_progress_end(&j.progress);
	ow_command_close(&j.link);
	return r;
}
