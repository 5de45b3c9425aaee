/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configure.h - put a configuration in force
 */
#ifndef OW_CONFIGURE_H
#define OW_CONFIGURE_H

struct ndrxd;
struct ow_config;

/*
 * Make d->insts those of `config`, plus the unconfigured ones that exist;
 * clients, groups and scales too. An instance that is not in `config` and has
 * a process is watched from then on like a server started by hand. The
 * configuration so far goes to *ret_before (NULL: is freed). 0 or -ENOMEM
 * (unchanged).
 */
int ow_configure(struct ndrxd *d, struct ow_config *config,
		 struct ow_config **ret_before);

/* Drop the instances that a reload has taken out of the configuration and whose
 * process has ended: while d->removed_due, and no operation, which holds them. */
void ow_configure_drop_removed(struct ndrxd *d);

/* Free instances, clients, groups and the configuration. */
void ow_configure_close(struct ndrxd *d);

#endif
