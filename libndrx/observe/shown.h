/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - what the tmsrv and tmqueue of a domain show, for onlookers
 *
 * Copies of their snapshots (libatmi/tran/shown.h, libatmi/durable/shown.h),
 * with numbers and texts made safe. What is of a dead process is left out.
 */
#ifndef OW_CLIENTS_SHOWN_H
#define OW_CLIENTS_SHOWN_H

#include <stdint.h>

#include "libndrx/observe/observer.h"
#include "libatmi/durable/shown.h"
#include "libatmi/tran/shown.h"

#define OW_SHOWN_OLD_US UINT64_C(3600000000) /* a message is old */

/* The snapshot of the next tmsrv, or tmqueue, behind server id *id (at first
 * 0), which becomes its id. To be freed. NULL: no more. */
struct ow_tm_shown *ow_shown_trans(const struct ow_observer *v, uint32_t *id);
struct ow_mq_shown *ow_shown_space(const struct ow_observer *v, uint32_t *id);

/* How long the first message of a queue has been there at `real_ns` (wall
 * clock), in microseconds; 0: there is none. */
uint64_t ow_shown_age_us(const struct ow_mq_shown_queue *q, uint64_t real_ns);

#endif
