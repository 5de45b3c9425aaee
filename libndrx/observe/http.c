/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - the gates for HTTP of a domain and their routes, as operators see them
 */
#include "libndrx/observe/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/proc.h"
#include "libndrx/observe/run_files.h"
#include "libubf/base/printable.h"

#define VERSION	 1u
#define OLD_US	 UINT64_C(5000000)
#define CELLS	 (4 + OW_HIST_BUCKETS)

/* A line, split: cells point into it. */
struct line {
	char *text;
	size_t room;
	char *cell[CELLS];
	unsigned int n;
};

struct reading {
	const struct ow_http_look *look;
	void *arg;
	struct line gate_line, route_line, ended_line;
	struct ow_http_gate gate;
	struct ow_http_route route;
};

const char *ow_http_state_name(enum ow_http_state state)
{
	static const char *const names[] = { [OW_HTTP_UP] = "up",
					     [OW_HTTP_OLD] = "old",
					     [OW_HTTP_DEAD] = "dead" };

	return names[state];
}

static uint64_t number(const struct line *l, unsigned int i)
{
	return strtoull(l->cell[i], NULL, 10);
}

static const char *text(const struct line *l, unsigned int i)
{
	ow_printable(l->cell[i]);
	return strcmp(l->cell[i], "-") == 0 ? "" : l->cell[i];
}

static void split(struct line *l)
{
	char *rest = l->text;

	rest[strcspn(rest, "\n")] = '\0';
	for (l->n = 0; l->n < CELLS && rest != NULL; l->n++)
		l->cell[l->n] = strsep(&rest, "\t");
}

/* The line becomes that of its kind, whose cells are valid until the next one. */
static void keep(struct line *as, struct line *l)
{
	struct line was = *as;

	*as = *l;
	*l = was;
}

static void take_gate(struct reading *r)
{
	const struct line *l = &r->gate_line;
	struct ow_http_gate *g = &r->gate;
	uint64_t now_us = ow_clock_real_ns() / OW_NS_PER_US;
	uint64_t then_us = number(l, 4) * 1000;

	g->pid = (pid_t)number(l, 2);
	g->age_us = now_us > then_us ? now_us - then_us : 0;
	g->expires_s = (int64_t)number(l, 5);
	g->name = text(l, 6);
	g->address = text(l, 7);
	g->state = g->pid <= 1 || !ow_proc_alive(g->pid, number(l, 3))
			   ? OW_HTTP_DEAD
		   : g->age_us > OLD_US ? OW_HTTP_OLD
					: OW_HTTP_UP;
	if (r->look->gate != NULL)
		r->look->gate(g, r->arg);
}

static void take_route(struct reading *r)
{
	const struct line *l = &r->route_line;

	r->route = (struct ow_http_route){
		.method = text(l, 1), .path = l->cell[2], .kind = text(l, 3),
		.target = text(l, 4), .in_force = number(l, 5) != 0,
		.in_flight = number(l, 6), .requests = number(l, 7),
		.rate_milli = number(l, 8), .p50_us = number(l, 9),
		.p99_us = number(l, 10), .refused = number(l, 11),
		.broken = number(l, 12), .shed = number(l, 13),
		.not_done = number(l, 14), .unknown = number(l, 15),
	};
	ow_printable(l->cell[2]);
	if (r->gate.state == OW_HTTP_DEAD)
		r->route.in_flight = r->route.rate_milli =
			r->route.p50_us = r->route.p99_us = 0;
	if (r->look->route != NULL)
		r->look->route(&r->gate, &r->route, r->arg);
}

static void take_ended(struct reading *r)
{
	const struct line *l = &r->ended_line;
	struct ow_http_ended e = { .method = text(l, 1),
				   .status = (unsigned int)number(l, 2),
				   .sum_us = number(l, 3) };
	unsigned int b;

	for (b = 0; b < OW_HIST_BUCKETS; b++)
		e.hist[b] = number(l, 4 + b);
	if (r->look->ended != NULL)
		r->look->ended(&r->gate, &r->route, &e, r->arg);
}

/* False: the file is of another version, or none. */
static bool take_line(struct reading *r, struct line *l, bool first)
{
	if (first) {
		if (strcmp(l->cell[0], "gate") != 0 || l->n < 8 ||
		    number(l, 1) != VERSION)
			return false;
		keep(&r->gate_line, l);
		take_gate(r);
	} else if (strcmp(l->cell[0], "route") == 0 && l->n == 16) {
		keep(&r->route_line, l);
		take_route(r);
	} else if (strcmp(l->cell[0], "ended") == 0 && l->n == CELLS &&
		   r->route_line.text != NULL) {
		keep(&r->ended_line, l);
		take_ended(r);
	}
	return true;
}

static void read_file(long srvid, FILE *f, void *arg)
{
	struct reading *r = arg;
	struct line l = { 0 };
	bool first = true;

	r->gate = (struct ow_http_gate){ .srvid = srvid };
	while (getline(&l.text, &l.room, f) > 0) {
		split(&l);
		if (!take_line(r, &l, first))
			break;
		first = false;
	}
	free(l.text);
}

void ow_http_each(const struct ow_domain *d, const struct ow_http_look *look,
		  void *arg)
{
	struct reading r = { .look = look, .arg = arg };

	ow_run_files_each(d, "http", read_file, &r);
	free(r.gate_line.text);
	free(r.route_line.text);
	free(r.ended_line.text);
}
