/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - write what onlookers see of this tmsrv (libatmi/tran/shown.h)
 *
 * Without shared memory for it nothing is shown, and transactions go on. The
 * counters: any thread. The rest: the thread of watch.h.
 */
#ifndef OW_TMSRV_SHOWN_H
#define OW_TMSRV_SHOWN_H

#include <stdint.h>

#include "libatmi/tran/shown.h"

struct ow_domain;
struct tmlog;

void shown_open(const struct ow_domain *d, uint32_t srvid, uint32_t rmid,
		struct tmlog *log);
void shown_close(void);
/* One more. */
void shown_count(enum ow_tm_count what);
/* A commit has taken so long. */
void shown_commit_time(uint64_t ns);
/* So many prepared branches have a tmsrv that does not answer. */
void shown_strays(uint64_t n, uint64_t now);
/* Show the table of transactions as it is. With its lock. */
void shown_table(uint64_t now);

#endif
