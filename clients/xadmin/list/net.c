/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.c - pnet: the links of this domain's bridges to other nodes
 */
#include "libndrx/observe/bridges.h"
#include "libndrx/observe/format.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/list.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/clock.h"

static const struct ow_column pnet_columns[] = {
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "CLUSTER", 10, OW_COLUMN_GROWS },
	{ "NODE", 4, OW_COLUMN_RIGHT },
	{ "BRIDGE", 6, OW_COLUMN_RIGHT },
	{ "STATE", 5, 0 },
	{ "SVCS", 5, OW_COLUMN_RIGHT },
	{ "RTT", 8, OW_COLUMN_RIGHT },
	{ "CALLS OUT", 9, OW_COLUMN_RIGHT },
	{ "CALLS IN", 8, OW_COLUMN_RIGHT },
	{ "ERR", 5, OW_COLUMN_RIGHT },
	{ "LOST", 5, OW_COLUMN_RIGHT },
	{ "OPEN", 5, OW_COLUMN_RIGHT },
	{ "WAIT", 5, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

static void cell_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static void show_link(struct ow_grid *g, const struct ow_nodes_snapshot *p,
		      const struct ow_nodes_link *l)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%u", p->head.srvid);
	ow_grid_cell(g, "%s", p->cluster);
	ow_grid_cell(g, "%u", l->node);
	ow_grid_cell(g, "%u", l->bridge);
	ow_grid_cell(g, "%s", ow_bridges_state(l));
	if (!l->up && !l->left)
		ow_grid_paint(g, OW_COLOUR_WARN);
	ow_grid_cell(g, "%u", l->offers);
	ow_grid_cell(g, "%s", ow_format_us(l->rtt_ns / OW_NS_PER_US, text,
					   sizeof(text)));
	cell_count(g, l->calls_out);
	cell_count(g, l->calls_in);
	cell_count(g, l->errors);
	cell_count(g, l->lost);
	cell_count(g, l->outstanding);
	cell_count(g, l->waiting);
	ow_grid_end_row(g);
}

static void json_link(struct ow_json *j, const struct ow_nodes_snapshot *p,
		      const struct ow_nodes_link *l)
{
	uint64_t now = ow_clock_mono_ns();

	ow_json_row_begin(j);
	ow_json_uint(j, "srvid", p->head.srvid);
	ow_json_str(j, "cluster", p->cluster);
	ow_json_bool(j, "nats", p->connected != 0);
	ow_json_uint(j, "own_node", p->node);
	ow_json_uint(j, "node", l->node);
	ow_json_uint(j, "bridge", l->bridge);
	ow_json_bool(j, "up", l->up != 0);
	ow_json_str(j, "state", ow_bridges_state(l));
	ow_json_uint(j, "services", l->offers);
	ow_json_uint(j, "heard_ms", now > l->heard_ns
					? (now - l->heard_ns) / OW_NS_PER_MS
					: 0);
	ow_json_uint(j, "rtt_us", l->rtt_ns / OW_NS_PER_US);
	ow_json_uint(j, "calls_out", l->calls_out);
	ow_json_uint(j, "calls_in", l->calls_in);
	ow_json_uint(j, "errors", l->errors);
	ow_json_uint(j, "lost", l->lost);
	ow_json_uint(j, "outstanding", l->outstanding);
	ow_json_uint(j, "waiting", l->waiting);
	ow_json_uint(j, "garbage", p->garbage);
	ow_json_row_end(j);
}

static void list_bridge(const struct ow_nodes_snapshot *p, struct ow_listing *l)
{
	uint32_t i;

	for (i = 0; i < p->links; i++)
		if (l->json != NULL)
			json_link(l->json, p, &p->link[i]);
		else
			show_link(l->grid, p, &p->link[i]);
}

int ow_list_pnet(struct ow_args *a)
{
	struct ow_bridges b;
	struct ow_listing l;
	struct ow_observer v;
	uint32_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, pnet_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	ow_bridges_open(&v, &b);
	for (i = 0; i < b.n; i++)
		list_bridge(b.p[i], &l);
	ow_bridges_close(&b);
	ow_listing_end(&l);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
