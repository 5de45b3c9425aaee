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

#include "servers/tmqueue/preallocation.h"
#include "servers/tmqueue/store.h"
#include "libatmi/base/fault.h"
#include "libatmi/log/log.h"

#define OPS_MOST 16384u /* changes of one transaction */

/* ---- checkpoints ---- */

static void forget(struct store *s)
{
	if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	s->bytes = 0;
	s->sum = s->sum_kept;
	s->records = s->records_kept;
}

/* It is on disk up to `number`. A watermark that cannot be written says less
 * than it could. */
static void note_on_disk(struct store *s, uint64_t number)
{
	s->number = number;
	if (watermark_raise(&s->mark, number) != 0)
		log_warn("queue space %s: its watermark cannot be written",
			 s->path);
}

/* Commit the open transaction: the next epoch begins with it. `more`: it has a
 * batch that is not in the journal. */
static int write_all(struct store *s, bool begun, bool more)
{
	uint64_t before = s->epoch, number = s->number;
	int r;

	s->number += more;
	r = store_write_epoch(s, begun && s->journal.fd >= 0);
	if (r != 0) {
		s->epoch = before;
		s->number = number;
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
		s->number = number;
		forget(s);
		s->broken = r < 0;
		return r;
	}
	s->sum_kept = s->sum;
	s->records_kept = s->records;
	s->syncs++;
	journal_restart(&s->journal, s->epoch, s->number);
	note_on_disk(s, s->number);
	return 0;
}

/* LMDB refuses all from the moment on in which its first page could not be
 * written: only another life goes on. */
static int begin_transaction(struct store *s)
{
	int r = mdb_txn_begin(s->env, NULL, 0, &s->txn);

	if (r == MDB_PANIC)
		s->broken = true;
	return store_result(r);
}

int store_recover(struct store *s)
{
	int r;

	if (s->journal.batches == 0)
		return 0;
	r = preallocate(s, 0, true); /* they had room when they were made */
	if (r == 0)
		r = begin_transaction(s);
	if (r == 0)
		r = journal_replay(&s->journal, false, store_apply, s, NULL);
	if (r == 0) {
		s->number = s->journal.number;
		return write_all(s, true, false);
	}
	forget(s);
	return r;
}

int store_checkpoint(struct store *s)
{
	int r;

	if (s->broken || s->in_batch)
		return -EIO;
	if (s->journal.batches == 0) {
		forget(s);
		return 0;
	}
	r = s->txn != NULL ? write_all(s, true, false) : store_recover(s);
	/* What the journal has is written over from now on. */
	if (r == 0 && watermark_sync(&s->mark) != 0)
		log_warn("queue space %s: its watermark cannot be synced",
			 s->path);
	return r;
}

static int write_epoch_only(struct store *s, bool begun)
{
	int r = preallocate(s, 0, true);

	if (r == 0)
		r = begin_transaction(s);
	return r == 0 ? write_all(s, begun, false) : r;
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

	if (s->txn == NULL || s->bytes + bytes > PREALLOCATED_TRANSACTION ||
	    s->journal.ops > OPS_MOST)
		r = store_checkpoint(s);
	if (r != 0 || s->txn != NULL)
		return r;
	r = preallocate(s, bytes, removes);
	return r != 0 ? r : begin_transaction(s);
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
		if (r == 0)
			note_on_disk(s, s->journal.number);
	} else {
		r = write_all(s, true, true);
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
