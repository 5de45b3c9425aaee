/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.h - what the configuration says of services, put into the tables
 *
 * A service that is named there has its place in the tables before a server
 * offers it, so its first call has its priority already.
 */
#ifndef OW_SERVICES_H
#define OW_SERVICES_H

struct ndrxd;

/* The configuration is in force; all others have what nobody configured. */
void ow_services_configure(struct ndrxd *d);

#endif
