/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - the record of a server in the shared tables
 */
#include "ndrxd/servers/record.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/member/reap.h"
#include "ndrxd/model/ndrxd.h"

/* The slot, NULL: there is none, and none is `wanted`. */
static struct ow_srv *slot_of(struct ow_inst *s, bool wanted)
{
	struct ow_tables *t = s->d->dom->tables;
	uint64_t bit = UINT64_C(1) << (s->srvid % 64);

	if (s->d->ipc_gone)
		return NULL;
	if (!s->known && wanted)
		s->known = ow_srv_know(t, s->srvid) == 0;
	if ((atomic_load(&t->head->srv_map[s->srvid / 64]) & bit) == 0)
		return NULL;
	return &t->srv[s->srvid];
}

pid_t ow_record_holder(struct ow_inst *s)
{
	const struct ow_srv *slot = slot_of(s, false);

	return slot == NULL ? 0 : atomic_load(&slot->pid);
}

void ow_record_process(struct ow_inst *s, pid_t pid, enum ow_proc_state state)
{
	struct ow_srv *slot = slot_of(s, pid != 0);

	if (slot == NULL)
		return;
	/* A state with a process is never there without its process. */
	if (pid == 0)
		atomic_store(&slot->ctl_state, state);
	else
		atomic_store(&slot->ctl_start, s->start);
	atomic_store(&slot->ctl_pid, pid);
	if (pid != 0)
		atomic_store(&slot->ctl_state, state);
}

/* Onlookers may see a group that is half written, for a moment. */
static void record_group(const struct ow_inst *s, struct ow_srv *slot)
{
	char group[sizeof(slot->ctl_group)] = "";

	if (s->def != NULL && s->def->procgrp != NULL)
		snprintf(group, sizeof(group), "%s", s->def->procgrp);
	if (memcmp(slot->ctl_group, group, sizeof(group)) != 0)
		memcpy(slot->ctl_group, group, sizeof(group));
	atomic_store(&slot->ctl_grpno,
		     s->def != NULL ? (uint32_t)s->def->procgrp_no : 0);
}

void ow_record_forget(struct ow_inst *s)
{
	struct ow_srv *slot = slot_of(s, false);

	if (slot == NULL)
		return;
	atomic_store(&slot->ctl_want, 0);
	atomic_store(&slot->ctl_state, OW_PROC_NOT_STARTED);
	atomic_store(&slot->ctl_restarts, 0);
	atomic_store(&slot->ctl_failures, 0);
	atomic_store(&slot->ctl_exit, 0);
	atomic_store(&slot->ctl_changed, 0);
	memset(slot->ctl_group, 0, sizeof(slot->ctl_group));
	atomic_store(&slot->ctl_grpno, 0);
	ow_reap_awaited(s->d->dom, s->srvid);
}

bool ow_record_is_expected(const struct ow_inst *s)
{
	return (s->au.want || s->returns) && s->def != NULL &&
	       s->au.state != OW_PROC_WAITING && !s->au.held;
}

void ow_record_state(struct ow_inst *s)
{
	struct ow_srv *slot = slot_of(s, s->au.want);

	if (slot == NULL)
		return;
	record_group(s, slot);
	/* ndrxd killed between the two halves of a restart: the next one
	 * starts what this one had stopped. */
	atomic_store(&slot->ctl_want,
		     (s->au.want || s->returns) && s->def != NULL);
	atomic_store(&slot->ctl_state, s->au.state);
	atomic_store(&slot->ctl_restarts, s->au.restarts);
	atomic_store(&slot->ctl_failures, s->au.failures);
	atomic_store(&slot->ctl_exit, s->exit_status);
	atomic_store(&slot->ctl_changed, ow_clock_mono_ns());
	/* What the lock prevents now, the next tick does (dead.c). */
	if (!ow_record_is_expected(s))
		ow_reap_awaited(s->d->dom, s->srvid);
}
