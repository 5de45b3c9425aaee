/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt.c - take over the servers of a domain that runs already
 *
 * The last ndrxd has left its record in the shared server table: in ctl_pid
 * the process it watched, in ctl_want whether one is wanted. The rest of a
 * slot is written by the server while it is a member of the domain: a process
 * that has not joined yet, or has left and is about to exit, is on record
 * only. Adopted servers connect by themselves; until then ndrxd watches the
 * process and can send it signals.
 */
#include "ndrxd/supervise/adopt.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/launch/launch.h"
#include "ndrxd/launch/priority.h"
#include "ndrxd/launch/procdir.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/servers/actions.h"
#include "ndrxd/servers/dead.h"
#include "ndrxd/servers/grace.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/servers/record.h"
#include "ndrxd/supervise/drain.h"
#include "ndrxd/supervise/hold.h"

/* The living process of server `id`: that of its slot, or that on record. */
static bool find_process(const struct ow_tables *t, uint32_t id, pid_t *ret_pid,
			 uint64_t *ret_start, bool *ret_ready)
{
	const struct ow_srv *slot = &t->srv[id];

	*ret_pid = atomic_load(&slot->pid);
	*ret_start = atomic_load(&slot->start);
	*ret_ready = atomic_load(&slot->state) != OW_SRV_STARTING;
	if (ow_proc_alive(*ret_pid, *ret_start))
		return true;
	*ret_pid = atomic_load(&slot->ctl_pid);
	*ret_start = atomic_load(&slot->ctl_start);
	*ret_ready = false;
	return ow_proc_alive(*ret_pid, *ret_start);
}

/* The file has changed since the process was started: ndrxd was killed before a reload,
 * or in the middle of one. */
static void note_changed(struct ndrxd *d, struct ow_inst *s)
{
	struct ow_launch *l = NULL;
	char why[OW_LAUNCH_WHY] = "", *by;

	if (s->def == NULL) {
		by = ow_procdir_variable(s->pid, "NDRX_SVPPID");
		s->outdated = by != NULL; /* else started by hand */
		free(by);
		return;
	}
	if (ow_action_prepared(s, why, &l) != 0)
		return;
	s->outdated = ow_launch_differs(l, &d->base, (int)s->srvid, s->pid);
	if (s->outdated)
		log_warn("server %s id %u: process %d was started with other "
			 "options or variables than are configured: "
			 "`xadmin reload` replaces it", s->bin, s->srvid, (int)s->pid);
}

static void adopt_slot(struct ndrxd *d, uint32_t id, pid_t pid,
		       uint64_t start, bool ready)
{
	struct ow_srv *slot = &d->dom->tables->srv[id];
	struct ow_inst *s;
	char bin[sizeof(slot->bin)];
	uint32_t ctl_state = atomic_load(&slot->ctl_state);
	bool returns = atomic_load(&slot->ctl_want) != 0;

	ow_priority_restore(d->base.priority, pid);
	memcpy(bin, slot->bin, sizeof(bin));
	bin[sizeof(bin) - 1] = '\0';
	s = ow_inst_find_or_add(d, id, bin);
	if (s == NULL || s->pid != 0)
		return;
	s->au.restarts = atomic_load(&slot->ctl_restarts);
	ow_inst_adopt(s, pid, start, ready);
	log_info("server %s id %u: process %d adopted", s->bin, id,
		 (int)s->pid);
	ow_emit_server(s, OW_EVENT_ADOPT, "found running");
	note_changed(d, s);
	/* The last ndrxd was stopping or restarting it: complete that. */
	if (s->def == NULL || ctl_state != OW_PROC_STOPPING)
		return;
	s->returns = returns;
	ow_inst_event(s, OW_AUTO_STOP);
	if (returns)
		ow_inst_event(s, OW_AUTO_START);
	s->returns = false;
}

void ow_adopt_living(struct ndrxd *d)
{
	struct ow_tables *t = d->dom->tables;
	uint32_t id;
	uint64_t start;
	bool ready;
	pid_t pid;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (!ow_srv_is_thread(t, id) &&
		    find_process(t, id, &pid, &start, &ready))
			adopt_slot(d, id, pid, start, ready);
}

