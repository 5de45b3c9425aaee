/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - the data base of fields: filled from field tables, emptied
 *
 * All tables of a command are one transaction: other processes see all of
 * their fields, or none.
 */
#include "clients/ubf/fields.h"

#include <exdb.h>
#include <stdio.h>
#include <string.h>

#include "libubf/tables/fldtbl_read.h"

/* One field, in the transaction: 0, or -1 and Berror. */
typedef int change_fn(EDB_txn *txn, const struct ow_fldtbl_item *item);

static int add(EDB_txn *txn, const struct ow_fldtbl_item *item)
{
	return Bflddbadd(txn, (short)item->type, item->number,
			 (char *)item->name);
}

/* A field that is not there is no mistake. */
static int delete(EDB_txn *txn, const struct ow_fldtbl_item *item)
{
	return Bflddbdel(txn, item->id) == -1 && Berror != BNOTPRES ? -1 : 0;
}

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "ubf: %s: %s\n", what, why);
	return -1;
}

/* 0, or -1 after a message. */
static int read_items(EDB_txn *txn, struct ow_fldtbl_reader *r, change_fn *fn)
{
	struct ow_fldtbl_item item;
	int res;

	while ((res = ow_fldtbl_next(r, &item)) > 0) {
		if (item.text != NULL || fn(txn, &item) == 0)
			continue;
		fprintf(stderr, "ubf: %s:%u: %s\n", r->in.path, r->in.lineno,
			Bstrerror(Berror));
		return -1;
	}
	if (res == 0)
		return 0;
	/* It begins with the path. */
	if (r->in.error[0] != '\0')
		fprintf(stderr, "ubf: %s\n", r->in.error);
	else
		complain(r->in.path, strerror(-res));
	return -1;
}

static int read_table(EDB_txn *txn, const char *path, change_fn *fn)
{
	struct ow_fldtbl_reader r;
	int res = ow_fldtbl_open(&r, path);

	if (res < 0)
		return complain(path, strerror(-res));
	res = read_items(txn, &r, fn);
	ow_fldtbl_close(&r);
	return res;
}

static int change(char *const *paths, change_fn *fn)
{
	EDB_dbi *ids, *names;
	EDB_env *env = Bfldddbgetenv(&ids, &names);
	EDB_txn *txn;
	int r;

	if (env == NULL)
		return complain("fields", Bstrerror(Berror));
	r = edb_txn_begin(env, NULL, 0, &txn);
	if (r != EDB_SUCCESS)
		return complain("fields", edb_strerror(r));
	for (; *paths != NULL; paths++)
		if (read_table(txn, *paths, fn) != 0) {
			edb_txn_abort(txn);
			return -1;
		}
	r = edb_txn_commit(txn);
	return r == EDB_SUCCESS ? 0 : complain("fields", edb_strerror(r));
}

int fields_add(char *const *paths)
{
	return change(paths, add);
}

int fields_delete(char *const *paths)
{
	return change(paths, delete);
}
