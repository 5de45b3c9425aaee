/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.h - start ndrxd for a command, when none runs
 */
#ifndef OW_SPAWN_H
#define OW_SPAWN_H

#include "libatmi/domain/domain.h"

struct ow_args;
struct ow_command_link;

/*
 * Start ndrxd, wait until it listens, connect. OW_EXIT_OK, or the reason is
 * printed and OW_EXIT_FAILED returned. `d` comes from ow_domain_read_env().
 */
int ow_spawn_ndrxd(const struct ow_args *a, const struct ow_domain *d,
		   struct ow_command_link *ret);

#endif
