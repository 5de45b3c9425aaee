/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.h - variables in the text of an element or attribute
 */
#ifndef OW_CONFIG_EXPAND_H
#define OW_CONFIG_EXPAND_H

#include <stdbool.h>

#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

/*
 * Replace ${NAME} and trim. `late`: process variables stay. The result is the
 * arena's. A variable that is not set gives a notice. 0, OW_CONFIG_BAD or
 * -ENOMEM, both with the error set.
 */
int ow_config_expand(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *text,
		     bool late, const char **ret_text);

#endif
