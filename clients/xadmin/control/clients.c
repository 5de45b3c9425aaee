/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - pc, bc, sc, rc: the client programs that ndrxd supervises
 *
 * ndrxd lists all clients and takes an order for one client at a time, so
 * wildcards, groups and pauses are resolved here. bc, sc and rc wait until the
 * processes run or have ended; the exit code tells the result.
 */
#include "clients/xadmin/control/control.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"

#define FOLLOW_MS 60000
#define PERIOD_MS 50 /* between two listings of ndrxd */

/* The clients that ndrxd lists, or the selected ones of them. */
struct rows {
	struct ow_ctl_client *list;
	size_t n, cap;
	bool no_memory;
};

static void collect(const union ow_ctl_msg *m, void *arg)
{
	struct rows *r = arg;
	struct ow_ctl_client *list;

	if (m->h.kind != OW_CTL_CLIENT)
		return;
	if (r->n == r->cap) {
		list = realloc(r->list, (r->cap * 2 + 32) * sizeof(*list));
		r->no_memory |= list == NULL;
		if (list == NULL)
			return;
		r->list = list;
		r->cap = r->cap * 2 + 32;
	}
	r->list[r->n++] = m->client;
}

static int fetch(struct ow_args *a, struct ow_command_link *link,
		 struct rows *ret)
{
	struct ow_command_order c = {
		.verb = OW_VERB_PC,
		.on_reply = collect,
		.arg = ret,
	};
	struct ow_ctl_done done;
	int r;

	ret->n = 0;
	r = ow_command_call(link, &c, &done);
	if (r == 0 && ret->no_memory)
		return ow_cmd_fail(a, "no memory");
	return ow_reach_result(a, r, &done);
}

/* ---- listing ---- */

static int exit_number(const struct ow_ctl_client *c)
{
	if (c->exec_errno != 0)
		return c->exec_errno;
	return WIFSIGNALED(c->exit_status) ? 128 + WTERMSIG(c->exit_status)
					   : WEXITSTATUS(c->exit_status);
}

static void date_of(const struct ow_ctl_client *c, char *buf, size_t size)
{
	time_t t = (time_t)(c->t_changed / OW_NS_PER_SEC);
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm);
}

/* Scripts depend on these texts. */
static void print_row(const struct ow_ctl_client *c)
{
	char date[40];

	date_of(c, date, sizeof(date));
	printf("%s/%s - ", c->tag, c->subsect);
	switch (c->state) {
	case OW_PROC_RUNNING:
		printf("running pid %d (%s)\n", c->pid, date);
		break;
	case OW_PROC_STARTING:
		printf("starting (%s)\n", date);
		break;
	case OW_PROC_STOPPING:
	case OW_PROC_RESTARTING:
		printf("stopping pid %d (%s)\n", c->pid, date);
		break;
	case OW_PROC_WAITING:
		printf("waiting on group lock (%s)\n", date);
		break;
	case OW_PROC_EXITED:
		printf("shutdown (%s)\n", date);
		break;
	case OW_PROC_NOT_STARTED:
		printf("not started\n");
		break;
	default:
		printf("dead %d (%s)\n", exit_number(c), date);
	}
}

static void json_row(struct ow_json *j, const struct ow_ctl_client *c)
{
	ow_json_row_begin(j);
	ow_json_str(j, "tag", c->tag);
	ow_json_str(j, "subsect", c->subsect);
	ow_json_str(j, "state", ow_proc_state_word(c->state));
	ow_json_str(j, "requested", ow_proc_state_word(c->requested));
	ow_json_int(j, "pid", c->pid);
	ow_json_bool(j, "autostart", c->autostart != 0);
	ow_json_uint(j, "restarts", c->restarts);
	ow_json_uint(j, "start_tries", c->exec_seq);
	ow_json_int(j, "exit_status", c->exit_status);
	ow_json_int(j, "exec_errno", c->exec_errno);
	ow_json_uint(j, "changed_ns", c->t_changed);
	ow_json_str(j, "procgrp", c->procgrp);
	ow_json_str(j, "reason", c->reason);
	ow_json_row_end(j);
}

int ow_control_pc(struct ow_args *a)
{
	struct rows rows = { 0 };
	struct ow_command_link link;
	struct ow_listing l;
	struct ow_domain d;
	size_t i;
	int r = ow_reach_ndrxd(a, &d, &link);

	if (r != OW_EXIT_OK)
		return r;
	r = fetch(a, &link, &rows);
	ow_command_close(&link);
	if (r == OW_EXIT_OK) {
		ow_listing_begin(&l, &a->form, NULL);
		for (i = 0; i < rows.n; i++)
			if (l.json != NULL)
				json_row(l.json, &rows.list[i]);
			else
				print_row(&rows.list[i]);
		ow_listing_end(&l);
	}
	free(rows.list);
	return r;
}

/* ---- selection ---- */

