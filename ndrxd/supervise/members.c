/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c - start and kill the members of singleton groups with the lock
 */
#include "ndrxd/supervise/members.h"

#include <stdio.h>
#include <string.h>

#include "ndrxd/clients/client.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/operation.h"

/* Does a member run, or (`also`) is one to run? */
static bool is_wanted(const struct ndrxd *d, const struct ow_group *g,
		      bool also)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (ow_inst_in_group(d->insts[i], g->name) &&
		    (d->insts[i]->pid != 0 || (also && d->insts[i]->au.want)))
			return true;
	for (i = 0; i < d->n_clients; i++)
		if (ow_client_in_group(d->clients[i], g->name) &&
		    (d->clients[i]->pid != 0 || (also && d->clients[i]->au.want)))
			return true;
	return false;
}

static bool server_waits(const struct ndrxd *d, const struct ow_group *g)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (ow_inst_in_group(d->insts[i], g->name) &&
		    d->insts[i]->au.state == OW_PROC_WAITING)
			return true;
	return false;
}

static void raise_servers(struct ndrxd *d, const struct ow_group *g,
			  enum ow_auto_event ev)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (ow_inst_in_group(d->insts[i], g->name))
			ow_inst_event(d->insts[i], ev);
}

static void raise_clients(struct ndrxd *d, const struct ow_group *g,
			  enum ow_auto_event ev)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++)
		if (ow_client_in_group(d->clients[i], g->name))
			ow_client_event(d->clients[i], ev);
}

/* Start the members that wait: all at once, or as a start in order. */
static void start_members(struct ndrxd *d, struct ow_group *g)
{
	struct ow_ctl_cmd cmd;

	raise_clients(d, g, OW_AUTO_LOCKED);
	if (!server_waits(d, g))
		return;
	if (g->noorder) {
		raise_servers(d, g, OW_AUTO_LOCKED);
		return;
	}
	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_START;
	snprintf(cmd.text, sizeof(cmd.text), "%s", g->name);
	if (ow_operation_begin(d, &cmd) == OW_OPERATION_BUSY)
		d->groups_retry = true;
}

static void kill_members(struct ndrxd *d, struct ow_group *g)
{
	char text[260];

	snprintf(text, sizeof(text), "lost: %s: members are killed",
		 g->why_not);
	ow_groups_emit(d, g, text);
	g->locked = false;
	raise_servers(d, g, OW_AUTO_UNLOCKED);
	raise_clients(d, g, OW_AUTO_UNLOCKED);
}

void ow_members_pump(struct ndrxd *d, bool due)
{
	size_t i;

	if (!due && !d->groups_due)
		return;
	d->groups_due = d->groups_retry = false;
	if (d->ipc_gone)
		return;
	for (i = 0; i < d->n_groups; i++) {
		struct ow_group *g = &d->groups[i];

		if (!g->singleton)
			continue;
		if (!is_wanted(d, g, true)) {
			ow_groups_release(d, g);
			continue;
		}
		/* A lock that is free is taken by an order only. */
		if (d->hold && g->fd < 0 && !is_wanted(d, g, false))
			continue;
		if (!ow_groups_check(d, g)) {
			if (g->locked)
				kill_members(d, g);
			continue;
		}
		if (!g->locked)
			ow_groups_lock(d, g);
		if (!d->hold)
			start_members(d, g);
	}
}
