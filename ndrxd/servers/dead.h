/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h - after a server's death: its caller, its queues, its wake-ups
 */
#ifndef OW_GRAVE_H
#define OW_GRAVE_H

#include <stdbool.h>
#include <stdint.h>

struct ndrxd;

/*
 * The server is dead: answer its request in hand now, or again and again
 * until that call's deadline; withdraw its services. Its wake-up may have
 * died with it: idle servers are nudged at the end of this round.
 */
void ow_grave_server(struct ndrxd *d, uint32_t srvid, bool keep_queues);

/* Send the nudges that are due. */
void ow_grave_nudge(struct ndrxd *d);

void ow_grave_open(struct ndrxd *d);
void ow_grave_close(struct ndrxd *d);

#endif
