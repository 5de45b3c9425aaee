/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.c - put the shared state in order after a process has died
 */
#include "libatmi/member/reap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"

/* ---- queues without a server ---- */

static void count_failed(struct ow_domain *d, const struct ow_msg *request)
{
	atomic_fetch_add(&d->tables->svc[request->svc].failed, 1);
}

/* The caller of a request that nobody will serve gets TPESVCERR: 0, or FULL,
 * its reply queue is full. */
static int refuse(struct ow_domain *d, const struct ow_msg *request)
{
	if (ow_reply_error(d, request, TPESVCERR) == OW_REPLY_FULL)
		return OW_QUEUE_FULL;
	count_failed(d, request);
	return 0;
}

/*
 * Refuse a drained request, drop a drained reply. The payload goes last:
 * where the block is the in-flight record, whoever sweeps after the death of
 * this process refuses the request in its place.
 */
static void dispose(struct ow_domain *d, struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;

	if (m->kind == OW_MSG_REQUEST && refuse(d, m) == OW_QUEUE_FULL) {
		if (d->transport->postpone != NULL) {
			d->transport->postpone(e);
		} else {
			count_failed(d, m);
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

/*
 * The service has no server. Lock held. The generation changes before the
 * name goes: see request.c for the sender's half of this protocol. An even
 * generation with a queue: a process was killed in here, or while it made the
 * queue.
 */
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
	int answered = 0;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX || atomic_load(&t->svc[s].nsrv) != 0)
			continue;
		ow_tables_lock(t);
		if (atomic_load(&t->svc[s].nsrv) == 0)
			answered += abandon(d, &t->svc[s], !remove);
		ow_tables_unlock(t);
	}
	return answered;
}

/* ---- servers ---- */

/* The request on record of a dead server, if any: refuse it, or leave it in
 * *ret_refused (1) when its caller's reply queue is full. Lock held. */
static int refuse_recorded(struct ow_domain *d, uint32_t srvid,
			   struct ow_refusal *ret_refused)
{
	struct ow_msg *record, m;
	size_t len;

	if (d->transport->recorded == NULL)
		return 0;
	record = d->transport->recorded(d, srvid);
	m = *record;
	if (m.magic != OW_MSG_MAGIC)
		return 0;
	len = sizeof(m) + (m.block == 0 ? m.len : 0);
	if (ow_msg_check(&m, len) != 0 || m.kind != OW_MSG_REQUEST) {
		record->magic = 0;
		return 0;
	}
	if (m.block != 0)
		ow_block_free(d->blocks, m.block);
	OW_FAULT("reap_server.answer");
	if (refuse(d, &m) == OW_QUEUE_FULL) {
		count_failed(d, &m);
		ret_refused->msg = m;
		record->magic = 0;
		return 1;
	}
	/* Off the record only now: if this process is killed before, the next
	 * reaper refuses again, and the caller drops the second reply. */
	OW_FAULT("reap_server.record");
	record->magic = 0;
	return 0;
}

int ow_reap_server(struct ow_domain *d, uint32_t srvid, bool keep_queues,
		   struct ow_refusal *ret_refused)
{
	struct ow_tables *t = d->tables;
	uint32_t row, n;
	int r;

	if (srvid == 0 || srvid >= OW_SRV_MAX ||
	    ow_srv_next(t, srvid) != srvid)
		return 0;
	/* The request it had in hand: at once, its caller waits. */
	if (d->transport->reclaim_of != NULL)
		ow_reap_blocks_of(d, atomic_load(&t->srv[srvid].pid),
				  atomic_load(&t->srv[srvid].start));
	ow_tables_lock(t);
	if (atomic_load(&t->srv[srvid].pid) == 0 || ow_srv_alive(t, srvid)) {
		ow_tables_unlock(t);
		return 0;
	}
	r = refuse_recorded(d, srvid, ret_refused);
	n = atomic_load(&t->srv[srvid].nadv);
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		ow_reap_unadvertise(d, srvid, row, keep_queues);
	OW_FAULT("reap_server.clear");
	ow_srv_clear(t, srvid);
	OW_FAULT("reap_server.unlock");
	ow_tables_unlock(t);
	return r;
}

int ow_refusal_retry(struct ow_domain *d, const struct ow_refusal *f)
{
	if (ow_deadline_passed(f->msg.deadline_ns, ow_clock_mono_ns()))
		return 0;
	return ow_reply_error(d, &f->msg, TPESVCERR) == OW_REPLY_FULL;
}

int ow_reap_servers(struct ow_domain *d)
{
	struct ow_refusal lost;
	uint32_t id;
	int n = 0;

	for (id = ow_srv_next(d->tables, 1); id != 0;
	     id = ow_srv_next(d->tables, id + 1)) {
		if (atomic_load(&d->tables->srv[id].pid) == 0 ||
		    ow_srv_alive(d->tables, id))
			continue;
		ow_reap_server(d, id, false, &lost);
		n++;
	}
	return n;
}

/* ---- clients ---- */

static void reap_client(struct ow_domain *d, uint32_t slot)
{
	struct ow_clt *c = &d->tables->clt[slot];
	struct ow_queue_id id = ow_reply_queue(slot);
	struct ow_queue *q = NULL;

	ow_tables_lock(d->tables);
	if ((atomic_load(&c->gen) & 1) == 0 ||
	    ow_proc_alive(atomic_load(&c->pid), atomic_load(&c->start))) {
		ow_tables_unlock(d->tables);
		return;
	}
	if (ow_queue_open(d, id, &q) == 0)
		ow_queue_remove(d, id);
	ow_clt_clear(d->tables, slot);
	if (q != NULL)
		ow_reap_drain(d, q);
	ow_queue_close(q);
	ow_tables_unlock(d->tables);
}

/* The last process found alive: one may have thousands of contexts, in slots
 * one after the other. */
struct living {
	int32_t pid;
	uint64_t start;
};

static bool owner_lives(const struct ow_clt *c, struct living *known)
{
	struct living one = { .pid = atomic_load(&c->pid),
			      .start = atomic_load(&c->start) };

	if (one.pid != 0 && one.pid == known->pid &&
	    one.start == known->start)
		return true;
	if (!ow_proc_alive(one.pid, one.start))
		return false;
	*known = one;
	return true;
}

int ow_reap_clients(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	struct living known = { 0 };
	uint32_t i, high = atomic_load(&t->head->clt_high);
	int n = 0;

	for (i = 0; i < high && i < OW_CLT_MAX; i++) {
		if ((atomic_load(&t->clt[i].gen) & 1) == 0 ||
		    owner_lives(&t->clt[i], &known))
			continue;
		reap_client(d, i);
		n++;
	}
	ow_reap_blocks(d);
	return n;
}

/* ---- blocks ---- */

int ow_reap_blocks(struct ow_domain *d)
{
	return d->transport->reclaim(d, refuse);
}

int ow_reap_blocks_of(struct ow_domain *d, int32_t pid, uint64_t start)
{
	uint32_t prc = ow_prc_find(d->tables, pid, start);

	if (prc == 0 || d->transport->reclaim_of == NULL)
		return 0;
	return d->transport->reclaim_of(d, prc, refuse);
}
