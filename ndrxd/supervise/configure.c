/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configure.c - put a configuration in force
 */
#include "ndrxd/supervise/configure.h"

#include <errno.h>
#include <stdlib.h>

#include "ndrxd/clients/clients.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/launch/launch.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/servers/record.h"
#include "ndrxd/supervise/in_force.h"
#include "ndrxd/supervise/scale.h"
#include "ndrxd/supervise/rules.h"
#include "ndrxd/supervise/services.h"

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

static void drop(struct ndrxd *d, struct ow_inst *s)
{
	d->by_id[s->srvid] = NULL;
	ow_record_forget(s);
	ow_inst_free(s);
}

/* Instances that are not in `c` are kept while they have a process. */
static size_t keep_or_drop(struct ndrxd *d, const struct ow_config *c,
			   struct ow_inst **list, size_t n)
{
	struct ow_inst *s;
	size_t i;

	for (i = 0; i < d->n_insts; i++) {
		s = d->insts[i];
		if (ow_config_server_find(c, (int)s->srvid) != NULL)
			continue;
		if (s->pid == 0) {
			drop(d, s);
			continue;
		}
		s->removed |= s->def != NULL;
		d->removed_due |= s->removed;
		ow_inst_configure(s, NULL);
		list[n++] = s;
	}
	return n;
}

void ow_configure_drop_removed(struct ndrxd *d)
{
	size_t i, n = 0;

	d->removed_due = false;
	for (i = 0; i < d->n_insts; i++) {
		struct ow_inst *s = d->insts[i];

		if (s->removed && s->pid == 0) {
			drop(d, s);
			continue;
		}
		d->removed_due |= s->removed;
		d->insts[n++] = s;
	}
	d->n_insts = n;
}

static void free_launches(struct ndrxd *d)
{
	size_t i;

	for (i = 0; d->config != NULL && i < d->config->n_servers; i++)
		ow_launch_free(d->launches[i]);
	free(d->launches);
	d->launches = NULL;
}

int ow_configure(struct ndrxd *d, struct ow_config *c,
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
		list[i]->removed = false;
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
	ow_rules_configure(d);
	ow_peer_listen_guests(d);
	ow_in_force_write(d);
	return 0;
}

void ow_configure_close(struct ndrxd *d)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		ow_inst_free(d->insts[i]);
	free(d->insts);
	ow_clients_close(d);
	ow_groups_close(d);
	ow_scale_close(d);
	free_launches(d);
	ow_config_free(d->config);
}
