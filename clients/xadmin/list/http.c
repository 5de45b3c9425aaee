/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - http: the routes of the gates for HTTP, with what became of requests
 */
#include "libndrx/observe/http.h"

#include <inttypes.h>
#include <string.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/list.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/domain/domain.h"
#include "libndrx/observe/format.h"

static const struct ow_column columns[] = {
	{ "SRVID", 5, OW_COLUMN_RIGHT },   { "METHOD", 6, OW_COLUMN_GROWS },
	{ "PATH", 12, OW_COLUMN_GROWS },   { "SERVICE", 10, OW_COLUMN_GROWS },
	{ "CALLS/S", 7, OW_COLUMN_RIGHT }, { "P50", 8, OW_COLUMN_RIGHT },
	{ "P99", 8, OW_COLUMN_RIGHT },	   { "OPEN", 5, OW_COLUMN_RIGHT },
	{ "CALLS", 5, OW_COLUMN_RIGHT },   { "4XX", 5, OW_COLUMN_RIGHT },
	{ "5XX", 5, OW_COLUMN_RIGHT },	   { "SHED", 5, OW_COLUMN_RIGHT },
	{ "NODONE", 6, OW_COLUMN_RIGHT },  { "UNKN", 5, OW_COLUMN_RIGHT },
	{ "AGE", 8, OW_COLUMN_RIGHT },	   { "STATE", 5, 0 },
	{ NULL, 0, 0 },
};

static void put_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static void put_time(struct ow_grid *g, uint64_t us)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", us == 0 ? "-"
				      : ow_format_us(us, text, sizeof(text)));
}

static void put_target(struct ow_grid *g, const struct ow_http_route *r)
{
	if (strcmp(r->kind, "service") == 0)
		ow_grid_cell(g, "%s", r->target);
	else if (strcmp(r->kind, "none") == 0)
		ow_grid_cell(g, "(no route)");
	else
		ow_grid_cell(g, "(%s%s%s)", r->kind,
			     r->target[0] != '\0' ? " " : "", r->target);
}

static void show_row(struct ow_grid *g, const struct ow_http_gate *gate,
		     const struct ow_http_route *r)
{
	ow_grid_cell(g, "%ld", gate->srvid);
	ow_grid_cell(g, "%s", r->method);
	ow_grid_cell(g, "%s", r->path);
	put_target(g, r);
	ow_grid_cell(g, "%.1f", (double)r->rate_milli / 1000);
	put_time(g, r->p50_us);
	put_time(g, r->p99_us);
	put_count(g, r->in_flight);
	put_count(g, r->requests);
	put_count(g, r->refused);
	put_count(g, r->broken);
	put_count(g, r->shed);
	put_count(g, r->not_done);
	put_count(g, r->unknown);
	put_time(g, gate->age_us);
	ow_grid_cell(g, "%s", ow_http_state_name(gate->state));
	if (gate->state != OW_HTTP_UP)
		ow_grid_paint(g, OW_COLOUR_BAD);
	ow_grid_end_row(g);
}

static void json_row(struct ow_json *j, const struct ow_http_gate *gate,
		     const struct ow_http_route *r)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "srvid", (uint64_t)gate->srvid);
	ow_json_str(j, "gate", gate->name);
	ow_json_str(j, "address", gate->address);
	ow_json_str(j, "state", ow_http_state_name(gate->state));
	ow_json_uint(j, "age_ms", gate->age_us / 1000);
	ow_json_str(j, "method", r->method);
	ow_json_str(j, "path", r->path);
	ow_json_str(j, "kind", r->kind);
	ow_json_str(j, "target", r->target);
	ow_json_uint(j, "calls", r->requests);
	ow_json_uint(j, "calls_per_1000s", r->rate_milli);
	ow_json_uint(j, "p50_us", r->p50_us);
	ow_json_uint(j, "p99_us", r->p99_us);
	ow_json_uint(j, "in_flight", r->in_flight);
	ow_json_uint(j, "refused", r->refused);
	ow_json_uint(j, "broken", r->broken);
	ow_json_uint(j, "shed", r->shed);
	ow_json_uint(j, "not_done", r->not_done);
	ow_json_uint(j, "unknown", r->unknown);
	ow_json_row_end(j);
}

static void put_row(const struct ow_http_gate *gate,
		    const struct ow_http_route *r, void *listing)
{
	struct ow_listing *l = listing;

	if (!r->in_force)
		return;
	if (l->json != NULL)
		json_row(l->json, gate, r);
	else
		show_row(l->grid, gate, r);
}

int ow_list_http(struct ow_args *a)
{
	static const struct ow_http_look look = { .route = put_row };
	struct ow_domain d;
	struct ow_listing l;
	int r = ow_reach_own(a, &d);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	ow_http_each(&d, &look, &l);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}
