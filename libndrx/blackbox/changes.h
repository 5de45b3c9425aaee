/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - what changed in a domain between two times, from its black box
 *
 * Processes that came and went, queues that grew, times and errors that rose,
 * clients that joined, what ndrxd did. In order of time.
 */
#ifndef OW_BB_CHANGES_H
#define OW_BB_CHANGES_H

#include <stdint.h>

#include "libndrx/blackbox/change.h"

struct ow_bb_player;

/* 0 or -errno. To be freed. */
int ow_bb_changes_find(struct ow_bb_player *p, uint64_t from_ns, uint64_t to_ns,
		       struct ow_bb_changes *ret);
void ow_bb_changes_free(struct ow_bb_changes *c);

#endif
