/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.h - how long calls to other nodes take, by node and service
 *
 * From when the bridge here takes a request until it has the reply, or gives the
 * call up: the way there and back, the queue there, and the service. Shown by
 * the snapshot (domain/nodes.h). All functions with the lock of the peers.
 */
#ifndef OW_BRIDGE_TIMES_H
#define OW_BRIDGE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/nodes.h"

struct ow_br_time; /* of a service of a node */
struct ow_br_times; /* NULL: none yet */

/* That of this service at this node, made if need be; NULL: there is no room, or
 * it is a service of the runtime. */
struct ow_br_time *ow_br_time_need(struct ow_br_times **ts, uint32_t node,
				   const char *svc);
/* A call has ended. `t` may be NULL. */
void ow_br_time_note(struct ow_br_time *t, uint64_t begun_ns, bool failed);
/* Write them into the snapshot. */
void ow_br_times_show(const struct ow_br_times *ts,
		      struct ow_nodes_snapshot *to);

#endif
