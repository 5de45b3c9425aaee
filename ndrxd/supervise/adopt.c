/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt.c - the instances of a domain, and start-up over a living one
 *
 * What a former ndrxd knew is in the shared server table: in ctl_pid the
 * process it watched, in ctl_want whether one is to run. A slot says who has
 * joined: a process may not have yet, or may have left and be in its last
 * steps, therefore the record counts as well. Adopted servers find our socket
 * by themselves; until then the process is watched, and signals reach it.
 */
#include "ndrxd/supervise/adopt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/domain/tables.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/servers/dead.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/servers/hands.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/launch/priority.h"
#include "ndrxd/supervise/scale.h"
#include "ndrxd/supervise/services.h"
#include "ndrxd/report/emit.h"

/* ---- instances ---- */

static size_t count_configured(const struct ow_config *c)
{
	size_t i, n = 0;

	for (i = 0; i < c->n_servers; i++)
		n += (size_t)c->servers[i].max;
	return n;
}

static size_t count_unconfigured(const struct ndrxd *d,
				 const struct ow_config *c)
{
	size_t i, n = 0;

	for (i = 0; i < d->n_insts; i++)
		n += ow_config_server_find(c, (int)d->insts[i]->srvid) == NULL;
	return n;
}

/* Find or make every instance of `c`, in its order. */
static int fill(struct ndrxd *d, const struct ow_config *c,
		struct ow_inst **list)
{
	const struct ow_config_server *def;
	uint32_t id;
	size_t e, n = 0;
	int i, r;

	for (e = 0; e < c->n_servers; e++) {
		def = &c->servers[e];
		for (i = 0; i < def->max; i++) {
			id = (uint32_t)(def->srvid + i);
			list[n] = d->by_id[id];
			r = list[n] == NULL ? ow_inst_new(d, id, &list[n]) : 0;
			if (r < 0)
				return r;
			list[n++]->next_entry = e;
		}
	}
	return (int)n;
}

static void drop_new(struct ndrxd *d, struct ow_inst **list, size_t n)
{
	size_t i;

	for (i = 0; i < n && list[i] != NULL; i++)
		if (d->by_id[list[i]->srvid] == NULL)
			ow_inst_free(list[i]);
	free(list);
}

/* What the new list does not name: kept while it has a process. */
static size_t keep_or_drop(struct ndrxd *d, const struct ow_config *c,
			   struct ow_inst **list, size_t n)
{
	struct ow_inst *s;
	size_t i;

	for (i = 0; i < d->n_insts; i++) {
		s = d->insts[i];
		if (ow_config_server_find(c, (int)s->srvid) != NULL)
			continue;
		if (s->pid != 0) {
			ow_inst_configure(s, NULL);
			list[n++] = s;
			continue;
		}
		d->by_id[s->srvid] = NULL;
		ow_inst_free(s);
	}
	return n;
}

static void free_launches(struct ndrxd *d)
{
	size_t i;

	for (i = 0; d->config != NULL && i < d->config->n_servers; i++)
		ow_launch_free(d->launches[i]);
	free(d->launches);
	d->launches = NULL;
}

int ow_adopt_config(struct ndrxd *d, struct ow_config *c,
		    struct ow_config **ret_before)
{
	size_t i, n, cap = count_configured(c) + count_unconfigured(d, c);
	struct ow_inst **list = calloc(cap + 1, sizeof(struct ow_inst *));
	struct ow_launch **launches = calloc(c->n_servers + 1,
					     sizeof(struct ow_launch *));
	struct ow_config_app before = d->app;
	int r = list == NULL || launches == NULL ? -ENOMEM : fill(d, c, list);

	d->app = c->app;
	/* Clients last: from then on they belong to `c`. */
	if (r >= 0 && (ow_groups_configure(d, c) < 0 ||
		       ow_scale_configure(d, c) < 0 ||
		       ow_clients_configure(d, c) < 0))
		r = -ENOMEM;
	if (r < 0) {
		d->app = before;
		if (list != NULL)
			drop_new(d, list, cap);
		free(launches);
		return r;
	}
	n = keep_or_drop(d, c, list, (size_t)r);
	for (i = 0; i < (size_t)r; i++) {
		list[i]->entry = list[i]->next_entry;
		d->by_id[list[i]->srvid] = list[i];
		ow_inst_configure(list[i], &c->servers[list[i]->entry]);
	}
	free_launches(d);
	free(d->insts);
	d->launches = launches;
	d->insts = list;
	d->n_insts = n;
	d->cap_insts = cap + 1;
	if (ret_before != NULL)
		*ret_before = d->config;
	else
		ow_config_free(d->config);
	d->config = c;
	ow_services_configure(d);
	return 0;
}

