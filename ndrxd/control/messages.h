/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.h - what the packets of servers and xadmin mean
 */
#ifndef OW_MESSAGES_H
#define OW_MESSAGES_H

struct ndrxd;

/* Before ow_peer_listen(): sets d->conn.peer_ops. */
void ow_messages_open(struct ndrxd *d);

#endif
