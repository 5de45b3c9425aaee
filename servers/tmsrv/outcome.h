/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.h - outcomes that wait to be forgotten, over restarts
 *
 * A transaction that has ended otherwise than it was told to, or perhaps, is
 * kept until an operator has it forgotten (`forgetlocal`). That is in the log
 * before anybody is told: with the decision, if there is one, else with a
 * record PREPARED that has no superior. The next life repeats what was open,
 * and keeps the outcome.
 */
#ifndef OW_TMSRV_OUTCOME_H
#define OW_TMSRV_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

struct tmlog;
struct tran;

void outcome_begin(struct tmlog *log);
/* The branches of `t`, which is busy, have answered: if its outcome is mixed or
 * a hazard, and the log has not got that, write it. `ended`: nothing of it is
 * to be repeated. */
void outcome_keep(struct tran *t, bool ended);

#endif
