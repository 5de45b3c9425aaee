/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the data base of a queue space: one LMDB file, one writer
 *
 * The thread that writes (engine.h) is the only one that reads, too: it opens a
 * transaction, works on it, and commits with one sync. Nothing else has the
 * file open: a lock (flock) sees to it. What is in the tables: message.h.
 *
 * Room: the file is allocated ahead of what is used. When the disk refuses
 * more, work that adds messages ends at the room that there is, less a reserve
 * that removals may use: a full disk can always be emptied.
 *
 * Commits: a small batch goes to the journal (journal.h), and its changes stay in
 * the open transaction of LMDB, which commits them with many others
 * (commit.c). A large one, and any when the disk is full, commits at once.
 *
 * Checksums: each record has one, over its table, key and data, which is compared
 * whenever the record is read. The sum of all stands in the record of the epoch,
 * which changes with each checkpoint; at the start all records are read, and their
 * sum compared (examine.h): so no record can be missing, changed, or older.
 */
#ifndef OW_TMQUEUE_STORE_H
#define OW_TMQUEUE_STORE_H

#include <lmdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libndrx/storage/watermark.h"
#include "servers/tmqueue/journal.h"
#include "servers/tmqueue/mapped.h"

#define STORE_SPACE_ID JOURNAL_ID
#define STORE_CHECK    4 /* bytes behind the data of each record */

enum store_result {
	STORE_FULL = 1, /* no room on the disk */
	STORE_ABSENT,	/* no such record */
};

/* The tables. X(name, flags of mdb_dbi_open()) */
#define STORE_TABLES(X)                                                   \
	X(meta, 0)		/* identity, counters */                  \
	X(queue, 0)		/* by name: struct queue_record */        \
	X(message, MDB_INTEGERKEY) /* by number: head, client, payload */ \
	X(order, 0)		/* those that can be taken, in order */   \
	X(corr, 0)		/* the same, by correlation id */         \
	X(due, MDB_INTEGERKEY)	/* those that are delayed, by number */   \
	X(timed, 0)		/* what is to be done, by time */         \
	X(branch, 0)		/* branches of transactions, by XID */    \
	X(work, 0)		/* what a branch has done */

#define STORE_COUNT_ONE(name, flags) +1
#define STORE_TABLE_COUNT (0 STORE_TABLES(STORE_COUNT_ONE))

struct store {
	MDB_env *env;
	MDB_txn *txn;
#define X(name, flags) MDB_dbi name;
	STORE_TABLES(X)
#undef X
	struct journal journal;
	bool in_batch;	    /* it is being executed */
	uint64_t changes;   /* of the batch */
	uint64_t bytes;	    /* what the open transaction adds, about */
	uint64_t syncs;	    /* commits that were synced */
	uint64_t epoch;	    /* of the data base */
	uint64_t number;    /* of the last batch that is on disk */
	uint64_t sum, records; /* of all, with the open transaction */
	uint64_t sum_kept, records_kept; /* of the data base on disk */
	struct watermark mark; /* `number` */
	uint32_t salt;	    /* of the journal */
	bool journals;	    /* the room of the open transaction is enough */
	bool broken;	    /* nobody knows what is on disk */
	int lock_fd, file_fd;
	uint8_t id[STORE_SPACE_ID]; /* of the space, for ever */
	uint64_t last;		    /* number of the newest message */
	uint64_t last_branch;
	uint64_t written, written_branch; /* the same, as on disk */
	char path[4096];
	int folder;
	uint64_t allocated; /* bytes of the file that the disk has given */
	bool full;	    /* the disk refuses more */
	bool cannot_allocate; /* the file system knows no allocation */
	uint64_t retry_ns;  /* full: when it is asked again */
	uint64_t step_ns;   /* when it is asked for a whole step again */
	bool extended;	    /* `allocated` is without holes */
	size_t map;	    /* bytes of the map now */
	size_t map_max;
	struct mapped mapped; /* of the map */
};

/* Open, or make, FOLDER/NAME.tmq: 0, or -errno with the reason in `why`.
 * -EBUSY: another process has it. -EBADMSG: the files have lost something that
 * was on disk (libndrx/storage/damage.h). */
int store_open(struct store *s, const char *folder, const char *name, char *why,
	       size_t size);
void store_close(struct store *s);

/* Begin a batch that adds about `bytes`; `removes`: it only takes away, and may
 * use the reserve. 0, STORE_FULL, -errno. */
int store_begin(struct store *s, size_t bytes, bool removes);
/* 0, STORE_FULL, -errno; the batch is over in any case. */
int store_commit(struct store *s);
/* What the batch has changed is undone, if there is a batch. */
void store_abort(struct store *s);
/* Have the data base write what the journal has. 0, STORE_FULL, -errno. */
int store_checkpoint(struct store *s);
/* Before a proper end: the data base has all, and the journal is not needed
 * any more. 0, STORE_FULL, -errno. */
