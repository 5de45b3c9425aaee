/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h - make this process, or one more thread of it, a server of its domain
 */
#ifndef OW_SERVER_JOIN_H
#define OW_SERVER_JOIN_H

#include <stdint.h>

struct ow_server;

/* Join the domain, creating it if need be, and take the server slot: 0, or -1
 * with the reason on standard error. Sets s->dom, ctx, slot and adv. */
int ow_server_join(struct ow_server *s);
/* The same for dispatch thread `number` of the server s->main, which is of the
 * domain: 0, -errno. */
int ow_server_join_thread(struct ow_server *s, uint32_t number);
/* Prepare to receive requests, with a slot: in-flight record, wait set,
 * replier: 0, -errno. The counterpart; accepts what was never prepared. */
int ow_server_prepare(struct ow_server *s);
void ow_server_close(struct ow_server *s);
/* Give the slot back; remove the domain if no process of it is left. */
void ow_server_leave(struct ow_server *s);

#endif
