/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.h - wake a thread of the bridge that sleeps at its reply queue
 */
#ifndef OW_BRIDGE_BELL_H
#define OW_BRIDGE_BELL_H

#include <stdint.h>

struct ow_ctx;
struct ow_queue;

struct ow_br_bell {
	struct ow_queue *queue; /* the reply queue of the thread; NULL: none */
	uint32_t slot, gen;
};

/* By the thread, once: have a context in the domain, a slot and a bell: 0, or
 * -1 with tperrno. */
int ow_br_bell_make(struct ow_br_bell *bell, struct ow_ctx **ret);
/* Put a notice into the queue. One ringer at a time. */
void ow_br_bell_ring(const struct ow_br_bell *bell);
void ow_br_bell_close(struct ow_br_bell *bell);

#endif
