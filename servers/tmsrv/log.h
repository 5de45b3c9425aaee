/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - the decisions of a tmsrv on disk
 *
 * A record is on disk when append() with `sync` has returned 0; one sync serves
 * all threads that have appended meanwhile. The log itself knows which
 * decisions have not ended: it reads them at the start, and writes them into
 * the new file that replaces a full one.
 *
 * The file begins with a record IDENTITY. It is filled with zeros ahead of the
 * records, so that a sync writes data only. How it is read, and what is damage:
 * record.h. Any thread.
 */
#ifndef OW_TMLOG_H
#define OW_TMLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/tmsrv/decided.h"

struct tmlog;

/* The bits of a transaction that are the number which the log has given. */
#define OW_TMLOG_NUMBERS ((UINT64_C(1) << 40) - 1)

/* Open the log `name` in `folder`, which is made if need be. 0, or -errno with
 * the reason in `why`; EBUSY: another process has it. */
int tmlog_open(const char *folder, const char *name, struct tmlog **ret,
	       char *why, size_t size);
struct tmlog *tmlog_close(struct tmlog *l);
/* Random, made with the log. */
uint64_t tmlog_identity(const struct tmlog *l);
/* A number that this log has never given and never will, below 2^40: 0 or
 * -errno. Seldom writes. */
int tmlog_number(struct tmlog *l, uint64_t *ret);
/* Transaction `tran` is committed, as soon as this is on disk: 0; -errno: it
 * was not written. A sync that fails ends the process. */
int tmlog_commit(struct tmlog *l, uint64_t tran,
		 const struct tmlog_branch *branches, uint32_t n);
/* The same of a subordinate transaction: prepared, until its superior says how
 * it ends. `words` are the caller's. */
int tmlog_prepared(struct tmlog *l, uint64_t tran,
		   const struct tmlog_branch *words, uint32_t n);
/* An operator has decided about it, or its outcome is to be kept (outcome.h):
 * `how` is not 0. */
int tmlog_by_hand(struct tmlog *l, uint64_t tran, uint32_t how);
/* All branches have confirmed. Not synced. */
void tmlog_end(struct tmlog *l, uint64_t tran);
/* Each decision that has not ended; `by_hand`: the last `how`, 0: none. */
void tmlog_each(struct tmlog *l,
		void (*found)(uint64_t tran,
			      const struct tmlog_branch *branches, uint32_t n,
			      uint32_t by_hand, void *arg),
		void *arg);
/* Each subordinate transaction that is prepared. */
void tmlog_each_prepared(struct tmlog *l,
			 void (*found)(uint64_t tran,
				       const struct tmlog_branch *words,
				       uint32_t n, uint32_t by_hand, void *arg),
			 void *arg);
/* May its decision have been lost, with a damaged log that an operator has
 * accepted? Then it is not known here, and was not rolled back for that. */
bool tmlog_may_have_lost(const struct tmlog *l, uint64_t tran);
/* Syncs since it was opened, and decisions that they served. */
void tmlog_figures(struct tmlog *l, uint64_t *ret_syncs,
		   uint64_t *ret_commits);
/* Why the last record could not be written: an errno; 0: it was. */
int tmlog_error(struct tmlog *l);
/* Of its file; as long as the log. */
const char *tmlog_path(const struct tmlog *l);

#endif
