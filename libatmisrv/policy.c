/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - the scheduling policy of a server
 *
 * Under SCHED_BATCH a woken server does not preempt the process that runs, in
 * the middle of a burst: doc/design/scheduling.md has what that is worth.
 * NDRX_SCHED (normal, batch) overrides it. A policy that was set from outside
 * stays.
 */
#include "libatmisrv/policy.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "libatmi/base/env.h"
#include "libatmi/base/rt.h"
#include "libatmi/transport/transport.h"

void ow_policy_set(const struct ow_domain *d)
{
	const char *policy = ow_env_str("NDRX_SCHED", "batch");
	/* ndrxd may have been killed before it took the real-time priority of
	 * a starting process away. */
	bool starting = ow_rt_is_child(0);
	struct sched_param none = { 0 };

	if (d->wake == OW_WAKE_HERD)
		policy = "normal"; /* for comparison with other runtimes */
	if (!starting && sched_getscheduler(0) != SCHED_OTHER)
		return;
	if (strcmp(policy, "batch") == 0)
		sched_setscheduler(0, SCHED_BATCH | SCHED_RESET_ON_FORK, &none);
	else if (starting)
		sched_setscheduler(0, SCHED_OTHER, &none);
}
