/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause.h - services whose queues the bridge leaves alone for a while
 *
 * So many requests of a service wait for another node that no more should. The
 * bridge takes no more from its queue, which fills, and callers wait there as
 * for any slow service. It takes from all other queues. The clock looks whether
 * half of what waited is gone, or another node has room; the main thread goes on
 * then.
 */
#ifndef OW_BRIDGE_PAUSE_H
#define OW_BRIDGE_PAUSE_H

#include "servers/bridge/out/calls.h"

/* In a service function, whose request waits for `p`: take no more from the
 * queue that it came from. `svc`: its service; NULL: its queue is that of
 * several. Lock held. */
void ow_br_pause_service(struct ow_br_calls *cs, struct ow_br_peer *p,
			 const char *svc);
/* By the clock: is some pause over? Then the main thread is told. No lock. */
void ow_br_pauses_look(struct ow_br_calls *cs);
/* On the main thread: end those that are over. No lock. */
void ow_br_pauses_end(struct ow_br_calls *cs);

#endif
