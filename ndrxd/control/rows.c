/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - listings for xadmin: servers, process groups, ndrxd itself
 */
#include "ndrxd/control/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/report/progress.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/supervise/plan.h"

/* ---- servers ---- */

static const char *last_cmd(const struct ow_inst *s)
{
	if (s->au.t_start == 0)
		return "";
	return s->au.want ? "start" : "stop";
}

static uint64_t since(uint64_t now, uint64_t t)
{
	return t == 0 ? 0 : now - t;
}

static void fill_row(struct ow_ctl_row *r, const struct ow_inst *s)
{
	const struct ow_auto *a = &s->au;
	uint64_t now = ow_ndrxd_now_ms();

	r->srvid = s->srvid;
	r->pid = s->pid;
	r->svpid = s->svpid;
	r->state = a->state;
	r->requested = ow_auto_requested(a);
	r->autostart = s->autostart;
	r->exec_seq = a->exec_seq;
	r->num_term = a->num_term;
	r->autokill = a->policy.autokill;
	r->restarts = a->restarts;
	r->ms_state = since(now, a->t_state);
	r->ms_start = since(now, a->t_start);
	r->ms_term = since(now, a->t_term);
	r->ms_ping = since(now, a->t_ping);
	r->exit_status = s->exit_status;
	r->exec_errno = s->exec_errno;
	snprintf(r->bin, sizeof(r->bin), "%s", s->bin);
	snprintf(r->binpath, sizeof(r->binpath), "%s",
		 s->binpath != NULL ? s->binpath : "");
	snprintf(r->last_cmd, sizeof(r->last_cmd), "%s", last_cmd(s));
	snprintf(r->reason, sizeof(r->reason), "%s", a->reason);
	if (s->def == NULL)
		return;
	snprintf(r->procgrp, sizeof(r->procgrp), "%s",
		 s->def->procgrp != NULL ? s->def->procgrp : "");
	snprintf(r->procgrp_lp, sizeof(r->procgrp_lp), "%s",
		 s->def->procgrp_lp != NULL ? s->def->procgrp_lp : "");
	r->procgrp_no = (uint32_t)s->def->procgrp_no;
	r->procgrp_lp_no = (uint32_t)s->def->procgrp_lp_no;
}

void ow_rows_list(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	p->listing = true;
	p->list_at = 0;
	p->list_count = 0;
	p->list_cmd = *cmd;
	ow_rows_more(p);
}

void ow_rows_more(struct ow_peer *p)
{
	union ow_ctl_msg m;
	const struct ow_inst *s;

	while (p->listing && p->n_out == 0) {
		if (p->list_at >= p->d->n_insts) {
			p->listing = false;
			ow_peer_done(p, 0, p->list_count, "");
			return;
		}
		s = p->d->insts[p->list_at++];
		if (!ow_plan_match(s, &p->list_cmd))
			continue;
		ow_ctl_init(&m, OW_CTL_ROW, p->seq);
		fill_row(&m.row, s);
		p->list_count++;
		ow_peer_send(p, &m);
	}
}

/* ---- process groups ---- */

static void count_members(struct ow_ctl_group *r, const struct ow_inst *s)
{
	if (ow_inst_provides_lock(s, r->name)) {
		r->lp_srvid = s->srvid;
		r->lp_pid = s->pid;
		snprintf(r->lp_bin, sizeof(r->lp_bin), "%s", s->bin);
	}
	if (!ow_inst_in_group(s, r->name))
		return;
	r->members++;
	r->running += s->au.state == OW_PROC_RUNNING;
	r->waiting += s->au.state == OW_PROC_WAITING;
}

uint32_t ow_rows_groups(struct ow_peer *p)
{
	struct ndrxd *d = p->d;
	union ow_ctl_msg m;
	size_t i, k;

	for (i = 0; i < d->n_groups; i++) {
		const struct ow_group *g = &d->groups[i];

		ow_ctl_init(&m, OW_CTL_GROUP, p->seq);
		m.group.grpno = (uint32_t)g->grpno;
		m.group.singleton = g->singleton;
		m.group.flags = (g->noorder ? OW_CTLG_NOORDER : 0) |
				(d->hold ? OW_CTLG_HOLD : 0);
		m.group.held = g->fd >= 0;
		m.group.locked = g->locked;
		snprintf(m.group.name, sizeof(m.group.name), "%s", g->name);
		if (g->singleton)
			snprintf(m.group.path, sizeof(m.group.path), "%.255s",
				 g->path);
		if (g->singleton && !g->locked)
			snprintf(m.group.reason, sizeof(m.group.reason), "%s",
				 g->why_not);
		for (k = 0; k < d->n_insts; k++)
			count_members(&m.group, d->insts[k]);
		ow_peer_send(p, &m);
	}
	return (uint32_t)d->n_groups;
}

/* ---- ndrxd itself ---- */

void ow_rows_stat(struct ow_peer *p)
{
	struct ndrxd *d = p->d;
	size_t i, n[OW_PROC_STATE_END] = { 0 };
	const struct ow_peer *o;
	unsigned int peers = 0;
	int st;

	for (i = 0; i < d->n_insts; i++)
		n[d->insts[i]->au.state]++;
	LIST_FOREACH(o, &d->conn.peers, link)
		peers++;
	ow_progress_line(p, "ndrxd pid: %d", (int)getpid());
	ow_progress_line(p, "up: %" PRIu64 " ms",
		       ow_ndrxd_now_ms() - d->t_start);
	ow_progress_line(p, "domain: %s", d->dom->prefix);
	ow_progress_line(p, "configuration: %s", d->config_path);
	ow_progress_line(p, "servers known: %zu", d->n_insts);
	for (st = 0; st < OW_PROC_STATE_END; st++)
		if (n[st] > 0)
			ow_progress_line(p, "servers %s: %zu",
				       ow_proc_state_word((uint32_t)st), n[st]);
	if (d->n_clients > 0)
		ow_progress_line(p, "clients configured: %zu", d->n_clients);
	ow_progress_line(p, "connections: %u", peers);
	if (d->hold)
		ow_progress_line(p, "maintenance mode: on");
	ow_progress_line(p, "in progress: %s",
			 d->operation == NULL
			     ? "nothing"
			     : ow_ctl_verb_word(
				   ow_operation_cmd(d->operation)->verb));
	if (ow_log_lost() > 0)
		ow_progress_line(p, "log lines lost: %" PRIu64, ow_log_lost());
}
