/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say.h - errors and notices about a configuration, worded
 *
 * The functions that fail set the error text and give OW_CONFIG_BAD, or
 * -ENOMEM.
 */
#ifndef OW_CONFIG_SAY_H
#define OW_CONFIG_SAY_H

#include <stdbool.h>

#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

int ow_config_fail(struct ow_config_check *check,
		   const struct ow_config_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int ow_config_no_memory(struct ow_config_check *check);

/* Append to the notices, unless it is there. 0 or -ENOMEM. */
int ow_config_notice(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The element, or its attribute, is not known. `words`: known names, separated
 * by spaces. */
int ow_config_fail_element(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   const char *words);
int ow_config_fail_attr(struct ow_config_check *check,
			const struct ow_config_node *node, const char *name,
			const char *words);

bool ow_config_word_in(const char *words, const char *word);

#endif
