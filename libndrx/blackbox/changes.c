/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.c - what changed in a domain between two times: processes, events
 */
#include "libndrx/blackbox/changes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/events.h"
#include "libndrx/blackbox/comparison.h"
#include "libndrx/blackbox/player.h"

#define GAP_NS	 (5 * OW_NS_PER_SEC)  /* without records: it is told */
#define STEP_NS	 (2 * OW_NS_PER_SEC)  /* of the wall clock: it is told */
#define SAME_NS	 (5 * OW_NS_PER_SEC)  /* between event and observation */
#define AHEAD_NS (25 * OW_NS_PER_SEC) /* for the first window of the model */

/* ---- servers ---- */

static void say_process(struct ow_bb_comparison *c, bool came,
			const struct ow_seen_server *s)
{
	struct ow_bb_change *v;

	v = ow_bb_say(c, came ? 0 : 1, came ? "came" : "gone", s->bin,
		      came ? "process %d serves" : "process %d is not there "
						   "any more", s->pid);
	if (v != NULL) {
		v->srvid = s->srvid;
		v->pid = s->pid;
	}
}

/* A signal has stopped it, or continued it. */
static void say_stopped(struct ow_bb_comparison *c,
			const struct ow_seen_server *s)
{
	struct ow_bb_change *v;

	v = ow_bb_say(c, s->proc.stopped ? 2 : 0,
		      s->proc.stopped ? "stopped" : "continued", s->bin,
		      s->proc.stopped
			  ? "process %d is stopped by a signal: it serves "
			    "nothing"
			  : "process %d goes on", s->pid);
	if (v != NULL) {
		v->srvid = s->srvid;
		v->pid = s->pid;
	}
}

static bool lives(const struct ow_seen_server *s)
{
	return s != NULL && s->alive && s->of == 0;
}

static void compare_servers(struct ow_bb_comparison *c,
			    const struct ow_sample *s)
{
	size_t i = 0, k = 0;

	while (i < c->n_servers || k < s->n_servers) {
		const struct ow_seen_server *o = NULL, *n = NULL;

		if (i < c->n_servers)
			o = &c->servers[i];
		if (k < s->n_servers)
			n = &s->servers[k];
		if (o != NULL && n != NULL && o->srvid != n->srvid) {
			if (o->srvid < n->srvid)
				n = NULL;
			else
				o = NULL;
		}
		i += o != NULL;
		k += n != NULL;
		if (lives(o) && lives(n) && o->pid == n->pid) {
			if (o->proc.stopped != n->proc.stopped)
				say_stopped(c, n);
			continue;
		}
		if (lives(o))
			say_process(c, false, o);
		if (lives(n))
			say_process(c, true, n);
	}
}

static void keep_servers(struct ow_bb_comparison *c, const struct ow_sample *s)
{
	size_t size = s->n_servers * sizeof(*s->servers);
	void *more = realloc(c->servers, size + 1);

	if (more == NULL) {
		c->failed = true;
		return;
	}
	c->servers = more;
	memcpy(c->servers, s->servers, size);
	c->n_servers = s->n_servers;
}

/* ---- the domain ---- */

/* Time by the clock that nobody sets, which begins anew with the machine. */
static void compare_clock(struct ow_bb_comparison *c, const struct ow_sample *s)
{
	int64_t wall = (int64_t)(s->real_ns - c->last_ns);
	int64_t mono = (int64_t)(s->now_ns - c->last_mono_ns);
	int64_t step = mono > 0 ? wall - mono : 0;
	int64_t gap = mono > 0 ? mono : wall;

	if (step > (int64_t)STEP_NS || step < -(int64_t)STEP_NS)
		ow_bb_say(c, 1, "clock", "machine", "the clock went %s by %lld "
			  "s: it was set, or the machine slept",
			  step > 0 ? "forward" : "back",
			  (long long)((step > 0 ? step : -step) /
				      (int64_t)OW_NS_PER_SEC));
	if (gap > (int64_t)GAP_NS)
		ow_bb_say(c, 1, "no record", "black box",
			  "nothing was recorded for %lld s before this",
			  (long long)(gap / (int64_t)OW_NS_PER_SEC));
}

static void compare_domain(struct ow_bb_comparison *c,
			   const struct ow_sample *s)
{
	compare_clock(c, s);
	if (c->ndrxd_pid != 0 && c->ndrxd_pid == s->ndrxd_pid &&
	    c->ndrxd_stopped != s->ndrxd_stopped)
		ow_bb_say(c, s->ndrxd_stopped ? 2 : 0,
			  s->ndrxd_stopped ? "stopped" : "continued", "ndrxd",
			  s->ndrxd_stopped ? "process %d is stopped by a "
					     "signal: it watches nothing"
					   : "process %d goes on",
			  s->ndrxd_pid);
	if (c->ndrxd_pid != 0 && c->ndrxd_pid != s->ndrxd_pid)
		ow_bb_say(c, 2, "gone", "ndrxd", "process %d is not there any "
			  "more", c->ndrxd_pid);
	if (s->ndrxd_pid != 0 && c->ndrxd_pid != s->ndrxd_pid)
		ow_bb_say(c, 0, "came", "ndrxd", "process %d runs",
			  s->ndrxd_pid);
	if (c->disk != ow_disk_judge(&s->logs) &&
	    ow_disk_judge(&s->logs) != OW_DISK_GOOD)
		ow_bb_say(c, 2, "disk", "logs", "%s: the disk is %s",
			  s->logs.dir,
			  ow_disk_judge(&s->logs) == OW_DISK_FULL
			      ? "full" : "nearly full");
}

