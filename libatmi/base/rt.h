/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.h - the real-time priorities of a domain (SCHED_RR)
 *
 * ndrxd runs at the higher one. A process that ndrxd is starting runs at the
 * lower one until ndrxd, or the process itself, returns it to the normal
 * scheduler (ndrxd/launch/priority.h tells why).
 */
#ifndef OW_RT_H
#define OW_RT_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { OW_RT_CHILD = 1, OW_RT_NDRXD = 2 };

/* Is process `pid` (0: this one) still being started? */
static inline bool ow_rt_is_child(pid_t pid)
{
	struct sched_param p;

	return sched_getscheduler(pid) == SCHED_RR &&
	       sched_getparam(pid, &p) == 0 && p.sched_priority == OW_RT_CHILD;
}

#endif
