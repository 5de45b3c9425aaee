/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h - put in order what a dead server leaves in the domain
 */
#ifndef OW_DEAD_H
#define OW_DEAD_H

#include <stdbool.h>
#include <stdint.h>

struct ndrxd;

/* Forget the dead servers that are still to be put in order. */
void ow_dead_close(struct ndrxd *d);

/*
 * Server `srvid` is dead: send the error reply to the caller of its request
 * in hand, or postpone it while the mailbox is full (transport/record.h);
 * withdraw its services (`keep_queues`: it will be started again). A
 * wake-up may have died with it: ow_dead_nudge() is due.
 */
void ow_dead_reap(struct ndrxd *d, uint32_t srvid, bool keep_queues);

/* Once a second: put in order what could not be done because another process
 * kept the domain lock, and servers that died before ndrxd knew them. */
void ow_dead_tick(struct ndrxd *d);

/* Nudge idle servers if that is due, once per round of the loop. */
void ow_dead_nudge(struct ndrxd *d);

#endif
