/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.h - ndrxd comes first, what it starts does not
 *
 * When the machine is full, who keeps the servers running has to come before
 * them: with 130 processes waiting for two CPUs, ndrxd waited for seventeen
 * seconds with the usual priority, and for ten with nice -10 (Linux 6.18,
 * sessions scheduled as groups); it needs one part in fifty of a CPU. So it
 * asks for real time (SCHED_RR, the lowest but one), else for nice -10. Where
 * neither is allowed (who is not root, many containers), where somebody has
 * chosen a policy or a priority, and with NDRX_SCHED=normal, nothing changes.
 *
 * ndrxd stands still between vfork() and execve() of a child, which therefore
 * runs above all others, too, but below ndrxd (SCHED_RR, the lowest). With
 * execve() ndrxd goes on, at once, and gives the child what it had itself.
 * Should ndrxd be killed just there, who adopts the child does it.
 */
#ifndef OW_PRIORITY_H
#define OW_PRIORITY_H

#include <sys/types.h>

enum ow_priority_how { OW_PRIORITY_AS_IT_WAS, OW_PRIORITY_NICE, OW_PRIORITY_RT };

/* How ndrxd was raised. */
struct ow_priority {
	enum ow_priority_how how;
};

/* Raise this process. */
struct ow_priority ow_priority_raise(void);
/* In the child, before execve(): below ndrxd. */
void ow_priority_of_child(struct ow_priority p);
/* Process `pid` runs its program: as ndrxd was, unless it has chosen its
 * policy already. */
void ow_priority_restore(struct ow_priority p, pid_t pid);

#endif
