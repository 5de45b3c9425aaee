/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.c - read the configuration again while servers run
 *
 * reload_refuse.c finds changes that cannot be made. What to do with each
 * instance is decided while both configurations are there, marked in the
 * instances, and carried out by an operation.
 */
#include "ndrxd/supervise/reload.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "libubf/base/cleanup.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/model/past.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/report/progress.h"
#include "ndrxd/supervise/configure.h"
#include "ndrxd/supervise/inspect.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/supervise/reload_refuse.h"

#define FAILED 1u

static void say(struct ow_peer *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct ow_peer *p, const char *fmt, ...)
{
	char text[900];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p != NULL)
		ow_progress_line(p, "%s", text);
	else
		log_info("reload: %s", text);
}

static void refuse(struct ndrxd *d, struct ow_peer *p, const char *why)
{
	log_warn("reload: %s", why);
	ow_emit(d, OW_EVENT_RELOAD, "refused: %s", why);
	if (p != NULL)
		ow_peer_done(p, FAILED, 0, why);
}

/* ---- what differs ---- */

/* Was the domain started, or do servers run? Then new ones are started, too. */
static bool domain_runs(const struct ndrxd *d)
{
	size_t i;

	if (d->booted)
		return true;
	for (i = 0; i < d->n_insts; i++)
		if (d->insts[i]->def != NULL && d->insts[i]->au.want)
			return true;
	return false;
}

static enum ow_reload_mark mark_for(const struct ow_inst *s,
				    const struct ow_config_server *was,
				    const struct ow_config_server *now,
				    uint32_t id, bool runs)
{
	bool had = was != NULL && id < (uint32_t)(was->srvid + was->min);
	bool has = now != NULL && id < (uint32_t)(now->srvid + now->min);
	bool up = s != NULL && ow_inst_is_up(s);
	bool undone = s != NULL && s->undone;

	if (now == NULL || (up && (had || undone) && !has))
		return up ? OW_RELOAD_STOP : OW_RELOAD_NOTHING;
	if (up && was != NULL &&
	    (undone || s->outdated || !ow_config_server_same(was, now)))
		return OW_RELOAD_RESTART;
	if (!up && has && (!had || undone) && runs)
		return OW_RELOAD_START;
	return OW_RELOAD_NOTHING;
}

static const char *const mark_words[] = {
	[OW_RELOAD_START] = "new: is started",
	[OW_RELOAD_STOP] = "no longer configured: is stopped",
	[OW_RELOAD_RESTART] = "changed: is restarted",
};

/* Mark and list what is to be done, for each server id of `c` or of d. */
static uint32_t compare(struct ndrxd *d, struct ow_peer *p,
			const struct ow_config *c, uint8_t *marks)
{
	bool runs = domain_runs(d);
	uint32_t id, n = 0;

	for (id = 1; id < OW_SRV_MAX; id++) {
		const struct ow_inst *s = d->by_id[id];
		const struct ow_config_server *was = s ? s->def : NULL;
		const struct ow_config_server *now;

		now = marks[id] ? ow_config_server_find(c, (int)id) : NULL;
		if (was == NULL && now == NULL && s != NULL && s->outdated &&
		    s->pid != 0)
			say(p, "server %s id %u: was configured, and runs on: "
			    "`xadmin stop -i %u`", s->bin, id, id);
		if (was == NULL &&
		    (now == NULL || (s != NULL && s->pid != 0)))
			marks[id] = 0; /* unused, or started by hand */
		else
			marks[id] = (uint8_t)mark_for(s, was, now, id, runs);
		if (marks[id] == OW_RELOAD_NOTHING)
			continue;
		say(p, "server %s id %u: %s",
		    now != NULL ? now->name : was->name, id,
		    mark_words[marks[id]]);
		n++;
	}
	return n;
}

/* Mark the ids of the new configuration, so that others are not looked up. */
static void mark_known(const struct ow_config *c, uint8_t *marks)
{
	size_t e;

	for (e = 0; e < c->n_servers; e++)
		memset(marks + c->servers[e].srvid, 1,
		       (size_t)c->servers[e].max);
}

