/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h - what waits in the queues of services that lose their last server
 *
 * `xadmin stop --drain` and `xadmin drain`: before the servers of a step are
 * asked to stop, the services that nobody else offers get the mark DRAINED. New
 * calls of them get TPENOENT, and other nodes hear of it; what is in their
 * queues is served. When the queues are empty, or have not moved for STUCK_MS,
 * the step begins, and each server finishes what it has in hand, as always.
 * The marks go when the step is over. A new ndrxd takes away what a killed one
 * has left.
 *
 * Without --drain a stop says how many requests wait, and the log of the last
 * server names those that nobody hears of (member/refuse.h).
 */
#ifndef OW_DRAIN_H
#define OW_DRAIN_H

#include <stdbool.h>

struct ndrxd;
struct ow_ctl_cmd;
struct ow_drain;
struct ow_plan;
struct ow_plan_step;

/* `step` of a plan for `cmd` is about to stop servers. True: not yet, it drains;
 * d->changed is called when that may be over. With `cmd` not draining: says what
 * waits, and is false. */
bool ow_drain_holds(struct ndrxd *d, const struct ow_ctl_cmd *cmd,
		    const struct ow_plan *plan,
		    const struct ow_plan_step *step);
/* The step is over, or the operation is: services have no such mark any more.
 * Also when ndrxd begins. */
void ow_drain_end(struct ndrxd *d);

#endif
