/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_queue.c - drain the queues of services without servers, and mailboxes of
 * contexts that have left
 *
 * A service that awaits a server keeps its queue (doc/design/restarts.md).
 *
 * Order of steps when a service loses its last server: drain the queue, change
 * its generation, remove its name, drain it again. call/request.c has the
 * sender's part: it compares the generation after it has sent, and drains the
 * queue itself if the generation has changed.
 */
#include <errno.h>
#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/lost.h"
#include "libatmi/member/reap.h"
#include "libatmi/member/refuse.h"
#include "libatmi/transport/transport.h"

/*
 * Refuse a drained request, drop anything else. The envelope is closed last:
 * it is the record, so if this process is killed before, the next sweep
 * refuses the request.
 */
static void dispose(struct ow_domain *d, struct ow_envelope *e, int tperr)
{
	struct ow_msg *m = e->head;

	OW_FAULT("drain.taken");
	if (m->kind == OW_MSG_REQUEST) {
		ow_refuse_mark(m, tperr);
		if (ow_refuse(d, m) == OW_QUEUE_FULL)
			ow_refuse_later(d, e);
	}
	OW_FAULT("drain.refused");
	ow_envelope_close(e);
}

/* Take one message: 0, or the result of the receive. */
static int drain_one(struct ow_domain *d, struct ow_queue *q, bool on_record,
		     int tperr)
{
	union ow_envelope_memory room;
	struct ow_envelope e;
	int r;

	if (!on_record || d->transport->drain_into == NULL ||
	    d->transport->drain_into(d, &e) != 0)
		ow_envelope_init(&e, &room, sizeof(room), d->blocks);
	r = ow_queue_recv(q, &e, OW_DEADLINE_NOW);
	if (r == 0)
		dispose(d, &e, tperr);
	else
		ow_envelope_close(&e);
	if (r == OW_QUEUE_GARBAGE) {
		atomic_fetch_add(&d->tables->head->garbage, 1);
		return 0;
	}
	return r;
}

int ow_reap_drain(struct ow_domain *d, struct ow_queue *q, int tperr)
{
	uint32_t depth = 0;
	int n = 0;

	while (ow_queue_depth(q, &depth) == 0 && depth > 0 &&
	       drain_one(d, q, true, tperr) == 0)
		n++;
	return n;
}

void ow_reap_discard(struct ow_domain *d, struct ow_queue *q)
{
	while (drain_one(d, q, false, TPENOENT) == 0)
		;
}

/* Drain the queue of a service that has no servers and awaits none, and remove
 * it unless keep_queue. Lock held. An even generation with a queue: a process was killed
 * in here, or while it created the queue. Returns requests refused. */
static int abandon(struct ow_domain *d, struct ow_svc *s, bool keep_queue)
{
	struct ow_queue_id id = ow_service_queue(s->name);
	struct ow_queue *q = NULL;
	int n = 0, tperr = keep_queue ? TPESVCERR : TPENOENT;

	OW_FAULT("abandon.open");
	if (ow_queue_open(d, id, &q) == 0)
		n = ow_reap_drain(d, q, tperr);
	OW_FAULT("abandon.gen");
	if (!keep_queue || (atomic_load(&s->gen) & 1) == 0) {
		if ((atomic_load(&s->gen) & 1) == 1)
			atomic_fetch_add(&s->gen, 1);
		/* A sender puts its message, then reads the generation. */
		ow_fence_after_rmw();
		OW_FAULT("abandon.remove");
		ow_queue_remove(d, id);
		OW_FAULT("abandon.drain");
		if (q != NULL)
			n += ow_reap_drain(d, q, tperr);
	}
	ow_queue_close(q);
	return n;
}

/* The rows of a thread await nothing: the server's own rows are the last. */
static bool may_await(const struct ow_tables *t, uint32_t srvid,
		      const struct ow_svc *s)
{
	return !ow_srv_is_thread(t, srvid) &&
	       (atomic_load(&s->marks) & OW_SVC_REFUSES) == 0;
}

void ow_reap_unadvertise(struct ow_domain *d, uint32_t srvid, uint32_t row,
			 bool keep_queue)
{
	struct ow_tables *t = d->tables;
	uint32_t s = atomic_load(&ow_tables_adv(t, srvid)[row].svc);

	if (s < 1 || s > OW_SVC_MAX)
		return;
	if (keep_queue && may_await(t, srvid, &t->svc[s - 1]))
		ow_await(t, srvid, row, s - 1);
	else
		ow_await_over(t, srvid, s - 1);
	if (d->transport->withdraw != NULL)
		d->transport->withdraw(d, t->svc[s - 1].name, srvid);
	OW_FAULT("unadvertise.row");
	atomic_store(&ow_tables_adv(t, srvid)[row].svc, 0);
	OW_FAULT("unadvertise.nsrv");
	if (ow_svc_servers(&t->svc[s - 1]) == 0)
		return;
	atomic_fetch_sub(&t->svc[s - 1].nsrv, 1);
	if (!ow_svc_has_future(&t->svc[s - 1]))
		abandon(d, &t->svc[s - 1], keep_queue);
}

int ow_reap_awaited(struct ow_domain *d, uint32_t srvid)
{
	struct ow_tables *t = d->tables;
	int svc, refused = 0;

	/* Not 0 also after a death in here: taking the lock counts again. */
	if (atomic_load(&t->srv[srvid].nawait) == 0)
		return 0;
	if (ow_tables_lock(t) != 0)
		return -EBUSY;
	while ((svc = ow_await_first(t, srvid)) >= 0) {
		if (!ow_await_over(t, srvid, (uint32_t)svc))
			break; /* its rows cannot be mapped */
		OW_FAULT("reap_awaited.over");
		if (!ow_svc_has_future(&t->svc[svc]))
			refused += abandon(d, &t->svc[svc], false);
	}
	if (svc < 0)
		atomic_store(&t->srv[srvid].nawait, 0);
	ow_tables_unlock(t);
	ow_lost_tell();
	return refused;
}

static bool is_unserved(const struct ow_svc *s)
{
	return atomic_load(&s->used) == OW_SVC_NAMED && !ow_svc_has_future(s);
}

int ow_reap_unserved(struct ow_domain *d, bool remove)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	int refused = 0;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX || !is_unserved(&t->svc[s]))
			continue;
		if (ow_tables_lock(t) != 0)
			return refused;
		if (is_unserved(&t->svc[s]))
			refused += abandon(d, &t->svc[s], !remove);
		ow_tables_unlock(t);
		ow_lost_tell();
	}
	return refused;
}
