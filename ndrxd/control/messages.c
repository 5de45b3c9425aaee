/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.c - what the packets of servers and xadmin mean
 */
#include "ndrxd/control/messages.h"

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/control/command.h"
#include "ndrxd/control/guest_run.h"
#include "ndrxd/control/rows.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/inst.h"

/* Is the process that says HELLO a server? It takes its slot first, so
 * anything else would leave a row of a server that never was. One that ndrxd
 * has started may have left its slot already. Slots that were never used have
 * no memory, and are not read. */
static bool is_server(const struct ndrxd *d, const struct ow_ctl_hello *hello)
{
	const struct ow_tables *t = d->dom->tables;
	uint64_t bit = UINT64_C(1) << (hello->srvid % 64);
	const struct ow_srv *slot = &t->srv[hello->srvid];
	const struct ow_inst *s = d->by_id[hello->srvid];

	if (s != NULL && s->pid != 0)
		return true; /* ow_inst_hello() compares */
	return (atomic_load(&t->head->srv_map[hello->srvid / 64]) & bit) != 0 &&
	       atomic_load(&slot->pid) == hello->pid &&
	       atomic_load(&slot->start) == hello->start;
}

static void on_hello(struct ow_peer *p, const struct ow_ctl_hello *hello)
{
	struct ow_inst *s;

	if (p->inst != NULL || hello->pid != p->pid) {
		log_warn("peer %d: HELLO as process %d: closed", (int)p->pid,
			 (int)hello->pid);
		ow_peer_close(p);
		return;
	}
	if (!is_server(p->d, hello)) {
		log_warn("peer %d: HELLO as server %u, of which it has not "
			 "the slot: closed", (int)p->pid, hello->srvid);
		ow_peer_close(p);
		return;
	}
	s = ow_inst_find_or_add(p->d, hello->srvid, hello->bin);
	if (s == NULL || ow_inst_hello(s, p, hello) != 0)
		ow_peer_close(p);
}

/* The event that a packet of a server raises in its automaton. */
static const uint8_t server_events[OW_CTL_KIND_END] = {
	[OW_CTL_READY] = OW_AUTO_READY,
	[OW_CTL_LEAVING] = OW_AUTO_LEAVING,
	[OW_CTL_PONG] = OW_AUTO_PONG,
};

static void on_packet(struct ow_peer *p, const union ow_ctl_msg *m)
{
	uint8_t ev = server_events[m->h.kind];

	if (p->rights.guest && m->h.kind != OW_CTL_CMD) {
		log_warn("guest %d: %s: closed", (int)p->pid,
			 ow_ctl_kind_name(m->h.kind));
		ow_peer_close(p);
	} else if (m->h.kind == OW_CTL_HELLO) {
		on_hello(p, &m->hello);
	} else if (m->h.kind == OW_CTL_CMD && p->inst == NULL) {
		ow_command(p, &m->cmd);
	} else if (ev != 0 && p->inst != NULL) {
		ow_inst_event(p->inst, ev);
	} else {
		log_warn("peer %d: unexpected %s: closed", (int)p->pid,
			 ow_ctl_kind_name(m->h.kind));
		ow_peer_close(p);
	}
}

static const struct ow_peer_ops ops = {
	.packet = on_packet,
	.drained = ow_rows_more,
	.hangup = ow_inst_hangup,
	.left = ow_guest_run_drop,
};

void ow_messages_open(struct ndrxd *d)
{
	d->conn.peer_ops = &ops;
}