static int on_sample(void *arg, const struct ow_sample *s)
{
	struct ow_bb_comparison *c = arg;
	int r;

	c->now_ns = s->real_ns;
	c->telling = s->real_ns >= c->from_ns;
	if (c->telling) {
		c->changes->records++;
		if (c->changes->first_ns == 0)
			c->changes->first_ns = s->real_ns;
		c->changes->last_ns = s->real_ns;
	}
	r = ow_model_take(c->model, s);
	if (r != 0)
		return r;
	if (c->last_ns != 0) {
		compare_domain(c, s);
		compare_servers(c, s);
		ow_bb_compare_clients(c, s);
		ow_bb_compare_links(c, s);
	} else if (ow_bb_play_is_back(c->player)) {
		/* What was before is of later. */
		ow_bb_say(c, 1, "clock", "machine", "the clock was set back");
	}
	ow_bb_compare_system(c, s);
	ow_bb_compare_services(c, s);
	ow_bb_keep_clients(c, s);
	keep_servers(c, s);
	c->last_ns = s->real_ns;
	c->last_mono_ns = s->now_ns;
	c->ndrxd_stopped = s->ndrxd_stopped;
	c->ndrxd_pid = s->ndrxd_pid;
	c->disk = ow_disk_judge(&s->logs);
	return c->failed ? -ENOMEM : 0;
}

static void on_event(void *arg, const struct ow_event *e)
{
	struct ow_bb_comparison *c = arg;
	struct ow_bb_change *v;

	if (e->real_ns < c->from_ns || e->real_ns > c->to_ns)
		return;
	c->telling = true;
	v = ow_bb_say(c, ow_event_grade(e->kind), ow_event_word(e->kind),
		      e->who, "%s", e->text);
	if (v == NULL)
		return;
	v->real_ns = e->real_ns;
	v->srvid = e->srvid;
	v->pid = e->pid;
	v->text[sizeof(v->text) - 1] = '\0';
}

/* ---- the list ---- */

static int by_time(const void *a, const void *b)
{
	uint64_t x = ((const struct ow_bb_change *)a)->real_ns,
		 y = ((const struct ow_bb_change *)b)->real_ns;

	return x < y ? -1 : x > y;
}

static bool is_observed(const struct ow_bb_change *v)
{
	return strcmp(v->kind, "came") == 0 || strcmp(v->kind, "gone") == 0;
}

/* Did ndrxd tell of this process what was observed, too? */
static bool was_told(const struct ow_bb_changes *l,
		     const struct ow_bb_change *v)
{
	const struct ow_bb_change *e;
	bool came = strcmp(v->kind, "came") == 0;

	for (e = l->list; e < l->list + l->n; e++) {
		uint64_t apart = e->real_ns > v->real_ns
				     ? e->real_ns - v->real_ns
				     : v->real_ns - e->real_ns;
		bool begins = strcmp(e->kind, "start") == 0 ||
			      strcmp(e->kind, "ready") == 0 ||
			      strcmp(e->kind, "adopt") == 0;
		bool ends = strcmp(e->kind, "died") == 0 ||
			    strcmp(e->kind, "exit") == 0;

		if (v->pid != 0 && e->pid == v->pid && apart < SAME_NS &&
		    (came ? begins : ends))
			return true;
	}
	return false;
}

static void drop_told(struct ow_bb_changes *l)
{
	size_t i, n = 0;

	for (i = 0; i < l->n; i++)
		if (!is_observed(&l->list[i]) || !was_told(l, &l->list[i]))
			l->list[n++] = l->list[i];
	l->n = n;
}

int ow_bb_changes_find(struct ow_bb_player *p, uint64_t from_ns, uint64_t to_ns,
		       struct ow_bb_changes *ret)
{
	struct ow_bb_comparison c = { .from_ns = from_ns, .to_ns = to_ns,
				      .changes = ret, .player = p };
	struct ow_bb_listener l = { on_sample, on_event, &c };
	int r;

	memset(ret, 0, sizeof(*ret));
	c.model = ow_model_new();
	if (c.model == NULL)
		return -ENOMEM;
	ow_model_set_span(c.model, OW_BB_SPAN_NS);
	r = ow_bb_play_from(p, from_ns > AHEAD_NS ? from_ns - AHEAD_NS : 0);
	if (r == 0)
		r = ow_bb_play(p, to_ns, &l);
	ow_bb_compare_end(&c);
	ret->lost = ow_bb_play_lost(p);
	ow_model_free(c.model);
	free(c.servers);
	ow_bb_comparison_free(&c);
	if (r != 0) {
		ow_bb_changes_free(ret);
		return r;
	}
	if (ret->n > 0)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_time);
	drop_told(ret);
	return 0;
}

void ow_bb_changes_free(struct ow_bb_changes *c)
{
	free(c->list);
	memset(c, 0, sizeof(*c));
}
