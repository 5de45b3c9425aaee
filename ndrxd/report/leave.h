/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.h - end the event loop, the last packets sent
 */
#ifndef OW_LEAVE_H
#define OW_LEAVE_H

struct ndrxd;

void ow_leave_open(struct ndrxd *d);

/* End the loop as soon as all peers have their packets, after 1 s at most.
 * Sets d->conn.ending: new commands are refused. */
void ow_leave(struct ndrxd *d);

#endif
