/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale.c - instances between <min> and <max>, by load
 */
#include "ndrxd/supervise/scale.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "libatmi/transport/transport.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/servers/inst.h"

#define SAMPLE_S 0.1

/* ---- the policy ---- */

int ow_scale_decide(struct ow_scale *s, const struct ow_config_scale *policy,
		    const struct ow_scale_sample *now)
{
	/* The sums shrink when an instance has ended: no wait this time. */
	bool sane = now->taken >= s->taken && now->wait_us >= s->wait_us;
	uint64_t n = sane ? now->taken - s->taken : 0;
	uint64_t wait = n > 0 ? (now->wait_us - s->wait_us) / n / 1000 : 0;
	bool stuck = n == 0 && now->waiting > 0 && now->all_busy;
	bool over = stuck || wait > policy->wait_ms;
	bool calm = !over && now->waiting == 0 && wait <= policy->wait_ms / 4;

	s->taken = now->taken;
	s->wait_us = now->wait_us;
	if (!over)
		s->t_over = 0;
	else if (s->t_over == 0)
		s->t_over = now->now;
	if (!calm)
		s->t_calm = 0;
	else if (s->t_calm == 0)
		s->t_calm = now->now;
	if (over && now->now - s->t_over >= policy->after_ms) {
		s->t_over = now->now;
		return 1;
	}
	if (calm && now->now - s->t_calm >= policy->calm_ms) {
		s->t_calm = now->now;
		return -1;
	}
	return 0;
}

/* ---- samples ---- */

struct gauge {
	struct ow_scale_sample sample;
	struct ow_inst *down; /* the first instance that does not run */
	struct ow_inst *last; /* the last one that does */
	uint32_t running;
};

/* Requests in the queues of this server's services: the instances of an entry
 * share them. */
static uint32_t count_waiting(struct ndrxd *d, uint32_t srvid)
{
	struct ow_tables *t = d->dom->tables;
	uint32_t row, svc, depth, n = 0;

	for (row = 0; row < atomic_load(&t->srv[srvid].nadv); row++) {
		svc = atomic_load(&ow_tables_adv(t, srvid)[row].svc);
		if (svc == 0 || svc > OW_SVC_MAX)
			continue;
		if (ow_queue_peek(d->dom,
				  ow_service_queue(t->svc[svc - 1].name),
				  &depth) == 0)
			n += depth;
	}
	return n;
}

static void add_inst(struct gauge *g, struct ndrxd *d, struct ow_inst *s)
{
	struct ow_tables *t = d->dom->tables;
	const struct ow_srv *slot = &t->srv[s->srvid];
	uint32_t row, nadv;

	if (s->au.state != OW_PROC_RUNNING) {
		if (g->down == NULL && ow_auto_is_down(s->au.state) &&
		    !s->au.want)
			g->down = s;
		return;
	}
	nadv = atomic_load(&slot->nadv);
	for (row = 0; row < nadv && row < OW_ADV_MAX; row++) {
		const struct ow_adv *a = &ow_tables_adv(t, s->srvid)[row];

		g->sample.taken += atomic_load(&a->ok) + atomic_load(&a->fail);
		g->sample.wait_us += atomic_load(&a->wait_sum_us);
	}
	if (atomic_load(&slot->state) != OW_SRV_BUSY)
		g->sample.all_busy = false;
	if (g->running++ == 0)
		g->sample.waiting = count_waiting(d, s->srvid);
	g->last = s;
}

static void grow(const struct gauge *g)
{
	ow_emit_server(g->down, OW_EVENT_SCALE,
		       "requests wait longer than %" PRIu64
		       " ms: another instance is started (%u run)",
		       g->down->def->scale.wait_ms, g->running);
	log_info("server %s id %u: started: requests wait", g->down->bin,
		 g->down->srvid);
	ow_inst_event(g->down, OW_AUTO_START);
}

static void shrink(const struct gauge *g)
{
	ow_emit_server(g->last, OW_EVENT_SCALE,
		       "calm for %" PRIu64 " ms: not needed any more",
		       g->last->def->scale.calm_ms);
	log_info("server %s id %u: stopped: not needed any more", g->last->bin,
		 g->last->srvid);
	ow_inst_event(g->last, OW_AUTO_STOP);
}

static void sample_entry(struct ndrxd *d, size_t entry, size_t first)
{
	const struct ow_config_server *def = &d->config->servers[entry];
	struct gauge g = { .sample = { .now = ow_ndrxd_now_ms(),
				     .all_busy = true } };
	int i, r;

	for (i = 0; i < def->max; i++)
		add_inst(&g, d, d->insts[first + (size_t)i]);
	if (g.running == 0)
		return; /* not booted, or all dead: restarted elsewhere */
	r = ow_scale_decide(&d->looks.scales[entry], &def->scale, &g.sample);
	if (r > 0 && g.down != NULL)
		grow(&g);
	else if (r < 0 && g.running > (uint32_t)def->min && g.running > 1)
		shrink(&g);
}

static void on_sample(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;
	size_t e, first = 0;

	/* An operation in progress starts and stops servers itself. */
	if (d->operation != NULL || d->ipc_gone || d->conn.ending || d->hold)
		return;
	for (e = 0; e < d->config->n_servers; e++) {
		if (d->config->servers[e].scale.wait_ms > 0)
			sample_entry(d, e, first);
		first += (size_t)d->config->servers[e].max;
	}
}

int ow_scale_configure(struct ndrxd *d, const struct ow_config *config)
{
	struct ow_scale *scales = calloc(config->n_servers + 1,
					 sizeof(*scales));
	bool any = false;
	size_t i;

	if (scales == NULL)
		return -ENOMEM;
	for (i = 0; i < config->n_servers; i++)
		any |= config->servers[i].scale.wait_ms > 0;
	ow_scale_close(d);
	d->looks.scales = scales;
	ev_timer_init(&d->looks.scale_timer, on_sample, SAMPLE_S, SAMPLE_S);
	d->looks.scale_timer.data = d;
	if (any)
		ev_timer_start(d->loop, &d->looks.scale_timer);
	return 0;
}

void ow_scale_close(struct ndrxd *d)
{
	if (d->looks.scales != NULL)
		ev_timer_stop(d->loop, &d->looks.scale_timer);
	free(d->looks.scales);
	d->looks.scales = NULL;
}
