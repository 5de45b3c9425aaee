/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - singleton process groups: may a member run here?
 */
#include "ndrxd/groups/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "ndrxd/groups/lock.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"

void ow_groups_emit(struct ndrxd *d, const struct ow_group *g,
		    const char *what)
{
	struct ow_emit_about about = { .about = OW_EVENT_GROUP,
				       .who = g->name };

	log_info("group %s: %s", g->name, what);
	ow_emit_about(d, &about, OW_EVENT_LOCK, "%s", what);
}

/* ---- configuration ---- */

static void fill(const struct ndrxd *d, struct ow_group *g,
		 const struct ow_config_procgroup *def)
{
	struct ow_domain env;
	char why[256];

	g->fd = -1;
	g->grpno = def->grpno;
	g->noorder = def->noorder;
	g->singleton = def->singleton;
	snprintf(g->name, sizeof(g->name), "%s", def->name);
	if (def->lockfile != NULL)
		snprintf(g->path, sizeof(g->path), "%s", def->lockfile);
	else if (d->dom != NULL)
		snprintf(g->path, sizeof(g->path), "%s/%s.lock",
			 d->dom->run_dir, def->name);
	else if (ow_domain_read_env(&env, why, sizeof(why)) == 0)
		snprintf(g->path, sizeof(g->path), "%s/%s.lock", env.run_dir,
			 def->name);
}

/* The lock of a group that exists before and after. */
static void inherit(struct ow_group *now, struct ow_group *old)
{
	if (old == NULL || !now->singleton || strcmp(now->path, old->path))
		return;
	now->fd = old->fd;
	now->locked = old->locked;
	old->fd = -1;
}

int ow_groups_configure(struct ndrxd *d, const struct ow_config *config)
{
	struct ow_group *list = calloc(config->n_groups + 1, sizeof(*list));
	size_t i;

	if (list == NULL)
		return -ENOMEM;
	for (i = 0; i < config->n_groups; i++) {
		fill(d, &list[i], &config->groups[i]);
		inherit(&list[i], ow_group_find(d, list[i].name));
	}
	ow_groups_close(d);
	d->groups = list;
	d->n_groups = config->n_groups;
	d->groups_due = true;
	return 0;
}

void ow_groups_close(struct ndrxd *d)
{
	size_t i;

	for (i = 0; i < d->n_groups; i++)
		if (d->groups[i].fd >= 0)
			close(d->groups[i].fd);
	free(d->groups);
	d->groups = NULL;
	d->n_groups = 0;
}

/* ---- the lock ---- */

static struct ow_inst *provider(const struct ndrxd *d,
				const struct ow_group *g)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (ow_inst_provides_lock(d->insts[i], g->name))
			return d->insts[i];
	return NULL;
}

/* The descriptor of the lock, out of a member that the last ndrxd started. */
static int fetch_lock(const struct ndrxd *d, const struct ow_group *g)
{
	size_t i;
	int fd = -1;

	for (i = 0; i < d->n_insts && fd < 0; i++)
		if (ow_inst_in_group(d->insts[i], g->name) &&
		    d->insts[i]->pid != 0)
			fd = ow_group_lock_fetch(d->insts[i]->svpid, g->path);
	for (i = 0; i < d->n_clients && fd < 0; i++)
		if (ow_client_in_group(d->clients[i], g->name) &&
		    d->clients[i]->pid != 0)
			fd = ow_group_lock_fetch(d->clients[i]->pid, g->path);
	return fd;
}

static bool hold(struct ndrxd *d, struct ow_group *g)
{
	int r;

	if (g->fd >= 0)
		return true;
	r = ow_group_lock_take(g->path);
	if (r == -EWOULDBLOCK) {
		g->fd = fetch_lock(d, g);
		snprintf(g->why_not, sizeof(g->why_not),
			 "its lock %.120s is held elsewhere", g->path);
	} else if (r < 0) {
		snprintf(g->why_not, sizeof(g->why_not), "its lock %.120s: %s",
			 g->path, ow_owned_strerror(r));
	} else {
		g->fd = r;
	}
	return g->fd >= 0;
}

bool ow_groups_check(struct ndrxd *d, struct ow_group *g)
{
	const struct ow_inst *lp = provider(d, g);

	if (g->fd >= 0 && !ow_group_lock_valid(g->fd, g->path)) {
		snprintf(g->why_not, sizeof(g->why_not),
			 "its lock file %.120s was removed or replaced",
			 g->path);
		close(g->fd);
		g->fd = -1;
		return false;
	}
	if (lp != NULL && lp->au.state != OW_PROC_RUNNING) {
		snprintf(g->why_not, sizeof(g->why_not),
			 "its lock provider %s id %u is not ready", lp->bin,
			 lp->srvid);
		return false;
	}
	return hold(d, g);
}

void ow_groups_lock(struct ndrxd *d, struct ow_group *g)
{
	g->locked = true;
	g->waited = false;
	ow_groups_emit(d, g, "locked here: its members may run");
}

void ow_groups_release(struct ndrxd *d, struct ow_group *g)
{
	if (g->fd >= 0) {
		close(g->fd);
		ow_groups_emit(d, g, "released: no member is to run");
	}
	g->fd = -1;
	g->locked = g->waited = false;
}

bool ow_groups_may_start(struct ndrxd *d, const char *name, int *ret_fd,
			 char *why, size_t size)
{
	struct ow_group *g = ow_group_find(d, name);

	*ret_fd = -1;
	if (g == NULL || !g->singleton)
		return true;
	if (!g->locked && ow_groups_check(d, g)) {
		ow_groups_lock(d, g);
		d->groups_due = true; /* for other members that wait */
	}
	if (g->locked) {
		*ret_fd = g->fd;
		return true;
	}
	snprintf(why, size, "group %s: %s", g->name, g->why_not);
	if (!g->waited)
		ow_groups_emit(d, g, g->why_not);
	g->waited = true;
	return false;
}
