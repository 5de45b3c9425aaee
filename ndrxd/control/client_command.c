/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_command.c - commands of xadmin about clients: PC, BC, SC, RC
 *
 * One client per command, by its exact names; wildcards, groups and pauses
 * are the business of xadmin. DONE says that the event was raised, not that
 * the process has started or ended: PC shows that.
 */
#include "ndrxd/control/client_command.h"

#include <stdio.h>
#include <string.h>

#include "ndrxd/clients/client.h"
#include "ndrxd/clients/record.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"

#define FAILED 1u

static void fill(struct ow_ctl_client *r, const struct ow_client *c)
{
	r->pid = c->pid;
	r->state = c->au.state;
	r->requested = ow_auto_requested(&c->au);
	r->autostart = c->def->autostart;
	r->restarts = c->au.restarts;
	r->exec_seq = c->au.exec_seq;
	r->exit_status = c->exit_status;
	r->exec_errno = c->exec_errno;
	r->t_changed = c->t_changed;
	memcpy(r->tag, c->tag, sizeof(r->tag));
	memcpy(r->subsect, c->subsect, sizeof(r->subsect));
	if (c->def->procgrp != NULL)
		snprintf(r->procgrp, sizeof(r->procgrp), "%s",
			 c->def->procgrp);
	memcpy(r->reason, c->au.reason, sizeof(r->reason));
}

static void list(struct ow_peer *p)
{
	struct ndrxd *d = p->d;
	union ow_ctl_msg m;
	size_t i;

	for (i = 0; i < d->n_clients; i++) {
		ow_ctl_init(&m, OW_CTL_CLIENT, p->seq);
		fill(&m.client, d->clients[i]);
		ow_peer_send(p, &m);
	}
	ow_peer_done(p, 0, (uint32_t)d->n_clients, "");
}

static void raise_events(struct ow_client *c, enum ow_ctl_verb verb)
{
	if (verb == OW_VERB_SC || verb == OW_VERB_RC)
		ow_client_event(c, OW_AUTO_KILL);
	if (verb == OW_VERB_BC || verb == OW_VERB_RC)
		ow_client_event(c, OW_AUTO_START);
	ow_client_record(c->d);
}

void ow_client_command(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	const char *subsect = cmd->text[0] != '\0' ? cmd->text : "-";
	struct ow_client *c;
	char text[400];

	if (cmd->verb == OW_VERB_PC) {
		list(p);
		return;
	}
	c = ow_client_find(p->d, cmd->name, subsect);
	if (c == NULL) {
		snprintf(text, sizeof(text), "no client %.64s/%.64s",
			 cmd->name, subsect);
		ow_peer_done(p, FAILED, 0, text);
		return;
	}
	raise_events(c, (enum ow_ctl_verb)cmd->verb);
	if (cmd->verb != OW_VERB_SC && ow_auto_is_down(c->au.state) &&
	    c->au.state != OW_PROC_WAITING) {
		snprintf(text, sizeof(text), "%s/%s: %s: %s", c->tag,
			 c->subsect, ow_proc_state_text(c->au.state),
			 c->au.reason);
		ow_peer_done(p, FAILED, 0, text);
		return;
	}
	ow_peer_done(p, 0, 1, "");
}
