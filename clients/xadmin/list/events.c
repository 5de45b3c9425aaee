/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - events: what ndrxd did, and who ordered it
 *
 * From the history, a file that outlasts the domain; where there is none, from
 * the event ring in shared memory. Needs neither ndrxd nor a domain.
 */
#include "clients/xadmin/list/list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/history.h"
#include "libubf/base/cleanup.h"

#define COUNT	  100
#define COUNT_MAX 1000000

static const struct ow_column events_columns[] = {
	{ "TIME", 23, 0 },
	{ "EVENT", 7, 0 },
	{ "ID", 5, OW_COLUMN_RIGHT },
	{ "WHO", 8, OW_COLUMN_GROWS },
	{ "PID", 7, OW_COLUMN_RIGHT },
	{ "WHY", 20, 0 },
	{ NULL, 0, 0 },
};

/* The last events that were selected: a ring of `room`. */
struct selection {
	struct ow_event *list;
	size_t room, n; /* n: all that were selected */
	uint32_t srvid; /* 0: all */
};

static void take(struct selection *s, const struct ow_event *e)
{
	if (s->srvid == 0 || s->srvid == e->srvid)
		s->list[s->n++ % s->room] = *e;
}

/* 0, or -errno: there is no history. Not blocked by a FIFO in its place. */
static int read_history(const struct ow_domain *d, struct selection *s)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	char path[OW_HISTORY_PATH], line[OW_HISTORY_LINE];
	struct ow_event e;
	int fd;

	ow_history_path(d, path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (f == NULL)
		return -errno;
	while (fgets(line, sizeof(line), f) != NULL)
		if (ow_history_parse(line, d->prefix, &e))
			take(s, &e);
	return 0;
}

static int read_ring(const struct ow_domain *d, struct selection *s)
{
	struct ow_events *ring;
	uint64_t n, next;
	struct ow_event e;
	char path[256];
	int r;

	ow_domain_shm_path(d, "events", path, sizeof(path));
	r = ow_events_open(path, false, &ring);
	if (r != 0)
		return r;
	next = ow_events_next(ring);
	for (n = next > OW_EVENTS_MAX ? next - OW_EVENTS_MAX : 0; n < next; n++)
		if (ow_events_read(ring, n, &e) == 0)
			take(s, &e);
	ow_events_close(ring);
	return 0;
}

static void show(struct ow_listing *l, const struct ow_event *e)
{
	static const enum ow_colour colours[] = {
		OW_COLOUR_NONE, OW_COLOUR_WARN, OW_COLOUR_BAD
	};
	time_t t = (time_t)(e->real_ns / OW_NS_PER_SEC);
	unsigned int ms = (unsigned int)(e->real_ns / OW_NS_PER_MS % 1000);
	struct tm tm = { 0 };
	char when[32];

	localtime_r(&t, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_uint(l->json, "time_ns", e->real_ns);
		ow_json_str(l->json, "time", when);
		ow_json_str(l->json, "event", ow_event_word(e->kind));
		ow_json_str(l->json, "who", e->who);
		ow_json_uint(l->json, "srvid", e->srvid);
		ow_json_int(l->json, "pid", e->pid);
		ow_json_str(l->json, "text", e->text);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%s.%03u", when, ms);
	ow_grid_cell(l->grid, "%s", ow_event_word(e->kind));
	ow_grid_paint(l->grid, colours[ow_event_grade(e->kind)]);
	if (e->srvid != 0)
		ow_grid_cell(l->grid, "%u", e->srvid);
	else
		ow_grid_cell(l->grid, "-");
	ow_grid_cell(l->grid, "%s", e->who);
	ow_grid_cell(l->grid, "%d", e->pid);
	ow_grid_cell(l->grid, "%s", e->text);
	ow_grid_end_row(l->grid);
}

static int show_all(struct ow_args *a, const struct selection *s)
{
	size_t i = s->n > s->room ? s->n - s->room : 0;
	struct ow_listing l;

	if (ow_listing_begin(&l, &a->form, events_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	for (; i < s->n; i++)
		show(&l, &s->list[i % s->room]);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}

/* Neither history, for `r`, nor ring: another user's, or not there. */
static int fail_unread(struct ow_args *a, const struct ow_domain *d, int r)
{
	char path[OW_HISTORY_PATH];
	struct ow_domain own;

	if (ow_reach_own(a, &own) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	ow_history_path(d, path);
	if (r != -ENOENT)
		return ow_cmd_fail(a, "%s: %s", path, strerror(-r));
	ow_cmd_fail(a, "no history: no ndrxd has run here yet");
	return OW_EXIT_ABSENT;
}

int ow_list_events(struct ow_args *a)
{
	OW_CLEANUP(ow_cleanup_freep) struct ow_event *list = NULL;
	const char *count = ow_args_value(a, 'n'), *id = ow_args_value(a, 'i');
	struct selection s = { .n = 0 };
	struct ow_domain d;
	long room = COUNT;
	int r;

	if (count != NULL && (ow_env_parse_long(count, &room) != 0 ||
			      room < 1 || room > COUNT_MAX))
		return ow_cmd_misused(a, "-n %s: give a number from 1 to %d",
				      count, COUNT_MAX);
	if (id != NULL && (s.srvid = ow_args_srvid(a, id)) == 0)
		return OW_EXIT_USAGE;
	if (ow_reach_env(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	s.room = (size_t)room;
	s.list = list = calloc(s.room, sizeof(*list));
	if (list == NULL)
		return ow_cmd_fail(a, "no memory");
	r = read_history(&d, &s);
	if (r != 0 && read_ring(&d, &s) != 0)
		return fail_unread(a, &d, r);
	return show_all(a, &s);
}