int store_finish(struct store *s);
/* A sync has failed: nobody knows what is on disk. */
bool store_is_broken(const struct store *s);

/* Commits that were synced, since it was opened. */
uint64_t store_commits(const struct store *s);

/* ---- records; 0, ABSENT, FULL, -errno ---- */

int store_get(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      MDB_val *ret);
int store_put(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      const void *data, size_t len);
/* A record at the end of a table, of `n` parts. */
int store_append(struct store *s, MDB_dbi table, uint64_t key,
		 const struct iovec *parts, int n);
int store_del(struct store *s, MDB_dbi table, const void *key, size_t key_len);

/* The first record whose key is `key` or greater (`back`: the last one whose
 * key is `key` or less). The cursor is the caller's. */
int store_seek(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	       bool back, MDB_cursor **ret_cursor, MDB_val *ret_key,
	       MDB_val *ret_data);
int store_step(struct store *s, MDB_cursor *c, bool back, MDB_val *ret_key,
	       MDB_val *ret_data);

/* ---- of the files of the store alone ---- */

/* What LMDB returns, as ours: 0, STORE_FULL, STORE_ABSENT, -errno. */
int store_result(int r);

/* The record of the identity. */
struct space_record {
	uint32_t version, salt;
	uint8_t id[STORE_SPACE_ID];
	uint64_t last, last_branch;
};

#define SPACE_VERSION 3u
#define SPACE_BEFORE  2u /* without checksums; 1: without a journal */
/* Write, remove a record in the open transaction alone. */
int store_write(struct store *s, MDB_dbi table, const MDB_val *key,
		const MDB_val *data);
int store_erase(struct store *s, MDB_dbi table, const MDB_val *key);

/* The checksum of a record, which stands behind its data. `table`: its place in
 * STORE_TABLES. */
uint32_t store_check(unsigned int table, const MDB_val *key, const void *data,
		     size_t len);
/* Is it right? Then the data is alone afterwards. */
bool store_unseal(unsigned int table, const MDB_val *key, MDB_val *data);
/* What a record with this checksum adds to the sum of all. */
uint64_t store_weight(uint32_t check);
/* Open `path` as the data base. 0 or -errno with the reason. */
int store_open_env(struct store *s, const char *path, char *why, size_t size);
/* Make the data base `path` anew, with tables and an identity. 0, STORE_FULL,
 * -errno. */
int store_make(struct store *s, const char *path, char *why, size_t size);
/* Read identity and epoch of the open data base, or make them. */
int store_read_or_make(struct store *s, bool *ret_begun);
int store_open_tables(struct store *s);
/* The room that the file has. 0 or -errno. */
int store_use_file(struct store *s, const char *path);
/* What a batch of the journal has changed. */
int store_apply(void *arg, const struct journal_op *op);
void store_leave_env(struct store *s);
/* Write the record of the identity, into the batch. */
int store_write_meta(struct store *s);
/* Of a space that is being opened, whose tables are open: what the journal has
 * becomes part of the data base. 0, STORE_FULL, -errno. */
int store_recover(struct store *s);
/* The record of the epoch, which is not in the sum. */
struct epoch_record {
	uint64_t epoch;
	uint64_t number; /* of the last batch that the data base has */
	uint64_t sum, records; /* of all records but this one */
	uint32_t begun;	 /* the file of the journal is there */
	uint32_t pad;
};
/* Take it out of a record: false, it is none. */
bool store_parse_epoch(const MDB_val *data, struct epoch_record *ret);
/* Read the record of the epoch: 0, ABSENT, -errno. */
int store_read_epoch(struct store *s, bool *ret_begun);
/* Write it into the open transaction: a new epoch begins, with a journal or
 * without one. */
int store_write_epoch(struct store *s, bool begun);
/* Begin the first epoch with a journal. 0, STORE_FULL, -errno. */
int store_begin_epoch(struct store *s);

/* Numbers in keys: the greatest byte first. */
static inline void store_be64(uint8_t *to, uint64_t n)
{
	int i;

	for (i = 7; i >= 0; i--, n >>= 8)
		to[i] = (uint8_t)n;
}

static inline uint64_t store_from_be64(const uint8_t *from)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < 8; i++)
		n = n << 8 | from[i];
	return n;
}

static inline void store_be32(uint8_t *to, uint32_t n)
{
	int i;

	for (i = 3; i >= 0; i--, n >>= 8)
		to[i] = (uint8_t)n;
}

#endif
