/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.c - put the shared state in order after a process has died
 */
#include "libatmi/member/reap.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/answer/answer.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/queue.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/domain/tables.h"

/* ---- queues that nobody serves ---- */

/* Its caller is told; FULL: it cannot be, now. */
static int refuse(struct ow_domain *d, const struct ow_msg *m)
{
	int r = ow_answer_error(d, m, TPESVCERR);

	if (r != OW_ANSWER_FULL || d->transport != OW_TRANSPORT_SHM)
		atomic_fetch_add(&d->tables->svc[m->svc].failed, 1);
	return r;
}

/*
 * Somebody's message that will not be served. Its block goes last: on shm it
 * is on record as TAKEN by us, and whoever sweeps after our death, or when a
 * full mailbox has room again, answers in our place.
 */
static void dispose(struct ow_domain *d, const struct ow_msg *m, size_t len)
{
	if (ow_msg_check(m, len) != 0) {
		atomic_fetch_add(&d->tables->head->garbage, 1);
		return;
	}
	if (m->kind == OW_MSG_REQUEST && refuse(d, m) == OW_ANSWER_FULL) {
		if (d->transport == OW_TRANSPORT_SHM) {
			ow_orphan_leave(d->blocks, m->block);
			return;
		}
		log_warn("drain: reply queue of client %u is full: it will "
			 "see a time-out", m->clt_slot);
	}
	if (m->block != 0)
		ow_block_free(d->blocks, m->block);
}

int ow_reap_drain(struct ow_domain *d, struct ow_queue *q)
{
	_Alignas(16) uint8_t buf[OW_RX_SIZE];
	size_t len = 0;
	int n = 0;

	while (ow_queue_recv(q, buf, sizeof(buf), OW_QUEUE_NOWAIT, &len) ==
	       0) {
		dispose(d, (const struct ow_msg *)buf, len);
		n++;
	}
	return n;
}

static void svc_queue_name(const struct ow_svc *s, char *buf, size_t size)
{
	snprintf(buf, size, "svc,%.31s", s->name);
}

/* The service has no server. Lock held. The generation changes before the
 * name goes: see request.c for the sender's half of this protocol. An even
 * generation with a queue: somebody was killed in here, or while making it. */
static int abandon(struct ow_domain *d, struct ow_svc *s, bool keep_queue)
{
	struct ow_queue *q = NULL;
	char name[48];
	int n = 0;

	svc_queue_name(s, name, sizeof(name));
	OW_FAULT("abandon.open");
	if (ow_queue_open(d, name, &q) == 0)
		n = ow_reap_drain(d, q);
	OW_FAULT("abandon.gen");
	if (!keep_queue || (atomic_load(&s->gen) & 1) == 0) {
		if ((atomic_load(&s->gen) & 1) == 1)
			atomic_fetch_add(&s->gen, 1);
		OW_FAULT("abandon.remove");
		ow_queue_remove(d, name);
		OW_FAULT("abandon.drain");
		if (q != NULL)
			n += ow_reap_drain(d, q);
	}
	ow_queue_close(q);
	return n;
}

/* Nobody is to wake it any more. */
static void leave_queue(struct ow_domain *d, const struct ow_svc *s,
			uint32_t srvid)
{
	struct ow_shmq *q = NULL;

	if (ow_shmq_open(d, s->name, &q) == 0)
		ow_shmq_leave(q, srvid);
	ow_shmq_close(q);
}

