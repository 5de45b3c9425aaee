/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - a start or stop in progress
 *
 * An operation is a list of steps (plan.h), one after the other; the servers
 * of a step start or end in parallel, a bounded number at a time. A step is
 * over when each of its servers has a result, or when the entry's waiting
 * time has passed. Commands, reloads and signals begin operations; at most
 * one is in progress, and it does not depend on the xadmin that asked for it.
 * A stop of the whole domain ends whatever else is in progress.
 */
#ifndef OW_OPERATION_H
#define OW_OPERATION_H

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_operation;

enum ow_operation_result {
	OW_OPERATION_BUSY = 1,	   /* another one is in progress */
	OW_OPERATION_NO_MATCH = 2, /* no server matches */
};

/* Before the first state changes: sets d->changed. */
void ow_operation_open(struct ndrxd *d);

/*
 * Begin what `cmd` asks for (START, STOP, RESTART, SRELOAD, RELOAD, DOWN). 0,
 * OW_OPERATION_*, or -ENOMEM. Progress goes to all peers that watch.
 */
int ow_operation_begin(struct ndrxd *d, const struct ow_ctl_cmd *cmd);

/* Go on as far as possible; once per round of the loop. */
void ow_operation_pump(struct ow_operation *o);

/* End the operation in progress as it is: servers that were asked to start or
 * stop do so, the others are left as they are. */
void ow_operation_abort(struct ndrxd *d, const struct ow_ctl_cmd *by);

/* What was asked for. */
const struct ow_ctl_cmd *ow_operation_cmd(const struct ow_operation *o);

struct ow_operation *ow_operation_free(struct ow_operation *o);

#endif
