/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - SET of MIB(5): start and stop servers, suspend and resume services
 *
 * A SET names the object by its keys and the state that it shall have. The
 * order goes to ndrxd, as one of xadmin: events and history name who gave it.
 * Whatever else a request wants to change is refused, before anything is done.
 */
#include "libatmi/mib/order.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <tpadm.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/orderer.h"
#include "libatmi/domain/tables.h"
#include "libatmi/mib/request.h"
#include "libatmi/wire/ctl.h"

#define PATIENCE_NS (60 * OW_NS_PER_SEC) /* until ndrxd has done it */
#define FOLLOW_NS   (2 * OW_NS_PER_SEC)	 /* until a server has followed */
#define SLICE_MS    200			 /* then answer pings */
#define STEP_MS	    5

struct order {
	const struct ow_domain *d;
	const struct ow_mib_request *r;
	struct ow_mib_refusal *f;
	long srvid;
	char state[OW_MIB_TEXT], service[OW_MIB_TEXT];
};

/* ---- one order to ndrxd ---- */

static void attend(void)
{
	struct ow_ctx *c = ow_ctx_peek();

	if (c != NULL && c->attend != NULL)
		c->attend();
}

/* Read until ndrxd is done: 0, -errno. */
static int await_done(int fd, struct ow_ctl_done *ret)
{
	uint64_t until = ow_clock_mono_ns() + PATIENCE_NS;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	union ow_ctl_msg m;
	int r;

	for (;;) {
		r = ow_ctl_recv(fd, &m);
		if (r == 0 && m.h.kind == OW_CTL_DONE) {
			*ret = m.done;
			return 0;
		}
		if (r != 0 && r != -EAGAIN)
			return r;
		if (r == 0)
			continue;
		if (ow_clock_mono_ns() >= until)
			return -ETIMEDOUT;
		if (poll(&p, 1, SLICE_MS) <= 0)
			attend();
	}
}

static int tell(const struct ow_domain *d, const union ow_ctl_msg *m,
		struct ow_ctl_done *ret)
{
	int r, fd = ow_domain_connect(d);

	if (fd < 0)
		return fd;
	r = ow_ctl_send(fd, m);
	if (r == 0)
		r = await_done(fd, ret);
	close(fd);
	return r;
}

/* TAOK, TAUPDATED: ndrxd has changed something; or the error. */
static long order(const struct order *o, enum ow_ctl_verb verb, uint32_t flags)
{
	struct ow_ctl_done done = { .status = 0 };
	union ow_ctl_msg m;
	char words[200];
	int r;

	ow_ctl_init(&m, OW_CTL_CMD, 1);
	m.cmd.verb = verb;
	m.cmd.flags = flags;
	m.cmd.srvid = (uint32_t)o->srvid;
	m.cmd.domain = ow_ctl_domain(o->d->prefix);
	snprintf(m.cmd.name, sizeof(m.cmd.name), "%.63s", o->service);
	ow_orderer_words(getpid(), words, sizeof(words));
	ow_ctl_set_words(&m.cmd, words);
	r = tell(o->d, &m, &done);
	if (r == -ETIMEDOUT)
		return ow_mib_refuse(o->f, TAESYSTEM, 0, "ndrxd has not done it "
				     "yet, and goes on");
	if (r != 0)
		return ow_mib_refuse(o->f, TAESYSTEM, 0, "ndrxd, which carries "
				     "out orders, does not answer: %s",
				     ow_owned_strerror(r));
	if (done.status != 0)
		return ow_mib_refuse(o->f, TAESYSTEM, 0, "%.280s",
				     done.text[0] != '\0' ? done.text
							  : "it failed");
	return done.count > 0 ? TAUPDATED : TAOK;
}

/* ---- servers ---- */

/* Is it the server that this process is? */
static bool is_self(long srvid)
{
	struct ow_ctx *c = ow_ctx_peek();

	return c != NULL && c->srvid != 0 && srvid == (long)c->srvid;
}

static long set_server(const struct order *o)
{
	bool alive = ow_srv_alive(o->d->tables, (uint32_t)o->srvid);

	if (o->srvid == 0)
		return ow_mib_refuse(o->f, TAEREQUIRED, OW_TA_SRVID,
				     "TA_SRVID is missing");
	if (strcmp(o->state, "ACT") == 0)
		return alive ? TAOK : order(o, OW_VERB_START, 0);
	if (strcmp(o->state, "INA") != 0 && strcmp(o->state, "DEA") != 0)
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_STATE, "state %.40s: "
				     "a server can be set to ACT, INA and DEA",
				     o->state);
	if (is_self(o->srvid))
		return ow_mib_refuse(o->f, TAESUPPORT, OW_TA_SRVID, "server %ld "
				     "would wait for its own end", o->srvid);
	return order(o, OW_VERB_STOP,
		     o->state[0] == 'D' ? OW_CTLF_KILL : 0);
}

/* ---- services ---- */

static bool offers(const struct order *o)
{
	const struct ow_tables *t = o->d->tables;
	int svc = ow_svc_find(t, o->service);
	uint32_t row, id = (uint32_t)o->srvid;
	uint32_t n = atomic_load(&t->srv[id].nadv);

	for (row = 0; svc >= 0 && row < n && row < OW_ADV_MAX; row++)
		if (atomic_load(&ow_tables_adv(t, id)[row].svc) ==
		    (uint32_t)svc + 1)
			return true;
	return false;
}

