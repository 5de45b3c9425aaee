/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.h - what the tmsrv and tmqueue of a domain show, for onlookers
 *
 * Copies of their snapshots (libatmi/tran/snapshot.h,
 * libatmi/durable/snapshot.h), with numbers and texts made safe. What is of a
 * dead process is left out.
 */
#ifndef OW_OBSERVE_SNAPSHOTS_H
#define OW_OBSERVE_SNAPSHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "libndrx/observe/observer.h"
#include "libatmi/durable/snapshot.h"
#include "libatmi/tran/snapshot.h"

#define OW_SNAPSHOT_OLD_US UINT64_C(3600000000) /* a message is old */
/* Their tmsrv may just be restarted. */
#define OW_SNAPSHOT_STRAY_NS UINT64_C(10000000000)
/* Its time-out has come, and it is being rolled back: that takes a moment, and
 * a snapshot may be a second old. */
#define OW_SNAPSHOT_LATE_NS UINT64_C(5000000000)

/* The snapshot of the next tmsrv, or tmqueue, behind server id *id (at first
 * 0), which becomes its id. To be freed. NULL: no more. */
struct ow_tm_snapshot *ow_snapshot_trans(const struct ow_observer *v,
					 uint32_t *id);
struct ow_mq_snapshot *ow_snapshot_space(const struct ow_observer *v,
					 uint32_t *id);

/* Of its last resource it is not known whether it is committed. */
#define OW_SNAPSHOT_DECIDING "DECIDING"
/* May it be a fault that this one has not ended? Then its time-out says when. */
bool ow_snapshot_in_doubt(const struct ow_tm_snapshot_tran *t);
/* Can it write no decision, as far as is known? */
bool ow_snapshot_undecided(const struct ow_tm_snapshot *p);

/* How long the first message of a queue has been there at `real_ns` (wall
 * clock), in microseconds; 0: there is none. */
uint64_t ow_snapshot_age_us(const struct ow_mq_snapshot_queue *q,
			    uint64_t real_ns);

#endif
