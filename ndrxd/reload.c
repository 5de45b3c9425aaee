/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.c - a new configuration under running servers
 */
#include "ndrxd/reload.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/log.h"
#include "libubf/cleanup.h"
#include "ndrxd/adopt.h"
#include "ndrxd/config.h"
#include "ndrxd/inst.h"
#include "ndrxd/ndrxd.h"
#include "ndrxd/peer.h"
#include "ndrxd/report.h"

#define FAILED 1u

/* Servers with a process whose entry is gone, or is another program's. */
static uint32_t vanished(struct ndrxd *d, const struct ow_config *c, char *buf,
			 size_t size)
{
	const struct ow_config_server *def;
	const struct ow_inst *s;
	uint32_t n = 0;
	size_t i, at = 0;

	buf[0] = '\0';
	for (i = 0; i < d->n_insts; i++) {
		s = d->insts[i];
		if (s->def == NULL || s->pid == 0)
			continue;
		def = ow_config_server_find(c, (int)s->srvid);
		if (def != NULL && strcmp(def->name, s->bin) == 0)
			continue;
		if (n++ < 10 && at < size)
			at += (size_t)snprintf(buf + at, size - at,
					       "%s%s id %u", n > 1 ? ", " : "",
					       s->bin, s->srvid);
	}
	if (n > 10 && at < size)
		snprintf(buf + at, size - at, " and %u more", n - 10);
	return n;
}

/* Say what is new and what is different; entries, not instances. */
static uint32_t compare(struct ow_peer *p, const struct ow_config *c)
{
	const struct ow_config_server *now, *def;
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < c->n_servers; i++) {
		def = &c->servers[i];
		now = ow_config_server_find(p->d->config, def->srvid);
		if (now != NULL && strcmp(now->name, def->name) == 0 &&
		    ow_config_server_same(now, def))
			continue;
		n++;
		ow_report_line(p, "server %s id %d: %s", def->name, def->srvid,
			       now == NULL ? "new: `xadmin start` starts it"
					   : "changed: counts from the next "
					     "start on");
	}
	return n;
}

void ow_reload(struct ow_peer *p, bool dry)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *c = NULL;
	struct ow_config_error err = { "" };
	struct ndrxd *d = p->d;
	char list[500], text[800];
	uint32_t n;
	size_t i;

	if (ow_config_load(d->config_path, &err, &c) != 0) {
		log_warn("reload: %s", err.text);
		ow_peer_done(p, FAILED, 0, err.text);
		return;
	}
	for (i = 0; i < c->n_notices; i++)
		ow_report_line(p, "%s", c->notices[i]);
	n = vanished(d, c, list, sizeof(list));
	if (n > 0) {
		snprintf(text, sizeof(text),
			 "these servers run but are no longer configured "
			 "(or under another name): %s; stop them first",
			 list);
		ow_peer_done(p, FAILED, n, text);
		return;
	}
	n = compare(p, c);
	if (!dry) {
		if (ow_adopt_config(d, c) < 0) {
			ow_peer_done(p, FAILED, 0, "no memory");
			return;
		}
		c = NULL;
		log_info("configuration read again: %u entries differ", n);
	}
	ow_peer_done(p, 0, n, "");
}
