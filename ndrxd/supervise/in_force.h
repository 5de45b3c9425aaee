/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_force.h - the configuration in force, as a file of the run folder
 *
 * `xadmin config` compares the file of the user with it: what is in force, and
 * what a reload would change. Written when a configuration is put in force and
 * when `xadmin appconfig` changes a setting; only for the user of the domain,
 * because variables of servers may hold secrets. Believed only while ndrxd
 * runs.
 */
#ifndef OW_IN_FORCE_H
#define OW_IN_FORCE_H

struct ndrxd;

/* Write it anew, and <spin> into the tables. A failure to write the file is logged, and nothing else. */
void ow_in_force_write(struct ndrxd *d);
void ow_in_force_remove(struct ndrxd *d);

#endif
