/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - write what onlookers see of this tmsrv (libatmi/tran/snapshot.h)
 *
 * Without shared memory for it nothing is shown, and transactions go on. The
 * counters: any thread. The rest: the thread of watch.h.
 */
#ifndef OW_TMSRV_SNAPSHOT_H
#define OW_TMSRV_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/tran/snapshot.h"

struct ow_domain;
struct tmlog;

void snapshot_open(const struct ow_domain *d, uint32_t srvid, uint32_t rmid,
		   struct tmlog *log);
void snapshot_close(void);
/* One more. */
void snapshot_count(enum ow_tm_count what);
/* A commit has taken so long. */
void snapshot_commit_time(uint64_t ns);
/* So many prepared branches have a tmsrv that does not answer. */
void snapshot_strays(uint64_t n, uint64_t now);
/* The resource manager is asked something at `now`; it has answered, or not. One
 * question at a time. */
void snapshot_rm_asked(uint64_t now);
void snapshot_rm_answered(bool answered);
/* Show the table of transactions as it is. With its lock. */
void snapshot_table(uint64_t now);

#endif
