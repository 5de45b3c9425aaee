/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_servers.c - servers, and what each of them offers
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "clients/ndrxtop/model/model_own.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/ctl.h"
#include "libatmi/domain/tables.h"

/* A request in hand for longer is worth a look. */
#define LONG_US 10e6

struct ow_m_server *ow_model_find_server(struct ow_model *m, uint32_t srvid)
{
	struct ow_m_server *s;

	HASH_FIND(hh, m->servers, &srvid, sizeof(srvid), s);
	return s;
}

static struct ow_m_server *new_server(struct ow_model *m, uint32_t srvid)
{
	struct ow_m_server *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->srvid = srvid;
	s->v.row.key = srvid;
	s->v.row.srvid = srvid;
	s->v.id = srvid;
	HASH_ADD(hh, m->servers, srvid, sizeof(s->srvid), s);
	if (s->hh.tbl == NULL) {
		free(s);
		return NULL;
	}
	return s;
}

/* ---- states ---- */

struct word {
	const char *word;
	int grade;
};

/* A living process. */
static const struct word living[] = {
	[OW_SRV_FREE] = { "start", OW_GRADE_CALM },
	[OW_SRV_STARTING] = { "start", OW_GRADE_CALM },
	[OW_SRV_IDLE] = { "idle", OW_GRADE_CALM },
	[OW_SRV_BUSY] = { "busy", OW_GRADE_CALM },
	[OW_SRV_STOPPING] = { "stop", OW_GRADE_CALM },
};

/* No process: what ndrxd makes of it; the other words are ppm's. */
static struct word absent(uint32_t ctl_state)
{
	static const struct word special[OW_PROC_STATE_END] = {
		[OW_PROC_NOT_STARTED] = { "off", OW_GRADE_CALM },
		[OW_PROC_EXITED] = { "off", OW_GRADE_CALM },
		[OW_PROC_STOPPING] = { "stop", OW_GRADE_CALM },
		[OW_PROC_STARTING] = { "start", OW_GRADE_LOOK },
		[OW_PROC_RUNNING] = { "dead", OW_GRADE_BAD },
		[OW_PROC_RESTARTING] = { "restart", OW_GRADE_LOOK },
		[OW_PROC_WAITING] = { "wait", OW_GRADE_CALM },
	};

	if (ctl_state < OW_PROC_STATE_END && special[ctl_state].word != NULL)
		return special[ctl_state];
	return (struct word){ ow_proc_state_word(ctl_state), OW_GRADE_BAD };
}

static void make_state(struct ow_m_server *s, const struct ow_seen_server *e)
{
	struct word w = { "dead", OW_GRADE_BAD };

	if (e->alive && e->state < sizeof(living) / sizeof(*living))
		w = living[e->state];
	else if (e->pid == 0)
		w = absent(e->ctl_state);
	snprintf(s->v.state, sizeof(s->v.state), "%s", w.word);
	s->v.row.grade = w.grade;
	if (w.grade == OW_GRADE_CALM && s->v.age > LONG_US)
		s->v.row.grade = OW_GRADE_LOOK;
}

/* How the process before this one ended. */
static void make_last(struct ow_m_server *s, int status)
{
	if (WIFSIGNALED(status))
		snprintf(s->v.last, sizeof(s->v.last), "%s%s",
			 strsignal(WTERMSIG(status)),
			 WCOREDUMP(status) ? ", core" : "");
	else if (WEXITSTATUS(status) != 0)
		snprintf(s->v.last, sizeof(s->v.last), "exit %d",
			 WEXITSTATUS(status));
	else
		s->v.last[0] = '\0';
}

static void make_request(struct ow_model *m, struct ow_m_server *s,
			 const struct ow_seen_server *e, uint64_t now_ns)
{
	struct ow_m_service *svc = NULL;

	s->v.request[0] = '\0';
	s->v.age = NAN;
	if (!e->alive || e->busy_svc == 0)
		return;
	svc = ow_model_find_service(m, e->busy_svc - 1);
	snprintf(s->v.request, sizeof(s->v.request), "%s",
		 svc != NULL ? svc->v.name : "?");
	s->v.age = now_ns > e->busy_since_ns
			   ? (double)(now_ns - e->busy_since_ns) / 1000.0
			   : 0;
}

/* ---- processes ---- */

static void forget_process(struct ow_m_server *s,
			   const struct ow_seen_server *e, uint64_t now_ns)
{
	s->pid = e->pid;
	s->start = e->start;
	s->v.cpu = s->v.memory = s->switches = NAN;
	s->proc = (struct ow_proc){ 0 };
	/* A process that came while we look has begun with nothing. */
	ow_growth_start(&s->requests, s->seen != 0 ? 0 : e->requests, now_ns);
}

/* Two readings of the same process make a figure. */
static void take_proc(struct ow_m_server *s, const struct ow_proc *p)
{
	const struct ow_proc *old = &s->proc;
	uint64_t n = p->requests - old->requests;

	if (p->read_ns == 0 || p->read_ns == old->read_ns)
		return;
	s->v.memory = (double)p->rss;
	if (old->read_ns != 0 && p->cpu_us >= old->cpu_us)
		s->v.cpu = 100.0 * (double)(p->cpu_us - old->cpu_us) * 1000.0 /
			   (double)(p->read_ns - old->read_ns);
	if (old->switches != 0 && p->switches >= old->switches &&
	    p->requests > old->requests)
		s->switches = (double)(p->switches - old->switches) /
			      (double)n;
	s->proc = *p;
}

