/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - find records of the supervisor
 */
#ifndef OW_LOOKUP_H
#define OW_LOOKUP_H

#include <stdbool.h>
#include <sys/types.h>

struct ndrxd;
struct ow_client;
struct ow_group;
struct ow_inst;

/* The instance whose process is the child `pid` of ndrxd, or NULL. */
struct ow_inst *ow_inst_by_pid(const struct ndrxd *d, pid_t pid);
/* Has it a process, or will ndrxd start one? */
bool ow_inst_is_up(const struct ow_inst *s);
/* Is it a member of process group `name`? Its lock provider? */
bool ow_inst_in_group(const struct ow_inst *s, const char *name);
bool ow_inst_provides_lock(const struct ow_inst *s, const char *name);

struct ow_client *ow_client_find(const struct ndrxd *d, const char *tag,
				 const char *subsect);
struct ow_client *ow_client_by_pid(const struct ndrxd *d, pid_t pid);
bool ow_client_in_group(const struct ow_client *c, const char *name);

/* NULL, also for NULL: no such group. */
struct ow_group *ow_group_find(const struct ndrxd *d, const char *name);

#endif
