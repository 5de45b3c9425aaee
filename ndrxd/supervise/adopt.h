/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt.h - take over the servers of a domain that runs already
 */
#ifndef OW_ADOPT_H
#define OW_ADOPT_H

#include <stdint.h>

struct ndrxd;

/* Watch every living server in the tables that is not watched yet. */
void ow_adopt_living(struct ndrxd *d);

/*
 * At start-up: watch the living; reap the dead, and start those again that
 * the last ndrxd had to run, if <respawn> says so; the same for clients.
 */
void ow_adopt_domain(struct ndrxd *d);

/* After <restart_to_check>, once: an adopted server that has not connected
 * gets no packets: it is DEAF. */
void ow_adopt_check_connected(struct ndrxd *d, uint64_t now_ms);

#endif
