/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wakeup.h - wake a thread of the bridge that sleeps at its mailbox
 */
#ifndef OW_BRIDGE_WAKEUP_H
#define OW_BRIDGE_WAKEUP_H

#include <stdint.h>

struct ow_ctx;
struct ow_domain;
struct ow_queue;

struct ow_br_wakeup {
	struct ow_queue *queue; /* the mailbox of the thread; NULL: none */
	struct ow_domain *dom;
	uint32_t slot, gen;
};

/* By the thread, once: have a context in the domain, a slot and this: 0, or
 * -1 with tperrno. */
int ow_br_wakeup_make(struct ow_br_wakeup *w, struct ow_ctx **ret);
/* Put a notice into the queue. One sender at a time. */
void ow_br_wakeup_send(const struct ow_br_wakeup *w);
void ow_br_wakeup_close(struct ow_br_wakeup *w);

#endif
