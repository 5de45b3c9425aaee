/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bflddb.c - Bflddb...: load, search and change the field data base
 *
 * A change is made in the caller's transaction, or in one of its own if the
 * caller gives none.
 */
#include <errno.h>
#include <string.h>

#include "libubf/base/error.h"
#include "libubf/base/threadmem.h"
#include "libubf/base/type.h"
#include "libubf/base/uncancelled.h"
#include "libubf/tables/flddb.h"
#include "libubf/tables/lmdb.h"

static int failed_open(int r, const char *error)
{
	return ow_ubf_fail(r == -ENOMEM ? BMALLOC : r == -EIO ? BEUNIX : BFTOPEN,
			   "%s", error);
}

/* Berror for a code of LMDB; returns -1. */
static int failed(int r, const char *what)
{
	int code = r == ENOMEM ? BMALLOC
		   : r == MDB_MAP_FULL ? BNOSPACE
		   : r == MDB_NOTFOUND ? BNOTPRES
				       : BEUNIX;

	return ow_ubf_fail(code, "%s: %s", what, ow_lmdb()->strerror(r));
}

int Bflddbload(void)
{
	char error[OW_TABFILE_ERROR_MAX];
	const struct ow_flddb *d;
	int r;

	ow_ubf_clear();
	r = ow_flddb_hold(&d, error);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return failed_open(r, error);
	ow_flddb_release();
	return 1;
}

int Bflddbunload(void)
{
	ow_ubf_clear();
	ow_flddb_close();
	return 0;
}

int Bflddbunlink(void)
{
	char error[OW_TABFILE_ERROR_MAX];
	int r;

	ow_ubf_clear();
	r = ow_flddb_unlink(error);
	return r < 0 ? failed_open(r, error) : 0;
}

/* ---- searching ---- */

BFLDID Bflddbid(char *fldname)
{
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_flddb_field f;
	int r;

	ow_ubf_clear();
	if (fldname == NULL) {
		ow_ubf_fail(BEINVAL, "Bflddbid: no name");
		return BBADFLDID;
	}
	r = ow_flddb_find(BBADFLDID, fldname, &f, error);
	if (r == 0)
		return f.id;
	if (r == -ENXIO)
		ow_ubf_fail(BBADNAME, "the data base has no field '%.100s'",
			    fldname);
	else
		failed_open(r, error);
	return BBADFLDID;
}

char *Bflddbname(BFLDID bfldid)
{
	static __thread void *t_field;
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_flddb_field *f = ow_thread_memory(&t_field, sizeof(*f));
	int r;

	ow_ubf_clear();
	if (bfldid == BBADFLDID)
		return ow_ubf_fail_null(BBADFLD, "0 is not a field id");
	r = ow_flddb_find(bfldid, NULL, f, error);
	if (r == 0)
		return f->name;
	if (r == -ENXIO)
		return ow_ubf_fail_null(BBADFLD, "the data base has no field "
					"%d", bfldid);
	failed_open(r, error);
	return NULL;
}

int Bflddbget(EDB_val *data, BFLDID *p_bfldid, BFLDID *p_bfldno,
	      short *p_bfldtype, char *fldname, int fldname_bufsz)
{
	struct ow_flddb_field f;

	ow_ubf_clear();
	if (data == NULL || data->mv_data == NULL || p_bfldid == NULL ||
	    p_bfldno == NULL || p_bfldtype == NULL || fldname == NULL ||
	    fldname_bufsz <= 0)
		return ow_ubf_fail(BEINVAL, "Bflddbget: an argument is missing");
	if (ow_flddb_parse(data->mv_data, data->mv_size, &f) < 0)
		return ow_ubf_fail(BEINVAL, "Bflddbget: the data is no field");
	if (strlen(f.name) >= (size_t)fldname_bufsz)
		return ow_ubf_fail(BNOSPACE, "Bflddbget: the name has %zu "
				   "bytes", strlen(f.name));
	*p_bfldid = f.id;
	*p_bfldno = f.id & OW_UBF_NUMBER_MAX;
	*p_bfldtype = (short)ow_ubf_id_type(f.id);
	strcpy(fldname, f.name);
	return 0;
}

EDB_env *Bfldddbgetenv(EDB_dbi **dbi_id, EDB_dbi **dbi_nm)
{
	char error[OW_TABFILE_ERROR_MAX];
	const struct ow_flddb *d;
	EDB_env *env;
	int r;

	ow_ubf_clear();
	if (dbi_id == NULL || dbi_nm == NULL)
		return ow_ubf_fail_null(BEINVAL, "Bfldddbgetenv: no memory for "
					"the tables");
	r = ow_flddb_hold(&d, error);
	if (r < 0) {
		failed_open(r, error);
		return NULL;
	}
	*dbi_id = (EDB_dbi *)&d->ids;
	*dbi_nm = (EDB_dbi *)&d->names;
	env = (EDB_env *)d->env;
	ow_flddb_release();
	return env;
}

/* ---- changing ---- */

/* One change: returns 0 or a code of LMDB. */
typedef int change(const struct ow_flddb *d, MDB_txn *txn,
		   const struct ow_flddb_field *f);

