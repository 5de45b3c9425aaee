/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - the programs of <clients>, all together
 *
 * client.c is about one of them.
 */
#include "ndrxd/clients/clients.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/programs.h"
#include "libatmi/log/log.h"
#include "ndrxd/clients/client.h"
#include "ndrxd/clients/process.h"
#include "ndrxd/clients/record.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"

/* ---- configuration ---- */

static bool listed(struct ow_client **list, size_t n,
		   const struct ow_client *c)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i] == c)
			return true;
	return false;
}

int ow_clients_configure(struct ndrxd *d, const struct ow_config *config)
{
	struct ow_client **list = calloc(config->n_clients + 1,
					 sizeof(struct ow_client *));
	size_t i, n = config->n_clients;
	int r = list == NULL ? -ENOMEM : 0;

	for (i = 0; i < n && r == 0; i++) {
		const struct ow_config_client *def = &config->clients[i];

		list[i] = ow_client_find(d, def->tag, def->subsect);
		if (list[i] == NULL)
			r = ow_client_new(d, def, &list[i]);
	}
	if (r < 0) {
		for (i = 0; list != NULL && i < n && list[i] != NULL; i++)
			if (!listed(d->clients, d->n_clients, list[i]))
				ow_client_free(list[i]);
		free(list);
		return r;
	}
	for (i = 0; i < d->n_clients; i++)
		if (!listed(list, n, d->clients[i]))
			ow_client_free(d->clients[i]);
	for (i = 0; i < n; i++)
		ow_client_configure(list[i], &config->clients[i]);
	free(d->clients);
	d->clients = list;
	d->n_clients = n;
	return 0;
}

void ow_clients_close(struct ndrxd *d)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++)
		ow_client_free(d->clients[i]);
	free(d->clients);
	d->clients = NULL;
	d->n_clients = 0;
}

const struct ow_client *ow_clients_vanished(const struct ndrxd *d,
					    const struct ow_config *config)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++) {
		const struct ow_client *c = d->clients[i];

		if (c->pid != 0 &&
		    ow_config_client_find(config, c->tag, c->subsect) == NULL)
			return c;
	}
	return NULL;
}

uint32_t ow_clients_changed(struct ndrxd *d, const struct ow_config *before)
{
	const struct ow_config_client *was;
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < d->n_clients; i++) {
		struct ow_client *c = d->clients[i];

		was = ow_config_client_find(before, c->tag, c->subsect);
		if (was != NULL && ow_config_client_same(was, c->def))
			continue;
		if (c->pid != 0)
			ow_client_event(c, OW_AUTO_KILL);
		else if (!c->au.want && !(was == NULL && c->def->autostart))
			continue;
		ow_client_event(c, OW_AUTO_START);
		n++;
	}
	ow_client_record(d);
	return n;
}

/* ---- boot and end ---- */

void ow_clients_boot(struct ndrxd *d)
{
	size_t i;

	d->booted = true;
	for (i = 0; i < d->n_clients; i++)
		if (d->clients[i]->def->autostart && !d->clients[i]->au.want)
			ow_client_event(d->clients[i], OW_AUTO_START);
	ow_client_record(d);
}

void ow_clients_stop(struct ndrxd *d, bool at_once)
{
	size_t i;

	d->booted = false;
	for (i = 0; i < d->n_clients; i++) {
		struct ow_client *c = d->clients[i];

		if (at_once && c->pid != 0)
			ow_client_signal(c->pid, SIGKILL, c->def->klevel);
		ow_client_event(c, OW_AUTO_KILL);
	}
	ow_client_record(d);
}

bool ow_clients_all_down(const struct ndrxd *d)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++)
		if (d->clients[i]->pid != 0)
			return false;
	return true;
}

/* ---- start-up over living clients ---- */

static void adopt(void *arg, pid_t pid, const char *tag, const char *subsect)
{
	struct ndrxd *d = arg;
	struct ow_client *c = ow_client_find(d, tag, subsect);

	if (c == NULL)
		log_warn("process %d is client %s/%s, which is not in the "
			 "configuration: left alone",
			 (int)pid, tag, subsect);
	else if (c->pid == 0)
		ow_client_adopt(c, pid);
}

static void start_again(void *arg, const char *tag, const char *subsect)
{
	struct ow_client *c = ow_client_find(arg, tag, subsect);

	if (c == NULL || c->pid != 0)
		return;
	log_warn("client %s/%s died while no ndrxd ran%s", tag, subsect,
		 c->d->hold ? "" : ": started again");
	c->au.want = c->d->hold;
	ow_client_event(c, c->d->hold ? OW_AUTO_RESPAWN_DUE : OW_AUTO_START);
}

void ow_clients_adopt(struct ndrxd *d)
{
	if (d->n_clients > 0)
		ow_programs_each(d->dom->prefix, adopt, d);
	d->booted = ow_client_record_read(d, start_again, d);
}

void ow_clients_check(struct ndrxd *d, bool limits)
{
	size_t i;

	for (i = 0; i < d->n_clients; i++) {
		if (limits || d->clients[i]->pidfd < 0)
			ow_client_check(d->clients[i]);
		if (limits)
			ow_client_check_limits(d->clients[i]);
	}
}
