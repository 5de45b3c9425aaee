/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the event loop of the supervisor: signals, periodic work
 */
#ifndef OW_LOOP_H
#define OW_LOOP_H

struct ndrxd;

/* Make d->loop, with signals and timers. 0 or -ENOMEM. */
int ow_loop_open(struct ndrxd *d);

/* Start everything if d->boot says so; then serve until ow_leave(). */
void ow_loop_run(struct ndrxd *d);

#endif
