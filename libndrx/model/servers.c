/* SPDX-License-Identifier: Apache-2.0 */
/*
 * servers.c - servers: state, load, the request being served
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/ctl.h"
#include "libatmi/domain/tables.h"
#include "libndrx/observe/observer.h"

/* A request being served for longer is worth a look. */
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

/* The state of a living process. */
static const struct word living[] = {
	[OW_SRV_FREE] = { "start", OW_GRADE_CALM },
	[OW_SRV_STARTING] = { "start", OW_GRADE_CALM },
	[OW_SRV_IDLE] = { "idle", OW_GRADE_CALM },
	[OW_SRV_BUSY] = { "busy", OW_GRADE_CALM },
	[OW_SRV_STOPPING] = { "stop", OW_GRADE_CALM },
};

/* The state of a server without a process, from ndrxd's state. States that
 * are not listed have the word of `ppm`. */
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

	if (e->alive && e->proc.stopped)
		w = (struct word){ "stopped", OW_GRADE_BAD };
	else if (e->alive && e->state < sizeof(living) / sizeof(*living))
		w = living[e->state];
	else if (e->pid == 0)
		w = absent(e->ctl_state);
	snprintf(s->v.state, sizeof(s->v.state), "%s", w.word);
	s->v.row.grade = w.grade;
	if (w.grade == OW_GRADE_CALM && s->v.age > LONG_US)
		s->v.row.grade = OW_GRADE_LOOK;
}

/* How the process before this one ended. */
static void make_last(struct ow_m_server *s, const struct ow_seen_server *e)
{
	double ago_ns = s->v.since * 1000.0;

	ow_observer_end(e->ctl_exit, s->v.last, sizeof(s->v.last));
	s->v.dies = e->alive && e->of == 0 && ago_ns >= 0 &&
		    ow_observer_dies(e->ctl_restarts, e->ctl_failures,
				     e->ctl_exit, (uint64_t)ago_ns);
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
	/* A process that started since the first look counts from zero. */
	ow_growth_start(&s->requests, s->seen != 0 ? 0 : e->requests, now_ns);
}

/* Two readings of the same process make CPU and switches. */
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

/* A thread is counted as busy, its process as a server. */
static void count_server(struct ow_overview *t, const struct ow_m_server *s,
			 bool alive, bool is_thread)
{
	if (is_thread) {
		t->busy += alive && s->v.request[0] != '\0';
		return;
	}
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
	s->seen = m->overview.looks;
	if (e->pid != 0 || v->name[0] == '\0')
		memcpy(v->name, e->bin, sizeof(v->name));
	memcpy(v->group, e->group, sizeof(v->group));
	v->waits = false;
	v->n_offers = 0;
	v->offers[0] = '\0';
	v->pid = e->alive ? e->pid : NAN;
	v->restarts = e->ctl_restarts;
	v->since = e->ctl_changed_ns != 0 && now_ns > e->ctl_changed_ns
			   ? (double)(now_ns - e->ctl_changed_ns) / 1000.0
			   : NAN;
	v->calls = v->calls_all = NAN;
	if (e->alive) {
		if (e->of == 0)
			take_proc(s, &e->proc);
		v->calls = ow_growth_rate(&s->requests, e->requests, now_ns,
					  m->span_ns);
		v->calls_all = (double)e->requests;
	} else {
		v->cpu = v->memory = NAN;
	}
	make_last(s, e);
	make_request(m, s, e, now_ns);
	make_state(s, e);
	count_server(&m->overview, s, e->alive, e->of != 0);
}

/* A thread is shown, and gets orders, as its server. */
static void show_as(struct ow_m_server *s, uint32_t of)
{
	uint32_t id = of != 0 ? of : s->srvid;

	s->v.row.srvid = id;
	s->v.id = id;
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
		show_as(srv, s->servers[i].of);
		take_server(m, srv, &s->servers[i], s->now_ns);
		r = ow_list_add(&m->list_servers, &srv->v.row);
	}
	HASH_ITER(hh, m->servers, srv, next) {
		if (srv->seen == m->overview.looks)
			continue;
		HASH_DEL(m->servers, srv);
		free(srv);
	}
	return r;
}

void ow_model_free_servers(struct ow_model *m)
{
	struct ow_m_server *srv, *next;

	HASH_ITER(hh, m->servers, srv, next) {
		HASH_DEL(m->servers, srv);
		free(srv);
	}
}
