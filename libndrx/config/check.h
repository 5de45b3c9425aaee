/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - a tree of elements made a configuration
 */
#ifndef OW_CONFIG_CHECK_H
#define OW_CONFIG_CHECK_H

#include "libndrx/config/config.h"
#include "libndrx/config/tree.h"

/* Fill the empty `config`. 0, OW_CONFIG_BAD or -ENOMEM, both with `err` set. */
int ow_config_check(struct ow_config *config,
		    const struct ow_config_node *root,
		    struct ow_config_error *err);

#endif
