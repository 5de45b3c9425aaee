/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - a start or stop in progress
 *
 * A job is a list of steps, done one after the other; the servers of a step
 * start (or end) in parallel, a bounded number at a time. A step is over when
 * each of its servers has come to a result, or when the entry's waiting time
 * has passed. Commands, reloads and signals all become jobs; there is at
 * most one, and it does not depend on the xadmin that asked for it. A stop of
 * the whole domain cuts off whatever else is in progress.
 */
#ifndef OW_JOB_H
#define OW_JOB_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_inst;
struct ow_job;

enum ow_job_result {
	OW_JOB_BUSY = 1,   /* another one is in progress */
	OW_JOB_NOBODY = 2, /* no server matches */
};

/*
 * Begin what `cmd` asks for (START, STOP, RESTART, SRELOAD, RELOAD, DOWN). 0,
 * OW_JOB_*, or -ENOMEM. Progress goes to all peers that watch.
 */
int ow_job_begin(struct ndrxd *d, const struct ow_ctl_cmd *cmd);

/* Go on as far as possible; called once per round of the loop. */
void ow_job_pump(struct ow_job *j);

/* The state of `s` has changed. `j` may be NULL. */
void ow_job_changed(struct ow_job *j, struct ow_inst *s);

/* Will the job start this server again after its end? */
bool ow_job_starts_again(const struct ow_job *j, const struct ow_inst *s);

/* Something outside of the plan that it may wait for has changed. */
void ow_job_wake(struct ow_job *j);
/*
 * End the job in progress as it stands: servers that were asked to start or
 * stop do so, the others are left as they are.
 */
void ow_job_abort(struct ndrxd *d, const struct ow_ctl_cmd *by);

/* The verb in progress. */
enum ow_ctl_verb ow_job_verb(const struct ow_job *j);

struct ow_job *ow_job_free(struct ow_job *j);

#endif
