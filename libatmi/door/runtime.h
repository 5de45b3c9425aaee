/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - is this process part of the runtime itself?
 *
 * Servers of the domain, with all their threads, and xadmin need no login:
 * whoever serves authorizes what they ask (door/door.h). They say it where only
 * processes of the domain's user can write: in their client slots and in the
 * headers of their requests. The kernel keeps others away from both (folder
 * of mode 0700, segments and queues of mode 0600, each checked when it is
 * opened); what a guest sends is written by the gate, which is not of the
 * runtime. A child that a server forks is a program of its own: a client.
 * doc/design/trust.md, "Who is the runtime".
 */
#ifndef OW_DOOR_RUNTIME_H
#define OW_DOOR_RUNTIME_H

#include <stdbool.h>

/* This process is. Counts for contexts that are made from now on. */
void ow_runtime_enter(void);
/* It is not any more: it has stopped serving. */
void ow_runtime_leave(void);

bool ow_runtime_is(void);

#endif
