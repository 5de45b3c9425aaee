/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - find records of the supervisor
 */
#include "ndrxd/model/lookup.h"

#include <string.h>

#include "ndrxd/model/ndrxd.h"

struct ow_inst *ow_inst_by_pid(const struct ndrxd *d, pid_t pid)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (d->insts[i]->pid == pid && d->insts[i]->ours)
			return d->insts[i];
	return NULL;
}

bool ow_inst_is_up(const struct ow_inst *s)
{
	return !ow_auto_is_down(s->au.state) || s->au.want;
}

bool ow_inst_in_group(const struct ow_inst *s, const char *name)
{
	return s->def != NULL && s->def->procgrp != NULL &&
	       strcmp(s->def->procgrp, name) == 0;
}

bool ow_inst_provides_lock(const struct ow_inst *s, const char *name)
{
	return s->def != NULL && s->def->procgrp_lp != NULL &&
	       strcmp(s->def->procgrp_lp, name) == 0;
}

struct ow_client *ow_client_find(const struct ndrxd *d, const char *tag,
				 const char *subsect)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++)
		if (strcmp(d->clients[i]->tag, tag) == 0 &&
		    strcmp(d->clients[i]->subsect, subsect) == 0)
			return d->clients[i];
	return NULL;
}

struct ow_client *ow_client_by_pid(const struct ndrxd *d, pid_t pid)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++)
		if (d->clients[i]->pid == pid)
			return d->clients[i];
	return NULL;
}

bool ow_client_in_group(const struct ow_client *c, const char *name)
{
	return c->def->procgrp != NULL && strcmp(c->def->procgrp, name) == 0;
}

struct ow_group *ow_group_find(const struct ndrxd *d, const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < d->n_groups; i++)
		if (strcmp(d->groups[i].name, name) == 0)
			return &d->groups[i];
	return NULL;
}
