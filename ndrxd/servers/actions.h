/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - what the automaton calls to act on a server
 */
#ifndef OW_ACTIONS_H
#define OW_ACTIONS_H

#include <stdint.h>
#include <sys/types.h>

struct ndrxd;
struct ow_auto_ops;
struct ow_inst;

const struct ow_auto_ops *ow_action_ops(void);

/* Open a pidfd of s->pid, watched by the loop. */
void ow_action_watch(struct ow_inst *s);
void ow_action_unwatch(struct ow_inst *s);

/* One signal to one of its processes, never to a later owner of the pid. */
void ow_action_signal(struct ow_inst *s, pid_t pid, int sig);

/* Descriptors that servers do not need, for pidfds of other processes. */
uint32_t ow_action_spare_files(const struct ndrxd *d);

/* Modification time in ns, 0: no such file. */
uint64_t ow_action_file_time(const char *path);

#endif
