/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.h - the two real-time priorities of a domain (SCHED_RR)
 *
 * ndrxd's own, and below it that of a process it is just making, which keeps
 * it until ndrxd, or the process itself, has put it among all others
 * (ndrxd/launch/priority.h tells why).
 */
#ifndef OW_RT_H
#define OW_RT_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { OW_RT_CHILD = 1, OW_RT_NDRXD = 2 };

/* Is process `pid` (0: we) still being made? */
static inline bool ow_rt_is_child(pid_t pid)
{
	struct sched_param p;

	return sched_getscheduler(pid) == SCHED_RR &&
	       sched_getparam(pid, &p) == 0 && p.sched_priority == OW_RT_CHILD;
}

#endif
