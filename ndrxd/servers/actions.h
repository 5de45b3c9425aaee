/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - what the automaton calls to act on a server
 */
#ifndef OW_ACTIONS_H
#define OW_ACTIONS_H

#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_auto_ops;
struct ow_inst;
struct ow_launch;

const struct ow_auto_ops *ow_action_ops(void);

/* Open a pidfd of s->pid, watched by the loop. */
void ow_action_watch(struct ow_inst *s);
void ow_action_unwatch(struct ow_inst *s);

/* What the instances of its entry are started with, as of a second ago at most and
 * ndrxd's until the next tick: 0, or the state that says why not, with `why`
 * (OW_LAUNCH_WHY bytes). */
enum ow_proc_state ow_action_prepared(struct ow_inst *s, char *why,
				      struct ow_launch **ret_launch);
/* What was prepared is not kept: variables are in it that were encrypted. */
void ow_action_tick(struct ndrxd *d);

/* One signal to one of its processes, never to a later owner of the pid. */
void ow_action_signal(struct ow_inst *s, pid_t pid, int sig);

/* Descriptors that servers do not need, for pidfds of other processes. */
uint32_t ow_action_spare_files(const struct ndrxd *d);

/* Modification time in ns, 0: no such file. */
uint64_t ow_action_file_time(const char *path);

#endif
