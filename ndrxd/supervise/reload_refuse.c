/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload_refuse.c - changes that a running domain cannot make
 *
 * A server id cannot become another program's while it runs. One that is no longer
 * configured is no such change: it is stopped (reload.c), as it was configured.
 */
#include "ndrxd/supervise/reload_refuse.h"

#include <stdio.h>
#include <string.h>

#include "ndrxd/clients/clients.h"
#include "ndrxd/model/ndrxd.h"

static bool is_taken(const struct ow_inst *s, const struct ow_config *c,
		     char *why, size_t size)
{
	const struct ow_config_server *was = s->def, *now;

	if (was == NULL || s->pid == 0)
		return false;
	now = ow_config_server_find(c, (int)s->srvid);
	if (now == NULL || strcmp(now->name, was->name) == 0)
		return false;
	snprintf(why, size,
		 "%.160s:%u: <server name=\"%s\">: <srvid>: id %u still runs as "
		 "%s, process %d; stop it first: `xadmin stop -i %u`",
		 now->file, now->line, now->name, s->srvid, was->name,
		 (int)s->pid, s->srvid);
	return true;
}

static bool other_text(const char *a, const char *b)
{
	return a != b && (a == NULL || b == NULL || strcmp(a, b) != 0);
}

/* Settings that all processes of a domain must share. */
static bool other_domain(const struct ndrxd *d, const struct ow_config *c,
			 char *why, size_t size)
{
	const struct ow_config_app *was = &d->config->app, *now = &c->app;
	const char *element = NULL;

	if (other_text(was->transport, now->transport))
		element = "transport";
	else if (other_text(was->wake, now->wake))
		element = "wake";
	if (element == NULL)
		return false;
	snprintf(why, size,
		 "%.300s: <appconfig>: <%s>: cannot change under running "
		 "servers; `xadmin stop -y`, then `xadmin start -y`",
		 d->config_path, element);
	return true;
}

bool ow_reload_refuse(const struct ndrxd *d, const struct ow_config *c,
		      char *why, size_t size)
{
	const struct ow_client *client = ow_clients_vanished(d, c);
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (is_taken(d->insts[i], c, why, size))
			return true;
	if (client != NULL) {
		snprintf(why, size,
			 "%.160s:%u: <exec tag=\"%s\" subsect=\"%s\">: the "
			 "entry that stood there is gone, but it still runs, "
			 "process %d; stop it first: `xadmin sc -t %s -s %s`",
			 client->def->file, client->def->line, client->tag,
			 client->subsect, (int)client->pid, client->tag,
			 client->subsect);
		return true;
	}
	return other_domain(d, c, why, size);
}
