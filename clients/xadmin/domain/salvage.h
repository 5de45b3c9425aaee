/* SPDX-License-Identifier: Apache-2.0 */
/*
 * salvage.h - queue names of a domain whose tables cannot be read
 *
 * POSIX queues can be listed only where their file system is mounted, which
 * an ordinary user cannot do. So the names are looked for where they may
 * still stand: in the open descriptors of the domain's processes, and in the
 * ruins of the tables. A name that never was a queue does no harm: only
 * names under the domain's own prefix are tried.
 */
#ifndef OW_SALVAGE_H
#define OW_SALVAGE_H

#include <sys/types.h>

#include "clients/xadmin/domain/names.h"

struct ow_domain;

/* Add the queues of the domain that `pid` has open. */
void ow_salvage_process(struct ow_names *s, const struct ow_domain *d,
			pid_t pid);

/* Add what looks like a queue in the tables' file, if there is one. */
void ow_salvage_tables(struct ow_names *s, const struct ow_domain *d);

/* Remove the queues; how many there were. */
int ow_salvage_remove(const struct ow_names *s);

#endif
