/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - hosts: which hosts services call by HTTP, and whether they are left
 * alone
 */
#include "libndrx/observe/hosts.h"

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/list.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/domain/domain.h"
#include "libndrx/observe/format.h"

static const struct ow_column columns[] = {
	{ "SRVID", 5, OW_COLUMN_RIGHT },   { "HOST", 24, OW_COLUMN_GROWS },
	{ "BREAKER", 9, 0 },		   { "CALLS", 6, OW_COLUMN_RIGHT },
	{ "FAILED", 6, OW_COLUMN_RIGHT },  { "RETRIED", 7, OW_COLUMN_RIGHT },
	{ "REFUSED", 7, OW_COLUMN_RIGHT }, { NULL, 0, 0 },
};

static void put_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static void show_row(struct ow_grid *g, const struct ow_host *h)
{
	ow_grid_cell(g, "%ld", h->srvid);
	ow_grid_cell(g, "%s", h->name);
	ow_grid_cell(g, "%s", h->breaker);
	put_count(g, h->calls);
	put_count(g, h->failed);
	put_count(g, h->retried);
	put_count(g, h->refused);
	ow_grid_end_row(g);
}

static void json_row(struct ow_json *j, const struct ow_host *h)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "srvid", (uint64_t)h->srvid);
	ow_json_str(j, "host", h->name);
	ow_json_str(j, "breaker", h->breaker);
	ow_json_uint(j, "calls", h->calls);
	ow_json_uint(j, "failed", h->failed);
	ow_json_uint(j, "retried", h->retried);
	ow_json_uint(j, "refused", h->refused);
	ow_json_row_end(j);
}

static void put_row(const struct ow_host *h, void *listing)
{
	struct ow_listing *l = listing;

	if (l->json != NULL)
		json_row(l->json, h);
	else
		show_row(l->grid, h);
}

int ow_list_hosts(struct ow_args *a)
{
	struct ow_domain d;
	struct ow_listing l;
	int r = ow_reach_own(a, &d);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	ow_hosts_each(&d, put_row, &l);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}
