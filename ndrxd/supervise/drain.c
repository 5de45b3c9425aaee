/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.c - what waits in the queues of services that lose their last server
 */
#include "ndrxd/supervise/drain.h"

#include <stdio.h>
#include <stdlib.h>

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
/* So long other nodes may send requests for what they have heard of. */
#define HEARD_MS 300u

struct ow_drain {
	struct ndrxd *d;
	ev_timer timer;
	const struct ow_plan_step *step; /* that is drained, or was */
	uint32_t waited;		 /* requests, when last seen */
	uint64_t t_moved, t_begun;
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
 * `mark`: nobody may call them. */
static uint32_t look(struct ndrxd *d, const struct ow_plan *plan,
		     const struct ow_plan_step *step, bool mark)
{
	struct ow_tables *t = d->dom->tables;
	uint16_t *n = count(t, plan, step);
	uint32_t svc, waiting = 0;

	if (n == NULL || (mark && ow_tables_lock(t) != 0)) {
		free(n);
		return mark ? 1 : 0; /* later */
	}
	for (svc = 0; svc < OW_SVC_MAX; svc++) {
		if (n[svc] == 0 || n[svc] < ow_svc_servers(&t->svc[svc]))
			continue;
		if (mark)
			ow_svc_set_mark(t, svc, OW_SVC_DRAINED, true);
		waiting += depth_of(d, svc);
	}
	if (mark)
		ow_tables_unlock(t);
	free(n);
	return waiting;
}

/* ---- steps ---- */

static void tell(struct ndrxd *d, const char *text)
{
	struct ow_peer *p, *next;

	for (p = LIST_FIRST(&d->peers); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (p->watching)
			ow_progress_line(p, "%s", text);
	}
}

static void warn(struct ndrxd *d, uint32_t waiting, const char *what)
{
	char text[160];

	snprintf(text, sizeof(text), "%u requests wait: %s", waiting, what);
	log_warn("stop: %s", text);
	tell(d, text);
}

/* Is the domain one of several nodes? */
static bool has_bridge(struct ndrxd *d)
{
	const struct ow_tables *t = d->dom->tables;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (atomic_load(&t->srv[id].pid) != 0 &&
		    ow_nodes_is_bridge(t->srv[id].bin))
			return true;
	return false;
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
	if (now - r->t_begun < HEARD_MS && has_bridge(r->d))
		return false;
	if (waiting > 0)
		warn(r->d, waiting, "none was served for 30 s, they are "
				    "refused");
	return true;
}

bool ow_drain_holds(struct ndrxd *d, const struct ow_ctl_cmd *cmd,
		    const struct ow_plan *plan,
		    const struct ow_plan_step *step)
{
	bool drains = (cmd->flags & OW_CTLF_DRAIN) != 0;
	struct ow_drain *r;
	uint32_t waiting;

	if (step->verb != OW_VERB_STOP || cmd->verb != OW_VERB_STOP ||
	    d->ipc_gone)
		return false;
	waiting = look(d, plan, step, drains);
	if (!drains && waiting > 0)
		warn(d, waiting, "they are refused; --drain waits for them");
	r = drains ? need(d) : NULL;
	if (r == NULL)
		return false;
	if (r->step != step) {
		r->step = step;
		r->over = false;
		r->waited = waiting;
		r->t_moved = r->t_begun = ow_ndrxd_now_ms();
		if (waiting > 0)
			warn(d, waiting, "they are served first");
	}
	r->over = r->over || is_over(r, waiting);
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
