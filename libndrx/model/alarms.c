/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alarms.c - the problems of the domain, a line each, worst first
 */
#include "libndrx/model/alarms.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/model.h"
#include "libndrx/model/time_text.h"
#include "libndrx/observe/http.h"
#include "libndrx/observe/snapshots.h"

struct found {
	struct ow_alarm *list;
	size_t n, all; /* in the list; found so far */
};

/* The place of a new alarm; NULL: none. A bad one takes that of a lesser one. */
static struct ow_alarm *place(struct found *f, enum ow_grade grade)
{
	size_t i;

	if (f->n < OW_ALARMS_MAX)
		return &f->list[f->n++];
	for (i = f->n; i > 0; i--)
		if (f->list[i - 1].grade < grade)
			return &f->list[i - 1];
	return NULL;
}

__attribute__((format(printf, 3, 4))) static void
say(struct found *f, enum ow_grade grade, const char *fmt, ...)
{
	struct ow_alarm *a = place(f, grade);
	va_list ap;

	if (a == NULL)
		return;
	a->grade = grade;
	a->found = f->all++;
	va_start(ap, fmt);
	vsnprintf(a->text, sizeof(a->text), fmt, ap);
	va_end(ap);
}

/* ndrxd, and whether anybody serves calls. */
static void check_processes(struct found *f, const struct ow_overview *t)
{
	if (t->ndrxd_stopped)
		say(f, OW_GRADE_BAD, "ndrxd is stopped by a signal: it starts, "
		    "watches and answers nothing. `kill -CONT %d` continues "
		    "it", (int)t->ndrxd_pid);
	if (t->ndrxd_pid != 0 || !t->ndrxd_expected)
		return;
	if (t->alive > 0)
		say(f, OW_GRADE_BAD, "ndrxd is not running: calls go on, but "
		    "dead servers stay dead. `xadmin idle` starts it");
	else
		say(f, OW_GRADE_BAD, "ndrxd and all servers are gone: nobody "
		    "serves calls, %.0f wait for a reply. `xadmin start -y` "
		    "starts them", t->open);
}

static void check_logs(struct found *f, const struct ow_disk *d)
{
	enum ow_disk_state state = ow_disk_judge(d);

	if (state == OW_DISK_FULL)
		say(f, OW_GRADE_BAD, "%s: the disk is full, lines of the logs "
		    "are lost", d->dir);
	else if (state == OW_DISK_LOW)
		say(f, OW_GRADE_LOOK, "%s: the disk of the logs is nearly "
		    "full", d->dir);
}

/* What tmsrv show beside their transactions, and bridges beside their links. */
static void check_system(struct found *f, const struct ow_overview *t)
{
	if (t->undecided[0] != '\0')
		say(f, OW_GRADE_BAD, "%s: its decisions cannot be written: "
		    "transactions are rolled back. See `xadmin doctor`",
		    t->undecided);
	if (t->silent_s > 0)
		say(f, OW_GRADE_BAD, "resource manager %u has not answered for "
		    "%u s: services that use it fail. See `xadmin doctor`",
		    t->silent_rm, t->silent_s);
	if (t->strays > 0)
		say(f, OW_GRADE_BAD, "resource manager %u: %.0f prepared "
		    "branches keep their locks, and their tmsrv does not run: "
		    "see `xadmin doctor`", t->strays_rm, t->strays);
	if (t->unconnected != 0)
		say(f, OW_GRADE_BAD, "bridge %u is not connected to "
		    "nats-server: services of other nodes are away",
		    t->unconnected);
}

static void check_domain(struct found *f, const struct ow_overview *t)
{
	if (!t->domain) {
		say(f, OW_GRADE_BAD, "%s", t->why);
		return;
	}
	check_processes(f, t);
	check_system(f, t);
	check_logs(f, &t->logs);
	if (t->mq_used >= 90)
		say(f, OW_GRADE_LOOK, "%.0f %% of the bytes for queues are "
		    "used: see `xadmin doctor`", t->mq_used);
}