/* One server offers the service from now on, or no more. */
static long set_offer(const struct order *o)
{
	uint64_t until = ow_clock_mono_ns() + FOLLOW_NS;
	bool on = strcmp(o->state, "ACT") == 0;
	long e;

	if (!on && strcmp(o->state, "INA") != 0)
		return ow_mib_refuse(o->f, TAESUPPORT, OW_TA_SRVID, "a service "
				     "is suspended as a whole: without "
				     "TA_SRVID");
	if (!ow_srv_alive(o->d->tables, (uint32_t)o->srvid))
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_SRVID,
				     "server %ld does not run", o->srvid);
	if (offers(o) == on)
		return TAOK;
	e = order(o, on ? OW_VERB_ADV : OW_VERB_UNADV, 0);
	while (e >= 0 && offers(o) != on) {
		if (ow_clock_mono_ns() > until)
			return ow_mib_refuse(o->f, TAESYSTEM, OW_TA_SRVID,
					     "server %ld is busy, or cannot",
					     o->srvid);
		poll(NULL, 0, STEP_MS); /* there is no event to wait for */
		attend();
	}
	return e < 0 ? e : TAUPDATED;
}

static long set_service(const struct order *o)
{
	bool on = strcmp(o->state, "SUS") == 0;

	if (o->service[0] == '\0')
		return ow_mib_refuse(o->f, TAEREQUIRED, OW_TA_SERVICENAME,
				     "TA_SERVICENAME is missing");
	if (ow_svc_find(o->d->tables, o->service) < 0)
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_SERVICENAME,
				     "no service %.40s", o->service);
	if (o->srvid != 0)
		return set_offer(o);
	if (!on && strcmp(o->state, "ACT") != 0)
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_STATE, "state %.40s: "
				     "a service can be set to SUS and ACT",
				     o->state);
	return order(o, on ? OW_VERB_SUSPEND : OW_VERB_RESUME, 0);
}

/* ---- the request ---- */

/* Refuse what names no object and is no state. */
static long check_fields(const struct order *o)
{
	static const BFLDID known[] = {
		OW_TA_STATE, OW_TA_SRVID, OW_TA_SERVICENAME, OW_TA_SRVGRP,
		OW_TA_LMID,  OW_TA_SERVERNAME, 0,
	};
	const struct ow_mib_class *c = o->r->class;
	int i, k;

	for (i = 0; c->fields[i].name != NULL; i++) {
		for (k = 0; known[k] != 0 && known[k] != c->fields[i].id; k++)
			;
		if ((o->r->keys >> i & 1) && known[k] == 0)
			return ow_mib_refuse(o->f, TAESUPPORT, c->fields[i].id,
					     "%s cannot be set",
					     c->fields[i].name);
	}
	return 0;
}

static long check_node(const struct order *o)
{
	char want[OW_MIB_TEXT], node[24];

	snprintf(node, sizeof(node), "%ld", o->d->nodeid);
	if (!ow_mib_read_text(o->r->in, OW_TA_LMID, want) ||
	    (want[0] != '\0' && strcmp(want, node) != 0 &&
	     strcmp(want, o->d->lmid) != 0))
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_LMID,
				     "this is node %s", o->d->lmid);
	return 0;
}

static long read_keys(struct order *o)
{
	UBFH *in = o->r->in;

	if (Bpres(in, OW_TA_SRVID, 0))
		Bget(in, OW_TA_SRVID, 0, (char *)&o->srvid, NULL);
	if (o->srvid < 0 || o->srvid >= (long)OW_SRV_MAX)
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_SRVID,
				     "no server has id %ld", o->srvid);
	if (!ow_mib_read_text(in, OW_TA_SERVICENAME, o->service))
		return ow_mib_refuse(o->f, TAEINVAL, OW_TA_SERVICENAME,
				     "TA_SERVICENAME is too long");
	if (!ow_mib_read_text(in, OW_TA_STATE, o->state) ||
	    o->state[0] == '\0')
		return ow_mib_refuse(o->f, TAEREQUIRED, OW_TA_STATE,
				     "TA_STATE is missing");
	ow_mib_short_state(o->state);
	return 0;
}

long ow_mib_set(const struct ow_domain *d, const struct ow_mib_request *r,
		struct ow_mib_refusal *f)
{
	struct order o = { .d = d, .r = r, .f = f };
	bool server = r->class == &ow_mib_t_server;
	long e;

	if (!server && r->class != &ow_mib_t_service &&
	    r->class != &ow_mib_t_svcgrp)
		return ow_mib_refuse(f, TAESUPPORT, OW_TA_CLASS,
				     "objects of %s cannot be set",
				     r->class->name);
	e = check_fields(&o);
	if (e == 0)
		e = check_node(&o);
	if (e == 0)
		e = read_keys(&o);
	if (e != 0)
		return e;
	if (server)
		o.service[0] = '\0';
	return server ? set_server(&o) : set_service(&o);
}
