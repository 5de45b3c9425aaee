/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - the segment of subscriptions, seen from inside
 */
#ifndef OW_SUBS_ROWS_H
#define OW_SUBS_ROWS_H

#include "libatmi/base/pieces.h"
#include "libatmi/subs/interest.h"
#include "libatmi/subs/subs.h"
#include "libubf/regex/regex.h"

#define OW_SUBS_MAGIC	UINT64_C(0x3253425553574f00)
#define OW_SUBS_BUCKETS 65536u
#define OW_SUBS_WORD	64u /* longer words are compared as patterns */
#define OW_SUBS_PIECE	512u /* rows that are mapped together */

struct subs_row {
	_Atomic uint32_t used; /* 1: `s` is complete */
	uint32_t turn;	       /* how often the row was used before; in its id */
	/* derived */
	uint32_t next, prev; /* 1 + row, in a bucket or the list of patterns */
	uint32_t how;	     /* enum ow_regex_how, or 0: in the list */
	uint32_t len, hash;
	uint32_t pad;
	char word[OW_SUBS_WORD];
	struct ow_sub s;
	char rest[256];
};
_Static_assert(sizeof(struct subs_row) == 1024, "a row is 1 KiB");

/* What all other nodes want, as one bridge knows it; remote.h. */
#define OW_SUBS_BRIDGES 16u
struct subs_place {
	_Atomic uint32_t srvid; /* of the bridge; 0: free */
	uint32_t pad;
	struct ow_interest wants;
};

struct subs_head {
	uint64_t magic;
	uint64_t size;
	_Atomic uint32_t seq;
	_Atomic uint32_t high; /* rows ever used */
	_Atomic uint32_t used;
	_Atomic uint32_t npatterns; /* in the list */
	/* 1 + the event of ndrxd to be posted next; 0: not decided. Of several
	 * tpevsrv one moves it on, by compare-and-swap, and posts it; if it is
	 * killed before, the event is not posted. */
	_Atomic uint64_t of_ndrxd;
	_Atomic uint64_t lengths; /* bit n: a word has n characters */
	uint32_t patterns;	  /* 1 + row, the first of the list */
	uint32_t free;		  /* 1 + row, the first free row */
	uint32_t by_length[OW_SUBS_WORD]; /* how many words */
	struct subs_place remote[OW_SUBS_BRIDGES];
	uint32_t bucket[OW_SUBS_BUCKETS]; /* 1 + row, the first */
};

/* A pattern, compiled by this process. */
struct subs_compiled {
	long id;
	bool used; /* false: nothing is compiled */
	struct ow_regex re;
};

/* The mapping of a process. */
struct ow_subs {
	struct subs_head *head;
	struct ow_pieces *rows;
	int fd;
	struct subs_compiled *compiled; /* by row % ncompiled; lock of find.c */
	uint32_t ncompiled;
};

#define SUBS_HEAD_SIZE ((sizeof(struct subs_head) + 4095) & ~UINT64_C(4095))
#define SUBS_SIZE \
	(SUBS_HEAD_SIZE + (uint64_t)OW_SUBS_MAX * sizeof(struct subs_row))

/* Rows have 20 bits of an id. */
static inline long subs_id(uint32_t row, uint32_t turn)
{
	return (long)turn << 20 | row;
}

static inline uint32_t subs_row_of(long id)
{
	return (uint32_t)id & 0xfffff;
}

/* NULL: no address space. */
static inline struct subs_row *subs_row(const struct ow_subs *s, uint32_t row)
{
	char *p = ow_piece(s->rows, row / OW_SUBS_PIECE);

	return p == NULL ? NULL : (struct subs_row *)p + row % OW_SUBS_PIECE;
}

/* The hash of a word, character by character. */
#define SUBS_HASH 2166136261u
static inline uint32_t subs_hash(uint32_t h, char c)
{
	return (h ^ (uint8_t)c) * 16777619u;
}

static inline uint32_t subs_bucket(uint32_t hash)
{
	return (hash ^ hash >> 16) % OW_SUBS_BUCKETS;
}

/* The mapping, or NULL; segment.c. */
struct ow_subs *ow_subs_of(struct ow_domain *d);
/* Free what is compiled: the lock of it held, or nobody reads any more. */
void ow_subs_drop_compiled(struct ow_subs *s);
/* Begin to read: the number to compare; false: a writer is at work. */
bool ow_subs_read_begin(const struct ow_subs *s, uint32_t *ret_seq);
/* Did nothing change meanwhile? */
bool ow_subs_read_end(const struct ow_subs *s, uint32_t seq);

#endif