/* Servers in a bad state, a line for each state. */
static void check_states(struct found *f, const struct ow_row *const *rows,
			 size_t n)
{
	const struct ow_server_row *s;
	char done[8][16], ids[48];
	size_t i, k, count, kinds = 0;

	for (i = 0; i < n && kinds < 8; i++) {
		s = (const struct ow_server_row *)rows[i];
		for (k = 0; k < kinds && strcmp(done[k], s->state); k++)
			;
		if (s->row.grade != OW_GRADE_BAD || k < kinds)
			continue;
		memcpy(done[kinds++], s->state, sizeof(done[0]));
		count = 0;
		ids[0] = '\0';
		for (k = i; k < n; k++) {
			const struct ow_server_row *o =
			    (const struct ow_server_row *)rows[k];
			size_t len = strlen(ids);

			if (strcmp(o->state, s->state) != 0)
				continue;
			if (count++ < 4)
				snprintf(ids + len, sizeof(ids) - len, "%s%.0f",
					 len > 0 ? ", " : "", o->id);
		}
		if (strcmp(s->state, "stopped") == 0)
			say(f, OW_GRADE_BAD, "%zu server%s stopped by a "
			    "signal: id %s%s  %s: `kill -CONT %.0f` continues "
			    "it", count, count > 1 ? "s" : "", ids,
			    count > 4 ? ", ..." : "", s->name, s->pid);
		else
			say(f, OW_GRADE_BAD, "%zu server%s %s: id %s%s  "
			    "%s%s%s", count, count > 1 ? "s" : "", s->state,
			    ids, count > 4 ? ", ..." : "", s->name,
			    s->last[0] != '\0' ? ": " : "", s->last);
	}
}

/* Servers that run now, and keep dying: the one that did it most often. */
static void check_dying(struct found *f, const struct ow_row *const *rows,
			size_t n)
{
	const struct ow_server_row *s, *worst = NULL;
	char since[16], others[48] = "";
	size_t i, count = 0;

	for (i = 0; i < n; i++) {
		s = (const struct ow_server_row *)rows[i];
		if (!s->dies)
			continue;
		count++;
		if (worst == NULL || s->restarts > worst->restarts)
			worst = s;
	}
	if (worst == NULL)
		return;
	if (count > 1)
		snprintf(others, sizeof(others), "; %zu others too", count - 1);
	ow_time_text(worst->since, since, sizeof(since));
	say(f, OW_GRADE_LOOK, "server %.0f %s keeps dying: started again %.0f "
	    "times, the last time %s ago: %s%s", worst->id, worst->name,
	    worst->restarts, since,
	    worst->last[0] != '\0' ? worst->last : "exit 0", others);
}

/* Is `s` more likely to be the one that hangs? A server that waits for the
 * reply to a call of its own is not, however old its request. */
static bool hangs_more(const struct ow_server_row *s,
		       const struct ow_server_row *than)
{
	if (than == NULL || s->waits != than->waits)
		return than == NULL || !s->waits;
	return s->age > than->age;
}

static void check_requests(struct found *f, const struct ow_row *const *rows,
			   size_t n)
{
	const struct ow_server_row *s, *worst = NULL;
	size_t i, hang = 0, wait = 0;
	char age[16], others[48] = "";

	for (i = 0; i < n; i++) {
		s = (const struct ow_server_row *)rows[i];
		if (!(s->age > 10e6))
			continue;
		hang += !s->waits;
		wait += s->waits;
		if (hangs_more(s, worst))
			worst = s;
	}
	if (worst == NULL)
		return;
	if (hang > 1 || (hang == 0 && wait > 1))
		snprintf(others, sizeof(others), "; others too");
	else if (hang == 1 && wait > 0)
		snprintf(others, sizeof(others), "; %zu wait for replies",
			 wait);
	ow_time_text(worst->age, age, sizeof(age));
	say(f, OW_GRADE_LOOK, "server %.0f %s has been %s %s for %s%s%s",
	    worst->id, worst->name,
	    worst->waits ? "waiting for others in a request of"
			 : "serving a request of",
	    worst->request, age, others,
	    worst->waits ? ": the calls (c) say for whom" : "");
}

