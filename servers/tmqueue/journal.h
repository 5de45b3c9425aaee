/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h - what was committed since the data base was last written
 *
 * LMDB commits with two syncs, and writes pages all over its file. The journal
 * makes a batch durable with one: its changes are written one after the other
 * into a file of fixed size, with a checksum, and synced. The data base has
 * them in an open transaction, and gets them all at the next checkpoint.
 *
 * The journal belongs to an epoch, a number that the data base has. A
 * checkpoint commits the changes and the next epoch at once: before it the
 * journal's batches are those of the epoch, after it there are none. So nothing
 * is ever erased. A batch begins at a page of its own: what was acknowledged is
 * not written again.
 *
 * Batches are numbered for the whole life of the space, and each has the
 * checksum of the one before it. What a power cut leaves: one batch is written
 * at a time, and the next one only when it is on disk; so at most the last batch
 * is torn, each of its sectors as it is to be or as it was: of an earlier epoch,
 * or zeros. It was not acknowledged. The first batch that does not follow ends
 * the journal, *and that is normal* as long as nothing proves that more was on
 * disk. Proofs are: the watermark beside the file
 * (libndrx/storage/watermark.h), exact after a kill and never too high; and any
 * whole batch of a higher number anywhere in the file, of whatever epoch. A proof
 * of a batch that is not there is damage, or the data base is an older one.
 *
 * Not to be told from a torn batch: damage to the last batch of all, when a power
 * cut has taken the watermark's last value, too.
 *
 * Of one thread.
 */
#ifndef OW_TMQUEUE_JOURNAL_H
#define OW_TMQUEUE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_ID    8
#define JOURNAL_BYTES (UINT64_C(4) << 20)

enum journal_result {
	JOURNAL_NO_ROOM = 1, /* open: the disk has too little room for it */
	JOURNAL_MISSING,     /* open: there was one, and it is not there, or
				too short */
};

/* A change of the data base; data NULL: the key is removed. */
struct journal_op {
	unsigned int table;
	const void *key, *data;
	size_t key_len, len;
};

struct journal {
	int fd; /* -1: there is none */
	uint8_t id[JOURNAL_ID]; /* of the space */
	uint32_t salt;		/* of its checksums: nobody else knows it, so no
				   message can look like a batch */
	uint64_t epoch;
	uint32_t batches, ops; /* on disk, of this epoch */
	uint64_t end;	       /* of them in the file */
	uint64_t number;       /* of the last batch that is on disk */
	uint64_t proof;	       /* a batch of this number was on disk */
	uint32_t crc;	       /* of the last batch of this epoch; 0: none */
	/* the batch that is being made */
	char *buffer;
	size_t size, allocated;
	uint32_t n;
	bool too_large;
};

/* Open PATH, or make it; `begun`: it was there when the data base was last
 * written. 0; NO_ROOM, MISSING: there is none; -errno. */
int journal_open(struct journal *j, const char *path,
		 const uint8_t id[JOURNAL_ID], uint32_t salt, bool begun);
void journal_close(struct journal *j);
/* The epoch of the data base, which has all batches up to `number`: count those
 * that follow. 0 or -errno. */
int journal_begin(struct journal *j, uint64_t epoch, uint64_t number);

/* The data base has all that was there, and is in the next epoch. */
void journal_restart(struct journal *j, uint64_t epoch, uint64_t number);

/* ---- a batch ---- */

/* Note a change of the batch. */
void journal_note(struct journal *j, const struct journal_op *op);
/* Forget what was noted. */
void journal_forget(struct journal *j);
/* Is there a place for what was noted? */
bool journal_has_room(const struct journal *j);
/* Write and sync it: 0 or -errno. */
int journal_write(struct journal *j);

/* Call `apply` for each change on disk, in order, until it does not return 0:
 * what it returned, or -errno. `beyond`: also those of whole batches behind a
 * hole; ret_n, if not NULL: how many batches. */
int journal_replay(struct journal *j, bool beyond,
		   int (*apply)(void *arg, const struct journal_op *op),
		   void *arg, uint32_t *ret_n);

#endif