/* The event and the record of an end while no ndrxd ran. */
static void emit_end(struct ow_inst *s, struct ow_srv *slot)
{
	uint32_t state = atomic_load(&slot->ctl_state);
	bool asked = state == OW_PROC_STOPPING || state == OW_PROC_EXITED;
	pid_t pid = atomic_load(&slot->ctl_pid);

	log_warn("server %s id %u: process %d ended while no ndrxd ran",
		 s->bin, s->srvid, (int)pid);
	s->pid = pid; /* for the event */
	ow_emit_server(s, asked ? OW_EVENT_EXIT : OW_EVENT_DIED,
		       "while no ndrxd ran");
	s->pid = 0;
	ow_record_process(s, 0, asked ? OW_PROC_EXITED : OW_PROC_DIED);
}

/* The last ndrxd has given it up: it is so until somebody starts or stops it. */
static void recall(struct ow_inst *s, const struct ow_srv *slot)
{
	uint32_t state = atomic_load(&slot->ctl_state);

	s->au.gave_up = atomic_load(&slot->ctl_want) == 0 &&
			state != OW_PROC_NOT_STARTED &&
			ow_auto_is_down((enum ow_proc_state)state) &&
			state != OW_PROC_EXITED && state < OW_PROC_STATE_END;
	if (s->au.gave_up)
		s->au.state = (enum ow_proc_state)state;
}

/* A process on record: its end has no event yet. */
static void reap(struct ndrxd *d, uint32_t id)
{
	struct ow_srv *slot = &d->dom->tables->srv[id];
	struct ow_inst *s = d->by_id[id];
	bool again = s != NULL && s->def != NULL && s->def->respawn &&
		     atomic_load(&slot->ctl_want) != 0;
	bool no_event = atomic_load(&slot->ctl_pid) != 0;

	if (atomic_load(&slot->pid) != 0)
		ow_dead_reap(d, id, again && !d->hold);
	if (s != NULL && no_event)
		emit_end(s, slot);
	if (s != NULL && s->def != NULL && s->au.state == OW_PROC_NOT_STARTED)
		recall(s, slot);
	if (!again)
		return;
	s->au.restarts = atomic_load(&slot->ctl_restarts);
	s->au.want = s->au.crashed = true;
	s->revived = true;
	if (no_event || d->hold) {
		ow_inst_event(s, OW_AUTO_RESPAWN_DUE);
		return;
	}
	ow_emit_server(s, OW_EVENT_RETRY,
		       "the last ndrxd was about to start it: started");
	s->au.ops->timer(&s->au, OW_AUTO_RESPAWN_DUE,
			 ow_auto_backoff_ms(&s->au));
}

void ow_adopt_domain(struct ndrxd *d)
{
	struct ow_tables *t = d->dom->tables;
	uint32_t id;

	ow_drain_end(d);
	ow_hold_recall(d);
	ow_adopt_living(d);
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (!ow_srv_is_thread(t, id) &&
		    (d->by_id[id] == NULL || d->by_id[id]->pid == 0))
			reap(d, id);
	ow_clients_adopt(d);
	d->t_learned = ow_ndrxd_now_ms() + d->app.restart_to_check_ms;
}

void ow_adopt_check_connected(struct ndrxd *d, uint64_t now_ms)
{
	size_t i;

	if (d->t_learned == 0 || now_ms < d->t_learned)
		return;
	d->t_learned = 0; /* unless some server is in a service */
	for (i = 0; i < d->n_insts; i++) {
		struct ow_inst *s = d->insts[i];

		if (s->pid == 0 || s->ours || s->peer != NULL)
			continue;
		if (ow_grace_ms(s) > 0 && s->in_service) {
			d->t_learned = now_ms + d->app.restart_to_check_ms;
			continue;
		}
		log_warn("server %s id %u: process %d has not connected",
			 s->bin, s->srvid, (int)s->pid);
		ow_emit_server(s, OW_EVENT_LATE,
			       "has not connected within restart_to_check");
		if (s->def != NULL && s->au.policy.autokill)
			ow_inst_event(s, OW_AUTO_DEAF);
	}
}
