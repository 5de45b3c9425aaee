/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_nodes.h - what nodes have told of requests that they got from others
 *
 * Read from the snapshots of the bridges (libatmi/domain/waits.h). A request is
 * known by its id, 8 random bytes, and the node that has sent it, so what was
 * told of one never becomes true of another. A node is believed about what it
 * was sent; if two say that they have the same request, one of them lies, and
 * nothing that they say of it proves a deadlock.
 */
#ifndef OW_CALLS_NODES_H
#define OW_CALLS_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/domain/waits.h"
#include "libndrx/observe/observer.h"

struct ow_calls_told {
	struct ow_waits_told t;
	uint64_t age_ns;
	bool stuck; /* it cannot be finished before a time-out */
};

struct ow_calls_nodes {
	struct ow_calls_told *told; /* by id, sender */
	size_t n;
};

/* 0, -ENOMEM. */
int ow_calls_nodes_read(const struct ow_observer *v,
			struct ow_calls_nodes *ret);
void ow_calls_nodes_free(struct ow_calls_nodes *n);
/* What was told of a request that node `from` has sent to another one; NULL:
 * nothing. */
const struct ow_calls_told *ow_calls_nodes_find(const struct ow_calls_nodes *n,
						uint32_t from,
						const uint8_t id[8]);

#endif
