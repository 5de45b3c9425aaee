/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - do the domain's names still lead to what its processes use?
 *
 * systemd-logind with RemoveIPC=yes removes the names of a user's queues and
 * shared memory at logout. What is open stays whole, so nobody notices until a
 * process looks for a name. The kernel gives no name back; ndrxd says what has
 * happened (doc/design/trust.md).
 */
#ifndef OW_NAMES_H
#define OW_NAMES_H

struct ndrxd;

/* Once a second: the tables, and some of the service queues, in turn. */
void ow_names_tick(struct ndrxd *d);

#endif
