/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertise.c - the services that this server offers
 *
 * Services advertised in tpsvrinit() are published together when it is over,
 * so a server that is not yet ready gets no calls. Later each service is
 * published at once.
 */
#include "libatmisrv/advertise.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/tperror.h"
#include "libatmi/domain/awaited.h"
#include "libatmi/member/lost.h"
#include "libatmi/member/reap.h"
#include "libatmisrv/convert.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/options.h"
#include "libatmisrv/own.h"
#include "libatmisrv/program.h"
#include "libatmisrv/server.h"

struct ow_offer *ow_offer_find(struct ow_server *s, const char *svc)
{
	uint32_t i;

	for (i = 0; i < s->noffers; i++)
		if (strcmp(s->offers[i].name, svc) == 0)
			return &s->offers[i];
	return NULL;
}

static int check_name(const char *svc)
{
	if (svc == NULL || *svc == '\0')
		return ow_tp_fail(TPEINVAL, "service name is empty");
	if (strlen(svc) > XATMI_SERVICE_NAME_LENGTH)
		return ow_tp_fail(TPEINVAL, "service name %.40s...: longer "
				  "than %d characters", svc,
				  XATMI_SERVICE_NAME_LENGTH);
	if (strpbrk(svc, "/@,") != NULL || svc[0] == '.')
		return ow_tp_fail(TPEINVAL, "service name %s: no '/', '@' or "
				  "',' is allowed, nor a '.' at the beginning",
				  svc);
	return 0;
}

bool ow_offer_is(const struct ow_offer *o, struct ow_serves f)
{
	return o->serves.p_func == f.p_func && o->serves.with == f.with &&
	       o->serves.data == f.data;
}

/* Find a row that was never used, or whose service is no longer offered. */
static struct ow_offer *find_free(struct ow_server *s)
{
	uint32_t i;

	for (i = 0; i < s->noffers; i++)
		if (s->offers[i].name[0] == '\0')
			return &s->offers[i];
	return s->noffers < OW_ADV_MAX ? &s->offers[s->noffers++] : NULL;
}

/* The name is good. */
static int put_offer(struct ow_server *s, const char *svc, const char *func,
		     struct ow_serves f)
{
	struct ow_offer *o;

	if (f.p_func == NULL && f.with == NULL)
		return ow_tp_fail(TPEINVAL, "service %s: function is NULL",
				  svc);
	o = ow_offer_find(s, svc);
	if (o != NULL && !ow_offer_is(o, f))
		return ow_tp_fail(TPEMATCH, "service %s is offered by "
				  "function %s", svc, o->func);
	if (o == NULL)
		o = find_free(s);
	if (o == NULL)
		return ow_tp_fail(TPELIMIT, "this server offers %u services "
				  "already", OW_ADV_MAX);
	snprintf(o->name, sizeof(o->name), "%s", svc);
	snprintf(o->shown, sizeof(o->shown), "%s", svc);
	if (svc[0] != '@' && !s->opt->keep_group)
		o->shown[strcspn(svc, "@")] = '\0';
	snprintf(o->func, sizeof(o->func), "%.31s", func != NULL ? func : svc);
	o->serves = f;
	o->p_func = f.p_func != NULL ? f.p_func : ow_program_serves;
	o->wanted = true;
	o->alone = false;
	o->any = strcmp(svc, OW_SVC_OVERFLOW) == 0;
	ow_conversion_of(s->opt, o);
	return 0;
}

int ow_offer_add_as(struct ow_server *s, const char *svc, const char *func,
		    struct ow_serves f)
{
	return check_name(svc) == 0 ? put_offer(s, svc, func, f) : -1;
}

int ow_offer_add(struct ow_server *s, const char *svc, const char *func,
		 void (*p_func)(TPSVCINFO *))
{
	return ow_offer_add_as(s, svc, func,
			       (struct ow_serves){ .p_func = p_func });
}

int ow_offer_add_like(struct ow_server *s, const char *svc,
		      const struct ow_offer *o)
{
	return ow_offer_add_as(s, svc, o->func, o->serves);
}

/* SVC@GROUP, the name of the service in the routing group of this server; false:
 * it is in none, or the service is the system's. */
