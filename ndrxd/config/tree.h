/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - XML elements with their positions
 *
 * What the reader hands to the checker: names, attributes, text, and where
 * each element stands, in whichever file. No libxml2 type passes this line.
 */
#ifndef OW_CONFIG_TREE_H
#define OW_CONFIG_TREE_H

#include <stddef.h>

#include "ndrxd/config/config.h"
#include "ndrxd/config/arena.h"

struct ow_config_attr {
	const char *name;
	const char *value;
	struct ow_config_attr *next;
};

struct ow_config_node {
	const char *name;
	const char *file;
	unsigned int line;
	const char *text; /* trimmed, never NULL */
	struct ow_config_attr *attrs;
	struct ow_config_node *parent;
	struct ow_config_node *children; /* in the order of the file */
	struct ow_config_node *last;
	struct ow_config_node *next;
};

struct ow_config_source {
	const char *name; /* for messages, and base of entity files */
	const void *data;
	size_t len;
	int alone; /* read nothing but `data` */
};

/* 0, OW_CONFIG_BAD or -ENOMEM, both with `err` set. */
int ow_config_read(const struct ow_config_source *source,
		   struct ow_arena *arena, struct ow_config_error *err,
		   struct ow_config_node **ret_root);

/* Against the schema, after ow_config_read() and the check have found nothing
 * wrong. 0, OW_CONFIG_BAD or -ENOMEM, both with `err` set. */
int ow_config_schema_check(const struct ow_config_source *source,
			   struct ow_config_error *err);

/* The attribute's value, or NULL. */
const char *ow_config_node_attr(const struct ow_config_node *node,
				const char *name);

#endif
