/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - psg: process groups, with their locks
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/reach.h"

#define NODES 32

static const struct ow_column psg_columns[] = {
	{ "SGID", 4, OW_COLUMN_RIGHT },
	{ "LCKD", 4, 0 },
	{ "MMON", 4, 0 },
	{ "SBOOT", 5, 0 },
	{ "CBOOT", 5, 0 },
	{ "LPSRVID", 7, OW_COLUMN_RIGHT },
	{ "LPPID", 8, OW_COLUMN_RIGHT },
	{ "LPPROCNM", 16, OW_COLUMN_GROWS },
	{ "REFRESH", 8, OW_COLUMN_RIGHT },
	{ "RSN", 3, OW_COLUMN_RIGHT },
	{ "FLAGS", 5, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column nodes_columns[] = {
	{ "SGID", 4, OW_COLUMN_RIGHT },
	{ "CNODES", NODES, OW_COLUMN_RIGHT },
	{ "SEQUENCE", 10, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

struct psg {
	struct ow_listing out;
	bool nodes;    /* -a: which node holds each lock */
	uint32_t node; /* of this domain */
};

static void json_group(struct ow_json *j, const struct ow_ctl_group *g)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "grpno", g->grpno);
	ow_json_str(j, "group", g->name);
	ow_json_bool(j, "singleton", g->singleton != 0);
	ow_json_bool(j, "noorder", (g->flags & OW_CTLG_NOORDER) != 0);
	ow_json_bool(j, "maintenance", (g->flags & OW_CTLG_HOLD) != 0);
	ow_json_bool(j, "lock_held", g->held != 0);
	ow_json_bool(j, "locked", g->locked != 0);
	ow_json_str(j, "reason", g->reason);
	ow_json_str(j, "lockfile", g->path);
	ow_json_uint(j, "provider_srvid", g->lp_srvid);
	ow_json_int(j, "provider_pid", g->lp_pid);
	ow_json_str(j, "provider", g->lp_bin);
	ow_json_uint(j, "members", g->members);
	ow_json_uint(j, "running", g->running);
	ow_json_uint(j, "waiting", g->waiting);
	ow_json_row_end(j);
}

/* Flags: s singleton, n no order, w members wait. */
static void show_group(struct ow_grid *grid, const struct ow_ctl_group *g)
{
	bool may_run = !g->singleton || g->locked;

	ow_grid_cell(grid, "%u", g->grpno);
	ow_grid_cell(grid, "%s", !g->singleton ? "-" : g->locked ? "Y" : "N");
	if (g->singleton && !g->locked)
		ow_grid_paint(grid, OW_COLOUR_WARN);
	ow_grid_cell(grid, (g->flags & OW_CTLG_HOLD) != 0 ? "Y" : "N");
	ow_grid_cell(grid, "%s", may_run ? "Y" : "N");
	ow_grid_cell(grid, "%s", may_run ? "Y" : "N");
	ow_grid_cell(grid, "%u", g->lp_srvid);
	ow_grid_cell(grid, "%d", g->lp_pid);
	ow_grid_cell(grid, "%s", g->lp_bin[0] != '\0' ? g->lp_bin : "-");
	ow_grid_cell(grid, "0"); /* a lock of the kernel needs no refresh */
	ow_grid_cell(grid, "%d", may_run ? 0 : 1);
	ow_grid_cell(grid, "%s%s%s", g->singleton ? "s" : "",
		     (g->flags & OW_CTLG_NOORDER) != 0 ? "n" : "", g->waiting > 0 ? "w" : "");
	ow_grid_end_row(grid);
}

static void show_nodes(struct ow_grid *grid, const struct ow_ctl_group *g,
		       uint32_t node)
{
	char nodes[NODES + 1];

	memset(nodes, '0', NODES);
	nodes[NODES] = '\0';
	if (g->locked && node >= 1 && node <= NODES)
		nodes[node - 1] = '1';
	ow_grid_cell(grid, "%u", g->grpno);
	ow_grid_cell(grid, "%s", nodes);
	ow_grid_cell(grid, "0");
	ow_grid_end_row(grid);
}

static void on_group(const union ow_ctl_msg *m, void *arg)
{
	struct psg *p = arg;

	if (m->h.kind != OW_CTL_GROUP)
		return;
	if (p->out.json != NULL)
		json_group(p->out.json, &m->group);
	else if (p->nodes)
		show_nodes(p->out.grid, &m->group, p->node);
	else
		show_group(p->out.grid, &m->group);
}

int ow_list_psg(struct ow_args *a)
{
	struct psg p = { .nodes = ow_args_has(a, 'a') };
	struct ow_command_order c = {
		.verb = OW_VERB_GROUPS,
		.on_reply = on_group,
		.arg = &p,
	};
	struct ow_command_link link;
	struct ow_ctl_done done;
	struct ow_domain d;
	int r = ow_reach_ndrxd(a, &d, &link);

	if (r != OW_EXIT_OK)
		return r;
	p.node = (uint32_t)d.nodeid;
	if (ow_listing_begin(&p.out, &a->form,
			     p.nodes ? nodes_columns : psg_columns) != 0) {
		ow_command_close(&link);
		return ow_cmd_fail(a, "no memory");
	}
	r = ow_command_call(&link, &c, &done);
	ow_command_close(&link);
	ow_listing_end(&p.out);
	return ow_reach_result(a, r, &done);
}