static bool name_in_group(const struct ow_server *s, const char *svc,
			  char name[64])
{
	if (s->opt->group[0] == '\0' || svc[0] == '@' || svc[0] == '.' ||
	    strchr(svc, '@') != NULL)
		return false;
	snprintf(name, 64, "%.30s@%.31s", svc, s->opt->group);
	return true;
}

int ow_offer_group(struct ow_server *s, const struct ow_offer *o)
{
	char name[64];

	if (!o->wanted || !name_in_group(s, o->name, name))
		return 0;
	if (strlen(name) > XATMI_SERVICE_NAME_LENGTH)
		return ow_tp_fail(TPEINVAL, "service %s: longer than %d "
				  "characters", name,
				  XATMI_SERVICE_NAME_LENGTH);
	return put_offer(s, name, o->func, o->serves);
}

/* ---- publishing ---- */

static int open_queue(struct ow_server *s, struct ow_offer *o,
		      struct ow_svc *svc)
{
	struct ow_queue_shape shape = s->dom->service_shape;
	bool fresh = (atomic_load(&svc->gen) & 1) == 0;
	int r = ow_queue_create(s->dom, ow_service_queue(o->name), &shape,
				&o->queue);

	if (r == -ENOSPC)
		return ow_tp_fail(TPEOS, "queue of service %s: no shared "
				  "memory: %s is full", o->name,
				  s->dom->shm_dir);
	if (r == OW_QUEUE_LIMIT)
		return ow_tp_fail(TPEOS, "queue of service %s: the kernel's "
				  "limits on POSIX queues are used up: see "
				  "`xadmin doctor`", o->name);
	if (r != 0)
		return ow_tp_fail_errno(r, "creating a service's queue");
	if (o->queue->msgsize > OW_RX_SIZE) {
		o->queue = ow_queue_close(o->queue);
		return ow_tp_fail(TPESYSTEM, "queue of service %s has messages "
				  "of more than %u bytes: not made by us",
				  o->name, OW_RX_SIZE);
	}
	if (!fresh)
		return 0;
	/* Its messages are left over from a domain that died. */
	ow_reap_drain(s->dom, o->queue, TPESVCERR);
	OW_FAULT("publish.shape");
	svc->maxmsg = shape.maxmsg;
	svc->msgsize = shape.msgsize;
	OW_FAULT("publish.gen");
	atomic_fetch_add(&svc->gen, 1);
	return 0;
}

static void fill_row(struct ow_server *s, uint32_t row)
{
	struct ow_adv *a = &s->adv[row];
	struct ow_offer *o = &s->offers[row];

	o->prio_low = 0;
	memset(a->func, 0, sizeof(a->func));
	memcpy(a->func, o->func, strlen(o->func));
	ow_figures_reset(a);
	/* A service that offers itself anew ends in this row, too. */
	if (s->rq.active && s->rq.adv == a)
		ow_figures_begin(a, s->rq.msg, s->rq.since_ns);
	OW_FAULT("publish.nadv");
	if (atomic_load(&s->slot->nadv) < row + 1)
		atomic_store(&s->slot->nadv, row + 1);
}

/* Only one server may offer it. Then tperrno is set. */
static bool is_of_another(const struct ow_server *s, const struct ow_offer *o,
			  uint32_t svc)
{
	uint32_t other = ow_await_other(s->dom->tables, svc, s->id);

	if (other != 0)
		ow_tp_fail(TPEMATCH, "service %s is that of server %u, and of "
			   "no other one", o->name, other);
	return other != 0;
}

/* The part under the domain lock. */
static int publish_locked(struct ow_server *s, uint32_t row)
{
	struct ow_tables *t = s->dom->tables;
	struct ow_offer *o = &s->offers[row];
	int idx = ow_svc_name(t, o->name);

	if (idx < 0)
		return ow_tp_fail(TPEOS, "service table: no room for %s",
				  o->name);
	if (ow_srv_need_row(t, s->id, row) != 0)
		return ow_tp_fail(TPEOS, "service table: no room in shared "
				  "memory");
	if (o->alone && is_of_another(s, o, (uint32_t)idx))
		return -1;
	OW_FAULT("publish.queue");
	if (open_queue(s, o, &t->svc[idx]) != 0)
		return -1;
	o->svc = (uint32_t)idx;
	OW_FAULT("publish.fill");
	fill_row(s, row);
	OW_FAULT("publish.row");
	atomic_store(&s->adv[row].svc, o->svc + 1);
	OW_FAULT("publish.nsrv");
	atomic_fetch_add(&t->svc[idx].nsrv, 1);
	OW_FAULT("publish.awaited");
	ow_await_over(t, s->id, o->svc);
	OW_FAULT("publish.unlock");
	return 0;
}

