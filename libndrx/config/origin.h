/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - file, line and variables of each value
 */
#ifndef OW_CONFIG_ORIGIN_H
#define OW_CONFIG_ORIGIN_H

#include "libndrx/config/config.h"
#include "libndrx/config/grammar.h"
#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

/* Where the value of an element stands. 0 or -ENOMEM. */
int ow_config_origin(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     struct ow_config_origin *ret_origin);

/* The same for each field of a table; `set` names its element or NULL. */
int ow_config_origins(struct ow_config_check *check,
		      const struct ow_field_table *table,
		      const struct ow_config_node *const *set,
		      const struct ow_config_origin **ret_origins);

#endif
