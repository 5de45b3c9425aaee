/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.h - ndrxd runs with a higher priority than its children
 *
 * On a full machine the supervisor has to run before its servers: with 130
 * processes waiting for two CPUs, ndrxd waited for seventeen seconds with the
 * usual priority, and for ten with nice -10 (Linux 6.18, sessions scheduled as
 * groups); it needs one part in fifty of a CPU. So it asks for real time
 * (SCHED_RR, the lowest but one), else for nice -10. Where neither is allowed
 * (users other than root, many containers), where a policy or a priority was
 * set from outside, and with NDRX_SCHED=normal, nothing changes.
 *
 * ndrxd is suspended between vfork() and execve() of a child, which therefore
 * runs above all servers, too, but below ndrxd (SCHED_RR, the lowest). After
 * execve() ndrxd runs on at once, and gives the child the priority that it had
 * itself. If ndrxd is killed in between, a server returns to the normal scheduler
 * when it joins; of other programs, the ndrxd that adopts them takes it away.
 */
#ifndef OW_PRIORITY_H
#define OW_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

enum ow_priority_how {
	OW_PRIORITY_UNCHANGED,
	OW_PRIORITY_NICE,
	OW_PRIORITY_RT,
};

/* How the priority of ndrxd was raised. */
struct ow_priority {
	enum ow_priority_how how;
	bool bounded;
	struct rlimit rttime; /* bounded: the limit that ndrxd had */
};

/* CPU time without a sleep that ndrxd never needs, in microseconds. */
#define OW_PRIORITY_MAX_US 5000000u

/* Raise this process. */
struct ow_priority ow_priority_raise(void);
/* If it runs by real time: after so much CPU time without a sleep it says so on
 * standard error and ends by SIGXCPU (RLIMIT_RTTIME). Children do not inherit
 * the limit. */
void ow_priority_bound(struct ow_priority *p, uint64_t us);
/* In the child, before execve(): below ndrxd. */
void ow_priority_of_child(struct ow_priority p);
/* After execve() of `pid`: the priority that ndrxd had, unless the process has
 * set its policy already. */
void ow_priority_restore(struct ow_priority p, pid_t pid);

#endif
