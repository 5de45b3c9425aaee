/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.h - priorities of services, from the configuration to the tables
 *
 * A service of the configuration has its place in the tables before a server
 * offers it, so its first call has its priority already.
 */
#ifndef OW_SERVICES_H
#define OW_SERVICES_H

struct ndrxd;

/* Of all services: those of the configuration, and the default of others. */
void ow_services_configure(struct ndrxd *d);

#endif