static void check_queue(struct found *f, const struct ow_service_row *s)
{
	char age[16];

	if (s->depth > 0 && s->servers == 0)
		say(f, OW_GRADE_BAD, "%s: %.0f requests wait and no server "
		    "offers it", s->name, s->depth);
	else if (s->depth > 0 && s->oldest > 1e6) {
		ow_time_text(s->oldest, age, sizeof(age));
		say(f, (enum ow_grade)s->row.grade, "%s: %.0f wait, the oldest for up to %s; "
		    "%.0f of %.0f servers busy%s", s->name, s->depth, age,
		    s->busy, s->servers, ow_service_held(s)
			? ", waiting for replies themselves" : "");
	} else if (ow_service_saturated(s)) {
		say(f, OW_GRADE_LOOK, "%s: %.0f wait, and its %.0f servers are "
		    "busy all the time (%.0f %%): it needs more of them",
		    s->name, s->depth, s->servers, s->use);
	}
	if (s->suspended)
		say(f, OW_GRADE_LOOK, "%s is suspended: callers get TPENOENT. "
		    "`xadmin resume -s %s`", s->name, s->name);
	if (s->full > 0)
		say(f, OW_GRADE_LOOK, "%s: its queue of %.0f is full, %.1f "
		    "senders a second wait for room", s->name, s->room,
		    s->full);
	if (s->expired > 0)
		say(f, OW_GRADE_LOOK, "%s: %.1f requests a second come too "
		    "late and are dropped", s->name, s->expired);
	if (s->errors > 0 && s->errors > s->calls / 20)
		say(f, OW_GRADE_LOOK, "%s: %.1f errors a second, at %.0f "
		    "calls", s->name, s->errors, s->calls);
}

static void check_tran(struct found *f, const struct ow_tran_row *t)
{
	if (t->late)
		say(f, OW_GRADE_BAD, "transaction %s, %s: branches are in doubt "
		    "after its time-out (%s)%s%s: see `xadmin pt`", t->id,
		    t->state, t->rms, t->result[0] != '\0' ? ": " : "",
		    t->result);
	else if (t->row.grade == OW_GRADE_BAD)
		say(f, OW_GRADE_BAD, "transaction %s: a resource manager has "
		    "decided by itself: see `xadmin pt`, then `xadmin "
		    "forgetlocal`", t->id);
}

static void check_durable(struct found *f, const struct ow_durable_row *q)
{
	if (q->full)
		say(f, OW_GRADE_BAD, "space %s: the disk is full: no message "
		    "can be put", q->space);
	else if (strcmp(q->kind, "error") == 0 && q->depth > 0)
		say(f, OW_GRADE_LOOK, "queue %s of space %s, failed messages: "
		    "%.0f; see `xadmin mqlm -s %s -q %s`", q->name, q->space,
		    q->depth, q->space, q->name);
	else if (q->oldest >= (double)OW_SNAPSHOT_OLD_US)
		say(f, OW_GRADE_LOOK, "queue %s of space %s: nobody has taken "
		    "its first message for %.1f h, %.0f wait", q->name,
		    q->space, q->oldest / 3600e6, q->depth);
}

/* ---- other nodes ---- */

/* Is this the first link to its node that is in this state? */
static bool is_first(const struct ow_row *const *rows, size_t i)
{
	const struct ow_link_row *l = (const struct ow_link_row *)rows[i], *o;
	size_t k;

	for (k = 0; k < i; k++) {
		o = (const struct ow_link_row *)rows[k];
		if (o->node == l->node && strcmp(o->state, l->state) == 0)
			return false;
	}
	return true;
}

