/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - attributes of an element found by name
 */
#include "libndrx/config/tree.h"

#include <stddef.h>
#include <string.h>

const char *ow_config_node_attr(const struct ow_config_node *node,
				const char *name)
{
	for (const struct ow_config_attr *a = node->attrs; a != NULL;
	     a = a->next) {
		if (strcmp(a->name, name) == 0)
			return a->value;
	}
	return NULL;
}
