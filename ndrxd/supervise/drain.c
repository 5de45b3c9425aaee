/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.c - what waits in the queues of services that lose their last server
 */
#include "ndrxd/supervise/drain.h"

#include <stdio.h>
#include <stdlib.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/nodes.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/transport.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/report/progress.h"
#include "ndrxd/supervise/plan.h"

#define LOOK_S	 0.02
#define STUCK_MS 30000u
/* So long other nodes are waited for, which are to confirm that they know. */
#define CONFIRM_MS 5000u

struct ow_drain {
	struct ndrxd *d;
	ev_timer timer;
	const struct ow_plan_step *step; /* that is drained, or was */
	uint32_t waited;		 /* requests, when last seen */
	uint64_t t_moved, t_begun;
	uint64_t marked_ns; /* the last mark was set before; 0: not yet */
	bool confirmed;	    /* by all other nodes */
	bool in_vain;	    /* they were waited for, in this step or before */
	bool over;
};

static void on_look(EV_P_ ev_timer *w, int revents)
{
	struct ow_drain *r = w->data;

	r->d->changed(r->d, NULL);
}

static struct ow_drain *need(struct ndrxd *d)
{
	struct ow_drain *r = d->drain;

	if (r != NULL)
		return r;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->d = d;
	ev_timer_init(&r->timer, on_look, LOOK_S, LOOK_S);
	r->timer.data = r;
	d->drain = r;
	return r;
}

/* ---- which services ---- */

static bool is_in(const struct ow_plan *plan, const struct ow_plan_step *step,
		  uint32_t srvid)
{
	uint32_t i;

	for (i = step->first; i < step->first + step->n; i++)
		if (plan->items[i].s->srvid == srvid &&
		    !plan->items[i].s->returns)
			return true;
	return false;
}

/* Count the servers of the step, and their threads, for each service. */
static uint16_t *count(const struct ow_tables *t, const struct ow_plan *plan,
		       const struct ow_plan_step *step)
{
	uint16_t *n = calloc(OW_SVC_MAX, sizeof(*n));
	uint32_t id, of, row, svc;

	for (id = ow_srv_next(t, 1); n != NULL && id != 0;
	     id = ow_srv_next(t, id + 1)) {
		of = atomic_load(&t->srv[id].of);
		if (!is_in(plan, step, of != 0 ? of : id))
			continue;
		for (row = 0; row < atomic_load(&t->srv[id].nadv); row++) {
			svc = ow_tables_row_svc(t, id, row);
			if (svc >= 1 && svc <= OW_SVC_MAX)
				n[svc - 1]++;
		}
	}
	return n;
}

static uint32_t depth_of(struct ndrxd *d, uint32_t svc)
{
	const char *name = d->dom->tables->svc[svc].name;
	uint32_t depth = 0;

	return ow_queue_peek(d->dom, ow_service_queue(name), &depth) == 0
		       ? depth : 0;
}

/* Requests in the queues of services that lose all their servers with the step.
 * Unless `ret_marked_ns` is NULL nobody may call them from now on, and
 * *ret_marked_ns becomes the time if there are some for which that is new. */
static uint32_t look(struct ndrxd *d, const struct ow_plan *plan,
		     const struct ow_plan_step *step, uint64_t *ret_marked_ns)
{
	struct ow_tables *t = d->dom->tables;
	uint16_t *n = count(t, plan, step);
	bool mark = ret_marked_ns != NULL, fresh = mark && *ret_marked_ns == 0;
	uint32_t svc, waiting = 0;

	if (n == NULL || (mark && ow_tables_lock(t) != 0)) {
		free(n);
		return mark ? 1 : 0; /* later */
	}
	for (svc = 0; svc < OW_SVC_MAX; svc++) {
		if (n[svc] == 0 || n[svc] < ow_svc_servers(&t->svc[svc]))
			continue;
		if (mark && (atomic_load(&t->svc[svc].marks) &
			     OW_SVC_DRAINED) == 0) {
			ow_svc_set_mark(t, svc, OW_SVC_DRAINED, true);
			fresh = true;
		}
		waiting += depth_of(d, svc);
	}
	if (fresh)
		*ret_marked_ns = ow_clock_mono_ns();
	if (mark)
		ow_tables_unlock(t);
	free(n);
	return waiting;
}

/* ---- steps ---- */

static void tell(struct ndrxd *d, const char *text)
{
	struct ow_peer *p, *next;

	for (p = LIST_FIRST(&d->conn.peers); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (p->watching)
			ow_progress_line(p, "%s", text);
	}
}

