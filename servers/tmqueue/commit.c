/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commit.c - batches of the store, their commits and checkpoints
 *
 * A transaction of LMDB stays open over many batches, whose changes are in the
 * journal. A checkpoint commits it. When a batch is undone, the transaction is
 * aborted, too, and made anew from the journal, as after a crash.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "servers/tmqueue/room.h"
#include "servers/tmqueue/store.h"
#include "libatmi/base/fault.h"

#define OPS_MOST 16384u /* changes of one transaction */

/* Record of `meta`. */
struct epoch_record {
	uint64_t epoch;
	uint32_t begun, pad; /* begun: the file of the journal is there */
};

/* ---- epochs ---- */

int store_read_epoch(struct store *s, bool *ret_begun)
{
	struct epoch_record e;
	MDB_val v;
	int r = store_get(s, s->meta, "epoch", 5, &v);

	if (r != 0)
		return r;
	if (v.mv_size != sizeof(e))
		return -EBADMSG;
	memcpy(&e, v.mv_data, sizeof(e));
	s->epoch = e.epoch;
	*ret_begun = e.begun != 0;
	return 0;
}

int store_write_epoch(struct store *s, bool begun)
{
	struct epoch_record e = { .begun = begun };
	MDB_val k = { 5, (void *)"epoch" }, v = { sizeof(e), &e };
	int r;

	/* Batches of other lives of this file have another one. */
	if (getrandom(&e.epoch, sizeof(e.epoch), 0) != sizeof(e.epoch))
		return -EIO;
	r = store_result(mdb_put(s->txn, s->meta, &k, &v, 0));
	if (r == 0)
		s->epoch = e.epoch;
	return r;
}

/* ---- checkpoints ---- */

static void forget(struct store *s)
{
	if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	s->bytes = 0;
}

/* Commit the open transaction: the next epoch begins with it. */
static int write_all(struct store *s, bool begun)
{
	uint64_t before = s->epoch;
	int r = s->journal.fd < 0 ? 0 : store_write_epoch(s, begun);

	if (r != 0) {
		s->epoch = before;
		forget(s);
		return r;
	}
	OW_FAULT("tmqueue.checkpoint");
	r = store_result(mdb_txn_commit(s->txn));
	s->txn = NULL;
	s->bytes = 0;
	OW_FAULT("tmqueue.checkpointed");
	if (r != 0) {
		s->epoch = before;
		s->broken = r < 0;
		return r;
	}
	s->syncs++;
	journal_restart(&s->journal, s->epoch);
	return 0;
}

static int apply(void *arg, const struct journal_op *op)
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
		return store_result(mdb_put(s->txn, tables[op->table], &k, &v,
					    0));
	r = store_result(mdb_del(s->txn, tables[op->table], &k, NULL));
	return r == STORE_ABSENT ? 0 : r;
}

int store_recover(struct store *s)
{
	int r;

	if (s->journal.batches == 0)
		return 0;
	r = room_have(s, 0, true); /* they had room when they were made */
	if (r == 0)
		r = store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
	if (r == 0)
		r = journal_replay(&s->journal, apply, s);
	if (r == 0)
		return write_all(s, true);
	forget(s);
	return r;
}

int store_checkpoint(struct store *s)
{
	if (s->broken || s->in_batch)
		return -EIO;
	if (s->journal.batches == 0) {
		forget(s);
		return 0;
	}
	return s->txn != NULL ? write_all(s, true) : store_recover(s);
}

static int write_epoch_only(struct store *s, bool begun)
{
	int r = room_have(s, 0, true);

	if (r == 0)
		r = store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
	return r == 0 ? write_all(s, begun) : r;
}

int store_begin_epoch(struct store *s)
{
	return write_epoch_only(s, true);
}

int store_finish(struct store *s)
{
	int r = store_checkpoint(s);

	return r != 0 || s->journal.fd < 0 ? r : write_epoch_only(s, false);
}

bool store_is_broken(const struct store *s)
{
	return s->broken;
}

/* ---- batches ---- */

/* The transaction for a batch that adds `bytes`: the open one, if it has room
 * for them. */
static int have_transaction(struct store *s, size_t bytes, bool removes)
{
	int r = 0;

	if (s->txn == NULL || s->bytes + bytes > ROOM_TRANSACTION ||
	    s->journal.ops > OPS_MOST)
		r = store_checkpoint(s);
	if (r != 0 || s->txn != NULL)
		return r;
	r = room_have(s, bytes, removes);
	return r != 0 ? r
		      : store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
}

int store_begin(struct store *s, size_t bytes, bool removes)
{
	int r = s->broken ? -EIO : have_transaction(s, bytes, removes);

	if (r != 0)
		return r == STORE_ABSENT ? -EIO : r;
	s->bytes += bytes;
	s->in_batch = true;
	s->changes = 0;
	journal_forget(&s->journal);
	return 0;
}

/* Without a journal a transaction is one batch. */
static int nothing_changed(struct store *s)
{
	s->in_batch = false;
	if (!s->journals)
		forget(s);
	return 0;
}

int store_commit(struct store *s)
{
	int r = 0;

	if (s->last != s->written || s->last_branch != s->written_branch)
		r = store_write_meta(s);
	if (r != 0) {
		store_abort(s);
		return r;
	}
	if (s->changes == 0)
		return nothing_changed(s);
	OW_FAULT("tmqueue.commit");
	s->in_batch = false;
	if (s->journals && journal_has_room(&s->journal)) {
		r = journal_write(&s->journal);
		s->broken = r < 0;
		s->syncs += r == 0;
	} else {
		r = write_all(s, true);
	}
	if (r == 0) {
		s->written = s->last;
		s->written_branch = s->last_branch;
	}
	OW_FAULT("tmqueue.committed");
	return r;
}

uint64_t store_commits(const struct store *s)
{
	return s->syncs;
}

void store_abort(struct store *s)
{
	if (!s->in_batch)
		return;
	s->in_batch = false;
	if (s->changes > 0 || !s->journals)
		forget(s);
}
