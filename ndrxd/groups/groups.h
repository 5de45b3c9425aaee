/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h - singleton process groups: who may run here
 *
 * A group's lock is a flock() on its lock file. It belongs to the open file,
 * not to a process: ndrxd takes it and every member inherits the descriptor.
 * So the lock is held as long as ndrxd or any member lives, and no other
 * domain can take a group over while a member of a killed ndrxd still runs.
 * The next ndrxd gets the descriptor back from a member it adopts.
 *
 * A group is *locked* while the lock is held here and its lock provider, if
 * it has one (<procgrp_lp>), runs and is ready. Members start when it becomes
 * locked, and are killed at once when it ceases to be.
 */
#ifndef OW_GROUPS_H
#define OW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

struct ndrxd;
struct ow_config;
struct ow_inst;

struct ow_group {
	char name[32];
	char path[560]; /* its lock file */
	int grpno;
	bool noorder, singleton;
	int fd;	     /* the lock is held here; -1: not */
	bool locked; /* members may run */
	bool waited; /* and it was said */
	char why_not[200];
};

/* The groups of a configuration; locks that are held stay held. 0, -ENOMEM
 * (unchanged). */
int ow_groups_configure(struct ndrxd *d, const struct ow_config *config);
void ow_groups_close(struct ndrxd *d);

/* NULL, also for NULL: no such group. */
struct ow_group *ow_groups_find(struct ndrxd *d, const char *name);

/*
 * May a member of `name` (NULL: of no group) be started now? Tries to take
 * the lock. The descriptor to inherit goes to *ret_fd (-1: none); if not, the
 * reason to `why`.
 */
bool ow_groups_may_start(struct ndrxd *d, const char *name, int *ret_fd,
			 char *why, size_t size);

/* Something happened to `s`; only a note, for ow_groups_pump(). */
void ow_groups_changed(struct ndrxd *d, const struct ow_inst *s);

/* Take, verify and give back locks; tell the members. Once per round of the
 * loop when something happened (`due`), and once a second. */
void ow_groups_pump(struct ndrxd *d, bool due);

#endif
