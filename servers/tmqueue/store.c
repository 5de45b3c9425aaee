/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - records in the data base of a queue space
 */
#include "servers/tmqueue/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int store_result(int r)
{
	switch (r) {
	case MDB_SUCCESS:
		return 0;
	case MDB_NOTFOUND:
		return STORE_ABSENT;
	case MDB_MAP_FULL:
	case MDB_TXN_FULL:
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return STORE_FULL;
	default:
		return r > 0 ? -r : -EIO;
	}
}

/* ---- records ---- */

static unsigned int index_of(const struct store *s, MDB_dbi table)
{
	unsigned int i = 0;

#define X(name, flags)             \
	if (s->name == table)      \
		return i;          \
	i++;
	STORE_TABLES(X)
#undef X
	return i;
}

/* A change was made: data NULL, the key was removed. */
static void changed(struct store *s, MDB_dbi table, const MDB_val *key,
		    const void *data, size_t len)
{
	struct journal_op op = { .table = index_of(s, table),
				 .key = key->mv_data,
				 .data = data,
				 .key_len = key->mv_size,
				 .len = len };

	s->changes++;
	if (s->journals)
		journal_note(&s->journal, &op);
}

int store_get(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      MDB_val *ret)
{
	MDB_val k = { key_len, (void *)key };

	return store_result(mdb_get(s->txn, table, &k, ret));
}

int store_put(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      const void *data, size_t len)
{
	MDB_val k = { key_len, (void *)key }, v = { len, (void *)data };
	int r = mdb_put(s->txn, table, &k, &v, 0);

	if (r == 0)
		changed(s, table, &k, data, len);
	return store_result(r);
}

int store_write_meta(struct store *s)
{
	struct store_meta m = { .version = STORE_VERSION,
				.last = s->last,
				.last_branch = s->last_branch };

	memcpy(m.id, s->id, sizeof(m.id));
	return store_put(s, s->meta, "space", 5, &m, sizeof(m));
}

int store_append(struct store *s, MDB_dbi table, uint64_t key,
		 const struct iovec *parts, int n)
{
	MDB_val k = { sizeof(key), &key }, v = { 0, NULL };
	char *to;
	int r, i;

	for (i = 0; i < n; i++)
		v.mv_size += parts[i].iov_len;
	r = mdb_put(s->txn, table, &k, &v, MDB_RESERVE | MDB_APPEND);
	if (r == MDB_KEYEXIST) /* not the greatest: a message comes back */
		r = mdb_put(s->txn, table, &k, &v, MDB_RESERVE);
	if (r != 0)
		return store_result(r);
	for (to = v.mv_data, i = 0; i < n; to += parts[i++].iov_len) {
		if (parts[i].iov_len > 0)
			memcpy(to, parts[i].iov_base, parts[i].iov_len);
	}
	changed(s, table, &k, v.mv_data, v.mv_size);
	return 0;
}

int store_del(struct store *s, MDB_dbi table, const void *key, size_t key_len)
{
	MDB_val k = { key_len, (void *)key };
	int r = mdb_del(s->txn, table, &k, NULL);

	if (r == 0)
		changed(s, table, &k, NULL, 0);
	return store_result(r);
}

int store_seek(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	       bool back, MDB_cursor **ret_cursor, MDB_val *ret_key,
	       MDB_val *ret_data)
{
	MDB_val k = { key_len, (void *)key };
	MDB_cursor *c = NULL;
	int r = mdb_cursor_open(s->txn, table, &c);

	if (r != 0)
		return store_result(r);
	*ret_cursor = c;
	*ret_key = k;
	r = mdb_cursor_get(c, ret_key, ret_data, MDB_SET_RANGE);
	if (!back)
		return store_result(r);
	if (r == MDB_NOTFOUND)
		return store_result(mdb_cursor_get(c, ret_key, ret_data, MDB_LAST));
	if (r != 0 || (ret_key->mv_size == key_len &&
		       memcmp(ret_key->mv_data, key, key_len) == 0))
		return store_result(r);
	return store_result(mdb_cursor_get(c, ret_key, ret_data, MDB_PREV));
}

int store_step(MDB_cursor *c, bool back, MDB_val *ret_key, MDB_val *ret_data)
{
	return store_result(mdb_cursor_get(c, ret_key, ret_data,
				     back ? MDB_PREV : MDB_NEXT));
}

/* The map lies where the kernel says that the file is mapped. */
void store_trim(struct store *s)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[4608];

	if (maps == NULL)
		return;
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (strstr(line, s->path) != NULL &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2)
			madvise((void *)from, to - from, MADV_DONTNEED);
	}
	fclose(maps);
}