static void count_server(struct ow_totals *t, const struct ow_m_server *s,
			 bool alive)
{
	t->servers++;
	t->alive += alive;
	t->busy += alive && s->v.request[0] != '\0';
	t->cpu += alive && !isnan(s->v.cpu) ? s->v.cpu : 0;
}

static void take_server(struct ow_model *m, struct ow_m_server *s,
			const struct ow_seen_server *e, uint64_t now_ns)
{
	struct ow_server_row *v = &s->v;

	if (s->pid != e->pid || s->start != e->start || s->seen == 0)
		forget_process(s, e, now_ns);
	s->seen = m->totals.looks;
	if (e->pid != 0 || v->name[0] == '\0')
		memcpy(v->name, e->bin, sizeof(v->name));
	v->pid = e->alive ? e->pid : NAN;
	v->restarts = e->ctl_restarts;
	v->since = e->ctl_changed_ns != 0 && now_ns > e->ctl_changed_ns
			   ? (double)(now_ns - e->ctl_changed_ns) / 1000.0
			   : NAN;
	v->calls = v->calls_all = NAN;
	if (e->alive) {
		take_proc(s, &e->proc);
		v->calls = ow_growth_rate(&s->requests, e->requests, now_ns,
					  m->span_ns);
		v->calls_all = (double)e->requests;
	} else {
		v->cpu = v->memory = NAN;
	}
	make_last(s, e->ctl_exit);
	make_request(m, s, e, now_ns);
	make_state(s, e);
	count_server(&m->totals, s, e->alive);
}

int ow_model_take_servers(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_server *srv, *next;
	int r = 0;
	size_t i;

	for (i = 0; i < s->n_servers && r == 0; i++) {
		srv = ow_model_find_server(m, s->servers[i].srvid);
		if (srv == NULL)
			srv = new_server(m, s->servers[i].srvid);
		if (srv == NULL)
			return -ENOMEM;
		take_server(m, srv, &s->servers[i], s->now_ns);
		r = ow_list_add(&m->list_servers, &srv->v.row);
	}
	HASH_ITER(hh, m->servers, srv, next) {
		if (srv->seen == m->totals.looks)
			continue;
		HASH_DEL(m->servers, srv);
		free(srv);
	}
	return r;
}

/* ---- offers ---- */

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
	o->v.row.srvid = e->srvid;
	o->v.id = e->srvid;
	HASH_ADD(hh, m->offers, id, sizeof(o->id), o);
	if (o->hh.tbl == NULL) {
		free(o);
		return NULL;
	}
	return o;
}

/* What it has done since the last look. A process that came meanwhile has
 * done all it counts; one that we meet for the first time did so before. */
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
	if (calls > 0) { /* most have none, and there may be thousands */
		v->serve50 = ow_quantile(&d.n[OW_CNT_HIST], 500);
		v->serve99 = ow_quantile(&d.n[OW_CNT_HIST], 990);
		v->wait99 = ow_quantile(&d.n[OW_CNT_WAIT_HIST], 990);
	}
	v->serve_max = v->calls_all > 0 ? (double)e->max_us : NAN;
	v->wait_max = v->calls_all > 0 ? (double)e->wait_max_us : NAN;
	v->wakes = calls > 0 ? (double)d.n[OW_CNT_WAKEUPS] / calls : NAN;
	v->vain = calls > 0 ? (double)d.n[OW_CNT_VAIN] / calls : NAN;
	v->share = calls; /* of the sum, which is not known yet */
}

static uint64_t begun(const struct ow_counts *c)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < OW_HIST_BUCKETS; i++)
		sum += c->n[OW_CNT_WAIT_HIST + i];
	return sum;
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
	svc->v.busy += strcmp(srv->v.request, svc->v.name) == 0;
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
		return 0; /* it came between the two: at the next look */
	o = find_offer(m, e);
	if (o == NULL)
		return -ENOMEM;
	grow(o, srv, e, m->fresh, now_ns, &grown);
	o->seen = m->totals.looks;
	ow_counts_add(&svc->total, &grown);
	ow_window_turn(&o->window, &o->last, now_ns, m->span_ns);
	make_offer(o, srv, svc, e, now_ns);
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
		if (o->seen != m->totals.looks) {
			HASH_DEL(m->offers, o);
			free(o);
		}
	}
	return r;
}

/* From calls in the window to a part of the service's, %. */
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

void ow_model_free_servers(struct ow_model *m)
{
	struct ow_m_server *srv, *srv_next;
	struct ow_m_offer *o, *o_next;

	HASH_ITER(hh, m->servers, srv, srv_next) {
		HASH_DEL(m->servers, srv);
		free(srv);
	}
	HASH_ITER(hh, m->offers, o, o_next) {
		HASH_DEL(m->offers, o);
		free(o);
	}
}
