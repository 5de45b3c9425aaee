/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_inside.h - the log of a tmsrv, for the files that make it
 */
#ifndef OW_TMLOG_INSIDE_H
#define OW_TMLOG_INSIDE_H

#include <pthread.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libndrx/storage/watermark.h"
#include "servers/tmsrv/record.h"

/* A decision that has not ended, or a subordinate transaction. */
struct live {
	UT_hash_handle hh;
	uint64_t tran;
	enum kind kind; /* COMMIT, PREPARED */
	struct tmlog_branch by_hand; /* of BY_HAND; 0: none */
	uint32_t n;
	struct tmlog_branch branches[];
};

struct tmlog {
	pthread_mutex_t lock;
	pthread_cond_t synced_more;
	int fd, folder;
	char name[128], mark_name[136], path[4300];
	uint64_t identity;
	uint64_t next;	   /* the last number given */
	uint64_t reserved; /* the last one that a record allows */
	uint64_t granted;  /* the same, and that record is on disk */
	uint64_t doubt;	   /* decisions up to this number may be lost; 0: none
			      are */
	uint64_t end;		 /* bytes of records */
	uint64_t zeros;		 /* filled up to here */
	uint64_t synced;	 /* on disk up to here, in the file of `file` */
	uint64_t file;		 /* counts files */
	uint64_t number;	 /* of the last record */
	uint64_t number_synced;	 /* of the last one that is on disk */
	uint32_t crc;		 /* of the last record; 0: the file has none */
	struct watermark mark;	 /* `number_synced` */
	bool syncing;
	int error; /* of the last record: an errno; 0: it was written */
	uint64_t syncs, commits;
	struct live *live;
};

/* Read the file and its watermark: 0 or -errno, with the reason in `why`, if
 * there is more to say than what errno means. */
int log_read(struct tmlog *l, char *why, size_t size);

/* A new log begins its numbers anywhere in the lower half, which its identity
 * says, also if the log is damaged: a request that waits with a number of the log
 * before it names no transaction of this one. */
static inline uint64_t log_first_number(uint64_t identity)
{
	return identity & OW_TMLOG_NUMBERS >> 1;
}

int log_add_live(struct tmlog *l, enum kind kind, uint64_t tran,
		 const struct tmlog_branch *b, uint32_t n);
struct live *log_find_live(const struct tmlog *l, uint64_t tran);
void log_drop_live(struct tmlog *l, uint64_t tran);

#endif
