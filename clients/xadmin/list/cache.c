/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - cacheshow: services whose replies are kept, with figures
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>

#include "libndrx/observe/format.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/clock.h"
#include "libubf/base/printable.h"

static const struct ow_column columns[] = {
	{ "SERVICE", 16, OW_COLUMN_GROWS },
	{ "TTL", 8, OW_COLUMN_RIGHT },
	{ "HITS", 6, OW_COLUMN_RIGHT },
	{ "MISSES", 6, OW_COLUMN_RIGHT },
	{ "KEPT", 6, OW_COLUMN_RIGHT },
	{ "UNFIT", 5, OW_COLUMN_RIGHT },
	{ "DROPS", 5, OW_COLUMN_RIGHT },
	{ "DROP AT", 8, OW_COLUMN_GROWS },
	{ "KEY", 12, OW_COLUMN_GROWS },
	{ NULL, 0, 0 },
};

struct row {
	char name[OW_SVC_NAME];
	struct ow_cache_settings s;
	struct ow_cache_figures f;
};

static void put_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static void show_row(struct ow_grid *g, const struct row *r)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", r->name);
	ow_grid_cell(g, "%s", r->s.ttl_ns == 0 ? "off" :
		     ow_format_us(r->s.ttl_ns / OW_NS_PER_US, text,
				  sizeof(text)));
	put_count(g, r->f.hits);
	put_count(g, r->f.misses);
	put_count(g, r->f.kept);
	put_count(g, r->f.unfit);
	put_count(g, r->f.drops);
	ow_grid_cell(g, "%s", r->s.drop[0] != '\0' ? r->s.drop : "-");
	ow_grid_cell(g, "%s", r->s.key[0] != '\0' ? r->s.key : "-");
	ow_grid_end_row(g);
}

static void json_row(struct ow_json *j, const struct row *r)
{
	ow_json_row_begin(j);
	ow_json_str(j, "service", r->name);
	ow_json_uint(j, "ttl_ms", r->s.ttl_ns / OW_NS_PER_MS);
	ow_json_str(j, "key", r->s.key);
	ow_json_str(j, "drop", r->s.drop);
	ow_json_uint(j, "hits", r->f.hits);
	ow_json_uint(j, "misses", r->f.misses);
	ow_json_uint(j, "kept", r->f.kept);
	ow_json_uint(j, "unfit", r->f.unfit);
	ow_json_uint(j, "drops", r->f.drops);
	ow_json_row_end(j);
}

static void show_all(struct ow_listing *l, struct ow_domain *d)
{
	struct row r;
	uint32_t at;

	if (ow_cache_need(d, false) != 0)
		return;
	for (at = 0; ow_cache_next(d, &at, r.name, &r.s, &r.f); at++) {
		ow_printable(r.name);
		ow_printable(r.s.key);
		ow_printable(r.s.drop);
		if (l->json != NULL)
			json_row(l->json, &r);
		else
			show_row(l->grid, &r);
	}
}

int ow_list_cacheshow(struct ow_args *a)
{
	struct ow_listing l;
	struct ow_observer v;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	r = ow_listing_begin(&l, &a->form, columns);
	if (r == 0) {
		show_all(&l, &v.d);
		ow_listing_end(&l);
	}
	ow_observer_close(&v);
	return r == 0 ? OW_EXIT_OK : ow_cmd_fail(a, "no memory");
}
