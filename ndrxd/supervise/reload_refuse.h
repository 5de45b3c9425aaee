/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload_refuse.h - changes that a running domain cannot make
 */
#ifndef OW_RELOAD_REFUSE_H
#define OW_RELOAD_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

struct ndrxd;
struct ow_config;

/* True: `why` names file, line and element, and what to do instead. */
bool ow_reload_refuse(const struct ndrxd *d, const struct ow_config *c,
		      char *why, size_t size);

#endif
