/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flddb.c - fields in a data base that processes share (LMDB)
 *
 * The lock is held for writing to open and close, for reading by whoever uses
 * the data base. Readers of it may wait for LMDB's writer; so no one else
 * waits for them: a process that forks does not take it, and the child starts
 * with a new one.
 */
#include "libubf/tables/flddb.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libubf/base/standard.h"
#include "libubf/base/uncancelled.h"
#include "libubf/base/variable.h"
#include "libubf/tables/lmdb.h"

/* Address space, and the most that the file may grow to. */
#define MAP_BYTES (64u << 20)

static struct ow_flddb db;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

/* What LMDB has in memory belongs to the parent. */
static void forget(void)
{
	db = (struct ow_flddb){ 0 };
	pthread_rwlock_init(&lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forget);
}

static const char *folder(void)
{
	const char *path = ow_variable("NDRX_UBFDB");

	return path == NULL || *path == '\0' ? NULL : path;
}

int ow_flddb_is_configured(void)
{
	return folder() != NULL;
}

/* ---- opening ---- */

static int wrong(char *error, int r, const char *path, const char *what)
{
	snprintf(error, OW_TABFILE_ERROR_MAX, "field data base %.250s: %.200s",
		 path, what);
	return r;
}

static int check_folder(const char *path, char *error)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return wrong(error, -EIO, path, strerror(errno));
	if (lstat(path, &st) < 0)
		return wrong(error, -EIO, path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return wrong(error, -EIO, path, "is not a folder");
	if (st.st_uid != geteuid())
		return wrong(error, -EPERM, path, "belongs to another user");
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return wrong(error, -EPERM, path, "others may write there");
	return 0;
}

/* Open both tables in a transaction: 0, or a code of LMDB. */
static int open_tables(MDB_env *env, struct ow_flddb *ret_db, bool create)
{
	MDB_txn *txn;
	int r = ow_lmdb()->txn_begin(env, NULL, create ? 0 : MDB_RDONLY, &txn);

	if (r != 0)
		return r;
	r = ow_lmdb()->dbi_open(txn, "ids",
				MDB_INTEGERKEY | (create ? MDB_CREATE : 0),
				&ret_db->ids);
	if (r == 0)
		r = ow_lmdb()->dbi_open(txn, "names", create ? MDB_CREATE : 0,
					&ret_db->names);
	if (r == 0)
		return ow_lmdb()->txn_commit(txn);
	ow_lmdb()->txn_abort(txn);
	return r;
}

static int open_files(MDB_env *env, const char *path, struct ow_flddb *ret_db)
{
	int dead, r = ow_lmdb()->env_set_maxdbs(env, 2);

	if (r == 0)
		r = ow_lmdb()->env_set_mapsize(env, MAP_BYTES);
	if (r == 0)
		r = ow_lmdb()->env_open(env, path, MDB_NOTLS, 0600);
	if (r == 0)
		r = ow_lmdb()->reader_check(env, &dead);
	if (r == 0)
		r = open_tables(env, ret_db, false);
	if (r == MDB_NOTFOUND)
		r = open_tables(env, ret_db, true);
	return r;
}

/* The caller has the lock for writing. */
static int open_db(char *error)
{
	const char *path = folder();
	struct ow_flddb opened = { 0 };
	int r;

	if (path == NULL) {
		snprintf(error, OW_TABFILE_ERROR_MAX, "NDRX_UBFDB is not set");
		return -ENOENT;
	}
	r = check_folder(path, error);
	if (r < 0)
		return r;
	ow_standard_fill();
	if (ow_lmdb() == NULL)
		return wrong(error, -EIO, path, "liblmdb cannot be loaded");
	r = ow_lmdb()->env_create(&opened.env);
	if (r != 0)
		return wrong(error, -ENOMEM, path, ow_lmdb()->strerror(r));
	r = open_files(opened.env, path, &opened);
	if (r != 0) {
		ow_lmdb()->env_close(opened.env);
		return wrong(error, r == ENOMEM ? -ENOMEM : -EIO, path,
			     ow_lmdb()->strerror(r));
	}
	db = opened;
	return 0;
}