static void withdraw_locked(struct ow_server *s, uint32_t row, bool returns)
{
	s->offers[row].queue = ow_queue_close(s->offers[row].queue);
	s->offers[row].paused = s->offers[row].unwatched = false;
	ow_reap_unadvertise(s->dom, s->id, row, returns);
}

static int fail_lock(const struct ow_server *s, const char *svc)
{
	char who[120];

	ow_tables_lock_holder(s->dom->tables, who, sizeof(who));
	return ow_tp_fail(TPESYSTEM, "service %s: the domain lock is held by "
			  "%s", svc, who);
}

/* Does ndrxd mean to have a server here, after this one? */
static bool is_wanted(const struct ow_server *s)
{
	return atomic_load(&s->slot->ctl_want) != 0 && !s->leaving;
}

/* What waits in the queue already woke other servers, which may be gone. */
static void take_on(struct ow_server *s, struct ow_offer *o)
{
	uint32_t depth = 0;

	if (ow_queue_depth(o->queue, &depth) != 0 || depth == 0)
		return;
	o->backlog = depth;
	s->backlog = true;
}

int ow_offer_publish(struct ow_server *s, uint32_t row)
{
	struct ow_offer *o = &s->offers[row];
	int r;

	if (!o->wanted || o->queue != NULL)
		return 0;
	if (ow_tables_lock(s->dom->tables) != 0)
		return fail_lock(s, o->name);
	r = publish_locked(s, row);
	if (r != 0) {
		ow_tables_unlock(s->dom->tables);
		return r;
	}
	r = ow_waitset_add_queue(s->waitset, o->queue, row);
	if (r != 0)
		withdraw_locked(s, row, is_wanted(s));
	ow_tables_unlock(s->dom->tables);
	ow_lost_tell();
	if (r == 0)
		take_on(s, o);
	return r == 0 ? 0
		      : ow_tp_fail_errno(r, "waiting on a service's queue");
}

int ow_offer_publish_all(struct ow_server *s)
{
	uint32_t row;

	for (row = 0; row < s->noffers; row++)
		if (ow_offer_publish(s, row) != 0)
			return -1;
	s->published = true;
	ow_offer_end_waits(s);
	return 0;
}

void ow_offer_end_waits(struct ow_server *s)
{
	if (s->main == NULL && atomic_load(&s->slot->nawait) != 0)
		ow_reap_awaited(s->dom, s->id);
}

static int withdraw(struct ow_server *s, uint32_t row, bool returns)
{
	struct ow_offer *o = &s->offers[row];

	if (o->queue == NULL)
		return 0;
	if (ow_tables_lock(s->dom->tables) != 0)
		return fail_lock(s, o->name);
	if (!o->unwatched)
		ow_waitset_del_queue(s->waitset, o->queue);
	withdraw_locked(s, row, returns);
	ow_tables_unlock(s->dom->tables);
	ow_lost_tell();
	return 0;
}

/* ---- paused ---- */

void ow_offers_pause(struct ow_server *s)
{
	struct ow_offer *o;

	if (ow_tables_lock(s->dom->tables) != 0)
		return; /* the next time: what comes meanwhile is taken */
	s->pausing = false;
	for (o = s->offers; o < s->offers + s->noffers; o++) {
		if (!o->paused || o->unwatched || o->queue == NULL)
			continue;
		ow_waitset_del_queue(s->waitset, o->queue);
		o->unwatched = true;
		o->backlog = 0;
	}
	ow_tables_unlock(s->dom->tables);
}

int ow_offer_resume(struct ow_server *s, uint32_t row)
{
	struct ow_offer *o = &s->offers[row];
	int r = 0;

	if (!o->paused)
		return 0;
	if (ow_tables_lock(s->dom->tables) != 0)
		return -EAGAIN;
	if (o->unwatched && o->queue != NULL)
		r = ow_waitset_add_queue(s->waitset, o->queue, row);
	ow_tables_unlock(s->dom->tables);
	if (r != 0)
		return r;
	o->paused = o->unwatched = false;
	if (o->queue != NULL)
		take_on(s, o);
	return 0;
}

