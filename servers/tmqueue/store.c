/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - records in the data base of a queue space
 */
#include "servers/tmqueue/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "libubf/base/crc32.h"

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

/* ---- checksums ---- */

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

uint32_t store_check(unsigned int table, const MDB_val *key, const void *data,
		     size_t len)
{
	return ow_crc32(data, len) * UINT32_C(2654435761) ^
	       ow_crc32(key->mv_data, key->mv_size) ^ table << 24;
}

static uint32_t check_in(const MDB_val *v)
{
	uint32_t check = 0;

	if (v->mv_size >= STORE_CHECK)
		memcpy(&check, (const char *)v->mv_data + v->mv_size -
			       STORE_CHECK, STORE_CHECK);
	return check;
}

bool store_unseal(unsigned int table, const MDB_val *key, MDB_val *data)
{
	if (data->mv_size < STORE_CHECK ||
	    check_in(data) != store_check(table, key, data->mv_data,
					  data->mv_size - STORE_CHECK))
		return false;
	data->mv_size -= STORE_CHECK;
	return true;
}

/* What a record adds to the sum of the data base. */
uint64_t store_weight(uint32_t check)
{
	uint64_t z = (check + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	return z ^ z >> 29;
}

/* ---- records ---- */

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

/* A record was found: 0 with its data alone; -EBADMSG, it is damaged. */
static int unseal(struct store *s, MDB_dbi table, const MDB_val *key,
		  MDB_val *data)
{
	mapped_read(&s->mapped, data->mv_data, data->mv_size);
	if (store_unseal(index_of(s, table), key, data))
		return 0;
	log_error("queue space %s: a record is damaged (table %u): nothing of "
		  "it is given away", s->path, index_of(s, table));
	return -EBADMSG;
}

int store_get(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      MDB_val *ret)
{
	MDB_val k = { key_len, (void *)key };
	int r = store_result(mdb_get(s->txn, table, &k, ret));

	return r != 0 ? r : unseal(s, table, &k, ret);
}

/* Room for `len` bytes of a record and its checksum, in the place of one that is
 * there. */
static int reserve(struct store *s, MDB_dbi table, MDB_val *k, size_t len,
		   unsigned int flags, char **ret)
{
	MDB_val v = { len + STORE_CHECK, NULL };
	int r = mdb_put(s->txn, table, k, &v, MDB_RESERVE | flags);

	if (!(flags & MDB_APPEND))
		mapped_written(&s->mapped);
	if (r == MDB_KEYEXIST && (flags & MDB_APPEND))
		return reserve(s, table, k, len, MDB_NOOVERWRITE, ret);
	if (r == MDB_KEYEXIST) {
		s->sum -= store_weight(check_in(&v));
		s->records--;
		v.mv_size = len + STORE_CHECK;
		r = mdb_put(s->txn, table, k, &v, MDB_RESERVE);
	}
	*ret = v.mv_data;
	return store_result(r);
}

/* What was written into the room is complete. */
static void seal(struct store *s, MDB_dbi table, const MDB_val *k, char *data,
		 size_t len)
{
	uint32_t check = store_check(index_of(s, table), k, data, len);

	memcpy(data + len, &check, STORE_CHECK);
	s->sum += store_weight(check);
	s->records++;
}

/* The open transaction alone. */
int store_write(struct store *s, MDB_dbi table, const MDB_val *key,
		const MDB_val *data)
{
	MDB_val k = *key;
	char *to = NULL;
	int r = reserve(s, table, &k, data->mv_size, MDB_NOOVERWRITE, &to);

	if (r != 0)
		return r;
	if (data->mv_size > 0)
		memcpy(to, data->mv_data, data->mv_size);
	seal(s, table, &k, to, data->mv_size);
	return 0;
}

int store_erase(struct store *s, MDB_dbi table, const MDB_val *key)
{
	MDB_val k = *key, v = { 0, NULL };
	MDB_cursor *c = NULL;
	int r = mdb_cursor_open(s->txn, table, &c);

	if (r != 0)
		return store_result(r);
	r = mdb_cursor_get(c, &k, &v, MDB_SET);
	if (r == 0) {
		mapped_read(&s->mapped, v.mv_data, v.mv_size);
		s->sum -= store_weight(check_in(&v));
		s->records--;
		r = mdb_cursor_del(c, 0);
	}
	mdb_cursor_close(c);
	return store_result(r);
}

int store_put(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      const void *data, size_t len)
{
	MDB_val k = { key_len, (void *)key }, v = { len, (void *)data };
	int r = store_write(s, table, &k, &v);

	if (r == 0)
		changed(s, table, &k, data, len);
	return r;
}

int store_write_meta(struct store *s)
{
	struct space_record m = { .version = SPACE_VERSION,
				  .salt = s->salt,
				  .last = s->last,
				  .last_branch = s->last_branch };

	memcpy(m.id, s->id, sizeof(m.id));
	return store_put(s, s->meta, "space", 5, &m, sizeof(m));
}

int store_append(struct store *s, MDB_dbi table, uint64_t key,
		 const struct iovec *parts, int n)
{
	MDB_val k = { sizeof(key), &key };
	char *data = NULL, *to;
	size_t len = 0;
	int r, i;

	for (i = 0; i < n; i++)
		len += parts[i].iov_len;
	r = reserve(s, table, &k, len, MDB_NOOVERWRITE | MDB_APPEND, &data);
	if (r != 0)
		return r;
	for (to = data, i = 0; i < n; to += parts[i++].iov_len) {
		if (parts[i].iov_len > 0)
			memcpy(to, parts[i].iov_base, parts[i].iov_len);
	}
	seal(s, table, &k, data, len);
	changed(s, table, &k, data, len);
	return 0;
}

int store_del(struct store *s, MDB_dbi table, const void *key, size_t key_len)
{
	MDB_val k = { key_len, (void *)key };
	int r = store_erase(s, table, &k);

	if (r == 0)
		changed(s, table, &k, NULL, 0);
	return r;
}

/* What a cursor has found. */
static int found(struct store *s, MDB_cursor *c, int r, const MDB_val *key,
		 MDB_val *data)
{
	return r != 0 ? store_result(r)
		      : unseal(s, mdb_cursor_dbi(c), key, data);
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
	if (back && r == MDB_NOTFOUND)
		r = mdb_cursor_get(c, ret_key, ret_data, MDB_LAST);
	else if (back && r == 0 &&
		 (ret_key->mv_size != key_len ||
		  memcmp(ret_key->mv_data, key, key_len) != 0))
		r = mdb_cursor_get(c, ret_key, ret_data, MDB_PREV);
	return found(s, c, r, ret_key, ret_data);
}

int store_step(struct store *s, MDB_cursor *c, bool back, MDB_val *ret_key,
	       MDB_val *ret_data)
{
	return found(s, c, mdb_cursor_get(c, ret_key, ret_data,
					  back ? MDB_PREV : MDB_NEXT),
		     ret_key, ret_data);
}
