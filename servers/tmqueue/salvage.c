/* SPDX-License-Identifier: Apache-2.0 */
/*
 * salvage.c - a data base is made from what is left of another
 */
#include "servers/tmqueue/salvage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/message.h"
#include "servers/tmqueue/pages.h"
#include "servers/tmqueue/places.h"

#define REPAIRED_QUEUE "REPAIRED"
#define GAP	       (UINT64_C(1) << 32) /* numbers that may have been given */

/* What is taken over. */
struct haul {
	struct store *s;
	struct examined e;
	int r;
};

static MDB_dbi table_of(const struct store *s, unsigned int table)
{
	const MDB_dbi tables[] = {
#define X(name, flags) s->name,
		STORE_TABLES(X)
#undef X
	};

	return tables[table];
}

/* ---- what is whole ---- */

static void take(unsigned int table, const MDB_val *key, const MDB_val *data,
		 void *arg)
{
	struct haul *h = arg;
	MDB_val d = *data;

	if (h->r != 0 || !store_unseal(table, key, &d))
		return;
	if (table == 0 && d.mv_size == sizeof(h->e.space) &&
	    memcmp(key->mv_data, "space", key->mv_size) == 0)
		memcpy(&h->e.space, d.mv_data, d.mv_size);
	if (table == 0 && store_parse_epoch(&d, &h->e.epoch))
		h->e.has_epoch = true;
	if (table != 0)
		h->r = store_write(h->s, table_of(h->s, table), key, &d);
}

/* Identity and numbers of the former one. */
static void succeed(struct store *s, struct haul *h, const char *mark)
{
	uint64_t id = 0;

	if (watermark_open(&s->mark, s->folder, mark) == 0)
		id = s->mark.id;
	else
		watermark_close(&s->mark);
	if (h->e.space.version == SPACE_VERSION) {
		memcpy(s->id, h->e.space.id, sizeof(s->id));
		s->salt = h->e.space.salt;
	} else if (id != 0) {
		memcpy(s->id, &id, sizeof(id));
	}
	if (s->mark.fd >= 0 && s->mark.number > s->number)
		s->number = s->mark.number;
	if (h->e.epoch.number > s->number)
		s->number = h->e.epoch.number;
}

/* ---- the journal ---- */

static int replay(struct store *s, const struct haul *h)
{
	char path[sizeof(s->path) + 1];
	uint32_t n = 0;
	int r;

	journal_close(&s->journal);
	snprintf(path, sizeof(path), "%.*s.tmj", (int)strlen(s->path) - 4,
		 s->path);
	r = journal_open(&s->journal, path, s->id, s->salt, true);
	if (r != 0)
		return r > 0 || r == -ENOENT ? 0 : r;
	r = journal_begin(&s->journal, h->e.epoch.epoch, h->e.epoch.number);
	if (s->journal.proof > s->number)
		s->number = s->journal.proof;
	if (r == 0)
		r = journal_replay(&s->journal, true, store_apply, s, &n);
	journal_close(&s->journal);
	log_warn("queue space %s: %u batches of the journal are whole", s->path,
		 n);
	return r;
}

/* ---- the new one takes the place ---- */

static int seal_and_rename(struct store *s, const char *temp, const char *mark)
{
	char old[sizeof(s->path) + 16], journal[sizeof(s->path) + 1];
	uint64_t id;
	int r;

	memcpy(&id, s->id, sizeof(id));
	s->number++;
	r = store_write_epoch(s, false);
	if (r == 0)
		r = store_result(mdb_txn_commit(s->txn));
	s->txn = NULL;
	store_leave_env(s);
	if (r != 0)
		return r;
	snprintf(old, sizeof(old), "%s.damaged", s->path);
	(void)unlink(old);
	if (link(s->path, old) != 0 && errno != ENOENT)
		return -errno;
	r = watermark_make(&s->mark, s->folder, mark, id, s->number);
	if (r == 0 && (rename(temp, s->path) != 0 || fsync(s->folder) != 0))
		r = -errno;
	snprintf(journal, sizeof(journal), "%.*s.tmj",
		 (int)strlen(s->path) - 4, s->path);
	snprintf(old, sizeof(old), "%s.damaged", journal);
	if (r == 0)
		(void)rename(journal, old);
	return r;
}

