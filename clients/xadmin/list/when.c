/* SPDX-License-Identifier: Apache-2.0 */
/*
 * when.c - when: what changed between two times
 *
 * From the black box, a file that outlasts the domain. Needs neither ndrxd nor a
 * domain; with --report, nothing of this machine.
 */
#include "clients/xadmin/list/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"
#include "libndrx/blackbox/archive.h"
#include "libndrx/blackbox/changes.h"
#include "libndrx/blackbox/file.h"
#include "libndrx/blackbox/past.h"
#include "libndrx/blackbox/player.h"
#include "libndrx/blackbox/when.h"
#include "libubf/base/cleanup.h"

#define SPAN_NS (10 * 60 * OW_NS_PER_SEC) /* without a second time */

static const struct ow_column columns[] = {
	{ "TIME", 19, 0 },
	{ "WHAT", 9, OW_COLUMN_GROWS },
	{ "WHO", 8, OW_COLUMN_GROWS },
	{ "ID", 5, OW_COLUMN_RIGHT },
	{ "PID", 7, OW_COLUMN_RIGHT },
	{ "CHANGE", 20, 0 },
	{ NULL, 0, 0 },
};

static void show_json(struct ow_json *j, const struct ow_bb_change *v)
{
	char when[32];

	ow_json_row_begin(j);
	ow_json_uint(j, "time_ns", v->real_ns);
	ow_json_str(j, "time", ow_bb_when_text(v->real_ns, when));
	ow_json_str(j, "what", v->kind);
	ow_json_str(j, "who", v->who);
	ow_json_uint(j, "srvid", v->srvid);
	ow_json_int(j, "pid", v->pid);
	ow_json_str(j, "text", v->text);
	ow_json_row_end(j);
}

static void show(struct ow_grid *g, const struct ow_bb_change *v)
{
	static const enum ow_colour colours[] = {
		OW_COLOUR_NONE, OW_COLOUR_WARN, OW_COLOUR_BAD
	};
	char when[32];

	ow_grid_cell(g, "%s", ow_bb_when_text(v->real_ns, when));
	ow_grid_cell(g, "%s", v->kind);
	ow_grid_paint(g, colours[v->grade >= 0 && v->grade < 3 ? v->grade : 0]);
	ow_grid_cell(g, "%s", v->who);
	ow_grid_cell(g, v->srvid != 0 ? "%u" : "-", v->srvid);
	ow_grid_cell(g, v->pid > 0 ? "%d" : "-", v->pid);
	ow_grid_cell(g, "%s", v->text);
	ow_grid_end_row(g);
}

/* What the list cannot say itself, for people. */
static void remark(struct ow_bb_player *p, const struct ow_bb_changes *c)
{
	char first[32], last[32], text[256];
	uint64_t from, to;

	if (c->records == 0 && ow_bb_player_span(p, &from, &to))
		fprintf(stderr, "nothing was recorded then: the black box has "
			"records from %s to %s\n",
			ow_bb_when_text(from, first),
			ow_bb_when_text(to, last));
	else if (c->n == 0)
		fprintf(stderr, "nothing changed: %llu records from %s to %s\n",
			(unsigned long long)c->records,
			ow_bb_when_text(c->first_ns, first),
			ow_bb_when_text(c->last_ns, last));
	ow_bb_player_say(p, text, sizeof(text));
	if (text[0] != '\0')
		fprintf(stderr, "%s\n", text);
}

static int list(struct ow_args *a, struct ow_bb_player *p, uint64_t from,
		uint64_t to)
{
	struct ow_bb_changes c;
	struct ow_listing l;
	size_t i;
	int r = ow_bb_changes_find(p, from, to, &c);

	if (r != 0)
		return ow_cmd_fail(a, "%s", strerror(-r));
	r = ow_listing_begin(&l, &a->form, columns);
	if (r != 0) {
		ow_bb_changes_free(&c);
		return ow_cmd_fail(a, "no memory");
	}
	for (i = 0; i < c.n; i++) {
		if (l.json != NULL)
			show_json(l.json, &c.list[i]);
		else
			show(l.grid, &c.list[i]);
	}
	ow_listing_end(&l);
	remark(p, &c);
	r = c.records == 0 ? OW_EXIT_ABSENT : OW_EXIT_OK;
	ow_bb_changes_free(&c);
	return r;
}

/* The two times: from the words, or the last ten minutes. */
static int take_times(const struct ow_args *a, uint64_t last, uint64_t *from,
		      uint64_t *to)
{
	int i;

	*to = last;
	if (a->n_rest > 0 && !ow_bb_when(a->rest[0], last, from))
		i = 0;
	else if (a->n_rest > 1 && !ow_bb_when_after(a->rest[1], last, *from, to))
		i = 1;
	else {
		if (a->n_rest == 0)
			*from = last - SPAN_NS;
		if (a->n_rest == 1)
			*to = *from + SPAN_NS;
		return OW_EXIT_OK;
	}
	return ow_cmd_misused(a, "%s: give a time: 03:12, 03:12:30, "
			      "\"2026-11-27 03:12\", or how long ago: 10m",
			      a->rest[i]);
}

static int open_box(const struct ow_args *a, struct ow_bb_file **ret)
{
	const char *report = ow_args_value(a, 'r');
	char why[1024];
	struct ow_domain d;
	int r;

	if (report != NULL && a->x->right != OW_GUEST_NOBODY)
		return ow_cmd_misused(a, "-r is for files of your own");
	if (report != NULL)
		return ow_bb_open_report(report, ret, why, sizeof(why)) == 0
			   ? OW_EXIT_OK
			   : ow_cmd_fail(a, "%s", why);
	if (ow_reach_env(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_bb_open_own(ret, why, sizeof(why));
	if (r == 0)
		return OW_EXIT_OK;
	ow_cmd_fail(a, "%s", why);
	return r == -ENOENT ? OW_EXIT_ABSENT : OW_EXIT_FAILED;
}

int ow_list_when(struct ow_args *a)
{
	uint64_t first, last, from = 0, to = 0;
	struct ow_bb_player *p;
	struct ow_bb_file *f;
	int r = open_box(a, &f);

	if (r != OW_EXIT_OK)
		return r;
	p = ow_bb_player_new(f);
	if (p == NULL)
		return ow_cmd_fail(a, "no memory");
	if (!ow_bb_player_span(p, &first, &last))
		r = ow_cmd_fail(a, "the black box has no record yet");
	else
		r = take_times(a, ow_args_value(a, 'r') != NULL
				      ? last : ow_clock_real_ns(),
			       &from, &to);
	if (r == OW_EXIT_OK && from > to)
		r = ow_cmd_misused(a, "the first time is after the second");
	if (r == OW_EXIT_OK)
		r = list(a, p, from, to);
	ow_bb_player_free(p);
	return r;
}
