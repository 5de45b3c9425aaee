/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configured.c - prtsvc: what is in force of <services>, for each service
 */
#include "clients/xadmin/list/list.h"

#include <stdatomic.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/listing.h"
#include "libubf/base/printable.h"
#include "libatmi/route/route.h"

static const struct ow_column columns[] = {
	{ "SLOT", 6, OW_COLUMN_RIGHT },
	{ "SERVICE NAME", 30, OW_COLUMN_GROWS },
	{ "PRIO", 4, OW_COLUMN_RIGHT },
	{ "ROUTE", 15, OW_COLUMN_GROWS },
	{ "T", 1, 0 },
	{ "TRANTIME", 8, OW_COLUMN_RIGHT },
	{ "FLAGS", 5, 0 },
	{ NULL, 0, 0 },
};

struct row {
	uint32_t slot, prio, autotran;
	uint8_t marks;
	char name[OW_SVC_NAME];
	char route[OW_ROUTE_NAME];
};

static void look(const struct ow_observer *v, const struct ow_svc *s,
		 struct row *ret)
{
	ret->slot = (uint32_t)(s - v->d.tables->svc);
	ret->prio = atomic_load(&s->prio);
	ret->autotran = atomic_load(&s->autotran);
	ret->marks = atomic_load(&s->marks);
	ret->route[0] = '\0';
	if (ret->marks & OW_SVC_ROUTED)
		ow_route_name(&v->d, ret->name, ret->route);
	ow_printable(ret->route);
}

static void flags_of(const struct row *r, char ret[5])
{
	int n = 0;

	if (r->marks & OW_SVC_SUSPENDED)
		ret[n++] = 's';
	if (r->marks & OW_SVC_ROUTED)
		ret[n++] = 'r';
	if (r->marks & OW_SVC_CACHED)
		ret[n++] = 'c';
	if (r->marks & OW_SVC_DURABLE)
		ret[n++] = 'd';
	ret[n] = '\0';
}

static void show(struct ow_grid *g, const struct row *r)
{
	char flags[5];

	flags_of(r, flags);
	ow_grid_cell(g, "%u", r->slot);
	ow_grid_cell(g, "%s", r->name);
	ow_grid_cell(g, "%u", r->prio);
	ow_grid_cell(g, "%s", r->route[0] != '\0' ? r->route : "-");
	ow_grid_cell(g, "%s", r->autotran != 0 ? "Y" : "N");
	ow_grid_cell(g, "%u", r->autotran != 0 ? r->autotran - 1 : 0);
	ow_grid_cell(g, "%s", flags[0] != '\0' ? flags : "-");
	ow_grid_end_row(g);
}

static void write_json(struct ow_json *j, const struct row *r)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "slot", r->slot);
	ow_json_str(j, "service", r->name);
	ow_json_uint(j, "priority", r->prio);
	ow_json_str(j, "route", r->route);
	ow_json_bool(j, "autotran", r->autotran != 0);
	ow_json_uint(j, "trantime", r->autotran != 0 ? r->autotran - 1 : 0);
	ow_json_bool(j, "suspended", (r->marks & OW_SVC_SUSPENDED) != 0);
	ow_json_bool(j, "cached", (r->marks & OW_SVC_CACHED) != 0);
	ow_json_bool(j, "durable", (r->marks & OW_SVC_DURABLE) != 0);
	ow_json_row_end(j);
}

int ow_list_prtsvc(struct ow_args *a)
{
	const struct ow_svc *s;
	struct ow_listing l;
	struct ow_observer v;
	struct row row;
	uint32_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, columns) != 0) {
		ow_observer_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	for (i = 0; i < ow_observer_services(&v); i++) {
		s = ow_observer_service(&v, i, row.name);
		if (s == NULL)
			continue;
		look(&v, s, &row);
		if (l.json != NULL)
			write_json(l.json, &row);
		else
			show(l.grid, &row);
	}
	ow_listing_end(&l);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
