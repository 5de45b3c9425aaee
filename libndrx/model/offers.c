/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offers.c - offers: the services of each server
 *
 * Offers are taken in after services and servers, and add their figures to
 * those of their service.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"

static struct ow_m_offer *find_offer(struct ow_model *m,
				     const struct ow_seen_offer *e)
{
	uint64_t id = (uint64_t)e->srvid << 32 | e->row;
	struct ow_m_offer *o;

	HASH_FIND(hh, m->offers, &id, sizeof(id), o);
	if (o != NULL)
		return o;
	o = calloc(1, sizeof(*o));
	if (o == NULL)
		return NULL;
	o->id = id;
	o->v.row.key = id;
	o->v.row.srvid = e->of != 0 ? e->of : e->srvid;
	o->v.id = o->v.row.srvid;
	HASH_ADD(hh, m->offers, id, sizeof(o->id), o);
	if (o->hh.tbl == NULL) {
		free(o);
		return NULL;
	}
	return o;
}

/* The growth since the last look. A process that started since then counts
 * from zero; at the first look, the counters so far do not count. */
static void grow(struct ow_m_offer *o, const struct ow_m_server *srv,
		 const struct ow_seen_offer *e, bool first, uint64_t now_ns,
		 struct ow_counts *ret)
{
	static const struct ow_counts zero;
	bool other = o->pid != srv->pid || o->start != srv->start ||
		     o->svc != e->svc;

	if (other || ow_counts_fell(&e->counts, &o->last)) {
		bool fresh = other && !first;

		o->last = fresh ? zero : e->counts;
		ow_window_start(&o->window, &o->last, now_ns);
	}
	o->pid = srv->pid;
	o->start = srv->start;
	o->svc = e->svc;
	ow_counts_sub(&e->counts, &o->last, ret);
	o->last = e->counts;
}

static void make_offer(struct ow_m_offer *o, const struct ow_m_server *srv,
		       const struct ow_m_service *svc,
		       const struct ow_seen_offer *e, uint64_t now_ns)
{
	uint64_t from = o->window.old_ns;
	struct ow_offer_row *v = &o->v;
	struct ow_counts d;
	double calls;

	ow_counts_sub(&o->last, &o->window.old, &d);
	calls = (double)ow_counts_calls(&d);
	memcpy(v->name, svc->v.name, sizeof(v->name));
	memcpy(v->func, e->func, sizeof(v->func));
	memcpy(v->program, srv->v.name, sizeof(v->program));
	memcpy(v->state, srv->v.state, sizeof(v->state));
	v->row.svc = e->svc + 1;
	v->row.grade = srv->v.row.grade;
	v->calls = ow_per_second(ow_counts_calls(&d), from, now_ns);
	v->errors = ow_per_second(d.n[OW_CNT_FAIL], from, now_ns);
	v->calls_all = (double)ow_counts_calls(&o->last);
	v->errors_all = (double)o->last.n[OW_CNT_FAIL];
	v->serve50 = v->serve99 = v->wait99 = NAN;
	if (calls > 0) { /* most of thousands of offers have none */
		v->serve50 = ow_quantile(&d.n[OW_CNT_HIST], 500);
		v->serve99 = ow_quantile(&d.n[OW_CNT_HIST], 990);
		v->wait99 = ow_quantile(&d.n[OW_CNT_WAIT_HIST], 990);
	}
	v->serve_max = v->calls_all > 0 ? (double)e->max_us : NAN;
	v->wait_max = v->calls_all > 0 ? (double)e->wait_max_us : NAN;
	v->wakes = calls > 0 ? (double)d.n[OW_CNT_WAKEUPS] / calls : NAN;
	v->vain = calls > 0 ? (double)d.n[OW_CNT_VAIN] / calls : NAN;
	v->share = calls; /* becomes % in ow_model_share_offers() */
}

static uint64_t begun(const struct ow_counts *c)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < OW_HIST_BUCKETS; i++)
		sum += c->n[OW_CNT_WAIT_HIST + i];
	return sum;
}

/* "ECHO", or "ECHO +2": its first service and the number of the others. */
static void add_to_server(struct ow_m_server *srv,
			  const struct ow_m_service *svc)
{
	struct ow_server_row *v = &srv->v;
	size_t len = strcspn(v->offers, " ");

	if (v->n_offers++ == 0)
		memcpy(v->offers, svc->v.name, sizeof(svc->v.name));
	else
		snprintf(v->offers + len, sizeof(v->offers) - len, " +%.0f",
			 v->n_offers - 1);
}

static void add_to_service(struct ow_m_service *svc,
			   const struct ow_m_offer *o,
			   const struct ow_m_server *srv,
			   const struct ow_seen_offer *e)
{
	double calls = o->v.share;

	svc->calls_all += ow_counts_calls(&o->last);
	svc->errors_all += o->last.n[OW_CNT_FAIL];
	svc->bytes_all += o->last.n[OW_CNT_BYTES];
	svc->begun_all += begun(&o->last);
	if (strcmp(srv->v.request, svc->v.name) == 0) {
		svc->v.busy++;
		svc->v.held += srv->v.waits;
	}
	if (e->front_ns > svc->front_ns)
		svc->front_ns = e->front_ns;
	if (e->depth_peak > svc->offers_peak)
		svc->offers_peak = e->depth_peak;
	svc->calls_offered += calls;
	svc->v.active += calls > 0;
	if (calls > svc->calls_busiest)
		svc->calls_busiest = calls;
	if (!isnan(srv->switches)) {
		svc->switched += srv->switches * calls;
		svc->calls_switched += calls;
	}
}

static int take_offer(struct ow_model *m, const struct ow_seen_offer *e,
		      uint64_t now_ns)
{
	struct ow_m_server *srv = ow_model_find_server(m, e->srvid);
	struct ow_m_service *svc = ow_model_find_service(m, e->svc);
	struct ow_m_offer *o;
	struct ow_counts grown;

	if (srv == NULL || svc == NULL)
		return 0; /* not seen yet: at the next look */
	o = find_offer(m, e);
	if (o == NULL)
		return -ENOMEM;
	grow(o, srv, e, m->fresh, now_ns, &grown);
	o->seen = m->overview.looks;
	ow_counts_add(&svc->total, &grown);
	ow_window_turn(&o->window, &o->last, now_ns, m->span_ns);
	make_offer(o, srv, svc, e, now_ns);
	add_to_server(srv, svc);
	add_to_service(svc, o, srv, e);
	return ow_list_add(&m->list_offers, &o->v.row);
}

int ow_model_take_offers(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_offer *o, *next;
	int r = 0;
	size_t i;

	for (i = 0; i < s->n_offers && r == 0; i++)
		r = take_offer(m, &s->offers[i], s->now_ns);
	HASH_ITER(hh, m->offers, o, next) {
		if (o->seen != m->overview.looks) {
			HASH_DEL(m->offers, o);
			free(o);
		}
	}
	return r;
}

/* Turn the calls in the window into % of the calls of the service. */
void ow_model_share_offers(struct ow_model *m)
{
	const struct ow_m_service *svc;
	struct ow_m_offer *o;

	for (o = m->offers; o != NULL; o = o->hh.next) {
		svc = ow_model_find_service(m, o->svc);
		o->v.share = svc != NULL && svc->calls_offered > 0
				     ? 100.0 * o->v.share / svc->calls_offered
				     : NAN;
	}
}

void ow_model_free_offers(struct ow_model *m)
{
	struct ow_m_offer *o, *next;

	HASH_ITER(hh, m->offers, o, next) {
		HASH_DEL(m->offers, o);
		free(o);
	}
}
