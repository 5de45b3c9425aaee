/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - what a tmsrv shows of its transactions
 *
 * A snapshot (domain/snapshot.h). The counters are written by any thread of the
 * tmsrv, at once and without `seq`; they go on with the next process of its
 * server id, so they fall only with the domain. The rest is written some times
 * a second. Times are monotonic.
 */
#ifndef OW_TRAN_SNAPSHOT_H
#define OW_TRAN_SNAPSHOT_H

#include <stdint.h>

#include "libatmi/domain/buckets.h"
#include "libatmi/domain/snapshot.h"

#define OW_TM_SNAPSHOT_MAX 256u

enum ow_tm_count {
	OW_TM_COUNT_BEGUN,
	OW_TM_COUNT_COMMITTED,
	OW_TM_COUNT_ROLLED_BACK,
	OW_TM_COUNT_TIMED_OUT, /* of these: not ended in time */
	/* ended, and nobody knows for sure how: a resource manager has decided
	 * by itself, or was lost while it committed alone */
	OW_TM_COUNT_UNSURE,
	OW_TM_COUNT_ORPHANS, /* branches rolled back that no tmsrv knew */
	OW_TM_COUNTS
};

struct ow_tm_snapshot_tran {
	uint64_t id;
	uint64_t begun_ns, deadline_ns;
	uint32_t branches, prepared; /* prepared: in doubt until they are told */
	uint32_t tries, doomed;
	char state[16];
	char holder[48]; /* program and process that has begun it */
	char rms[48]; /* of its branches: "1a 2p", id and state */
	char result[16]; /* what a branch that is not done has answered */
};

struct ow_tm_snapshot {
	struct ow_snapshot head;
	uint32_t rmid, n; /* n: entries of `tran` */
	_Atomic uint64_t count[OW_TM_COUNTS];
	/* from the request for commit to the answer, of those committed that
	 * had branches */
	_Atomic uint64_t commit_us, commit_hist[OW_HIST_BUCKETS];
	uint64_t syncs, decisions; /* of its log */
	uint64_t active, ending;   /* transactions now */
	uint64_t heuristic;	   /* that wait to be forgotten */
	/* branches now: prepared, and not yet told the decision; since when the
	 * oldest of their transactions is late, or one whose last resource has
	 * not said how it has ended; 0: none is late */
	uint64_t in_doubt, late_ns;
	/* prepared branches in its resource manager whose tmsrv does not
	 * answer; since when there are some */
	uint64_t strays, stray_ns;
	struct ow_tm_snapshot_tran tran[OW_TM_SNAPSHOT_MAX];
	/* its log; errno of the last record that should have gone there, 0: it
	 * did */
	char path[256];
	int32_t log_error;
	/* its resource manager has not answered the looks for orphans for so
	 * many seconds; 0: it does, or this is not sure yet */
	uint32_t silent_s;
};

extern const struct ow_snapshot_kind ow_tm_snapshot_kind;

#endif
