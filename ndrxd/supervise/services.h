/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.h - what ndrxd writes about services into the tables
 *
 * A service of the configuration has its place in the tables before a server
 * offers it, so its first call has its priority already. That a service is
 * suspended stands in the tables alone: it outlives servers and ndrxd, and
 * ends with the domain.
 */
#ifndef OW_SERVICES_H
#define OW_SERVICES_H

#include <stdbool.h>
#include <stddef.h>

struct ndrxd;

/* Priorities of all services: those of the configuration, and the default of
 * others. */
void ow_services_configure(struct ndrxd *d);

/* Suspend the service, or resume it: 1; 0, it was so already; -1, it cannot be
 * done. `text` says so. */
int ow_services_suspend(struct ndrxd *d, const char *name, bool on, char *text,
			size_t size);

/* Drop the kept replies of the service, "": of all: of how many; -1: it is not
 * cached. `text` says so. */
int ow_services_drop(struct ndrxd *d, const char *name, char *text,
		     size_t size);

#endif
