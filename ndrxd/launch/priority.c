/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - ndrxd runs with a higher priority than its children
 */
#include "ndrxd/launch/priority.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "libatmi/base/env.h"
#include "libatmi/base/rt.h"

#define NICE (-10)

static int set_policy(pid_t pid, int policy, int priority)
{
	struct sched_param p = { .sched_priority = priority };

	return sched_setscheduler(pid, policy, &p);
}

struct ow_priority ow_priority_raise(void)
{
	struct ow_priority p = { OW_PRIORITY_UNCHANGED };

	if (strcmp(ow_env_str("NDRX_SCHED", ""), "normal") == 0 ||
	    sched_getscheduler(0) != SCHED_OTHER ||
	    getpriority(PRIO_PROCESS, 0) != 0)
		return p;
	if (set_policy(0, SCHED_RR, OW_RT_NDRXD) == 0)
		p.how = OW_PRIORITY_RT;
	else if (setpriority(PRIO_PROCESS, 0, NICE) == 0)
		p.how = OW_PRIORITY_NICE;
	return p;
}

void ow_priority_of_child(struct ow_priority p)
{
	if (p.how == OW_PRIORITY_RT)
		set_policy(0, SCHED_RR, OW_RT_CHILD);
}

void ow_priority_restore(struct ow_priority p, pid_t pid)
{
	if (p.how == OW_PRIORITY_RT && ow_rt_is_child(pid))
		set_policy(pid, SCHED_OTHER, 0);
	else if (p.how == OW_PRIORITY_NICE &&
		 getpriority(PRIO_PROCESS, (id_t)pid) == NICE)
		setpriority(PRIO_PROCESS, (id_t)pid, 0);
}
