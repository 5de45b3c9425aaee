/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.c - put in order what a dead server leaves in the domain
 */
#include "ndrxd/servers/dead.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/record.h"

#define NUDGES_MAX 64

/* A dead server whose state could not be put in order: another process kept
 * the domain lock. */
struct ow_unreaped {
	LIST_ENTRY(ow_unreaped) link;
	uint32_t srvid;
	bool keep_queues;
};

/* Try again at the next tick. If the server is started meanwhile, it does this
 * itself. */
static void reap_later(struct ndrxd *d, uint32_t srvid, bool keep_queues)
{
	struct ow_unreaped *u = malloc(sizeof(*u));

	if (u == NULL) {
		log_error("no memory: dead server %u is put in order when it "
			  "is started", srvid);
		return;
	}
	u->srvid = srvid;
	u->keep_queues = keep_queues;
	LIST_INSERT_HEAD(&d->unreaped, u, link);
}

void ow_dead_reap(struct ndrxd *d, uint32_t srvid, bool keep_queues)
{
	if (d->ipc_gone)
		return;
	if (ow_reap_server(d->dom, srvid, keep_queues) != 0)
		reap_later(d, srvid, keep_queues);
	if (!keep_queues)
		ow_reap_awaited(d->dom, srvid);
	d->nudge_due = true;
}

static bool is_unreaped(const struct ndrxd *d, uint32_t srvid)
{
	const struct ow_unreaped *u;

	LIST_FOREACH(u, &d->unreaped, link)
		if (u->srvid == srvid)
			return true;
	return false;
}

/* Waits for servers that are not expected any more, which could not be ended
 * when that was decided, or were left by an ndrxd that was killed. */
static void end_waits(struct ndrxd *d)
{
	const struct ow_tables *t = d->dom->tables;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (atomic_load(&t->srv[id].nawait) != 0 &&
		    (d->by_id[id] == NULL ||
		     !ow_record_is_expected(d->by_id[id])))
			ow_reap_awaited(d->dom, id);
}

/* Servers that were started by hand, and died before they connected: no socket
 * and no signal tells of their end. */
static void reap_unknown(struct ndrxd *d)
{
	const struct ow_tables *t = d->dom->tables;
	const struct ow_inst *s;
	uint32_t id;
	int32_t pid;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		s = d->by_id[id];
		pid = atomic_load(&t->srv[id].pid);
		if (pid == 0 || (s != NULL && (s->pid == pid ||
					       s->svpid == pid)) ||
		    ow_srv_alive(t, id) || is_unreaped(d, id))
			continue;
		log_warn("server %u, process %d, died before it was connected",
			 id, pid);
		ow_dead_reap(d, id, s != NULL);
	}
}

void ow_dead_tick(struct ndrxd *d)
{
	struct ow_unreaped *u, *next;

	reap_unknown(d);
	end_waits(d);

	/* What fails again is put before the first one. */
	for (u = LIST_FIRST(&d->unreaped); u != NULL; u = next) {
		next = LIST_NEXT(u, link);
		LIST_REMOVE(u, link);
		ow_dead_reap(d, u->srvid, u->keep_queues);
		free(u);
	}
}

void ow_dead_nudge(struct ndrxd *d)
{
	uint32_t ids[NUDGES_MAX];
	struct ow_inst *s;
	int i, n;

	if (!d->nudge_due || d->ipc_gone)
		return;
	d->nudge_due = false;
	n = ow_reap_nudge(d->dom, 0, ids, NUDGES_MAX);
	for (i = 0; i < n; i++) {
		s = d->by_id[ids[i] % OW_SRV_MAX];
		if (s != NULL && s->peer != NULL)
			ow_peer_send_kind(s->peer, OW_CTL_NUDGE, 0);
	}
}

void ow_dead_close(struct ndrxd *d)
{
	struct ow_unreaped *u;

	while ((u = LIST_FIRST(&d->unreaped)) != NULL) {
		LIST_REMOVE(u, link);
		free(u);
	}
}
