/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envs.h - lists of environment variables
 *
 * Each step gives 0, OW_CONFIG_BAD or -ENOMEM, both with the error set.
 */
#ifndef OW_CONFIG_ENVS_H
#define OW_CONFIG_ENVS_H

#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

/* <envs>: with a group, define it; else append its variables to `draft`. */
int ow_config_envs(struct ow_config_check *check,
		   const struct ow_config_node *node,
		   struct ow_config_draft *draft);

/* Append <env name="..."> or the variables of <usegroup>. */
int ow_config_env_item(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       struct ow_config_draft *draft);

/* Replace the list that `draft` shares with another draft by a copy. */
int ow_config_envs_unshare(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   struct ow_config_draft *draft);

#endif
