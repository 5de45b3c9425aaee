/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - services, with their queues
 *
 * First the queues are taken in, then the offers of all servers are added
 * (servers.c), then the figures are made of the sums.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"
#include "libatmi/base/clock.h"

struct ow_m_service *ow_model_find_service(struct ow_model *m, uint32_t index)
{
	struct ow_m_service *s;

	HASH_FIND(hh, m->services, &index, sizeof(index), s);
	return s;
}

static struct ow_m_service *new_service(struct ow_model *m,
					const struct ow_seen_service *e,
					uint64_t now_ns)
{
	struct ow_m_service *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->index = e->index;
	s->v.row.key = (uint64_t)e->index + 1;
	s->v.row.svc = e->index + 1;
	memcpy(s->v.name, e->name, sizeof(s->v.name));
	s->own.n[OW_CNT_EXPIRED] = e->expired;
	s->own.n[OW_CNT_FULL] = e->full;
	s->own.n[OW_CNT_SYSTEM] = e->failed;
	ow_window_start(&s->window, &s->total, now_ns);
	ow_growth_start(&s->hits, e->cache_hits, now_ns);
	HASH_ADD(hh, m->services, index, sizeof(s->index), s);
	if (s->hh.tbl == NULL) {
		free(s);
		return NULL;
	}
	return s;
}

/* Keep the largest depth of each second. */
static void remember_depth(struct ow_m_service *s, uint32_t depth,
			   uint64_t now_ns)
{
	uint16_t d = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
	uint64_t second = now_ns / OW_NS_PER_SEC;

	/* Seconds without a look repeat the last depth seen. */
	for (; s->second != 0 && s->second < second; s->second++) {
		s->v.depth_at = (s->v.depth_at + 1) % OW_SPARK;
		s->v.depths[s->v.depth_at] = d;
	}
	s->second = second;
	if (d > s->v.depths[s->v.depth_at])
		s->v.depths[s->v.depth_at] = d;
}

/* Add the counters of the service itself, not of its servers. */
static void add_own(struct ow_m_service *s, const struct ow_seen_service *e)
{
	struct ow_counts now = { 0 }, grown;

	now.n[OW_CNT_EXPIRED] = e->expired;
	now.n[OW_CNT_FULL] = e->full;
	now.n[OW_CNT_SYSTEM] = e->failed;
	if (!ow_counts_fell(&now, &s->own)) {
		ow_counts_sub(&now, &s->own, &grown);
		ow_counts_add(&s->total, &grown);
	}
	s->own = now;
}

static void begin_service(struct ow_m_service *s,
			  const struct ow_seen_service *e, uint64_t now_ns)
{
	s->shown = e->nsrv > 0 || e->queue || e->suspended;
	s->v.suspended = e->suspended;
	s->v.servers = e->nsrv;
	s->v.busy = s->v.held = 0;
	s->v.depth = e->queue ? e->depth : NAN;
	s->v.room = e->queue ? e->maxmsg : NAN;
	s->v.full_all = (double)e->full;
	s->calls_all = s->bytes_all = s->begun_all = 0;
	s->errors_all = e->failed;
	s->offers_peak = 0;
	s->switched = s->calls_switched = 0;
	s->calls_offered = s->calls_busiest = 0;
	s->v.active = 0;
	if (!e->queue || e->depth == 0)
		s->front_ns = now_ns;
	if (s->shown)
		remember_depth(s, e->queue ? e->depth : 0, now_ns);
	add_own(s, e);
}

static void take_cache(const struct ow_model *m, struct ow_m_service *s,
		       const struct ow_seen_service *e, uint64_t now_ns)
{
	struct ow_service_row *v = &s->v;

	v->hits = v->hits_all = v->misses_all = NAN;
	if (!e->cached)
		return;
	v->hits = ow_growth_rate(&s->hits, e->cache_hits, now_ns, m->span_ns);
	v->hits_all = (double)e->cache_hits;
	v->misses_all = (double)e->cache_misses;
}

int ow_model_take_services(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_service *svc;
	size_t i;

	for (i = 0; i < s->n_services; i++) {
		svc = ow_model_find_service(m, s->services[i].index);
		if (svc != NULL && strcmp(svc->v.name, s->services[i].name)) {
			/* A new domain of the same name has started. */
			HASH_DEL(m->services, svc);
			free(svc);
			svc = NULL;
		}
		if (svc == NULL)
			svc = new_service(m, &s->services[i], s->now_ns);
		if (svc == NULL)
			return -ENOMEM;
		begin_service(svc, &s->services[i], s->now_ns);
		take_cache(m, svc, &s->services[i], s->now_ns);
	}
	return 0;
}

