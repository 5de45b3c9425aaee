/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - refuse orders whose servers could not start
 */
#include "ndrxd/supervise/inspect.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "libndrx/prepare/preflight.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/report/progress.h"
#include "ndrxd/supervise/plan.h"

struct listening {
	struct ow_peer *p; /* NULL: the log */
	struct ow_inspection *found;
};

static void say(void *arg, enum ow_preflight_grade grade, const char *text)
{
	const struct listening *l = arg;
	struct ow_inspection *found = l->found;

	if (grade == OW_PREFLIGHT_FATAL)
		found->fatal++;
	else if (grade == OW_PREFLIGHT_MINOR)
		found->minor++;
	if (grade != OW_PREFLIGHT_NOTICE && found->first[0] == '\0')
		snprintf(found->first, sizeof(found->first), "%s", text);
	if (l->p != NULL)
		ow_progress_line(l->p, "%s", text);
	else
		log_warn("reload: %s", text);
}

static struct listening listen_to(struct ow_peer *p,
				  struct ow_inspection *found)
{
	memset(found, 0, sizeof(*found));
	return (struct listening){ .p = p, .found = found };
}

void ow_inspect_all(struct ow_peer *p, const struct ow_config *c,
		    struct ow_inspection *ret)
{
	struct listening l = listen_to(p, ret);

	ow_preflight_config(c, say, &l);
}

static bool is_marked(const struct ow_config_server *def, const uint8_t *marks)
{
	int id;

	for (id = def->srvid; id < def->srvid + def->max; id++)
		if (marks[id] == OW_RELOAD_START ||
		    marks[id] == OW_RELOAD_RESTART)
			return true;
	return false;
}

/* Will a reload start a process of this client? */
static bool client_starts(const struct ndrxd *d,
			  const struct ow_config_client *now)
{
	const struct ow_config_client *was =
	    ow_config_client_find(d->config, now->tag, now->subsect);
	const struct ow_client *c = ow_client_find(d, now->tag, now->subsect);

	if (was == NULL || c == NULL)
		return d->booted && now->autostart;
	return !ow_config_client_same(was, now) &&
	       (c->pid != 0 || c->au.want);
}

void ow_inspect_marked(struct ndrxd *d, struct ow_peer *p,
		       const struct ow_config *c, const uint8_t *marks,
		       struct ow_inspection *ret)
{
	struct listening l = listen_to(p, ret);
	size_t i;

	for (i = 0; i < c->n_servers; i++)
		if (is_marked(&c->servers[i], marks))
			ow_preflight_server(&c->servers[i], say, &l);
	for (i = 0; i < c->n_clients; i++)
		if (client_starts(d, &c->clients[i]))
			ow_preflight_client(&c->clients[i], say, &l);
}

void ow_inspect_named(struct ow_peer *p, const struct ow_ctl_cmd *cmd,
		      struct ow_inspection *ret)
{
	const struct ow_config_server *last = NULL;
	struct listening l = listen_to(p, ret);
	size_t i;

	for (i = 0; i < p->d->n_insts; i++) {
		const struct ow_inst *s = p->d->insts[i];

		if (s->def == NULL || s->def == last || s->pid == 0 ||
		    !ow_plan_match(s, cmd))
			continue;
		last = s->def;
		ow_preflight_server(last, say, &l);
	}
}
