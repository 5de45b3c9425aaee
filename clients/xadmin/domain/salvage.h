/* SPDX-License-Identifier: Apache-2.0 */
/*
 * salvage.h - find the queues of a domain whose tables cannot be read
 *
 * POSIX queues can be listed only where their file system is mounted, and an
 * ordinary user cannot mount it. So names are collected from the open
 * descriptors of the domain's processes, from its files in shared memory, and
 * from the damaged tables. A name
 * that never was a queue does no harm: only names with the domain's own
 * prefix are tried.
 */
#ifndef OW_SALVAGE_H
#define OW_SALVAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "clients/xadmin/domain/names.h"

struct ow_domain;

/* Add the queues of the domain that `pid` has open. */
void ow_salvage_process(struct ow_names *s, const struct ow_domain *d,
			pid_t pid);

/* Add every text of the tables' file that looks like a queue. */
void ow_salvage_tables(struct ow_names *s, const struct ow_domain *d);

/* Add the services that files in the domain's folder in shared memory are named
 * after: bell,SERVICE. */
void ow_salvage_files(struct ow_names *s, const struct ow_domain *d);

/* Can queues be listed here, so that none is missed? Their file system is
 * mounted at NDRX_QPATH. */
bool ow_salvage_can_list(void);

/* Remove the queues. How many existed. */
int ow_salvage_remove(const struct ow_names *s);

#endif
