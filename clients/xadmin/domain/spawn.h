/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.h - start ndrxd when a command needs it and none runs
 */
#ifndef OW_SPAWN_H
#define OW_SPAWN_H

#include "libatmi/domain/domain.h"

struct ow_args;
struct ow_remote;

/*
 * Connect to ndrxd, starting it when none runs; waits until it listens. 0, or
 * an exit code after the reason was said. `d` must come from
 * ow_domain_read_env().
 */
int ow_spawn_connect(const struct ow_args *a, const struct ow_domain *d,
		     struct ow_remote *ret);

/* Connect to a running one; OW_EXIT_FAILED after having said that none is. */
int ow_spawn_connect_running(const struct ow_args *a, struct ow_domain *ret_d,
			     struct ow_remote *ret);

#endif
