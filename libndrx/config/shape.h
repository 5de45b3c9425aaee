/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.h - elements and attributes against the grammar
 *
 * Names, places, repetitions, and what is required: everything but values.
 * The files that read the sections afterwards rely on it.
 */
#ifndef OW_CONFIG_SHAPE_H
#define OW_CONFIG_SHAPE_H

#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

/* The whole tree. 0 or OW_CONFIG_BAD, with the error set. */
int ow_config_check_shape(struct ow_config_check *check,
			  const struct ow_config_node *root);

#endif
