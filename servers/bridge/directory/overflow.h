/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overflow.h - services of other nodes that have no queue of their own
 */
#ifndef OW_BRIDGE_OVERFLOW_H
#define OW_BRIDGE_OVERFLOW_H

#include "servers/bridge/directory/directory.h"

/* On the main thread: mark those of `names` that no server offers; by the first
 * bridge of the domain (`rank` 0), no others. 0; -1: try again later. */
int ow_br_overflow_mark(struct ow_br_directory *d,
			const struct ow_br_names *names, uint32_t rank);
/* The same: those of `names`, which servers here offer, too, keep their slots: a
 * request for one may go to the queue of OW_SVC_OVERFLOW. 0; -1: later. */
int ow_br_overflow_keep(struct ow_br_directory *d,
			const struct ow_br_names *names);

#endif
