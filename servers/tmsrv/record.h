/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - the records in the log of a tmsrv, and which of them hold
 *
 * Records lie one after the other. Each has a number, one more than the record
 * before it, over all files that the log ever had; the checksum of the one
 * before it; and how far back the last one lies that was known to be on disk
 * when it was written. So a record that is missing, changed, swapped or older
 * breaks the chain.
 *
 * What a power cut leaves. Records are appended, and synced from time to time.
 * Everything up to the last sync is there. Of what was written since, each page
 * (each sector) is there or is not, in any order: the file goes on with zeros,
 * a part of a record, perhaps whole records behind a hole. Nobody was told of
 * them. So reading ends at the first record that does not follow, *and that is
 * normal* as long as nothing proves that more was on disk. Proofs are: the
 * watermark beside the file (watermark.h), exact after a kill and never too
 * high; and any whole record behind the hole, by what it knows to be on disk.
 * A proof of a record that does not follow is damage.
 *
 * Not to be told from a torn end: damage to records that were synced last, when
 * a power cut has taken the watermark's last value, too.
 */
#ifndef OW_TMLOG_RECORD_H
#define OW_TMLOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/tmsrv/decided.h"

enum kind { IDENTITY = 1, RESERVE, COMMIT, END, PREPARED, BY_HAND, DOUBT };

/* Behind it: n branches. The length is a multiple of 8. */
struct record {
	uint32_t magic;
	uint32_t crc;	 /* of all bytes, this word being 0 */
	uint32_t before; /* crc of the record before; 0: the file's first */
	uint32_t n;
	uint16_t kind;
	uint16_t pad;
	uint32_t behind; /* number less this: it is on disk */
	uint64_t number;
	uint64_t value; /* identity, first number not allowed, transaction */
};

/* What was read. */
struct record_scan {
	struct record **all; /* those that are whole, in the file's order */
	size_t n;
	size_t chained; /* of them: each follows the one before */
	size_t end;	/* bytes of these */
	uint64_t last;	/* number of the last of these; 0: none */
	uint64_t proof; /* this number was on disk */
	bool foreign;	/* what is there is no log */
	bool copies;	/* `all` were made, not found */
};

size_t record_size(uint32_t n);
/* malloc'ed; NULL: no memory. Its place in the chain comes later. */
struct record *record_new(enum kind kind, uint64_t value,
			  const struct tmlog_branch *b, uint32_t n);
/* The place in the chain. `on_disk`: number of the last one that is. */
void record_chain(struct record *r, uint64_t number, uint32_t before,
		  uint64_t on_disk);
/* Read `size` bytes, which stay the caller's and must outlive the scan; `mark`:
 * the watermark. 0 or -ENOMEM. */
int record_scan(char *bytes, size_t size, uint64_t mark,
		struct record_scan *ret);
void record_scan_free(struct record_scan *s);
/* Has something been lost that was on disk? */
static inline bool record_is_damage(const struct record_scan *s)
{
	return s->foreign || s->proof > s->last;
}

#endif