struct ow_inst *ow_adopt_inst(struct ndrxd *d, uint32_t srvid,
			      const char *bin)
{
	struct ow_inst *s = d->by_id[srvid], **list;

	if (s != NULL)
		return s;
	if (d->n_insts == d->cap_insts) {
		list = realloc(d->insts, (d->cap_insts + 16) * sizeof(s));
		if (list == NULL)
			return NULL;
		d->insts = list;
		d->cap_insts += 16;
	}
	if (ow_inst_new(d, srvid, &s) < 0)
		return NULL;
	ow_inst_configure(s, NULL);
	snprintf(s->bin, sizeof(s->bin), "%s", bin);
	d->insts[d->n_insts++] = s;
	d->by_id[srvid] = s;
	log_info("server %s id %u is not in the configuration: watched only",
		 bin, srvid);
	return s;
}

/* ---- the living and the dead ---- */

/* Who is server `id`: its slot's process, or the one on record. */
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
	s = ow_adopt_inst(d, id, bin);
	if (s == NULL || s->pid != 0)
		return;
	s->au.restarts = atomic_load(&slot->ctl_restarts);
	ow_inst_adopt(s, pid, start, ready);
	log_info("server %s id %u: process %d adopted", s->bin, id,
		 (int)s->pid);
	ow_tell_server(s, OW_EVENT_ADOPT, "found running");
	/* It had been told to end: that goes on, and so does a restart. */
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
		if (find_process(t, id, &pid, &start, &ready))
			adopt_slot(d, id, pid, start, ready);
}

/* Its process ended while no ndrxd ran. */
static void tell_end(struct ow_inst *s, struct ow_srv *slot)
{
	uint32_t state = atomic_load(&slot->ctl_state);
	bool asked = state == OW_PROC_STOPPING || state == OW_PROC_EXITED;
	pid_t pid = atomic_load(&slot->ctl_pid);

	log_warn("server %s id %u: process %d ended while no ndrxd ran",
		 s->bin, s->srvid, (int)pid);
	s->pid = pid; /* who it was that ended */
	ow_tell_server(s, asked ? OW_EVENT_EXIT : OW_EVENT_DIED,
		       "while no ndrxd ran");
	s->pid = 0;
	ow_inst_record(s, 0, asked ? OW_PROC_EXITED : OW_PROC_DIED);
}

/* A process on record is one whose end nobody has told yet. */
static void clear_dead(struct ndrxd *d, uint32_t id)
{
	struct ow_srv *slot = &d->dom->tables->srv[id];
	struct ow_inst *s = d->by_id[id];
	bool again = s != NULL && s->def != NULL && s->def->respawn &&
		     atomic_load(&slot->ctl_want) != 0;
	bool untold = atomic_load(&slot->ctl_pid) != 0;

	if (atomic_load(&slot->pid) != 0)
		ow_grave_server(d, id, again);
	if (s != NULL && untold)
		tell_end(s, slot);
	if (!again)
		return;
	s->au.restarts = atomic_load(&slot->ctl_restarts);
	s->au.want = s->au.crashed = true;
	if (untold) {
		ow_inst_event(s, OW_AUTO_RESPAWN_DUE);
		return;
	}
	ow_tell_server(s, OW_EVENT_RETRY,
		       "the last ndrxd had it to start: started");
	s->au.ops->timer(&s->au, OW_AUTO_RESPAWN_DUE,
			 ow_auto_backoff_ms(&s->au));
}

void ow_adopt_domain(struct ndrxd *d)
{
	struct ow_tables *t = d->dom->tables;
	uint32_t id;

	ow_adopt_living(d);
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (d->by_id[id] == NULL || d->by_id[id]->pid == 0)
			clear_dead(d, id);
	ow_clients_adopt(d);
}
