/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.h - start and kill the members of singleton groups with the lock
 */
#ifndef OW_MEMBERS_H
#define OW_MEMBERS_H

#include <stdbool.h>

struct ndrxd;

/* Take, verify and release the locks of all singleton groups; raise LOCKED
 * and UNLOCKED in their members. Once per round of the loop, where
 * d->groups_due is set, and once a second (`due`). */
void ow_members_pump(struct ndrxd *d, bool due);

#endif