int salvage(struct store *s, const char *mark, char *why, size_t size)
{
	static const struct pages_table tables[] = {
#define X(name, flags) { #name, flags },
		STORE_TABLES(X)
#undef X
	};
	struct haul h = { .s = s };
	struct places_counted c = { .kept = 0 };
	char temp[sizeof(s->path) + 8];
	struct pages_found f;
	int r;

	snprintf(temp, sizeof(temp), "%s.new", s->path);
	watermark_close(&s->mark);
	s->number = s->sum = s->records = 0;
	(void)getrandom(&s->mark.id, sizeof(s->mark.id), 0);
	r = store_make(s, temp, why, size);
	if (r == 0)
		r = store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
	if (r == 0)
		(void)pages_read(s->path, tables,
				 sizeof(tables) / sizeof(tables[0]), take, &h,
				 &f);
	if (r == 0)
		r = h.r;
	if (r == 0) {
		succeed(s, &h, mark);
		r = replay(s, &h);
	}
	s->last += h.e.space.last + GAP;
	s->last_branch += h.e.space.last_branch + GAP;
	if (r == 0)
		r = places_find(s, REPAIRED_QUEUE, &c);
	if (r == 0)
		r = store_write_meta(s);
	if (r == 0)
		r = seal_and_rename(s, temp, mark);
	store_leave_env(s);
	if (r != 0)
		return r;
	log_warn("queue space %s: an operator has accepted its damage: %" PRIu64
		 " messages are in their places, %" PRIu64 " in the queue %s; "
		 "%" PRIu64 " are known to be lost", s->path, c.kept, c.aside,
		 REPAIRED_QUEUE, c.gone);
	ow_damage_settle(s->path);
	return 0;
}

/* ---- from a version without checksums ---- */

static int seal_table(struct store *s, unsigned int table)
{
	MDB_val key, data, sealed;
	MDB_cursor *c = NULL;
	uint32_t check;
	char *copy;
	int r = mdb_cursor_open(s->txn, table_of(s, table), &c);

	if (r == 0)
		r = mdb_cursor_get(c, &key, &data, MDB_FIRST);
	while (r == 0) {
		copy = malloc(data.mv_size + STORE_CHECK);
		if (copy == NULL)
			return -ENOMEM;
		memcpy(copy, data.mv_data, data.mv_size);
		check = store_check(table, &key, copy, data.mv_size);
		memcpy(copy + data.mv_size, &check, STORE_CHECK);
		sealed = (MDB_val){ data.mv_size + STORE_CHECK, copy };
		r = mdb_cursor_put(c, &key, &sealed, MDB_CURRENT);
		free(copy);
		s->sum += store_weight(check);
		s->records++;
		if (r == 0)
			r = mdb_cursor_get(c, &key, &data, MDB_NEXT);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r == MDB_NOTFOUND ? 0 : store_result(r);
}

/* The records of identity and epoch, which are the first table. */
static int seal_meta(struct store *s, const struct examined *e)
{
	struct { uint64_t epoch; uint32_t begun, pad; } was = { .epoch = 0 };
	struct epoch_record now = { .number = 1 };
	MDB_val k = { 5, (void *)"epoch" }, v;
	char data[sizeof(now) + STORE_CHECK];
	uint32_t check;
	int r;

	if (mdb_get(s->txn, s->meta, &k, &v) == 0 && v.mv_size == sizeof(was))
		memcpy(&was, v.mv_data, sizeof(was));
	r = mdb_drop(s->txn, s->meta, 0);
	memcpy(s->id, e->space.id, sizeof(s->id));
	s->last = e->space.last;
	s->last_branch = e->space.last_branch;
	if (r == 0)
		r = store_write_meta(s);
	now.epoch = was.epoch;
	now.begun = was.begun;
	now.sum = s->sum;
	now.records = s->records;
	memcpy(data, &now, sizeof(now));
	check = store_check(0, &k, &now, sizeof(now));
	memcpy(data + sizeof(now), &check, sizeof(check));
	v = (MDB_val){ sizeof(data), data };
	return r != 0 ? r : store_result(mdb_put(s->txn, s->meta, &k, &v, 0));
}

int salvage_earlier(struct store *s, const struct examined *e, const char *mark)
{
	uint64_t id;
	unsigned int i;
	int r;

	memcpy(&id, e->space.id, sizeof(id));
	r = watermark_make(&s->mark, s->folder, mark, id, 1);
	if (r == 0 && getrandom(&s->salt, sizeof(s->salt), 0) !=
			      sizeof(s->salt))
		r = -EIO;
	if (r == 0)
		r = store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
	if (r == 0)
		r = store_open_tables(s);
	for (i = 1; i < STORE_TABLE_COUNT && r == 0; i++)
		r = seal_table(s, i);
	if (r == 0)
		r = seal_meta(s, e);
	if (r == 0)
		r = store_result(mdb_txn_commit(s->txn));
	else if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	return r;
}