static uint32_t compare_clients(struct ndrxd *d, struct ow_peer *p,
				const struct ow_config *c)
{
	const struct ow_config_client *was, *now;
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < c->n_clients; i++) {
		now = &c->clients[i];
		was = ow_config_client_find(d->config, now->tag, now->subsect);
		if (was != NULL && ow_config_client_same(was, now))
			continue;
		say(p, "client %s/%s: %s", now->tag, now->subsect,
		    was == NULL ? "new" : "changed: is restarted if it runs");
		n++;
	}
	return n;
}

/* ---- taking over ---- */

static void begin(struct ndrxd *d, struct ow_peer *p, uint32_t n)
{
	struct ow_ctl_cmd cmd;
	int r;

	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_RELOAD;
	r = n > 0 ? ow_operation_begin(d, &cmd) : OW_OPERATION_NO_MATCH;
	if (p != NULL && r == 0)
		p->watching = true;
	else if (p != NULL)
		ow_peer_done(p, r < 0 ? FAILED : 0, 0,
			     r < 0 ? "no memory" : "");
}

/* Takes `c` over; the marks go to the instances. */
static int configure(struct ndrxd *d, struct ow_config *c,
		     const uint8_t *marks)
{
	struct ow_config *before = NULL;
	struct ow_past *past;
	size_t i;

	if (ow_configure(d, c, &before) < 0)
		return -1;
	if (before != NULL && d->booted)
		ow_clients_changed(d, before);
	past = before != NULL ? ow_past_new(before) : NULL;
	if (past == NULL)
		ow_config_free(before);
	for (i = 0; i < d->n_insts; i++) {
		d->insts[i]->reload = marks[d->insts[i]->srvid];
		if (d->insts[i]->reload == OW_RELOAD_RESTART && past != NULL)
			ow_past_keep(past, d->insts[i]);
	}
	ow_past_release(past);
	return 0;
}

/* The end of testcfg: it finds what keeps any server from starting. */
static void end_dry(struct ow_peer *p, const struct ow_config *c, uint32_t n)
{
	struct ow_inspection found;
	char text[120] = "";

	ow_inspect_all(p, c, &found);
	if (found.fatal + found.minor > 0)
		snprintf(text, sizeof(text), "%u entries would not start, %u "
			 "would write elsewhere", found.fatal, found.minor);
	if (p != NULL)
		ow_peer_done(p, text[0] != '\0' ? FAILED : 0, n, text);
}

/* Refuses a reload whose servers would not start. */
static bool would_fail(struct ndrxd *d, struct ow_peer *p,
		       const struct ow_config *c, const uint8_t *marks)
{
	struct ow_inspection found;
	char why[1000];

	ow_inspect_marked(d, p, c, marks, &found);
	if (found.fatal == 0)
		return false;
	snprintf(why, sizeof(why), "%s; nothing was changed", found.first);
	refuse(d, p, why);
	return true;
}

static void take_over(struct ndrxd *d, struct ow_peer *p, struct ow_config *c,
		      bool dry)
{
	OW_CLEANUP(ow_cleanup_freep) uint8_t *marks = calloc(OW_SRV_MAX, 1);
	uint32_t n, clients;

	if (marks == NULL) {
		ow_config_free(c);
		refuse(d, p, "no memory");
		return;
	}
	mark_known(c, marks);
	n = compare(d, p, c, marks);
	clients = compare_clients(d, p, c);
	if (dry) {
		end_dry(p, c, n + clients);
		ow_config_free(c);
		return;
	}
	if (would_fail(d, p, c, marks)) {
		ow_config_free(c);
		return;
	}
	if (configure(d, c, marks) < 0) {
		ow_config_free(c);
		refuse(d, p, "no memory");
		return;
	}
	log_info("configuration read again: %u servers and %u clients differ",
		 n, clients);
	ow_emit(d, OW_EVENT_RELOAD, "%u servers and %u clients differ", n,
		clients);
	begin(d, p, n);
}

void ow_reload(struct ndrxd *d, struct ow_peer *p, bool dry)
{
	struct ow_config_error err = { "" };
	struct ow_config *c = NULL;
	char why[900];
	size_t i;

	if (ow_config_load(d->config_path, &err, &c) != 0) {
		refuse(d, p, err.text);
		return;
	}
	for (i = 0; i < c->n_notices; i++)
		say(p, "%s", c->notices[i]);
	if (ow_reload_refuse(d, c, why, sizeof(why))) {
		ow_config_free(c);
		refuse(d, p, why);
		return;
	}
	take_over(d, p, c, dry);
}
