/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - XML text parsed into a tree of elements
 */
#ifndef OW_CONFIG_READ_H
#define OW_CONFIG_READ_H

#include "libndrx/config/arena.h"
#include "libndrx/config/config.h"
#include "libndrx/config/source.h"
#include "libndrx/config/tree.h"

/*
 * The tree is the arena's. 0, OW_CONFIG_BAD or -ENOMEM, both with `err` set.
 * Any thread; blocks on access to entity files.
 */
int ow_config_read(const struct ow_config_source *source,
		   struct ow_arena *arena, struct ow_config_error *err,
		   struct ow_config_node **ret_root);

#endif
