/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_env.c - the data base of a queue space: its file, tables and epoch
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "servers/tmqueue/preallocation.h"
#include "servers/tmqueue/store.h"

#define MAP_MAX	 (UINT64_C(1) << 40)
#define MAP_MIN	 (UINT64_C(1) << 30)
#define MODE	 0600
#define TABLES	 16

static int fail(char *why, size_t size, int r, const char *what)
{
	snprintf(why, size, "%s: %s", what, mdb_strerror(r));
	return r > 0 ? -r : -EIO;
}

/* ---- epochs ---- */

static const MDB_val epoch_key = { 5, (void *)"epoch" };

bool store_parse_epoch(const MDB_val *data, struct epoch_record *ret)
{
	if (data->mv_size != sizeof(*ret))
		return false;
	memcpy(ret, data->mv_data, sizeof(*ret));
	return true;
}

int store_read_epoch(struct store *s, bool *ret_begun)
{
	struct epoch_record e;
	MDB_val v;
	int r = store_get(s, s->meta, "epoch", 5, &v);

	if (r != 0)
		return r;
	if (!store_parse_epoch(&v, &e))
		return -EBADMSG;
	s->epoch = e.epoch;
	s->number = e.number;
	s->sum = s->sum_kept = e.sum;
	s->records = s->records_kept = e.records;
	*ret_begun = e.begun != 0;
	return 0;
}

int store_write_epoch(struct store *s, bool begun)
{
	struct epoch_record e = { .begun = begun,
				  .number = s->number,
				  .sum = s->sum,
				  .records = s->records };
	char data[sizeof(e) + STORE_CHECK];
	MDB_val k = epoch_key, v = { sizeof(data), data };
	uint32_t check;
	int r;

	/* Batches of other lives of this file have another one. */
	if (getrandom(&e.epoch, sizeof(e.epoch), 0) != sizeof(e.epoch))
		return -EIO;
	memcpy(data, &e, sizeof(e));
	check = store_check(0, &k, &e, sizeof(e));
	memcpy(data + sizeof(e), &check, sizeof(check));
	r = store_result(mdb_put(s->txn, s->meta, &k, &v, 0));
	if (r == 0)
		s->epoch = e.epoch;
	return r;
}

int store_apply(void *arg, const struct journal_op *op)
{
	struct store *s = arg;
	MDB_val k = { op->key_len, (void *)op->key };
	MDB_val v = { op->len, (void *)op->data };
	const MDB_dbi tables[] = {
#define X(name, flags) s->name,
		STORE_TABLES(X)
#undef X
	};
	int r;

	if (op->table >= sizeof(tables) / sizeof(tables[0]))
		return -EBADMSG;
	if (op->data != NULL)
		return store_write(s, tables[op->table], &k, &v);
	r = store_erase(s, tables[op->table], &k);
	return r == STORE_ABSENT ? 0 : r;
}

/* ---- the file ---- */

int store_open_tables(struct store *s)
{
	int r = 0;

#define X(name, flags)                                                     \
	if (r == 0)                                                        \
		r = mdb_dbi_open(s->txn, #name, MDB_CREATE | (flags),      \
				 &s->name);
	STORE_TABLES(X)
#undef X
	return store_result(r);
}

/* Read the identity, or make it: it is that of the watermark. */
static int identify(struct store *s, bool *ret_begun)
{
	struct space_record m;
	MDB_val v;
	int r = store_get(s, s->meta, "space", 5, &v);

	if (r == STORE_ABSENT) {
		memcpy(s->id, &s->mark.id, sizeof(s->id));
		if (getrandom(&s->salt, sizeof(s->salt), 0) != sizeof(s->salt))
			return -EIO;
		r = store_write_meta(s);
		return r != 0 ? r : store_write_epoch(s, false);
	}
	if (r != 0 || v.mv_size != sizeof(m))
		return r != 0 ? r : -EBADMSG;
	memcpy(&m, v.mv_data, sizeof(m));
	memcpy(s->id, m.id, sizeof(s->id));
	s->salt = m.salt;
	s->last = s->written = m.last;
	s->last_branch = s->written_branch = m.last_branch;
	return store_read_epoch(s, ret_begun);
}

/* As much address space as there is: none of it is used before the file has
 * it. */
int store_open_env(struct store *s, const char *path, char *why, size_t size)
{
	int r = mdb_env_create(&s->env);

	if (r != 0)
		return fail(why, size, r, path);
	mdb_env_set_maxdbs(s->env, TABLES);
	for (s->map_max = MAP_MAX; s->map_max >= MAP_MIN; s->map_max /= 2) {
		r = mdb_env_set_mapsize(s->env, s->map_max);
		if (r == 0)
			r = mdb_env_open(s->env, path,
					 MDB_NOSUBDIR | MDB_NOLOCK, MODE);
		if (r != ENOMEM)
			break;
		mdb_env_close(s->env);
		s->env = NULL;
		mdb_env_create(&s->env);
		mdb_env_set_maxdbs(s->env, TABLES);
	}
	s->map = s->map_max;
	return r == 0 ? 0 : fail(why, size, r, path);
}

int store_read_or_make(struct store *s, bool *ret_begun)
{
	int r = preallocate(s, 0, false);

	if (r == 0)
		r = store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
	if (r == 0)
		r = store_open_tables(s);
	if (r == 0)
		r = identify(s, ret_begun);
	if (r == 0)
		r = store_result(mdb_txn_commit(s->txn));
	else if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	s->sum_kept = s->sum;
	s->records_kept = s->records;
	return r;
}

int store_use_file(struct store *s, const char *path)
{
	struct stat st;

	s->file_fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->file_fd < 0 || fstat(s->file_fd, &st) != 0)
		return -errno;
	s->allocated = (uint64_t)st.st_blocks * 512;
	mapped_begin(&s->mapped, s->file_fd, s->map);
	return 0;
}

void store_leave_env(struct store *s)
{
	if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	mapped_end(&s->mapped);
	if (s->env != NULL)
		mdb_env_close(s->env);
	s->env = NULL;
	if (s->file_fd >= 0)
		close(s->file_fd);
	s->file_fd = -1;
}

int store_make(struct store *s, const char *path, char *why, size_t size)
{
	bool begun = false;
	int r;

	(void)unlink(path);
	r = store_open_env(s, path, why, size);
	if (r == 0)
		r = store_use_file(s, path);
	return r != 0 ? r : store_read_or_make(s, &begun);
}

