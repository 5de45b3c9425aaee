/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - singleton process groups: locks taken, lost, told
 */
#include "ndrxd/groups/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/groups/lock.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"

static void tell(struct ndrxd *d, const struct ow_group *g, const char *what)
{
	struct ow_tell_about about = { .about = OW_EVENT_GROUP,
				       .who = g->name };

	log_info("group %s: %s", g->name, what);
	ow_tell_about(d, &about, OW_EVENT_LOCK, "%s", what);
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
		inherit(&list[i], ow_groups_find(d, list[i].name));
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

struct ow_group *ow_groups_find(struct ndrxd *d, const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < d->n_groups; i++)
		if (strcmp(d->groups[i].name, name) == 0)
			return &d->groups[i];
	return NULL;
}

/* ---- members ---- */

static bool is_member(const struct ow_inst *s, const struct ow_group *g)
{
	return s->def != NULL && s->def->procgrp != NULL &&
	       strcmp(s->def->procgrp, g->name) == 0;
}

static struct ow_inst *provider(const struct ndrxd *d,
				const struct ow_group *g)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++) {
		const struct ow_config_server *def = d->insts[i]->def;

		if (def != NULL && def->procgrp_lp != NULL &&
		    strcmp(def->procgrp_lp, g->name) == 0)
			return d->insts[i];
	}
	return NULL;
}

/* Does anybody want to run in it? */
static bool is_wanted(const struct ndrxd *d, const struct ow_group *g)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (is_member(d->insts[i], g) &&
		    (d->insts[i]->pid != 0 || d->insts[i]->au.want))
			return true;
	return ow_clients_want(d, g->name);
}

/* A new ndrxd finds the lock with a member of the old one. */
static int fetch_lock(const struct ndrxd *d, const struct ow_group *g)
{
	size_t i;
	int fd = -1;

	for (i = 0; i < d->n_insts && fd < 0; i++)
		if (is_member(d->insts[i], g) && d->insts[i]->pid != 0)
			fd = ow_group_lock_fetch(d->insts[i]->svpid, g->path);
	return fd >= 0 ? fd : ow_clients_fetch_lock(d, g->name, g->path);
}

/* ---- the lock ---- */

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
			 g->path, strerror(-r));
	} else {
		g->fd = r;
	}
	return g->fd >= 0;
}

/* Held, the file still the one that others see, and the provider ready? */
static bool check(struct ndrxd *d, struct ow_group *g)
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

bool ow_groups_may_start(struct ndrxd *d, const char *name, int *ret_fd,
			 char *why, size_t size)
{
	struct ow_group *g = ow_groups_find(d, name);

	*ret_fd = -1;
	if (g == NULL || !g->singleton)
		return true;
	if (!g->locked && check(d, g)) {
		g->locked = true;
		g->waited = false;
		d->groups_due = true; /* others may wait for it */
		tell(d, g, "locked here: its members may run");
	}
	if (g->locked) {
		*ret_fd = g->fd;
		return true;
	}
	snprintf(why, size, "group %s: %s", g->name, g->why_not);
	if (!g->waited)
		tell(d, g, g->why_not);
	g->waited = true;
	return false;
}

/* ---- news for the members ---- */

static void raise_all(struct ndrxd *d, struct ow_group *g,
		      enum ow_auto_event ev)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (is_member(d->insts[i], g))
			ow_inst_event(d->insts[i], ev);
}

static bool anybody_waits(const struct ndrxd *d, const struct ow_group *g)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (is_member(d->insts[i], g) &&
		    d->insts[i]->au.state == OW_PROC_WAITING)
			return true;
	return false;
}

/* Those who wait start: all together, or as a start in order. */
static void start_members(struct ndrxd *d, struct ow_group *g)
{
	struct ow_ctl_cmd cmd;

	ow_clients_group(d, g->name, OW_AUTO_LOCKED);
	if (!anybody_waits(d, g))
		return;
	if (g->noorder) {
		raise_all(d, g, OW_AUTO_LOCKED);
		return;
	}
	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_START;
	snprintf(cmd.text, sizeof(cmd.text), "%s", g->name);
	if (ow_job_begin(d, &cmd) == OW_JOB_BUSY)
		d->groups_retry = true;
}

static void lose(struct ndrxd *d, struct ow_group *g)
{
	char text[260];

	snprintf(text, sizeof(text), "lost: %s: members are killed",
		 g->why_not);
	tell(d, g, text);
	g->locked = false;
	raise_all(d, g, OW_AUTO_UNLOCKED);
	ow_clients_group(d, g->name, OW_AUTO_UNLOCKED);
}

static void look(struct ndrxd *d, struct ow_group *g)
{
	bool ok, wanted = is_wanted(d, g);

	if (!wanted) {
		if (g->fd >= 0) {
			close(g->fd);
			tell(d, g, "given back: nobody is to run in it");
		}
		g->fd = -1;
		g->locked = g->waited = false;
		return;
	}
	ok = check(d, g);
	if (g->locked && !ok) {
		lose(d, g);
	} else if (ok && !g->locked) {
		g->locked = true;
		g->waited = false;
		tell(d, g, "locked here: its members may run");
	}
	if (g->locked)
		start_members(d, g);
}

void ow_groups_changed(struct ndrxd *d, const struct ow_inst *s)
{
	if (s->def != NULL &&
	    (s->def->procgrp_lp != NULL || s->def->procgrp != NULL))
		d->groups_due = true;
}

void ow_groups_pump(struct ndrxd *d, bool due)
{
	size_t i;

	if (!due && !d->groups_due)
		return;
	d->groups_due = d->groups_retry = false;
	if (d->ipc_gone)
		return;
	for (i = 0; i < d->n_groups; i++)
		if (d->groups[i].singleton)
			look(d, &d->groups[i]);
}
