/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.h - branches with which nobody goes on: their tmsrv are asked
 *
 * A branch whose coordinator has forgotten it keeps messages from others, for
 * ever. A thread of its own asks the tmsrv of each that is left (known.h) whether
 * its transaction may yet commit what is not prepared, and has the engine roll it
 * back if not. So a transaction has all the time that its tmsrv gives it, whatever
 * its program waits for, and no other thread waits for a tmsrv that is silent.
 *
 * Rolling back what is not prepared is never wrong: its prepare, or its one-phase
 * commit, is XAER_NOTA from then on, and what has been decided without it does not
 * want it. doc/design/durable_queues.md has what each crash leaves.
 */
#ifndef OW_TMQUEUE_LEFT_H
#define OW_TMQUEUE_LEFT_H

#include "servers/tmqueue/engine.h"
#include "servers/tmqueue/space.h"

struct left;

/* Start the thread: 0 or -errno. */
int left_start(struct left **ret, struct space *sp, struct engine *e);
/* End it: at most as long as a silent tmsrv is waited for. Before the engine
 * ends. */
struct left *left_stop(struct left *l);

#endif
