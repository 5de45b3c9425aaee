/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridges.h - for onlookers: what the bridges of the domain show
 */
#ifndef OW_BRIDGES_H
#define OW_BRIDGES_H

#include "libndrx/observe/observer.h"
#include "libatmi/domain/nodes.h"

#define OW_BRIDGES_MAX 32u /* of one domain; onlookers show no more */

struct ow_bridges {
	struct ow_nodes_snapshot *p[OW_BRIDGES_MAX];
	uint32_t n;
};

/* The snapshots of the living bridges. */
void ow_bridges_open(const struct ow_observer *v, struct ow_bridges *ret);
void ow_bridges_close(struct ow_bridges *b);

/* For people and scripts: "up", "down" (silent, or lost), "left" (it has ended
 * in order). */
const char *ow_bridges_state(const struct ow_nodes_link *l);

#endif
