/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confirmation.h - other bridges say that they know what was withdrawn
 *
 * Whoever goes in an orderly way waits for it: then no request is on its way
 * that was chosen before. doc/design/cluster.md, "What was withdrawn is
 * confirmed", has the protocol and what each crash means.
 */
#ifndef OW_BRIDGE_CONFIRMATION_H
#define OW_BRIDGE_CONFIRMATION_H

#include "servers/bridge/directory/directory.h"

/* By the clock, after a look at the tables: ask those that have not confirmed;
 * note what is confirmed and has its place. No lock. */
void ow_br_confirm_look(struct ow_br_directory *d);
/* A heartbeat from `p`, which may ask for it. No lock. */
void ow_br_confirm_heard(struct ow_br_directory *d, struct ow_br_peer *p,
			 const struct ow_br_frame *f,
			 const struct ow_br_heartbeat *heartbeat);
/* A frame CONFIRM from `p`. No lock. */
void ow_br_confirm_take(struct ow_br_directory *d, struct ow_br_peer *p,
			const struct ow_br_frame *f);
/* Forget what it has confirmed, and we to it. Lock held. */
void ow_br_confirm_forget(struct ow_br_peer *p);
/* A bridge that is up and has not confirmed what was withdrawn; NULL: all
 * have. Lock held. */
const struct ow_br_peer *ow_br_unconfirmed(const struct ow_br_directory *d);

#endif
