/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h - make this process a server of its domain
 */
#ifndef OW_SERVER_JOIN_H
#define OW_SERVER_JOIN_H

struct ow_server;

/* Join the domain, creating it if need be, and take the server slot: 0, or -1
 * with the reason on standard error. Sets s->dom, ctx, slot and adv. */
int ow_server_join(struct ow_server *s);
/* Give the slot back; remove the domain if no process of it is left. */
void ow_server_leave(struct ow_server *s);

#endif
