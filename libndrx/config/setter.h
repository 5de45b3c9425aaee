/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setter.h - the value of a field read into its member
 *
 * `base` is the struct that the table's offsets are about; it may be NULL for
 * a field with OW_FIELD_CHECKED. 0, OW_CONFIG_BAD or -ENOMEM, both with the
 * error set.
 */
#ifndef OW_CONFIG_SETTER_H
#define OW_CONFIG_SETTER_H

#include <stdbool.h>
#include <stdint.h>

#include "libndrx/config/grammar.h"
#include "libndrx/config/state.h"
#include "libndrx/config/tree.h"

/* The text of the element. */
int ow_config_field_set(struct ow_config_check *check,
			const struct ow_field *field,
			const struct ow_config_node *node, void *base);

/* The text of the attribute of the field's name; nothing without it. */
int ow_config_attr_set(struct ow_config_check *check,
		       const struct ow_field *field,
		       const struct ow_config_node *node, void *base);

/* Every attribute of the table that the element has. */
int ow_config_attrs_set(struct ow_config_check *check,
			const struct ow_field_table *table,
			const struct ow_config_node *node, void *base);

/*
 * The defaults of the table; `cycles_only`: of times counted in <sanity>, which
 * are multiplied with its current value.
 */
void ow_config_set_initial(struct ow_config_check *check,
			   const struct ow_field_table *table,
			   bool cycles_only, void *base);

/* Say once that field `i` of the table has no effect, if that is so. */
int ow_config_note_inert(struct ow_config_check *check,
			 const struct ow_field_table *table, int i,
			 const struct ow_config_node *node, uint64_t *noted);

#endif
