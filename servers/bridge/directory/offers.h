/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offers.h - what this node offers to others, and others to this node
 */
#ifndef OW_BRIDGE_OFFERS_H
#define OW_BRIDGE_OFFERS_H

#include "servers/bridge/directory/directory.h"

/* Look at what servers of this node offer; tell others of changes. */
void ow_br_offers_look(struct ow_br_directory *d);
/* If it has changed: what is to be advertised? By the clock, once for all
 * changes of a step: with many nodes it takes long. Lock held. */
void ow_br_offers_settle(struct ow_br_directory *d);
/* Tell all offers, to `p` or all. */
void ow_br_offers_tell(struct ow_br_directory *d, const struct ow_br_peer *p);
/* The name that other nodes know: without the mark of NDRX_LDBAL. */
const char *ow_br_true_name(const char *svc);
/* May other nodes call it, if servers here offer it? */
bool ow_br_offers_may(const struct ow_br_options *o, const char *svc);
/* In the main thread: advertise what others offer. */
int ow_br_offers_show(struct ow_br_directory *d);
/* Hash of the field tables of this process. */
uint64_t ow_br_tables_hash(void);

#endif
