/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.h - the programs of <clients>, all together
 *
 * Each <exec> (and each number of its sub-sections) is one process with the
 * same automaton as a server; it serves nothing, so it is READY as soon as it
 * is started, and it is ended by signals. Clients boot after the servers and
 * end before them.
 *
 * A client is recognized by its environment: NDRX_CLTTAG, NDRX_CLTSUBSECT and
 * NDRX_CLTPID, which is its own process id (a child of it inherits the number
 * of its parent). So the next ndrxd finds the clients of a killed one without
 * any record, and none is ever started twice.
 */
#ifndef OW_CLIENTS_H
#define OW_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ndrxd;
struct ow_client;
struct ow_config;

/* The clients of a configuration. Those that are not in it must have no
 * process. 0, -ENOMEM (unchanged). */
int ow_clients_configure(struct ndrxd *d, const struct ow_config *config);
void ow_clients_close(struct ndrxd *d);

/* At start-up: watch clients that live, start those that have died. */
void ow_clients_adopt(struct ndrxd *d);

/* Start all that have <autostart>. */
void ow_clients_boot(struct ndrxd *d);
/* End all; `at_once`: SIGKILL. */
void ow_clients_stop(struct ndrxd *d, bool at_once);
bool ow_clients_all_down(const struct ndrxd *d);

/* Check all processes: ended, or (`limits`) over their limits? */
void ow_clients_check(struct ndrxd *d, bool limits);

/* A running client that is not in `config`, or NULL. */
const struct ow_client *ow_clients_vanished(const struct ndrxd *d,
					    const struct ow_config *config);
/* After a reload: restart those whose definition differs from `before`,
 * start new ones with <autostart>; how many. */
uint32_t ow_clients_changed(struct ndrxd *d, const struct ow_config *before);

#endif