static int run(const struct ow_flddb *d, EDB_txn *given, change *fn,
	       const struct ow_flddb_field *f)
{
	MDB_txn *txn = (MDB_txn *)given;
	int r = 0;

	if (given == NULL)
		r = ow_lmdb()->txn_begin(d->env, NULL, 0, &txn);
	if (r != 0)
		return r;
	r = fn(d, txn, f);
	if (given != NULL)
		return r;
	if (r == 0)
		return ow_lmdb()->txn_commit(txn);
	ow_lmdb()->txn_abort(txn);
	return r;
}

static int apply(EDB_txn *given, change *fn, const struct ow_flddb_field *f,
		 const char *what)
{
	OW_UNCANCELLED;
	char error[OW_TABFILE_ERROR_MAX];
	const struct ow_flddb *d;
	int r = ow_flddb_hold(&d, error);

	if (r < 0)
		return failed_open(r, error);
	r = run(d, given, fn, f);
	ow_flddb_release();
	if (r == MDB_KEYEXIST)
		return ow_ubf_fail(BEINVAL, "%s: another field has the name %s "
				   "or the id %d", what, f->name, f->id);
	return r == 0 ? 0 : failed(r, what);
}

static MDB_val id_key(const struct ow_flddb_field *f)
{
	return (MDB_val){ sizeof(f->id), (void *)&f->id };
}

static MDB_val name_key(const struct ow_flddb_field *f)
{
	return (MDB_val){ strlen(f->name), (void *)f->name };
}

static MDB_val record(const struct ow_flddb_field *f)
{
	return (MDB_val){ offsetof(struct ow_flddb_field, name) +
			      strlen(f->name) + 1, (void *)f };
}

/* Put the record under a key that is free, or has the same record. */
static int put(MDB_txn *txn, MDB_dbi dbi, MDB_val key, MDB_val data)
{
	MDB_val there = data;
	int r = ow_lmdb()->put(txn, dbi, &key, &there, MDB_NOOVERWRITE);

	if (r == MDB_KEYEXIST && there.mv_size == data.mv_size &&
	    memcmp(there.mv_data, data.mv_data, data.mv_size) == 0)
		return 0;
	return r;
}

static int add(const struct ow_flddb *d, MDB_txn *txn,
	       const struct ow_flddb_field *f)
{
	MDB_val there, key = name_key(f), data = record(f);
	int r = ow_lmdb()->get(txn, d->names, &key, &there);

	/* Before anything is put: the caller's transaction goes on. */
	if (r == 0 && (there.mv_size != data.mv_size ||
		       memcmp(there.mv_data, data.mv_data, data.mv_size) != 0))
		return MDB_KEYEXIST;
	if (r != 0 && r != MDB_NOTFOUND)
		return r;
	r = put(txn, d->ids, id_key(f), data);
	return r == 0 ? put(txn, d->names, name_key(f), data) : r;
}

static int del(const struct ow_flddb *d, MDB_txn *txn,
	       const struct ow_flddb_field *f)
{
	struct ow_flddb_field found;
	MDB_val data, key = id_key(f);
	int r = ow_lmdb()->get(txn, d->ids, &key, &data);

	if (r != 0)
		return r;
	if (ow_flddb_parse(data.mv_data, data.mv_size, &found) < 0)
		return MDB_CORRUPTED;
	r = ow_lmdb()->del(txn, d->ids, &key, NULL);
	key = name_key(&found);
	return r == 0 ? ow_lmdb()->del(txn, d->names, &key, NULL) : r;
}

static int drop(const struct ow_flddb *d, MDB_txn *txn,
		const struct ow_flddb_field *f)
{
	int r = ow_lmdb()->drop(txn, d->ids, 0);

	return r == 0 ? ow_lmdb()->drop(txn, d->names, 0) : r;
}

int Bflddbadd(EDB_txn *txn, short fldtype, BFLDID bfldno, char *fldname)
{
	struct ow_flddb_field f = { 0 };

	ow_ubf_clear();
	if (fldname == NULL)
		return ow_ubf_fail(BEINVAL, "Bflddbadd: no name");
	if (!ow_tabfile_is_name(fldname, UBFFLDMAX))
		return ow_ubf_fail(BBADNAME, "'%.70s' cannot be the name of a "
				   "field", fldname);
	if (fldtype < BFLD_MIN || fldtype > BFLD_MAX ||
	    !ow_ubf_types[fldtype].in_buffer)
		return ow_ubf_fail(BTYPERR, "%d is not a type of fields",
				   fldtype);
	if (bfldno < 1 || bfldno > OW_UBF_NUMBER_MAX)
		return ow_ubf_fail(BBADFLD, "field number %d is not in 1..%d",
				   bfldno, OW_UBF_NUMBER_MAX);
	f.id = fldtype << OW_UBF_TYPE_SHIFT | bfldno;
	strcpy(f.name, fldname);
	return apply(txn, add, &f, "Bflddbadd");
}

int Bflddbdel(EDB_txn *txn, BFLDID bfldid)
{
	struct ow_flddb_field f = { .id = bfldid };

	ow_ubf_clear();
	return apply(txn, del, &f, "Bflddbdel");
}

int Bflddbdrop(EDB_txn *txn)
{
	ow_ubf_clear();
	return apply(txn, drop, NULL, "Bflddbdrop");
}
