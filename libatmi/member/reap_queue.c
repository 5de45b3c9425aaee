/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_queue.c - drain the queues of services without servers
 *
 * Order of steps when a service loses its last server: drain the queue, change
 * its generation, remove its name, drain it again. call/request.c has the
 * sender's part: it compares the generation after it has sent, and drains the
 * queue itself if the generation has changed.
 */
#include <stdatomic.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "libatmi/member/refuse.h"
#include "libatmi/transport/transport.h"

/*
 * Refuse a drained request, drop a drained reply. The payload is closed last:
 * where the block is the in-flight record, the next sweep refuses the request
 * if this process is killed before.
 */
static void dispose(struct ow_domain *d, struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;

	if (m->kind == OW_MSG_REQUEST && ow_refuse(d, m) == OW_QUEUE_FULL) {
		if (d->transport->postpone != NULL) {
			d->transport->postpone(e);
		} else {
			ow_refuse_count(d, m);
			log_warn("drain: reply queue of client %u is full: it "
				 "will see a time-out", m->clt_slot);
		}
	}
	ow_envelope_close(e);
}

int ow_reap_drain(struct ow_domain *d, struct ow_queue *q)
{
	union ow_envelope_room room;
	struct ow_envelope e;
	int r, n = 0;

	for (;;) {
		ow_envelope_init(&e, &room, sizeof(room), d->blocks);
		r = ow_queue_recv(q, &e, OW_DEADLINE_NOW);
		if (r == OW_QUEUE_GARBAGE)
			atomic_fetch_add(&d->tables->head->garbage, 1);
		else if (r == 0)
			dispose(d, &e);
		else
			return n;
		n++;
	}
}

/* Drain the queue of a service without servers, and remove it unless
 * keep_queue. Lock held. An even generation with a queue: a process was killed
 * in here, or while it created the queue. Returns requests refused. */
static int abandon(struct ow_domain *d, struct ow_svc *s, bool keep_queue)
{
	struct ow_queue_id id = ow_service_queue(s->name);
	struct ow_queue *q = NULL;
	int n = 0;

	OW_FAULT("abandon.open");
	if (ow_queue_open(d, id, &q) == 0)
		n = ow_reap_drain(d, q);
	OW_FAULT("abandon.gen");
	if (!keep_queue || (atomic_load(&s->gen) & 1) == 0) {
		if ((atomic_load(&s->gen) & 1) == 1)
			atomic_fetch_add(&s->gen, 1);
		OW_FAULT("abandon.remove");
		ow_queue_remove(d, id);
		OW_FAULT("abandon.drain");
		if (q != NULL)
			n += ow_reap_drain(d, q);
	}
	ow_queue_close(q);
	return n;
}

void ow_reap_unadvertise(struct ow_domain *d, uint32_t srvid, uint32_t row,
			 bool keep_queue)
{
	struct ow_tables *t = d->tables;
	uint32_t s = atomic_load(&t->adv[srvid][row].svc);

	if (s < 1 || s > OW_SVC_MAX)
		return;
	if (d->transport->withdraw != NULL)
		d->transport->withdraw(d, t->svc[s - 1].name, srvid);
	OW_FAULT("unadvertise.row");
	atomic_store(&t->adv[srvid][row].svc, 0);
	OW_FAULT("unadvertise.nsrv");
	if (atomic_load(&t->svc[s - 1].nsrv) > 0 &&
	    atomic_fetch_sub(&t->svc[s - 1].nsrv, 1) == 1)
		abandon(d, &t->svc[s - 1], keep_queue);
}

int ow_reap_unserved(struct ow_domain *d, bool remove)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	int refused = 0;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX || atomic_load(&t->svc[s].nsrv) != 0)
			continue;
		ow_tables_lock(t);
		if (atomic_load(&t->svc[s].nsrv) == 0)
			refused += abandon(d, &t->svc[s], !remove);
		ow_tables_unlock(t);
	}
	return refused;
}
