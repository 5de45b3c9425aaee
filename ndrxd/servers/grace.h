/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grace.h - does a server that answers no ping hang, or does it work?
 *
 * A server answers pings between two requests and while it waits in the
 * library: for a reply, or for room in a queue. So silence means that it is
 * in the code of a service, or hangs elsewhere. In a service it is judged by
 * the limit of that service: <svctimeout> of the service, of the server, or
 * else the deadline of the caller. Outside of services ping_max counts.
 */
#ifndef OW_GRACE_H
#define OW_GRACE_H

#include <stdint.h>

struct ow_inst;

/* A ping is sent: remember what the server does. */
void ow_grace_ping(struct ow_inst *s);

/*
 * The ping has not been answered for ping_max. 0: the server hangs; else look
 * again after so many ms. s->au.reason is completed, or replaced, by what it
 * does.
 */
uint64_t ow_grace_ms(struct ow_inst *s);

#endif