/* Does `text` match? `%` in the pattern stands for any characters or none. */
static bool like(const char *text, const char *pattern)
{
	for (; *pattern != '\0' && *pattern != '%'; pattern++, text++)
		if (*pattern != *text)
			return false;
	if (*pattern == '\0')
		return *text == '\0';
	for (;; text++) {
		if (like(text, pattern + 1))
			return true;
		if (*text == '\0')
			return false;
	}
}

static bool selected(const struct ow_args *a, const struct ow_ctl_client *c)
{
	const char *tag = ow_args_value(a, 't'), *sub = ow_args_value(a, 's');
	const char *group = ow_args_value(a, 'g');

	if (group != NULL)
		return like(c->procgrp, group) && c->procgrp[0] != '\0';
	return like(c->tag, tag) && like(c->subsect, sub != NULL ? sub : "-");
}

static void select_rows(const struct ow_args *a, struct rows *rows)
{
	size_t i, n = 0;

	for (i = 0; i < rows->n; i++)
		if (selected(a, &rows->list[i]))
			rows->list[n++] = rows->list[i];
	rows->n = n;
}

/* ---- orders ---- */

static int order_one(struct ow_args *a, struct ow_command_link *link,
		     enum ow_ctl_verb verb, const struct ow_ctl_client *c)
{
	struct ow_command_order cmd = {
		.verb = verb,
		.name = c->tag,
		.text = c->subsect,
	};
	struct ow_ctl_done done;
	int r = ow_command_call(link, &cmd, &done);

	return ow_reach_result(a, r, &done);
}

/* Has the order been carried out, or has it failed? ndrxd may try a dead
 * client again later; the command does not wait for that. */
static bool settled(const struct ow_ctl_client *c, enum ow_ctl_verb verb)
{
	return c->pid == 0 ||
	       (verb != OW_VERB_SC && c->state == OW_PROC_RUNNING);
}

static bool succeeded(const struct ow_ctl_client *c, enum ow_ctl_verb verb)
{
	return verb == OW_VERB_SC || c->state == OW_PROC_RUNNING ||
	       c->state == OW_PROC_WAITING;
}

static int follow(struct ow_args *a, struct ow_command_link *link,
		  enum ow_ctl_verb verb)
{
	uint64_t end = ow_clock_mono_ns() + FOLLOW_MS * OW_NS_PER_MS;
	struct rows rows = { 0 };
	size_t i, open = 1;
	int r = OW_EXIT_OK;

	while (r == OW_EXIT_OK && open > 0) {
		r = fetch(a, link, &rows);
		select_rows(a, &rows);
		for (i = 0, open = 0; i < rows.n; i++)
			open += !settled(&rows.list[i], verb);
		if (open > 0 && ow_clock_mono_ns() > end)
			r = ow_cmd_fail(a, "%zu clients take longer than %d s",
					open, FOLLOW_MS / 1000);
		else if (open > 0 && poll(NULL, 0, PERIOD_MS) < 0)
			break; /* Ctrl-C */
	}
	for (i = 0; i < rows.n; i++) {
		print_row(&rows.list[i]);
		if (!succeeded(&rows.list[i], verb))
			r = OW_EXIT_FAILED;
	}
	free(rows.list);
	return r;
}

static int order_all(struct ow_args *a, struct ow_command_link *link,
		     enum ow_ctl_verb verb)
{
	const char *pause = ow_args_value(a, 'w');
	struct rows rows = { 0 };
	int r = fetch(a, link, &rows), one;
	size_t i;

	select_rows(a, &rows);
	if (r == OW_EXIT_OK && rows.n == 0)
		r = ow_cmd_fail(a, "no such client: `pc` lists them");
	for (i = 0; i < rows.n; i++) {
		if (i > 0 && pause != NULL &&
		    poll(NULL, 0, atoi(pause)) < 0)
			break;
		one = order_one(a, link, verb, &rows.list[i]);
		r = one != OW_EXIT_OK ? one : r;
	}
	if (rows.n > 0)
		one = follow(a, link, verb);
	else
		one = r;
	free(rows.list);
	return r != OW_EXIT_OK ? r : one;
}

static int run(struct ow_args *a, enum ow_ctl_verb verb)
{
	const char *pause = ow_args_value(a, 'w');
	struct ow_command_link link;
	struct ow_domain d;
	long ms = 0;
	int r;

	if ((ow_args_value(a, 't') == NULL) == (ow_args_value(a, 'g') == NULL))
		return ow_cmd_misused(a, "either -t TAG or -g GRP is needed");
	if (pause != NULL && (ow_env_parse_long(pause, &ms) != 0 || ms < 0 ||
			      ms > 3600000))
		return ow_cmd_misused(a, "-w %s: give milliseconds, at most "
				      "3600000", pause);
	r = ow_reach_ndrxd(a, &d, &link);
	if (r != OW_EXIT_OK)
		return r;
	r = order_all(a, &link, verb);
	ow_command_close(&link);
	return r;
}

int ow_control_bc(struct ow_args *a)
{
	return run(a, OW_VERB_BC);
}

int ow_control_sc(struct ow_args *a)
{
	return run(a, OW_VERB_SC);
}

int ow_control_rc(struct ow_args *a)
{
	return run(a, OW_VERB_RC);
}
