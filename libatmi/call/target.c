/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - from the name of a request's service to where the request goes
 */
#include "libatmi/call/target.h"

#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/cached.h"
#include "libatmi/call/routed.h"
#include "libatmi/domain/tables.h"

/* Must the request stay at this node, though others offer the service, too? */
static bool stays_here(const struct ow_ctx *c, const struct ow_request *rq)
{
	return (rq->how & OW_REQUEST_REMOTE) != 0 ||
	       (c->tran != 0 && !(rq->flags & TPNOTRAN)) || rq->svc[0] == '@' ||
	       rq->svc[0] == '.' || strlen(rq->svc) > OW_SVC_SHARE_MAX;
}

/* The service is offered here. Is it the turn of other nodes (NDRX_LDBAL)? Then
 * *ret is the queue of their bridge, where there is one. 0, or as
 * ow_svcq_find(). */
static int take_turns(struct ow_ctx *c, struct ow_request *rq,
		      struct ow_svcq **ret)
{
	char name[OW_SVC_NAME];

	if (c->dom->ldbal == 0 || stays_here(c, rq))
		return 0;
	c->ldbal += c->dom->ldbal;
	if (c->ldbal < 100)
		return 0;
	c->ldbal -= 100;
	rq->how |= OW_REQUEST_RENAMED;
	snprintf(name, sizeof(name), OW_SVC_SHARE "%.28s", rq->svc);
	return ow_svcq_find(c, name, ret) == 0 && ow_svcq_is_served(c, *ret)
		   ? 0
		   : ow_svcq_find_despite(c, rq->svc, OW_SVC_DURABLE, ret);
}

/* The service is durable. Is this a call that a tmqueue has to store? An operator
 * who has suspended the service wants none. */
static bool is_stored(const struct ow_ctx *c, const struct ow_request *rq)
{
	int at = ow_svc_find(c->dom->tables, rq->svc);

	return (rq->how & OW_REQUEST_STORABLE) != 0 &&
	       (rq->flags & TPNOREPLY) != 0 && at >= 0 &&
	       (atomic_load(&c->dom->tables->svc[at].marks) &
		OW_SVC_SUSPENDED) == 0;
}

/* The service is cached. Does a kept reply answer the request? */
static bool is_answered(struct ow_ctx *c, struct ow_request *rq)
{
	enum ow_cached_use use = OW_CACHED_NOT;

	if (rq->how & OW_REQUEST_CACHED)
		use = ow_cached_look(c, rq->svc, &rq->data, rq->flags,
				     rq->begin_ns);
	if (use == OW_CACHED_KEEP)
		rq->how |= OW_REQUEST_KEEP;
	return use == OW_CACHED_FOUND;
}

/* Nobody offers `svc`, to which the request's service leads: LATER, or -1 with
 * tperrno. */
static int fail_absent(struct ow_ctx *c, const struct ow_request *rq,
		       const char *svc)
{
	int at = ow_svc_find(c->dom->tables, svc), r = 1;

	if (c->init_put != NULL && rq->cd == 0 && rq->origin == NULL &&
	    rq->piece == NULL)
		r = c->init_put(c, rq);
	if (r == 0)
		return OW_TARGET_LATER;
	if (r > 0 && at >= 0 && ow_svc_is_awaited(&c->dom->tables->svc[at]))
		return ow_tp_fail(TPENOENT, "service %s: no server of it runs, "
				  "nor does ndrxd, which would start one: "
				  "`xadmin idle`", svc);
	return r < 0 ? r : ow_tp_fail(TPENOENT, "service %s is not advertised",
				      svc);
}

/* An operator lets no call reach `svc`. */
static int fail_suspended(const struct ow_ctx *c, const char *svc)
{
	int at = ow_svc_find(c->dom->tables, svc);

	if (at >= 0 && (atomic_load(&c->dom->tables->svc[at].marks) &
			OW_SVC_SUSPENDED) == 0)
		return ow_tp_fail(TPENOENT, "service %s is drained: its last "
				  "server is being stopped", svc);
	return ow_tp_fail(TPENOENT, "service %s is suspended: "
			  "`xadmin resume`", svc);
}

int ow_target_decide(struct ow_ctx *c, struct ow_request *rq, int r,
		     struct ow_svcq **ret)
{
	char name[OW_SVC_NAME];
	const char *svc = rq->svc;

	if (r == OW_SVCQ_DURABLE) {
		if (is_stored(c, rq))
			return OW_TARGET_STORED;
		r = ow_svcq_find_despite(c, svc, OW_SVC_DURABLE, ret);
	}
	if (r == 0)
		r = take_turns(c, rq, ret);
	if (r == OW_SVCQ_CACHED) {
		if (is_answered(c, rq))
			return OW_TARGET_ANSWERED;
		r = ow_svcq_find_despite(c, svc, OW_SVC_CACHED | OW_SVC_DURABLE,
					 ret);
	}
	if (r == OW_SVCQ_ROUTED) {
		rq->how |= OW_REQUEST_RENAMED;
		r = ow_routed_find(c, svc, &rq->data, name, ret);
		svc = name;
	}
	if (r == 0 || r == -1)
		return r;
	if (r == OW_SVCQ_SUSPENDED)
		return fail_suspended(c, svc);
	if (r == OW_SVCQ_ABSENT)
		return fail_absent(c, rq, svc);
	return ow_tp_fail_errno(r, "opening a service's queue");
}
