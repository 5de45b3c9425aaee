/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - schema: fields that services were seen to take and give
 */
#include "libndrx/observe/schema.h"

#include <inttypes.h>
#include <string.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/list.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/domain/domain.h"

static const struct ow_column columns[] = {
	{ "SERVICE", 10, OW_COLUMN_GROWS }, { "BUFFER", 5, 0 },
	{ "TYPE", 6, 0 },		    { "SAMPLES", 7, OW_COLUMN_RIGHT },
	{ "FIELD", 12, OW_COLUMN_GROWS },   { "OF", 6, 0 },
	{ "SEEN", 7, OW_COLUMN_RIGHT },	    { "LEAST", 5, OW_COLUMN_RIGHT },
	{ "MOST", 5, OW_COLUMN_RIGHT },	    { "SRVID", 5, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

struct schema_list {
	struct ow_listing out;
	const char *service; /* NULL: all */
};

static void show_row(struct ow_grid *g, const struct ow_schema_buffer *b,
		     const struct ow_schema_field *f)
{
	ow_grid_cell(g, "%s", b->service);
	ow_grid_cell(g, "%s", b->direction);
	ow_grid_cell(g, "%s", b->kind);
	ow_grid_cell(g, "%" PRIu64, b->samples);
	ow_grid_cell(g, "%s", f != NULL ? f->name : "");
	ow_grid_cell(g, "%s", f != NULL ? f->type : "");
	if (f != NULL) {
		ow_grid_cell(g, "%" PRIu64, f->seen);
		ow_grid_cell(g, "%" PRIu64, f->least);
		ow_grid_cell(g, "%" PRIu64, f->most);
	} else {
		ow_grid_cell(g, "%s", "");
		ow_grid_cell(g, "%s", "");
		ow_grid_cell(g, "%s", "");
	}
	ow_grid_cell(g, "%ld", b->srvid);
	ow_grid_end_row(g);
}

static void json_row(struct ow_json *j, const struct ow_schema_buffer *b,
		     const struct ow_schema_field *f)
{
	ow_json_row_begin(j);
	ow_json_str(j, "service", b->service);
	ow_json_str(j, "direction", b->direction);
	ow_json_str(j, "buffer", b->kind);
	ow_json_uint(j, "samples", b->samples);
	ow_json_str(j, "field", f != NULL ? f->name : "");
	ow_json_str(j, "type", f != NULL ? f->type : "");
	ow_json_uint(j, "seen", f != NULL ? f->seen : 0);
	ow_json_uint(j, "least", f != NULL ? f->least : 0);
	ow_json_uint(j, "most", f != NULL ? f->most : 0);
	ow_json_uint(j, "srvid", (uint64_t)b->srvid);
	ow_json_row_end(j);
}

static void put_row(const struct ow_schema_buffer *b,
		    const struct ow_schema_field *f, void *arg)
{
	struct schema_list *l = arg;

	if (l->service != NULL && strcmp(l->service, b->service) != 0)
		return;
	if (l->out.json != NULL)
		json_row(l->out.json, b, f);
	else
		show_row(l->out.grid, b, f);
}

int ow_list_schema(struct ow_args *a)
{
	struct schema_list l = { .service = a->n_rest > 0 ? a->rest[0] : NULL };
	struct ow_domain d;
	int r = ow_reach_own(a, &d);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l.out, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	ow_schema_each(&d, put_row, &l);
	ow_listing_end(&l.out);
	return OW_EXIT_OK;
}
