/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nameless.h - find a running domain whose names were removed
 *
 * systemd-logind with RemoveIPC=yes does that at logout, and so does rm. The
 * tables live on, open in the domain's processes. Whoever finds no tables looks
 * there before it makes a second domain beside the first: the descriptors in
 * /proc still lead to the old ones, and these tell whether a server or ndrxd
 * lives.
 *
 * A domain that was removed as it should be does not count: its tables are
 * marked, and clients may have them open for long.
 */
#ifndef OW_NAMELESS_H
#define OW_NAMELESS_H

#include <stddef.h>
#include <sys/types.h>

struct ow_domain;

/* A server or the ndrxd of the running domain of d's names; 0: there is no such
 * domain. Call it when there are no tables. Reads /proc. */
pid_t ow_nameless_find(const struct ow_domain *d);
/* What that means, and what to do. */
void ow_nameless_say(const struct ow_domain *d, pid_t pid, char *buf,
		     size_t size);

#endif
