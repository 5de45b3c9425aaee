/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - pubfdb: the fields of the data base NDRX_UBFDB, or of tables
 */
#include "clients/xadmin/list/list.h"

#include <exdb.h>
#include <stdio.h>

#include "libubf/tables/fldtbl.h"

static const struct ow_column columns[] = {
	{ "FIELD", 30, OW_COLUMN_GROWS },
	{ "NUMBER", 8, OW_COLUMN_RIGHT },
	{ "TYPE", 6, 0 },
	{ "ID", 10, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

static void list_field(const char *name, BFLDID id, void *arg)
{
	struct ow_listing *l = arg;

	if (l->json == NULL) {
		ow_grid_cell(l->grid, "%s", name);
		ow_grid_cell(l->grid, "%d", (int)Bfldno(id));
		ow_grid_cell(l->grid, "%s", Btype(id));
		ow_grid_cell(l->grid, "%d", id);
		ow_grid_end_row(l->grid);
		return;
	}
	ow_json_row_begin(l->json);
	ow_json_str(l->json, "field", name);
	ow_json_int(l->json, "number", Bfldno(id));
	ow_json_str(l->json, "type", Btype(id));
	ow_json_int(l->json, "id", id);
	ow_json_row_end(l->json);
}

static void list_row(struct ow_listing *l, EDB_val *data)
{
	char name[UBFFLDMAX + 1];
	BFLDID id, no;
	short type;

	if (Bflddbget(data, &id, &no, &type, name, sizeof(name)) == 0)
		list_field(name, id, l);
}

/* 0 or a code of LMDB. */
static int list_all(struct ow_listing *l, EDB_txn *txn, EDB_dbi names)
{
	EDB_cursor *c;
	EDB_val key, data;
	int r = edb_cursor_open(txn, names, &c);

	if (r != EDB_SUCCESS)
		return r;
	r = edb_cursor_get(c, &key, &data, EDB_FIRST);
	while (r == EDB_SUCCESS) {
		list_row(l, &data);
		r = edb_cursor_get(c, &key, &data, EDB_NEXT);
	}
	edb_cursor_close(c);
	return r == EDB_NOTFOUND ? EDB_SUCCESS : r;
}

static int list_tables(struct ow_args *a)
{
	const struct ow_fldtbl *t;
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_listing l;

	if (ow_fldtbl_get(&t, error) != 0)
		return ow_cmd_fail(a, "%s", error);
	if (ow_listing_begin(&l, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	ow_fldtbl_each(t, list_field, &l);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}

static int list_data_base(struct ow_args *a)
{
	EDB_dbi *ids, *names;
	struct ow_listing l;
	EDB_env *env = Bfldddbgetenv(&ids, &names);
	EDB_txn *txn;
	int r;

	if (env == NULL)
		return ow_cmd_fail(a, "%s", Bstrerror(Berror));
	r = edb_txn_begin(env, NULL, EDB_RDONLY, &txn);
	if (r != EDB_SUCCESS)
		return ow_cmd_fail(a, "%s", edb_strerror(r));
	if (ow_listing_begin(&l, &a->form, columns) != 0) {
		edb_txn_abort(txn);
		return ow_cmd_fail(a, "no memory");
	}
	r = list_all(&l, txn, *names);
	edb_txn_abort(txn);
	ow_listing_end(&l);
	return r == EDB_SUCCESS ? OW_EXIT_OK
				: ow_cmd_fail(a, "%s", edb_strerror(r));
}

int ow_list_fields(struct ow_args *a)
{
	return ow_args_has(a, 't') ? list_tables(a) : list_data_base(a);
}