void ow_reap_unadvertise(struct ow_domain *d, uint32_t srvid, uint32_t row,
			 bool keep_queue)
{
	struct ow_tables *t = d->tables;
	uint32_t s = atomic_load(&t->adv[srvid][row].svc);

	if (s < 1 || s > OW_SVC_MAX)
		return;
	if (d->transport == OW_TRANSPORT_SHM)
		leave_queue(d, &t->svc[s - 1], srvid);
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

/* The request that a dead server had in hand, if any: answer it, or leave
 * it in *ret_answer (1). */
static int answer_in_flight(struct ow_domain *d, uint32_t srvid,
			    struct ow_reap_answer *ret_answer)
{
	struct ow_msg *rx = (struct ow_msg *)d->tables->rx[srvid];
	struct ow_msg m = *rx;
	size_t len = sizeof(m) + (m.block == 0 ? m.len : 0);
	int r;

	if (m.magic != OW_MSG_MAGIC)
		return 0;
	if (ow_msg_check(&m, len) != 0 || m.kind != OW_MSG_REQUEST) {
		rx->magic = 0;
		return 0;
	}
	if (m.block != 0)
		ow_block_free(d->blocks, m.block);
	OW_FAULT("reap_server.answer");
	r = ow_answer_error(d, &m, TPESVCERR);
	/* Off the record only now: killed before, the next reaper answers
	 * again, and the caller drops the second one. */
	OW_FAULT("reap_server.record");
	rx->magic = 0;
	atomic_fetch_add(&d->tables->svc[m.svc].failed, 1);
	if (r != OW_ANSWER_FULL)
		return 0;
	ret_answer->msg = m;
	return 1;
}

int ow_reap_server(struct ow_domain *d, uint32_t srvid, bool keep_queues,
		   struct ow_reap_answer *ret_answer)
{
	struct ow_tables *t = d->tables;
	uint32_t row, n;
	int r;

	if (srvid == 0 || srvid >= OW_SRV_MAX ||
	    ow_srv_next(t, srvid) != srvid)
		return 0;
	if (d->transport == OW_TRANSPORT_SHM)
		/* What it had in hand: at once, its caller waits. */
		ow_reap_blocks_of(d, atomic_load(&t->srv[srvid].pid),
				  atomic_load(&t->srv[srvid].start));
	ow_tables_lock(t);
	if (atomic_load(&t->srv[srvid].pid) == 0 || ow_srv_alive(t, srvid)) {
		ow_tables_unlock(t);
		return 0;
	}
	r = answer_in_flight(d, srvid, ret_answer);
	n = atomic_load(&t->srv[srvid].nadv);
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		ow_reap_unadvertise(d, srvid, row, keep_queues);
	OW_FAULT("reap_server.clear");
	ow_srv_clear(t, srvid);
	OW_FAULT("reap_server.unlock");
	ow_tables_unlock(t);
	return r;
}

int ow_reap_answer_retry(struct ow_domain *d, const struct ow_reap_answer *a)
{
	if (a->msg.deadline_ns != 0 &&
	    ow_clock_mono_ns() > a->msg.deadline_ns)
		return 0;
	return ow_answer_error(d, &a->msg, TPESVCERR) == OW_ANSWER_FULL;
}

int ow_reap_servers(struct ow_domain *d)
{
	struct ow_reap_answer lost;
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

/* ---- nudge ---- */

static bool queue_waits(struct ow_domain *d, const struct ow_svc *s)
{
	uint32_t depth = 0;
	char name[48];

	svc_queue_name(s, name, sizeof(name));
	return ow_queue_peek(d, name, &depth) == 0 && depth > 0;
}

/* On shm anybody can wake an idle server. */
static void nudge_here(struct ow_domain *d, const struct ow_svc *s)
{
	struct ow_queue *q = NULL;
	char name[48];

	svc_queue_name(s, name, sizeof(name));
	if (ow_queue_open(d, name, &q) == 0)
		ow_queue_nudge(q);
	ow_queue_close(q);
}

void ow_reap_nudge_crowds(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);

	if (d->transport != OW_TRANSPORT_SHM)
		return; /* there each server looks every second */
	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX &&
		    atomic_load(&t->svc[s].nsrv) >= OW_QUEUE_LOOKS &&
		    queue_waits(d, &t->svc[s]))
			nudge_here(d, &t->svc[s]);
	}
}

/* Does server `id` offer service `svc`, and is it idle? */
static bool idle_server_of(struct ow_tables *t, uint32_t id, uint32_t svc)
{
	uint32_t row, n = atomic_load(&t->srv[id].nadv);

	if (atomic_load(&t->srv[id].state) != OW_SRV_IDLE)
		return false;
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		if (atomic_load(&t->adv[id][row].svc) == svc + 1)
			return true;
	return false;
}

int ow_reap_nudge(struct ow_domain *d, uint32_t srvid, uint32_t *ret_ids,
		  int max)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, id, n = atomic_load(&t->head->nsvc);
	int found = 0;

	for (i = 0; i < n && i < OW_SVC_MAX && found < max; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX || atomic_load(&t->svc[s].nsrv) == 0 ||
		    !queue_waits(d, &t->svc[s]))
			continue;
		if (d->transport == OW_TRANSPORT_SHM) {
			nudge_here(d, &t->svc[s]);
			continue;
		}
		for (id = ow_srv_next(t, 1); id != 0 && found < max;
		     id = ow_srv_next(t, id + 1))
			if (id != srvid && idle_server_of(t, id, s)) {
				ret_ids[found++] = id;
				break;
			}
	}
	return found;
}

/* ---- clients ---- */

static void reap_client(struct ow_domain *d, uint32_t slot)
{
	struct ow_clt *c = &d->tables->clt[slot];
	struct ow_queue *q = NULL;

	ow_tables_lock(d->tables);
	if ((atomic_load(&c->gen) & 1) == 0 ||
	    ow_proc_alive(atomic_load(&c->pid), atomic_load(&c->start))) {
		ow_tables_unlock(d->tables);
		return;
	}
	if (ow_queue_open_reply(d, slot, &q) == 0) {
		ow_queue_remove_reply(d, slot);
		ow_clt_clear(d->tables, slot);
		ow_reap_drain(d, q);
		ow_queue_close(q);
	} else {
		ow_clt_clear(d->tables, slot);
	}
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