int ow_offer_withdraw(struct ow_server *s, uint32_t row)
{
	return withdraw(s, row, false);
}

int ow_offer_leave(struct ow_server *s, uint32_t row)
{
	return withdraw(s, row, is_wanted(s));
}

/* Publish an offer, also in the group of the server. */
static int publish_now(struct ow_server *s, struct ow_offer *o)
{
	char name[64];
	struct ow_offer *g;

	if (ow_offer_group(s, o) != 0 ||
	    ow_offer_publish(s, (uint32_t)(o - s->offers)) != 0)
		return -1;
	g = name_in_group(s, o->name, name) ? ow_offer_find(s, name) : NULL;
	return g == NULL ? 0 : ow_offer_publish(s, (uint32_t)(g - s->offers));
}

/* Withdraw an offer for good: 0, or -1 with tperrno. */
static int drop_offer(struct ow_server *s, struct ow_offer *o)
{
	if (ow_offer_withdraw(s, (uint32_t)(o - s->offers)) != 0)
		return -1;
	/* The service may be running: its row is kept until another service
	 * is advertised. */
	o->wanted = false;
	o->name[0] = '\0';
	return 0;
}

/* ---- public ---- */

int ow_advertise_own(const char *svc, void (*p_func)(TPSVCINFO *))
{
	struct ow_server *s = ow_server_self();

	ow_tp_clear();
	if (s == NULL || (s->published && s->pool != NULL) ||
	    (svc[0] != '@' && svc[0] != '.'))
		return ow_tp_fail(TPEPROTO, "%s: not offered here", svc);
	if (put_offer(s, svc, svc + 1,
		      (struct ow_serves){ .p_func = p_func }) != 0)
		return -1;
	return s->published ? publish_now(s, ow_offer_find(s, svc)) : 0;
}

int ow_advertise_alone(const char *svc, void (*p_func)(TPSVCINFO *))
{
	int r = ow_advertise_own(svc, p_func);

	if (r == 0)
		ow_offer_find(ow_server_self(), svc)->alone = true;
	return r;
}

/* Offer a service, at once if tpsvrinit() is over: 0, or -1 with tperrno. */
static int offer(const char *svc, const char *func, struct ow_serves f)
{
	struct ow_server *s = ow_server_host();
	struct ow_offer *o;

	ow_tp_clear();
	if (s == NULL)
		return ow_tp_fail(TPEPROTO, "this process is not a server");
	if (s->pool != NULL)
		return s->hooks->advertise(s, svc, func, f);
	if (ow_offer_add_as(s, svc, func, f) != 0)
		return -1;
	o = ow_offer_find(s, svc);
	if (!s->published)
		return 0;
	if (publish_now(s, o) == 0)
		return 0;
	o->name[0] = '\0';
	return -1;
}

int tpadvertise_full(char *svc_nm, void (*p_func)(TPSVCINFO *), char *fn_nm)
{
	return offer(svc_nm, fn_nm, (struct ow_serves){ .p_func = p_func });
}

int tpadvertise_cb(char *svc_nm, void (*fn)(TPSVCINFO *, void *), void *data)
{
	ow_tp_clear();
	if (fn == NULL)
		return ow_tp_fail(TPEINVAL, "function is NULL");
	return offer(svc_nm, svc_nm,
		     (struct ow_serves){ .with = fn, .data = data });
}

int tpunadvertise(char *svcname)
{
	struct ow_server *s = ow_server_host();
	struct ow_offer *o;
	char name[64];

	ow_tp_clear();
	if (s == NULL)
		return ow_tp_fail(TPEPROTO, "this process is not a server");
	if (s->pool != NULL)
		return ow_tp_fail(TPEPROTO, "a server with dispatch threads "
				  "withdraws nothing");
	if (svcname == NULL || *svcname == '\0')
		return ow_tp_fail(TPEINVAL, "service name is empty");
	o = ow_offer_find(s, svcname);
	if (o == NULL)
		return ow_tp_fail(TPENOENT, "this server does not offer %s",
				  svcname);
	if (drop_offer(s, o) != 0)
		return -1;
	o = name_in_group(s, svcname, name) ? ow_offer_find(s, name) : NULL;
	return o == NULL ? 0 : drop_offer(s, o);
}
