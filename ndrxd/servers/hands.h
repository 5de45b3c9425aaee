/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hands.h - what the automaton asks of an instance
 *
 * Used by inst.c, and adopt.c for the record.
 */
#ifndef OW_INST_HANDS_H
#define OW_INST_HANDS_H

#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ow_auto_ops;
struct ow_inst;

/* The automaton's door to all of it. */
const struct ow_auto_ops *ow_inst_ops(void);

/* Open a pidfd for s->pid and have ndrxd's loop look at it. */
void ow_inst_watch(struct ow_inst *s);
void ow_inst_unwatch(struct ow_inst *s);

/* One signal to one of its processes, never to a later owner of the pid. */
void ow_inst_signal(struct ow_inst *s, pid_t pid, int sig);

/* Show the state in the shared tables. */
void ow_inst_publish(struct ow_inst *s);
/* On record: `pid` (0: none) is its process now; the rest of the new state
 * follows with ow_inst_publish(). Before anything else is said of it, so that
 * a successor of ours neither tells it again nor leaves it out. */
void ow_inst_record(struct ow_inst *s, pid_t pid, enum ow_proc_state state);

/* Modification time in ns, 0: no such file. */
uint64_t ow_inst_file_time(const char *path);

#endif
