/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h - singleton process groups: may a member run here?
 *
 * A group's lock is a flock() on its lock file. It belongs to the open file,
 * not to a process: ndrxd takes it and every member inherits the descriptor.
 * So the lock is held as long as ndrxd or any member lives, and no other
 * domain can take a group over while a member of a killed ndrxd still runs.
 * The next ndrxd gets the descriptor back from a member it adopts.
 *
 * A group is *locked* while the lock is held here and its lock provider, if
 * it has one (<procgrp_lp>), is RUNNING. supervise/members.c starts the
 * members when the group becomes locked, and kills them when it loses the
 * lock.
 */
#ifndef OW_GROUPS_H
#define OW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

struct ndrxd;
struct ow_config;
struct ow_group;

/* The groups of a configuration; locks that are held stay held. 0, -ENOMEM
 * (unchanged). */
int ow_groups_configure(struct ndrxd *d, const struct ow_config *config);
void ow_groups_close(struct ndrxd *d);

/*
 * May a member of `name` (NULL: of no group) be started now? Tries to take
 * the lock. The descriptor to inherit goes to *ret_fd (-1: none); if not, the
 * reason to `why`.
 */
bool ow_groups_may_start(struct ndrxd *d, const char *name, int *ret_fd,
			 char *why, size_t size);

/*
 * Is the lock held, its file still the one at its path, and the provider
 * ready? Takes the lock if it can; otherwise g->why_not says why.
 */
bool ow_groups_check(struct ndrxd *d, struct ow_group *g);
/* After a check: members may run. */
void ow_groups_lock(struct ndrxd *d, struct ow_group *g);
/* Give the lock back. */
void ow_groups_release(struct ndrxd *d, struct ow_group *g);

/* A line of the log, and an event. */
void ow_groups_emit(struct ndrxd *d, const struct ow_group *g,
		    const char *what);

#endif
