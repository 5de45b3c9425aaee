/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - who may call, post and subscribe: from the configuration to the
 * domain
 */
#ifndef OW_NDRXD_RULES_H
#define OW_NDRXD_RULES_H

struct ndrxd;

/* Put the rules of the configuration in force, for every request that is taken
 * from now on (libatmi/door/rules.h). Without rules, and none before: nothing.
 * At the start of ndrxd and at each reload. */
void ow_rules_configure(struct ndrxd *d);

#endif
