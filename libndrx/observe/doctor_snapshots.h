/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_snapshots.h - check what each tmsrv and tmqueue shows of its work
 */
#ifndef OW_DOCTOR_SNAPSHOTS_H
#define OW_DOCTOR_SNAPSHOTS_H

#include "libndrx/observe/doctor.h"
#include "libndrx/observe/snapshots.h"

/* All of the domain. */
void ow_doctor_snapshots(struct ow_doctor *doc, const struct ow_observer *v);

/* One tmsrv, at `now_ns` (monotonic); one tmqueue, at `real_ns`. */
void ow_doctor_trans(struct ow_doctor *doc, const struct ow_tm_snapshot *p,
		     uint64_t now_ns);
void ow_doctor_space(struct ow_doctor *doc, const struct ow_mq_snapshot *p,
		     uint64_t real_ns);

#endif
