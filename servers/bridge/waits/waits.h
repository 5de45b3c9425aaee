/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits.h - nodes tell each other for what requests of other nodes wait
 *
 * A bridge with a call that is out for a second says so in its heartbeats
 * (OW_BR_WANTS_WAITS). While some bridge does, a thread of each other one looks
 * at its domain as xadmin does, at most once a second and for at most a
 * hundredth of the time, and tells of the requests that have come from other
 * nodes (frame WAITS). No caller and no server notices. What was told is shown
 * in a snapshot (libatmi/domain/waits.h). doc/design/observability.md says why
 * a deadlock that is named is one.
 */
#ifndef OW_BRIDGE_WAITS_H
#define OW_BRIDGE_WAITS_H

#include "servers/bridge/in/inbound.h"
#include "servers/bridge/out/calls.h"
#include "servers/bridge/peers/peers.h"

struct ow_br_waits;

/* 0, -ENOMEM, -errno of the snapshot. */
int ow_br_waits_make(struct ow_br_peers *ps, struct ow_br_calls *calls,
		     struct ow_br_waits **ret);
/* Begin to look: 0 or -errno. */
int ow_br_waits_start(struct ow_br_waits *w, struct ow_br_inbound *in);
/* The bridge has ended: wait for the thread; free it. NULL: there is none. */
void ow_br_waits_stop(struct ow_br_waits *w);
void ow_br_waits_free(struct ow_br_waits *w);
/* Is a call out so long that others shall tell? */
bool ow_br_waits_wanted(struct ow_br_waits *w);
/* A frame WAITS of `p`. No lock. */
void ow_br_waits_take(struct ow_br_waits *w, const struct ow_br_peer *p,
		      const struct ow_br_frame *f, const char *payload);

#endif
