/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - XML elements with their positions
 *
 * read.c builds the tree, the check reads it: names, attributes, text, and the
 * position of each element, entity files included. No libxml2 type is in it.
 */
#ifndef OW_CONFIG_TREE_H
#define OW_CONFIG_TREE_H

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

/* The attribute's value, or NULL. */
const char *ow_config_node_attr(const struct ow_config_node *node,
				const char *name);

#endif
