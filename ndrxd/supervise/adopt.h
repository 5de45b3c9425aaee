/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt.h - the instances of a domain, and start-up over a living one
 */
#ifndef OW_ADOPT_H
#define OW_ADOPT_H

#include <stdint.h>

struct ndrxd;
struct ow_inst;
struct ow_config;

/*
 * Make d->insts those of `config`, plus the unconfigured ones that exist;
 * clients, groups and scales too. What vanishes and has a process is watched
 * from then on like a server started by hand. The configuration so far goes
 * to *ret_before (NULL: is freed). 0 or -ENOMEM (unchanged).
 */
int ow_adopt_config(struct ndrxd *d, struct ow_config *config,
		    struct ow_config **ret_before);

/* The instance with this id, new if need be (a server started by hand);
 * NULL: no memory. */
struct ow_inst *ow_adopt_inst(struct ndrxd *d, uint32_t srvid,
			      const char *bin);

/* Watch every living server in the tables that is not watched yet. */
void ow_adopt_living(struct ndrxd *d);

/*
 * At start-up: adopt the living; clear up after the dead, and start those
 * again that ran under the last ndrxd and whose configuration says so.
 */
void ow_adopt_domain(struct ndrxd *d);

#endif