/* Does another link to that node work? */
static bool is_reached(const struct ow_row *const *rows, size_t n, double node)
{
	const struct ow_link_row *o;
	size_t k;

	for (k = 0; k < n; k++) {
		o = (const struct ow_link_row *)rows[k];
		if (o->node == node && o->row.grade == OW_GRADE_CALM &&
		    strcmp(o->state, "up") == 0)
			return true;
	}
	return false;
}

static void check_links(struct found *f, const struct ow_row *const *rows,
			size_t n)
{
	const struct ow_link_row *l;
	char silent[16];
	size_t i;

	for (i = 0; i < n; i++) {
		l = (const struct ow_link_row *)rows[i];
		if (l->row.grade != OW_GRADE_BAD || !is_first(rows, i))
			continue;
		ow_time_text(l->silent, silent, sizeof(silent));
		if (strcmp(l->state, "cut") == 0)
			say(f, OW_GRADE_BAD, "node %.0f is cut off: `xadmin "
			    "doctor` says why", l->node);
		else if (strcmp(l->state, "down") != 0)
			continue; /* nats-server: check_system() */
		else if (is_reached(rows, n, l->node))
			say(f, OW_GRADE_LOOK, "node %.0f, bridge %.0f: silent "
			    "for %s; its other bridges are up", l->node,
			    l->bridge, silent);
		else
			say(f, OW_GRADE_BAD, "node %.0f is silent for %s: its "
			    "services are away", l->node, silent);
	}
}

/* ---- gates for HTTP ---- */

/* Rows of a gate are neighbours. */
static bool is_next_gate(const struct ow_row *const *rows, size_t i)
{
	return i == 0 || rows[i]->srvid != rows[i - 1]->srvid;
}

static void check_gate(struct found *f, const struct ow_route_row *r)
{
	char text[16];

	if (strcmp(r->state, "old") == 0) {
		ow_time_text(r->age, text, sizeof(text));
		say(f, OW_GRADE_LOOK, "gate %.0f for HTTP has written nothing "
		    "for %s: it hangs, or is stopped", r->id, text);
	}
	if (r->left <= 0)
		say(f, OW_GRADE_BAD, "gate %.0f for HTTP: its certificate has "
		    "ended: callers refuse it", r->id);
	else if (r->left < OW_HTTP_SOON_S * 1e6)
		say(f, OW_GRADE_LOOK, "gate %.0f for HTTP: its certificate "
		    "ends in %.1f days", r->id, r->left / 86400e6);
}

static int worse(const void *a, const void *b)
{
	const struct ow_alarm *x = a, *y = b;

	if (x->grade != y->grade)
		return (int)y->grade - (int)x->grade;
	return x->found < y->found ? -1 : x->found > y->found;
}

size_t ow_alarms_find(const struct ow_model *m,
		      struct ow_alarm list[OW_ALARMS_MAX])
{
	struct found f = { .list = list };
	const struct ow_row *const *rows;
	size_t i, n;

	check_domain(&f, ow_model_overview(m));
	n = ow_model_servers(m, &rows);
	check_states(&f, rows, n);
	check_dying(&f, rows, n);
	check_requests(&f, rows, n);
	n = ow_model_services(m, &rows);
	for (i = 0; i < n; i++)
		check_queue(&f, (const struct ow_service_row *)rows[i]);
	n = ow_model_trans(m, &rows);
	for (i = 0; i < n; i++)
		check_tran(&f, (const struct ow_tran_row *)rows[i]);
	n = ow_model_durable(m, &rows);
	for (i = 0; i < n; i++)
		check_durable(&f, (const struct ow_durable_row *)rows[i]);
	n = ow_model_links(m, &rows);
	check_links(&f, rows, n);
	n = ow_model_routes(m, &rows);
	for (i = 0; i < n; i++)
		if (is_next_gate(rows, i))
			check_gate(&f, (const struct ow_route_row *)rows[i]);
	qsort(list, f.n, sizeof(*list), worse);
	return f.n;
}
