/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.h - maintenance mode: ndrxd starts nothing by itself
 *
 * While it is on, a server or client that dies stays down, a group whose lock is
 * free is not taken over, a hung server is not killed, a changed program or one
 * that grows too large is not replaced, and <autoscale> rests. Orders of
 * operators are executed as always. It stands in the head of the tables: it
 * outlives ndrxd, and ends with the domain.
 */
#ifndef OW_HOLD_H
#define OW_HOLD_H

#include <stdbool.h>

struct ndrxd;

/* Turn it on or off. Off starts what has been held. False: it was so. */
bool ow_hold_set(struct ndrxd *d, bool on);
/* What the last ndrxd has left; before servers are adopted. */
void ow_hold_recall(struct ndrxd *d);

#endif