/* ---- figures ---- */

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void make_rates(struct ow_m_service *s, const struct ow_counts *d,
		       uint64_t now_ns)
{
	struct ow_service_row *v = &s->v;
	uint64_t from = s->window.old_ns;
	double us = now_ns > from ? (double)(now_ns - from) / 1000.0 : NAN;
	double calls = (double)ow_counts_calls(d);

	v->calls = ow_per_second(ow_counts_calls(d), from, now_ns);
	v->errors = ow_per_second(d->n[OW_CNT_FAIL] + d->n[OW_CNT_SYSTEM],
				  from, now_ns);
	v->expired = ow_per_second(d->n[OW_CNT_EXPIRED], from, now_ns);
	v->full = ow_per_second(d->n[OW_CNT_FULL], from, now_ns);
	v->mean = (double)d->n[OW_CNT_WAIT_US] / us;
	v->use = ratio(100.0 * (double)d->n[OW_CNT_SUM_US] / us, v->servers);
	if (v->use > 100)
		v->use = 100; /* a long call counts as a whole at its end */
	v->wait50 = ow_quantile(&d->n[OW_CNT_WAIT_HIST], 500);
	v->wait99 = ow_quantile(&d->n[OW_CNT_WAIT_HIST], 990);
	v->serve50 = ow_quantile(&d->n[OW_CNT_HIST], 500);
	v->serve99 = ow_quantile(&d->n[OW_CNT_HIST], 990);
	v->wakes = ratio((double)d->n[OW_CNT_WAKEUPS], calls);
	v->vain = ratio((double)d->n[OW_CNT_VAIN], calls);
	v->share = ratio(100.0 * s->calls_busiest, s->calls_offered);
	v->switches = ratio(s->switched, s->calls_switched);
}

static void make_queue(struct ow_m_service *s, uint64_t now_ns)
{
	struct ow_service_row *v = &s->v;
	double mean = ratio((double)s->bytes_all, (double)s->begun_all);
	int i;

	if (v->depth > v->peak)
		v->peak = v->depth;
	if (s->offers_peak > v->peak)
		v->peak = s->offers_peak;
	v->depth_max = 0;
	for (i = 0; i < OW_SPARK; i++)
		if (v->depths[i] > v->depth_max)
			v->depth_max = v->depths[i];
	v->bytes = v->depth > 0 ? v->depth * mean : v->depth;
	v->oldest = NAN;
	if (v->depth > 0 && s->front_ns != 0 && now_ns > s->front_ns)
		v->oldest = (double)(now_ns - s->front_ns) / 1000.0;
}

/* How much the service asks for attention: long waits, failures. A service
 * whose servers all wait for another one is not the cause. */
static int grade_service(const struct ow_service_row *v)
{
	if (v->depth > 0 && v->servers == 0)
		return OW_GRADE_BAD;
	if (v->depth > 0 && v->oldest > 5e6 && !ow_service_held(v))
		return OW_GRADE_BAD;
	if (v->servers == 0 || v->suspended || v->full > 0 || v->expired > 0 ||
	    ow_service_saturated(v) ||
	    (v->depth > 0 && v->oldest > 1e6) ||
	    (v->calls > 0 && v->errors > v->calls / 20))
		return OW_GRADE_LOOK;
	return OW_GRADE_CALM;
}

static int finish_service(struct ow_model *m, struct ow_m_service *s,
			  uint64_t now_ns)
{
	struct ow_overview *t = &m->overview;
	struct ow_counts d;

	ow_window_turn(&s->window, &s->total, now_ns, m->span_ns);
	ow_counts_sub(&s->total, &s->window.old, &d);
	make_rates(s, &d, now_ns);
	make_queue(s, now_ns);
	s->v.calls_all = (double)s->calls_all;
	s->v.errors_all = (double)s->errors_all;
	s->v.row.grade = grade_service(&s->v);
	if (!s->shown)
		return 0;
	t->services++;
	t->calls += isnan(s->v.calls) ? 0 : s->v.calls;
	t->errors += isnan(s->v.errors) ? 0 : s->v.errors;
	t->waiting += isnan(s->v.depth) ? 0 : s->v.depth;
	return ow_list_add(&m->list_services, &s->v.row);
}

int ow_model_sum_services(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_service *svc, *next;
	int r = 0;

	HASH_ITER(hh, m->services, svc, next) {
		if (r == 0)
			r = finish_service(m, svc, s->now_ns);
	}
	return r;
}

void ow_model_free_services(struct ow_model *m)
{
	struct ow_m_service *svc, *next;

	HASH_ITER(hh, m->services, svc, next) {
		HASH_DEL(m->services, svc);
		free(svc);
	}
}
