/* SPDX-License-Identifier: Apache-2.0 */
/*
 * imports.h - what other nodes may offer here
 *
 *	2:BALANCE,DEBIT;3:;*:AUDIT
 *
 * Node 2 two services, node 3 none, all others one. Without an entry, and
 * without *, a node may offer everything.
 */
#ifndef OW_BRIDGE_IMPORTS_H
#define OW_BRIDGE_IMPORTS_H

#include <stdint.h>

#include "servers/bridge/wire/names.h"

#define OW_BR_IMPORTS 256u

struct ow_br_imports {
	struct ow_br_names *of[OW_BR_IMPORTS]; /* by node; NULL: no entry */
	struct ow_br_names *others;	       /* of *; NULL: everything */
};

/* 0; -EINVAL: it is none, or names a node twice; -ENOMEM. NULL: no limits. */
int ow_br_imports_parse(const char *text, struct ow_br_imports *ret);
/* Of the names that `node` offers, leave those that it may. */
void ow_br_imports_apply(const struct ow_br_imports *im, uint32_t node,
			 struct ow_br_names *names);
void ow_br_imports_free(struct ow_br_imports *im);

#endif