static void say(struct ndrxd *d, const char *text)
{
	log_warn("stop: %s", text);
	tell(d, text);
}

static void warn(struct ndrxd *d, uint32_t waiting, const char *what)
{
	char text[160];

	snprintf(text, sizeof(text), "%u requests wait: %s", waiting, what);
	say(d, text);
}

/* Do the nodes behind each bridge know of marks that were set before `marked_ns`,
 * and has what they sent its place in a queue? */
static bool is_confirmed(struct ndrxd *d, uint64_t marked_ns)
{
	const struct ow_tables *t = d->dom->tables;
	bool all = marked_ns != 0;
	uint32_t id;

	for (id = ow_srv_next(t, 1); all && id != 0;
	     id = ow_srv_next(t, id + 1))
		if (atomic_load(&t->srv[id].pid) != 0 &&
		    ow_nodes_is_bridge(t->srv[id].bin))
			all = ow_nodes_placed_ns(d->dom, id) > marked_ns;
	return all;
}

/* Do other nodes know? They are waited for in vain once in a drain. */
static bool know(struct ow_drain *r)
{
	if (r->confirmed || r->in_vain)
		return true;
	r->confirmed = is_confirmed(r->d, r->marked_ns);
	if (!r->confirmed && ow_ndrxd_now_ms() - r->t_begun >= CONFIRM_MS) {
		r->in_vain = true;
		say(r->d, "other nodes have not confirmed that they know: "
			  "their calls may fail");
	}
	return r->confirmed || r->in_vain;
}

/* Has the drain come to an end, one way or the other? */
static bool is_over(struct ow_drain *r, uint32_t waiting)
{
	uint64_t now = ow_ndrxd_now_ms();

	if (waiting != r->waited)
		r->t_moved = now;
	r->waited = waiting;
	if (waiting > 0 && now - r->t_moved < STUCK_MS)
		return false;
	if (waiting > 0)
		warn(r->d, waiting, "none was served for 30 s, they are "
				    "refused");
	return true;
}

/* A step: its servers go when the queues are empty. */
static void begin(struct ow_drain *r, const struct ow_plan_step *step,
		  uint32_t waiting)
{
	r->step = step;
	r->over = r->confirmed = false;
	r->waited = waiting;
	r->t_moved = r->t_begun = ow_ndrxd_now_ms();
	if (waiting > 0)
		warn(r->d, waiting, "they are served first");
}

bool ow_drain_holds(struct ndrxd *d, const struct ow_ctl_cmd *cmd,
		    const struct ow_plan *plan,
		    const struct ow_plan_step *step)
{
	bool drains = (cmd->flags & OW_CTLF_DRAIN) != 0, all;
	struct ow_drain *r;
	uint64_t marked_ns;
	uint32_t waiting;

	if (step->verb != OW_VERB_STOP || cmd->verb != OW_VERB_STOP ||
	    d->ipc_gone)
		return false;
	r = drains ? need(d) : NULL;
	if (r == NULL) {
		waiting = look(d, plan, step, NULL);
		if (waiting > 0)
			warn(d, waiting,
			     "they are refused; --drain waits for them");
		return false;
	}
	/* They are asked first: what they had sent is in the queues then. */
	all = r->step == step && know(r);
	marked_ns = r->step == step ? r->marked_ns : 0;
	waiting = look(d, plan, step, &marked_ns);
	if (r->step != step) {
		begin(r, step, waiting);
		all = is_confirmed(d, UINT64_MAX); /* there is no bridge */
	} else if (r->marked_ns != marked_ns) {
		all = r->confirmed = false; /* one more service */
	}
	r->marked_ns = marked_ns;
	r->over = r->over || (all && is_over(r, waiting));
	if (r->over)
		ev_timer_stop(d->loop, &r->timer);
	else
		ev_timer_start(d->loop, &r->timer);
	return !r->over;
}

void ow_drain_end(struct ndrxd *d)
{
	struct ow_tables *t;
	uint32_t i, s;

	if (d->drain != NULL)
		ev_timer_stop(d->loop, &d->drain->timer);
	free(d->drain);
	d->drain = NULL;
	if (d->dom == NULL || d->ipc_gone)
		return;
	t = d->dom->tables;
	if (ow_tables_lock(t) != 0)
		return;
	for (i = 0; i < atomic_load(&t->head->nsvc) && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX &&
		    (atomic_load(&t->svc[s].marks) & OW_SVC_DRAINED) != 0)
			ow_svc_set_mark(t, s, OW_SVC_DRAINED, false);
	}
	ow_tables_unlock(t);
}