static void close_db(void)
{
	if (db.env != NULL)
		ow_lmdb()->env_close(db.env);
	db = (struct ow_flddb){ 0 };
}

int ow_flddb_hold(const struct ow_flddb **ret_db, char *error)
{
	OW_UNCANCELLED;
	int r = 0;

	pthread_rwlock_rdlock(&lock);
	/* Another thread may close it between the two locks. */
	while (db.env == NULL && r == 0) {
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		if (db.env == NULL)
			r = open_db(error);
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_rdlock(&lock);
	}
	if (r < 0)
		pthread_rwlock_unlock(&lock);
	else
		*ret_db = &db;
	return r;
}

void ow_flddb_release(void)
{
	pthread_rwlock_unlock(&lock);
}

void ow_flddb_close(void)
{
	OW_UNCANCELLED;

	pthread_rwlock_wrlock(&lock);
	close_db();
	pthread_rwlock_unlock(&lock);
}

/* 0 or -EIO; a file that is not there is no failure. */
static int remove_file(const char *path, const char *name, char *error)
{
	char *file;
	int r = 0;

	if (asprintf(&file, "%s/%s", path, name) < 0)
		return wrong(error, -ENOMEM, path, "out of memory");
	if (unlink(file) < 0 && errno != ENOENT)
		r = wrong(error, -EIO, path, strerror(errno));
	free(file);
	return r;
}

int ow_flddb_unlink(char *error)
{
	OW_UNCANCELLED;
	const char *path = folder();
	int r;

	if (path == NULL) {
		snprintf(error, OW_TABFILE_ERROR_MAX, "NDRX_UBFDB is not set");
		return -ENOENT;
	}
	pthread_rwlock_wrlock(&lock);
	close_db();
	r = check_folder(path, error);
	if (r == 0)
		r = remove_file(path, "data.mdb", error);
	if (r == 0)
		r = remove_file(path, "lock.mdb", error);
	pthread_rwlock_unlock(&lock);
	return r;
}

/* ---- records ---- */

int ow_flddb_parse(const void *data, size_t len,
		   struct ow_flddb_field *ret_field)
{
	struct ow_flddb_field f = { 0 };
	size_t head = offsetof(struct ow_flddb_field, name);

	if (len < head + 2 || len > sizeof(f))
		return -EBADMSG;
	memcpy(&f, data, len);
	if (strnlen(f.name, sizeof(f.name)) + 1 != len - head)
		return -EBADMSG;
	*ret_field = f;
	return 0;
}

static int find(const struct ow_flddb *d, BFLDID id, const char *name,
		struct ow_flddb_field *ret_field)
{
	MDB_val data, key = { sizeof(id), &id };
	MDB_txn *txn;
	int r = ow_lmdb()->txn_begin(d->env, NULL, MDB_RDONLY, &txn);

	if (r != 0)
		return r;
	if (id == BBADFLDID)
		key = (MDB_val){ strlen(name), (void *)name };
	r = ow_lmdb()->get(txn, id == BBADFLDID ? d->names : d->ids, &key, &data);
	if (r == 0 &&
	    ow_flddb_parse(data.mv_data, data.mv_size, ret_field) < 0)
		r = MDB_CORRUPTED;
	ow_lmdb()->txn_abort(txn);
	return r;
}

int ow_flddb_find(BFLDID id, const char *name,
		  struct ow_flddb_field *ret_field, char *error)
{
	const struct ow_flddb *d;
	int r;

	if (id == BBADFLDID && (*name == '\0' || strlen(name) > UBFFLDMAX))
		return -ENXIO;
	r = ow_flddb_hold(&d, error);
	if (r < 0)
		return r;
	r = find(d, id, name, ret_field);
	ow_flddb_release();
	if (r == MDB_NOTFOUND)
		return -ENXIO;
	return r == 0 ? 0 : wrong(error, -EIO, folder() != NULL ? folder() : "",
				  ow_lmdb()->strerror(r));
}
